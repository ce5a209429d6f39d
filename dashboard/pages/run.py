"""Run: watch the adjustment arrive, layer by layer."""

import math
import time
from functools import lru_cache

import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditResult
from evencover.core.experiment.result import ReplayStep
from evencover.core.remedies.names import title_of
from evencover.core.report.wording import layer_sentence

from ..figures.paths import layers_figure, search_figure
from ..figures.probability import replayed_probability_figure
from ..runs.job import Snapshot
from ..runs.run import Run
from ..wording import figure_words, page_texts
from ..wording.formatting import plain
from ..wording.rows import notes_on, step_rows
from ..wording.tables import REPLAY
from .heading import FINDINGS, RUN, SETUP, need_run, next_step, open_page
from .session import SessionState
from .widgets import choose_one, draw_chart, drawn, follow

_SMALL_POLL_SECONDS = 0.3
_SMALL_CELLS = 500_000
"""Fewer cells, times repeats, are done in seconds: a look a second would miss their layers."""

_STAGES = {
    None: "Preparing the table",
    "base_model": "Fitting the base predictor",
    "remedy": "Adjusting it",
    "audit": "Examining the test rows",
}


def main() -> None:
    """Draw the page."""
    state, button = open_page(RUN, follow=False)
    run = need_run(state)
    snapshot = run.job.snapshot()
    if snapshot.is_live:
        _show_live(state, run)
    elif snapshot.error is not None:
        st.error(plain(snapshot.error))
        st.markdown(page_texts.FAILED_ADVICE)
        next_step(button, "Back to Setup", SETUP)
    elif snapshot.result is not None:
        next_step(button, "See the findings", FINDINGS)
        result = snapshot.result
        layers = {title_of(name): len(steps) - 1 for name, steps in result.replays.items()}
        seconds = result.seconds.total
        st.markdown(figure_words.finished(layers, seconds, stopped=result.stopped))
        if result.replays:
            show_replay(result, run.token)


def _show_live(state: SessionState, run: Run) -> None:
    """Draw the run as it stands, again and again until it has ended."""
    cells = math.inf if run.table is None else run.table.frame.size * run.settings.repeats

    def show(snapshot: Snapshot[AuditResult], waiting: str | None, beside: DeltaGenerator) -> None:
        beside.markdown(f"**{waiting or _status(snapshot)}**")
        if waiting is None:
            _show_bounds(snapshot)
        if snapshot.steps:
            are_intervals = snapshot.steps[0].are_intervals
            task = "regression" if are_intervals else "classification"
            at, level = len(snapshot.steps) - 1, run.settings.confidence_level
            draw_steps(snapshot.steps, at, level, task, key="live")

    follow(state, run, show, every=_SMALL_POLL_SECONDS if cells < _SMALL_CELLS else 1.0)


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
        column.progress(min(1.0, number / most), text=f"{name}: {number} of at most {most}")


def _status(snapshot: Snapshot[AuditResult]) -> str:
    if snapshot.stopping:
        return "Stopping as soon as this step ends; the layers so far are kept ..."
    text = _STAGES[snapshot.stage]
    if snapshot.latest is not None and snapshot.stage == "remedy":
        text = f"Layer {snapshot.latest.iteration}: evaluation {snapshot.latest.evaluation}"
        text += f", {snapshot.evaluations} in all; layers so far: {len(snapshot.layers)}"
    if snapshot.step is not None:
        text = f"Permutation {snapshot.step.done} of {snapshot.step.asked}"
    return f"{text} ... {snapshot.seconds:.0f} s"


_STEP_SECONDS = 1.2
_PLAYING, _PLAYED = "replay-playing", "replay-played"
"""In the session: whether the replay goes on by itself, and when it last did."""

Steps = tuple[ReplayStep, ...]


def show_replay(result: AuditResult, run: str) -> None:
    """Draw the replay of a finished run, known by its token."""
    name, *more = result.replays
    if more:
        name = choose_one("Adjustment", [name, *more], "replay-of", format_func=title_of)
    steps, level = tuple(result.replays[name]), result.settings["cl"]
    if len(steps) == 1:
        st.info(plain(notes_on(result, name)))
    every = _STEP_SECONDS if st.session_state.get(_PLAYING) and len(steps) > 1 else None
    task = result.settings["task"]
    st.fragment(_replay, run_every=every)(steps, level, task, f"replay-{run}-{name}")


def _replay(steps: Steps, level: float, task: str, key: str) -> None:
    """Draw the layers up to the slider's, which goes on by itself while it plays."""
    at = last = len(steps) - 1
    if last > 0:
        st.session_state.setdefault(key, last)
        _play_on(key, last)
        left, right = st.columns([1, 6], vertical_alignment="bottom")
        name = "Pause" if st.session_state.get(_PLAYING) else "Play"
        # a callback, as the slider's value can be changed only before it is drawn
        pressed = left.button(
            name, key="replay-play", on_click=_press, args=(key, last), width="stretch"
        )
        if pressed:
            st.rerun()  # the whole page, which then looks again by itself, or no more
        at = right.slider("Layers", 0, last, key=key)
    draw_steps(steps, at, level, task, key="replay")
    if at > 0 and st.toggle("Show the search for this layer", key="replay-search"):
        draw_chart(search_figure(steps[at].tried), "replay-tried")
        st.caption(page_texts.ABOUT_SEARCH)
    with st.expander("As a table"):
        st.dataframe(**drawn(REPLAY, step_rows(steps), []))


def _press(key: str, last: int) -> None:
    st.session_state[_PLAYING] = not st.session_state.get(_PLAYING)
    st.session_state[_PLAYED] = time.monotonic()
    if st.session_state[_PLAYING] and st.session_state[key] == last:
        st.session_state[key] = 0


def _play_on(key: str, last: int) -> None:
    """Go on by a layer if it is time, and end at the last."""
    now = time.monotonic()
    if not st.session_state.get(_PLAYING) or now - st.session_state[_PLAYED] < 0.9 * _STEP_SECONDS:
        return
    st.session_state[_PLAYED] = now
    st.session_state[key] = min(st.session_state[key] + 1, last)
    if st.session_state[key] == last:
        st.session_state[_PLAYING] = False
        st.rerun()


def draw_steps(steps: Steps, at: int, level: float, task: str, *, key: str) -> None:
    """Draw what the sets are like after so many layers, and what the last of these did."""
    st.markdown(f"**{plain(layer_sentence(steps[: at + 1]))}**")
    figures = _figures(steps, at, level, task)
    for column, (name, figure) in zip(st.columns(2), figures.items(), strict=True):
        draw_chart(figure, f"{key}-{name}", column)


@lru_cache(maxsize=16)
def _figures(steps: Steps, at: int, level: float, task: str) -> dict[str, go.Figure]:
    """Return the charts by name; a live page draws the same again every second."""
    path, spread = layers_figure(steps, at, task), replayed_probability_figure(steps, at, level)
    return {"path": path, "p(x)": spread}
