"""A run in whatever state it is: waiting, working, ended well or not."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from .. import texts
from ..jobs import Snapshot, StopReason
from ..runs import Run
from ..state import SessionState
from ..steps import FINDINGS, SETUP
from .heading import next_step
from .layers import show_path
from .live import show_live

_CUT_SHORT: dict[StopReason | None, str] = {
    "abandoned": texts.CUT_ABANDONED,
    "overdue": texts.CUT_OVERDUE,
}


def show_run(state: SessionState, run: Run, button: DeltaGenerator) -> None:
    """Draw the run, and the way on in its place beside the heading."""
    snapshot = run.job.snapshot()
    if snapshot.state == "running":
        show_live(run, state.me)
    elif snapshot.error is not None:
        st.error(texts.plain(snapshot.error))
        st.markdown(texts.FAILED_ADVICE)
        next_step(button, "Back to Setup", SETUP)
    elif snapshot.result is not None:
        next_step(button, "See the findings", FINDINGS)
        show_cut(snapshot)
        layers = len(snapshot.result.iterations)
        st.markdown(texts.finished(layers, snapshot.result.seconds.total))
        show_path(snapshot.result)


def show_cut(snapshot: Snapshot) -> None:
    """Say so where a run was ended before its end."""
    if snapshot.cut_short in _CUT_SHORT:
        st.warning(_CUT_SHORT[snapshot.cut_short])
    elif snapshot.result is not None and snapshot.result.stopped:
        st.warning(texts.STOPPED)
