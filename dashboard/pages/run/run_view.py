"""A run in whatever state it is: waiting, working, ended well or not."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ...runs.run import Run
from ...wording import page_texts
from ...wording.formatting import plain
from ...wording.rows import has_path
from ..session import SessionState
from ..shared.heading import next_step
from ..shared.layers import show_path
from ..steps import FINDINGS, SETUP
from .live import show_live


def show_run(state: SessionState, run: Run, button: DeltaGenerator) -> None:
    """Draw the run, and the way on in its place beside the heading."""
    snapshot = run.job.snapshot()
    if snapshot.state == "running":
        show_live(run, state.me)
    elif snapshot.error is not None:
        st.error(plain(snapshot.error))
        st.markdown(page_texts.FAILED_ADVICE)
        next_step(button, "Back to Setup", SETUP)
    elif snapshot.result is not None:
        next_step(button, "See the findings", FINDINGS)
        result = snapshot.result
        layers = len(result.iterations) if has_path(result) else None
        st.markdown(page_texts.finished(layers, result.seconds.total))
        if layers is not None:
            show_path(result)
