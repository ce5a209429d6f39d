"""The choice between before and after the adjustment."""

import streamlit as st

from evencover.core import AuditResult

from ...wording.predictors import Predictor, predictors


def choose_predictor(result: AuditResult, key: str) -> Predictor:
    """Draw the choice and return it."""
    return st.radio(
        "Coverage",
        predictors(result),
        format_func=lambda by: by.when,
        horizontal=True,
        key=f"when-{key}",
        persist_state="session",
    )
