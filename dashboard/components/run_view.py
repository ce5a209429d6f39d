"""A run in whatever state it is: waiting, working, ended well or not."""

import streamlit as st

from .. import texts
from ..jobs import StopReason
from ..runs import Run
from ..state import SessionState
from .live import show_live
from .results import show_results

_CUT_SHORT: dict[StopReason | None, str] = {
    "abandoned": texts.CUT_ABANDONED,
    "overdue": texts.CUT_OVERDUE,
}


def show_run(state: SessionState, run: Run) -> None:
    """Draw a run, with the table and settings it is of."""
    snapshot = run.job.snapshot()
    if snapshot.state == "running":
        st.caption(f"Running on {_subject(run)}")
        show_live(run, state.me)
    elif snapshot.error is not None:
        st.caption(f"Run on {_subject(run)}")
        st.error(texts.plain(snapshot.error))
    elif snapshot.result is not None:
        st.caption(f"Results for {_subject(run)}")
        if snapshot.cut_short in _CUT_SHORT:
            st.warning(_CUT_SHORT[snapshot.cut_short])
        elif snapshot.result.stopped:
            st.warning(texts.STOPPED)
        show_results(snapshot.result)
    if state.table is None:
        st.info(texts.TABLE_GONE)


def _subject(run: Run) -> str:
    return (
        f"{texts.plain(run.name)}: label {texts.plain(run.settings.target)}, "
        f"CL = {run.settings.confidence_level:g}, C = {run.settings.penalty:g}"
    )
