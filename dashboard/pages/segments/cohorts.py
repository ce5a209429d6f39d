"""Cohorts: those there are, each with a way to remove it or to look at its rows."""

import streamlit as st

from evencover.core.segments.binning import INSIDE

from ...wording import exploration_texts
from ...wording.formatting import plain
from ...wording.predictors import predictors
from ...wording.rows import segments
from ..filter import part_of
from ..filtered_result import LookedAt
from ..session import SessionState
from .cohort_builder import build_cohort


def show_cohorts(state: SessionState, look: LookedAt) -> None:
    """Draw the cohorts, and how to build one."""
    st.subheader("Cohorts")
    st.markdown(exploration_texts.ABOUT_COHORTS)
    rows = {row["variable"]: row for row in segments(look.result) if row["value"] == INSIDE}
    shown = [variable for variable in look.objects.variables if variable.rule]
    for cohort, variable in zip(state.cohorts, shown, strict=True):
        row = rows[variable.name]
        words, filter_place, remove_place = st.columns([6, 2, 2], vertical_alignment="center")
        words.markdown(
            f"**{plain(variable.name)}**: {plain(variable.rule)}  \n"
            f"{exploration_texts.coverage_in_words(row, predictors(look.result))}"
        )
        if filter_place.button("Look at it", key=f"look-{variable.name}", width="stretch"):
            state.add_to_filter(part_of(row))
            st.rerun()
        if remove_place.button("Remove", key=f"remove-{variable.name}", width="stretch"):
            _remove(state, cohort)
    with st.expander("Build a cohort", expanded=False):
        build_cohort(state, look)


def list_cohorts(state: SessionState) -> None:
    """Draw the cohorts that the next run will have, each with a way to remove it."""
    for name, rule in state.cohorts:
        words, place = st.columns([6, 2], vertical_alignment="center")
        words.markdown(f"Cohort **{plain(name)}**: {plain(rule)}")
        if place.button("Remove", key=f"remove-{name}", width="stretch"):
            _remove(state, (name, rule))


def _remove(state: SessionState, cohort: tuple[str, str]) -> None:
    state.set_cohorts(tuple(kept for kept in state.cohorts if kept != cohort))
    st.rerun()
