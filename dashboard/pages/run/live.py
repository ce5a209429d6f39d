"""A run while it waits or works: its place, the layers as they arrive, and a button to stop."""

import math

import streamlit as st

from ...runs.job import Snapshot
from ...runs.run import Owner, Run
from ...wording import page_texts
from ..session import job_manager
from ..shared.layers import show_layers

POLL_SECONDS = 1.0
"""Polling twice a second slowed a long run by 38 %, once a second by 6 %."""

SMALL_POLL_SECONDS = 0.3
SMALL_CELLS = 500_000
"""Fewer cells, times repeats, are done in seconds: a look a second would miss their layers."""

_STAGES = {
    None: "Preparing the table",
    "base_model": "Fitting the base predictor",
    "remedy": "Adjusting it",
    "audit": "Examining the test rows",
}


def show_live(run: Run, visitor: Owner) -> None:
    """Draw the run as it stands, again and again until it has ended."""
    work = math.inf if run.table is None else run.table.frame.size * run.settings.repeats
    seconds = SMALL_POLL_SECONDS if work < SMALL_CELLS else POLL_SECONDS
    st.fragment(_draw, run_every=seconds)(run, visitor)


def _draw(run: Run, visitor: Owner) -> None:
    place = job_manager().place(run)
    snapshot = run.job.snapshot()
    if snapshot.state != "running":
        st.rerun()  # the whole page, which then shows the results
    status, button = st.columns([4, 1], vertical_alignment="center")
    status.markdown(f"**{_status(snapshot, place)}**")
    if visitor != run.owner:
        status.markdown(page_texts.WATCHING)
    elif button.button("Stop", disabled=snapshot.stopping, width="stretch"):
        run.stop(visitor)
    if snapshot.base is not None:
        show_layers(snapshot.base, snapshot.layers, "mean width or set size", key="live")


def _status(snapshot: Snapshot, place: int | None) -> str:
    if place is not None:
        return f"Waiting for other runs to end: place {place} in the queue ..."
    if snapshot.stopping:
        return "Stopping as soon as this step ends; the layers so far are kept ..."
    text = _STAGES[snapshot.stage]
    if snapshot.latest is not None and snapshot.stage == "remedy":
        text = f"Layer {snapshot.latest.iteration}: evaluation {snapshot.latest.evaluation}"
        text += f", {snapshot.evaluations} in all; layers so far: {len(snapshot.layers)}"
    if snapshot.permuted is not None:
        text = f"Permutation {snapshot.permuted.done} of {snapshot.permuted.asked}"
    return text + " ..."
