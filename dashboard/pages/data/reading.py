"""A file that is being read: how far it is, and a way to stop."""

import time

import streamlit as st

from ...runs.upload import Upload
from ...wording import page_texts
from ...wording.formatting import plain
from ..session import SessionState

_POLL_SECONDS = 0.5
_DOING = {
    None: "Preparing to read",
    "read": "Reading",
    "profile": "Looking at the columns of",
}


def show_reading(state: SessionState, upload: Upload) -> None:
    """Draw how far the reading is, again and again until it has ended."""
    st.fragment(_draw, run_every=_POLL_SECONDS)(state, upload)


def _draw(state: SessionState, upload: Upload) -> None:
    snapshot = upload.job.snapshot()
    if snapshot.state != "running":
        st.rerun()  # the whole page, which then takes up the table
    status, button = st.columns([3, 1], vertical_alignment="center")
    size, seconds = upload.mebibytes, time.monotonic() - upload.began
    what = f"{_DOING[snapshot.stage]} {plain(upload.name)}"
    status.info(f"{what} ({size:,.1f} MiB): {seconds:.0f} s ...")
    if button.button("Stop reading", width="stretch"):
        state.refuse(page_texts.READING_CUT["asked"])
        st.rerun()
