"""A comparison or a path while it works: how far it is, and a way to stop it."""

from typing import TypeVar

import streamlit as st

from ...runs.run import BackgroundRun
from ...wording import page_texts
from ...wording.formatting import plain
from ..session import SessionState, job_manager

_POLL_SECONDS = 1.0
_Outcome = TypeVar("_Outcome")


def result_of(
    state: SessionState, run: BackgroundRun[_Outcome] | None, key: str
) -> _Outcome | None:
    """Return what a run came to; until then draw how far it is, or why it came to nothing."""
    if run is None:
        return None
    snapshot = run.job.snapshot()
    if snapshot.is_live:
        st.fragment(_draw, run_every=_POLL_SECONDS)(state, run, key)
    elif snapshot.error is not None:
        st.error(plain(snapshot.error))
    return snapshot.result


def _draw(state: SessionState, run: BackgroundRun[_Outcome], key: str) -> None:
    place = job_manager().place(run)
    snapshot = run.job.snapshot()
    if not snapshot.is_live:
        st.rerun()
    step = snapshot.step
    text, share = "Preparing the table ...", 0.0
    if place is not None:
        text = f"Waiting for other runs to end: place {place} in the queue ..."
    elif snapshot.stopping:
        text = "Stopping as soon as this step ends ..."
    elif step is not None:
        text, share = f"Step {step.done} of {step.asked} done: {step.title}", step.done / step.asked
    bar, button = st.columns([4, 1], vertical_alignment="center")
    bar.progress(min(share, 1.0), text=plain(text))
    if state.me != run.owner:
        bar.markdown(page_texts.WATCHING)
    elif button.button("Stop", key=f"stop-{key}", disabled=snapshot.stopping, width="stretch"):
        run.stop(state.me)
