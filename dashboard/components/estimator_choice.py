"""How correctness is estimated, among the finer choices."""

from typing import TypedDict

import streamlit as st

from evencover.core.estimators import ESTIMATORS, IFACM_ESTIMATORS

from .. import help_texts
from ..tables import LoadedTable
from .named_choice import choose_name


class EstimatorSettings(TypedDict):
    """Those of the audit's settings that are chosen here."""

    estimator: str
    ifacm_estimator: str
    permutations: int


def choose_estimators(table: LoadedTable) -> EstimatorSettings:
    """Draw the choice of estimators and permutations, and return it."""
    choices, token = table.choices, table.token
    estimator = choose_name(
        "Estimator of correctness",
        ESTIMATORS,
        choices.estimator,
        key=f"estimator-{token}",
        help_=help_texts.ESTIMATOR,
    )
    inside = choose_name(
        "Estimator within IFACM",
        IFACM_ESTIMATORS,
        choices.ifacm_estimator,
        key=f"ifacm-estimator-{token}",
        help_=help_texts.IFACM_ESTIMATOR,
    )
    permutations = st.number_input(
        "Permutations",
        min_value=0,
        value=choices.permutations,
        step=100,
        key=f"permutations-{token}",
        persist_state="session",
        help=help_texts.PERMUTATIONS,
    )
    return {
        "estimator": estimator,
        "ifacm_estimator": inside,
        "permutations": int(permutations),
    }
