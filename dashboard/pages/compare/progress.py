"""A comparison or a path while it works: how far it is, and a way to stop it."""

from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ...runs.job import Snapshot
from ...runs.run import BackgroundRun
from ...wording.formatting import plain
from ..session import SessionState
from ..widgets import follow

_Outcome = TypeVar("_Outcome")


def result_of(
    state: SessionState, run: BackgroundRun[_Outcome] | None, key: str
) -> _Outcome | None:
    """Return what a run came to; until then draw how far it is, or why it came to nothing."""
    if run is None:
        return None
    snapshot = run.job.snapshot()
    if snapshot.is_live:
        follow(state, run, _show, key=f"stop-{key}")
    elif snapshot.error is not None:
        st.error(plain(snapshot.error))
    return snapshot.result


def _show(snapshot: Snapshot[_Outcome], waiting: str | None, beside: DeltaGenerator) -> None:
    step = snapshot.step
    text, share = "Preparing the table ...", 0.0
    if waiting is not None:
        text = waiting
    elif snapshot.stopping:
        text = "Stopping as soon as this step ends ..."
    elif step is not None:
        text, share = f"Step {step.done} of {step.asked} done: {step.title}", step.done / step.asked
    beside.progress(min(share, 1.0), text=plain(text))
