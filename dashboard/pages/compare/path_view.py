"""DCV against width or set size over the penalties C; a click takes one to Setup."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from evencover.core.experiment.penalty_path import PenaltyRow

from ...figures import path_figure, path_points
from ...options.differences import say_the_same
from ...runs.loaded_table import LoadedTable
from ...wording import comparison_texts
from ..session import SessionState
from ..widgets import draw_chart
from .progress import result_of

_TAKEN = "penalty-taken"


def show_path_choice(state: SessionState, table: LoadedTable) -> None:
    """Draw the button that tries penalties, and what they came to."""
    draft = state.draft
    if st.button("Try values of C", disabled=draft is None) and draft is not None:
        state.start_path(table, draft)
    found = result_of(state, state.path, "path")
    if found is None or state.path is None:
        return
    st.markdown(comparison_texts.ABOUT_C.format(title=found.title))
    asked = replace(state.path.settings, penalty=None if draft is None else draft.penalty)
    if draft is not None and not say_the_same(asked, draft):
        st.warning(comparison_texts.COMPARED_OTHERS)
    knee = found.knee
    words = comparison_texts.NO_KNEE if knee is None else comparison_texts.KNEE.format(knee=knee)
    st.markdown(f"**{words}**")
    key, points = f"{state.clicks}-penalties", path_points(found)
    draw_chart(
        path_figure(found),
        key,
        selection_mode="points",
        on_select=lambda: take_penalty(state, st.session_state[key], points),
    )
    if knee is not None and st.button(f"Take the knee, C = {knee:g}"):
        _take(state, knee)
        st.rerun()
    if _TAKEN in st.session_state:
        st.success(comparison_texts.TAKEN.format(penalty=st.session_state.pop(_TAKEN)))


def take_penalty(state: SessionState, event: dict[str, Any], points: Sequence[PenaltyRow]) -> None:
    """Take the C of a click on a point to Setup; the base has none."""
    clicked = event["selection"]["points"]
    if not clicked:
        return
    row = points[clicked[0]["point_index"]]
    state.clicks += 1
    if row.penalty is not None:
        _take(state, row.penalty)


def _take(state: SessionState, penalty: float) -> None:
    if state.draft is not None:
        state.change(replace(state.draft, penalty=penalty))
        st.session_state[_TAKEN] = penalty
