"""The list of runs, each with what it was of and a button that opens it again."""

from collections.abc import Sequence
from datetime import timedelta, timezone

import streamlit as st

from ...runs.run import Run
from ...wording import comparison_texts
from ...wording.formatting import percent, plain
from ...wording.rows import on_test_rows
from ..session import SessionState
from ..shared.heading import subject_of
from ..steps import FINDINGS, RUN


def show_runs(state: SessionState, runs: Sequence[Run]) -> None:
    """Draw a line for each run, the last one first."""
    if not runs:
        st.info(comparison_texts.NO_RUNS)
        return
    st.markdown(comparison_texts.ABOUT_RUNS)
    for place, run in enumerate(runs):
        with st.container(border=True, key=f"run-{place}"):
            text, button = st.columns([5, 1], vertical_alignment="center")
            mark = " · shown now" if run is state.run else ""
            text.markdown(f"**{name_of(run)}**{mark}  \n{_came_to(run)}")
            if button.button(
                "Open", key=f"open-{place}", disabled=run is state.run, width="stretch"
            ):
                state.open(run)
                has_result = run.job.snapshot().result is not None
                st.switch_page((FINDINGS if has_result else RUN).file)


def name_of(run: Run) -> str:
    """Return when a run was started, and of what it is."""
    # by the offset: this machine need not know the name of the browser's time zone
    behind = timedelta(minutes=st.context.timezone_offset or 0)
    started = run.started.astimezone(timezone(-behind))
    return f"{started:%H:%M:%S} · {subject_of(run)}{_more(run)}"


def _more(run: Run) -> str:
    """Return what settings most often differ in beside label, CL and C."""
    settings = run.settings
    repeats = f", {settings.repeats} repeats" if settings.repeats > 1 else ""
    remedies = "" if settings.is_ready_made else f", {plain(', '.join(settings.remedies))}"
    return f", seed {settings.seed}{repeats}{remedies}"


def _came_to(run: Run) -> str:
    snapshot = run.job.snapshot()
    if snapshot.result is None:
        return plain(snapshot.error) if snapshot.error is not None else "still running"
    figures = [
        f"{by.title}: accuracy {percent(row.accuracy)}, DCV {row.dcv:.4f}"
        for by, row in on_test_rows(snapshot.result)
    ]
    return plain("; ".join(figures))
