"""Learn: what the figures mean, by small worlds whose truth is known."""

from functools import partial
from typing import Any
from urllib.parse import urlencode

import segno
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ..lessons import LESSONS
from ..lessons.lesson import Lesson, Setting, Slider, enlarged
from ..wording import page_texts
from .heading import LEARN, heading
from .widgets import draw_chart

LESSON, STEP, PRESENT = "lesson", "step", "present"  # of the page's address, as sliders' names are

_BY_TITLE = {lesson.title: lesson for lesson in LESSONS}
_PLACES = [(each.title, 1 + i) for each in LESSONS for i in range(len(each.steps))]


def main() -> None:
    """Draw the choice of a lesson and its step, the step, and the ways on and to pass it on."""
    presents = st.query_params.get(PRESENT) == "1"
    kept: dict[str, Any] = {"horizontal": True, "bind": "query-params", "persist_state": "session"}
    begin = partial(st.session_state.update, {STEP: 1})
    with st.container(key="unpresented" if presents else "chosen"):  # style.css hides the former
        place = heading(LEARN)
        title = st.radio("Lesson", list(_BY_TITLE), 0, key=LESSON, on_change=begin, **kept)
        lesson = _BY_TITLE[title]
        number_ = st.radio("Step", list(range(1, len(lesson.steps) + 1)), 0, key=STEP, **kept)
    with st.container(key="presented" if presents else "told"):
        if presents:
            place = st.container(horizontal=True, vertical_alignment="center", gap="small")
            place.markdown(f"{title} · {number_} of {len(lesson.steps)}", width="stretch")
        _offer_ways(place, (title, number_), presents=presents)
        bar = place if presents else place.container(horizontal=True)
        chosen = _show_step(lesson, number_, presents=presents)
        _offer_link(bar, {LESSON: title, STEP: number_, **chosen})
        label, how = ("Leave", "0") if presents else ("Present", "1")
        turn = partial(st.query_params.update, {PRESENT: how})
        bar.button(label, help=page_texts.PRESENT_HELP, on_click=turn)


def _go(title: str, step: int) -> None:
    st.session_state[LESSON], st.session_state[STEP] = title, step


def _offer_ways(place: DeltaGenerator, here: tuple[str, int], *, presents: bool) -> None:
    """Draw the button to the next step, or lesson, if there is one; to present also one back."""
    at = _PLACES.index(here)
    if presents and at:
        place.button("Back", key="back", on_click=_go, args=_PLACES[at - 1])
    if here != _PLACES[-1]:
        to = _PLACES[at + 1]
        label = "Next step" if to[0] == here[0] else "Next lesson"
        place.button(label, key="next", type="primary", width="stretch", on_click=_go, args=to)


def _offer_link(place: DeltaGenerator, query: dict[str, Any]) -> None:
    """Draw what opens the link to what is seen, by the address that the browser has it at."""
    if (address := st.context.url) is None:
        return
    with place.popover("Copy link"):
        link = f"{address}?{urlencode(query)}"
        st.markdown(page_texts.LESSON_LINK)
        st.code(link, language=None, wrap_lines=True)
        code = segno.make_qr(link).svg_inline(scale=6, light="white")
        st.image(code, width=330, alt="QR code of the link")


def _show_step(lesson: Lesson, number_: int, *, presents: bool) -> Setting:
    """Draw a step; return how its sliders are set."""
    step, answer = lesson.steps[number_ - 1], None
    left, right = st.columns([1, 1] if presents else [2, 3], gap="medium" if presents else "large")
    with left:
        st.header(step.title)
        st.markdown(step.text)
        if step.question is not None:
            answer = st.radio(
                f"**{step.question.text}**",
                step.question.answers,
                index=None,
                key=f"answer-{lesson.title}-{number_}",
                persist_state="session",
            )
    drawn = number_ if step.question is None or answer is not None else number_ - 1
    shown = lesson.steps[drawn - 1].shown
    with right:
        places = st.columns(len(shown.sliders)) if shown.sliders else ()
        chosen = {s.name: _slide(s, at) for s, at in zip(shown.sliders, places, strict=True)}
        setting = {**lesson.first_setting, **chosen}
        figure, words = shown.draw(setting)
        figure.layout.meta = {"name": lesson.steps[drawn - 1].title, "finding": ""}
        figure, height = (enlarged(figure), "stretch") if presents else (figure, "content")
        draw_chart(figure, f"lesson-{lesson.title}-{drawn}", about=lesson.title, height=height)
        st.markdown(words)
    if step.question is not None and answer is not None:
        best = step.question.answers[step.question.right]
        draw = left.success if answer == best else left.warning
        verdict = "Right." if answer == best else f"Rather: {best}."
        draw(f"**{verdict}** {step.question.why or shown.why(setting)}")
    return chosen


def _slide(slider: Slider, place: DeltaGenerator) -> float:
    return place.select_slider(
        slider.label,
        slider.values,
        value=slider.first,
        key=slider.name,
        bind="query-params",
        persist_state="session",
    )
