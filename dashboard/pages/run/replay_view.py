"""What each layer did, to be gone through by a slider or played; while it runs, as far as it is."""

import time
from functools import lru_cache

import plotly.graph_objects as go
import streamlit as st

from evencover.core import AuditResult
from evencover.core.events import AfterLayers
from evencover.core.remedies import title_of
from evencover.core.report.layer_sentences import layer_sentence

from ...figures import path_figures, search_figure, shrinking_figures, spread_figure
from ...wording import replay_texts
from ...wording.formatting import inefficiency_name, plain
from ...wording.rows import notes_on, step_rows
from ...wording.tables import REPLAY
from ..shared.widgets import choose_one, draw_chart, drawn

_STEP_SECONDS = 1.2
_PLAYING, _PLAYED = "replay-playing", "replay-played"
"""In the session: whether the replay goes on by itself, and when it last did."""

Steps = tuple[AfterLayers, ...]


def show_replay(result: AuditResult, run: str) -> None:
    """Draw the replay of a finished run, known by its token."""
    names = list(result.replays)
    name = names[0]
    if len(names) > 1:
        name = choose_one("Adjustment", names, "replay-of", format_func=title_of)
    steps, level = tuple(result.replays[name]), result.settings["cl"]
    if len(steps) == 1:
        st.info(plain(notes_on(result, name)))
    every = _STEP_SECONDS if st.session_state.get(_PLAYING) and len(steps) > 1 else None
    words = inefficiency_name(result.settings["task"])
    st.fragment(_replay, run_every=every)(steps, level, words, f"replay-{run}-{name}")


def _replay(steps: Steps, level: float, inefficiency: str, key: str) -> None:
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
    draw_steps(steps, at, level, inefficiency, key="replay")
    if at > 0 and st.toggle("Show the search for this layer", key="replay-search"):
        draw_chart(search_figure(steps[at].tried), "replay-tried")
        st.caption(replay_texts.ABOUT_SEARCH)
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


def draw_steps(steps: Steps, at: int, level: float, inefficiency: str, *, key: str) -> None:
    """Draw what the sets are like after so many layers, and what the last of these did."""
    st.markdown(f"**{plain(layer_sentence(steps[: at + 1]))}**")
    figures = list(_figures(steps, at, level, inefficiency).items())
    for row in (figures[:-3], figures[-3:]):
        for column, (name, figure) in zip(st.columns(len(row)), row, strict=True):
            draw_chart(figure, f"{key}-{name}", column, config={"displayModeBar": False})


@lru_cache(maxsize=16)
def _figures(steps: Steps, at: int, level: float, inefficiency: str) -> dict[str, go.Figure]:
    """Return the charts by name; a live page draws the same again every second."""
    shrinking = shrinking_figures(steps, at)
    height = shrinking["test"].layout.height
    return {
        **path_figures(steps, at, level, inefficiency),
        **shrinking,
        "p(x)": spread_figure(steps, at, level, height),
    }
