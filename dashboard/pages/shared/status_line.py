"""The line on top of every page after Data: what is in use, and how far its run is."""

import streamlit as st

from evencover.core import AuditSettings
from evencover.core.audit.cohorts import cohorts_replaced

from ...options.differences import level_and_penalty, results_are_for, say_the_same
from ...runs.job import Snapshot, StopReason
from ...runs.run import Run
from ...wording import page_texts
from ...wording.formatting import plain
from ...wording.predictors import worded
from ..session import SessionState

_POLL_SECONDS = 2.0
_CUT_SHORT: dict[StopReason | None, str] = {
    "abandoned": page_texts.CUT_ABANDONED,
    "overdue": page_texts.CUT_OVERDUE,
}


def show_choices(state: SessionState) -> None:
    """Draw the table and the settings as chosen, and whether the run is of them."""
    if state.table is None or state.draft is None:
        return
    subject = _subject(state.table.name, state.draft)
    if state.run is None:
        st.caption(f"{subject} · no run yet")
    elif say_the_same(_with_cohorts_of_now(state, state.run), state.draft):
        st.caption(_line(state.run))
    else:
        st.caption(f"{subject} · changed since the last run")


def _with_cohorts_of_now(state: SessionState, run: Run) -> AuditSettings:
    return cohorts_replaced(run.settings, state.cohorts, state.other_variables())


def show_status(state: SessionState, *, follow: bool = True) -> None:
    """Draw of what the page shows results; say if choices have changed since, or it was cut short.

    Parameters
    ----------
    follow
        Look again while the run works, until it has ended. While somebody looks, the run
        counts as watched.
    """
    run = state.run
    if run is None:
        if state.table is not None:
            chosen = state.draft or state.table.choices
            st.caption(f"{_subject(state.table.name, chosen)} · no run yet")
        return
    snapshot = run.job.snapshot()
    working = snapshot.state == "running"
    st.fragment(_draw_line, run_every=_POLL_SECONDS if working and follow else None)(run, working)
    notice = results_are_for(_with_cohorts_of_now(state, run), state.draft)
    if notice is not None:
        advice = (
            page_texts.CHANGED_SINCE if state.draft is not None else page_texts.CHANGED_UNUSABLY
        )
        st.warning(f"{plain(notice)} {advice}")
    _show_cut(snapshot)
    if state.table is None:
        st.info(page_texts.TABLE_GONE)


def _show_cut(snapshot: Snapshot) -> None:
    if snapshot.result is None:
        return
    if snapshot.cut_short in _CUT_SHORT:
        st.warning(_CUT_SHORT[snapshot.cut_short])
    elif snapshot.result.stopped:
        st.warning(worded(page_texts.STOPPED, snapshot.result.predictors))


def _draw_line(run: Run, was_working: bool) -> None:  # noqa: FBT001 - streamlit calls it again
    if was_working and run.job.snapshot().state != "running":
        st.rerun()  # the whole page, which then shows the results
    st.caption(_line(run))


def _line(run: Run) -> str:
    subject, snapshot = _subject(run.name, run.settings), run.job.snapshot()
    if snapshot.state == "running":
        return f"Running on {subject}"
    if snapshot.error is not None:
        return f"Run on {subject} · failed"
    return f"Results for {subject} · finished"


def _subject(name: str, settings: AuditSettings) -> str:
    label = plain(settings.target)
    return f"{plain(name)}: label {label}, {level_and_penalty(settings)}"
