"""A run in whatever state it is: waiting, working with its layers as they arrive, or ended."""

import math

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditResult
from evencover.core.events import AfterLayers
from evencover.core.remedies import title_of

from ...runs.job import Snapshot
from ...runs.run import Owner, Run
from ...wording import page_texts, replay_texts
from ...wording.formatting import inefficiency_name, plain
from ..session import SessionState, job_manager
from ..shared.heading import next_step
from ..steps import FINDINGS, SETUP
from .replay_view import draw_steps, show_replay

_POLL_SECONDS = 1.0
"""Polling twice a second slowed a long run by 38 %, once a second by 6 %."""

_SMALL_POLL_SECONDS = 0.3
_SMALL_CELLS = 500_000
"""Fewer cells, times repeats, are done in seconds: a look a second would miss their layers."""

_STAGES = {
    None: "Preparing the table",
    "base_model": "Fitting the base predictor",
    "remedy": "Adjusting it",
    "audit": "Examining the test rows",
}


def show_run(state: SessionState, run: Run, button: DeltaGenerator) -> None:
    """Draw the run, and the way on in its place beside the heading."""
    snapshot = run.job.snapshot()
    if snapshot.state == "running":
        _show_live(run, state.me)
    elif snapshot.error is not None:
        st.error(plain(snapshot.error))
        st.markdown(page_texts.FAILED_ADVICE)
        next_step(button, "Back to Setup", SETUP)
    elif snapshot.result is not None:
        next_step(button, "See the findings", FINDINGS)
        result = snapshot.result
        layers = {title_of(name): len(steps) - 1 for name, steps in result.replays.items()}
        seconds = result.seconds.total
        st.markdown(replay_texts.finished(layers, seconds, stopped=result.stopped))
        if result.replays:
            show_replay(result, run.token)


def _show_live(run: Run, visitor: Owner) -> None:
    """Draw the run as it stands, again and again until it has ended."""
    work = math.inf if run.table is None else run.table.frame.size * run.settings.repeats
    seconds = _SMALL_POLL_SECONDS if work < _SMALL_CELLS else _POLL_SECONDS
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
    if place is None:
        _show_bounds(snapshot)
    if snapshot.steps:
        at, level = len(snapshot.steps) - 1, run.settings.confidence_level
        draw_steps(snapshot.steps, at, level, _size_name(snapshot.steps[0]), key="live")


def _show_bounds(snapshot: Snapshot[AuditResult]) -> None:
    """Draw how far the layers, and the search for the next, are from their bounds."""
    base, latest = snapshot.base, snapshot.latest
    if base is None or not base.max_layers or snapshot.stage != "remedy":
        return
    done, tried = len(snapshot.layers), 0 if latest is None else latest.evaluation
    if latest is not None and latest.iteration == done:
        tried = 0  # its layer is there
    bars = {"layers": (done, base.max_layers), "evaluations": (tried, base.max_evaluations)}
    for column, (name, (number, most)) in zip(st.columns(2), bars.items(), strict=True):
        text = replay_texts.of_at_most(name, number, most)
        column.progress(min(1.0, number / most), text=text)


def _size_name(step: AfterLayers) -> str:
    return inefficiency_name("regression" if step.are_intervals else "classification")


def _status(snapshot: Snapshot[AuditResult], place: int | None) -> str:
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
    return f"{text} ... {snapshot.seconds:.0f} s"
