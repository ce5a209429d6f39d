"""How IFACM counts an increase and looks for its layers, among the finer choices."""

from dataclasses import dataclass
from typing import Any, TypedDict

import streamlit as st

from evencover.core import InputError
from evencover.core.conformal.measures import MEASURES
from evencover.core.coverage.estimators import ESTIMATORS, IFACM_ESTIMATORS
from evencover.core.preparation.column_profile import ColumnProfile
from evencover.core.preparation.settings import TASKS
from evencover.core.remedies.ifacm.penalties import PENALTIES
from evencover.core.remedies.ifacm.searches import SEARCHES
from evencover.core.tables.columns import Kind

from ...runs.loaded_table import LoadedTable
from ...wording import help_texts
from ..filtered_result import Cohorts
from ..shared.widgets import choose_name
from .segment_choice import choose_segments


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


_AUTOMATIC = "automatic"
_TIMES: tuple[Kind, ...] = ("date", "number")
_AT_RANDOM, _BY_GROUP, _BY_TIME, _BY_NAME = _SHAPES = (
    *("at random", "by group", "by time"),
    "as a column says",
)
_FIXED = (_BY_TIME, _BY_NAME)
"""There is one way only to split so: repeats would all be the same."""


@dataclass(frozen=True)
class FinerChoice:
    """Finer choices by their names in the settings, and the column that shapes the split."""

    settings: dict[str, Any]
    shaping_column: str | None


def choose_finer(
    table: LoadedTable, target: str, numeric: list[str], cohorts: Cohorts
) -> FinerChoice:
    """Draw the finer choices; ``numeric`` are text columns that are read as numbers.

    Raises
    ------
    InputError
        If no column can split the rows as asked for, or what is written cannot be read.
    """
    choices, token = table.choices, table.token
    task = choose_name("Task", TASKS, choices.task, key=f"task-{token}", help_=help_texts.TASK)
    measure = choose_name(
        "Conformity measure",
        [_AUTOMATIC, *MEASURES],
        choices.measure or _AUTOMATIC,
        key=f"measure-{token}",
        help_=help_texts.MEASURE,
    )
    split = st.text_input(
        "Split",
        value=choices.split,
        key=f"split-{token}",
        persist_state="session",
        help=help_texts.SPLIT,
    )
    seed = st.number_input(
        "Seed",
        min_value=0,
        value=choices.seed,
        step=1,
        key=f"seed-{token}",
        persist_state="session",
        help=help_texts.SEED,
    )
    shape, shaping_column = _choose_shape(table, target, numeric)
    repeats = st.number_input(
        "Repeats",
        min_value=1,
        value=choices.repeats,
        step=1,
        key=f"repeats-{token}",
        persist_state="session",
        help=help_texts.REPEATS,
        disabled=shape in _FIXED,
    )
    stratify = st.checkbox(
        "Stratify by class",
        value=choices.stratify,
        key=f"stratify-{token}",
        persist_state="session",
        help=help_texts.STRATIFY,
    )
    settings = {
        "task": task,
        "measure": None if measure == _AUTOMATIC else measure,
        "split": split,
        "seed": seed,
        "group": shaping_column if shape == _BY_GROUP else None,
        "time": shaping_column if shape == _BY_TIME else None,
        "split_column": shaping_column if shape == _BY_NAME else None,
        "repeats": 1 if shape in _FIXED else repeats,
        "stratify": stratify,
        **choose_search(table),
        **choose_estimators(table),
        **choose_segments(table, cohorts),
    }
    return FinerChoice(settings, shaping_column)


def _choose_shape(table: LoadedTable, target: str, numeric: list[str]) -> tuple[str, str | None]:
    """Draw the choice of how to split; return it, and the column it goes by."""
    choices, token = table.choices, table.token
    columns = {_BY_GROUP: choices.group, _BY_TIME: choices.time, _BY_NAME: choices.split_column}
    chosen = next((shape for shape, column in columns.items() if column), _AT_RANDOM)
    shape = choose_name(
        "Split the rows", _SHAPES, chosen, key=f"shape-{token}", help_=help_texts.SHAPE
    )
    if shape == _AT_RANDOM:
        return shape, None
    column = columns[shape]
    candidates = [
        profile.name
        for profile in table.profiles
        if profile.name != target
        and (profile.name in {column, *numeric} or _can_split(profile, shape))
    ]
    column = st.selectbox(
        "Column to split by",
        candidates,
        index=candidates.index(column) if column in candidates else 0,
        key=f"shape-column-{token}-{target}-{shape}",
        persist_state="session",
    )
    if column is None:
        raise InputError(f"no column can split the rows {shape}; choose another way to split")
    return shape, column


def _can_split(profile: ColumnProfile, shape: str) -> bool:
    return profile.kind in _TIMES if shape == _BY_TIME else profile.kind != "unsupported"


class SearchSettings(TypedDict):
    """Those of the audit's settings that are chosen here."""

    penalty_form: str
    search: str


def choose_search(table: LoadedTable) -> SearchSettings:
    """Draw the choice of the penalty's form and of the search, and return it."""
    choices, token = table.choices, table.token
    form = choose_name(
        "Form of the penalty",
        PENALTIES,
        choices.penalty_form,
        key=f"penalty-form-{token}",
        help_=help_texts.PENALTY_FORM,
    )
    search = choose_name(
        "Search for layers",
        SEARCHES,
        choices.search,
        key=f"search-{token}",
        help_=help_texts.SEARCH,
    )
    return {"penalty_form": form, "search": search}
