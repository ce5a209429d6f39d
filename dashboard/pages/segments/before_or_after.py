"""The choice of the predictor whose coverage is shown."""

import streamlit as st

from evencover.core import AuditResult

from ...wording.predictors import Predictor, predictors


def choose_predictor(result: AuditResult, key: str) -> Predictor:
    """Draw the choice, if there is one, and return it."""
    given = predictors(result)
    if len(given) == 1:
        return given[0]
    return st.radio(
        "Coverage",
        given,
        format_func=lambda by: by.when,
        horizontal=True,
        key=f"when-{key}",
        persist_state="session",
    )
