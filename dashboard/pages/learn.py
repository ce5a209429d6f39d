"""Learn: what the figures mean, by small worlds whose truth is known."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ..lessons import LESSONS
from ..lessons.lesson import Lesson, Slider
from ..wording import page_texts
from .heading import LEARN, heading
from .widgets import draw_chart

LESSON, STEP = "lesson", "step"  # of the page's address, as are the names of sliders

_BY_TITLE = {lesson.title: lesson for lesson in LESSONS}


def main() -> None:
    """Draw the choice of a lesson and its step, the step, and beside the heading the way on."""
    place = heading(LEARN)
    kept: dict[str, Any] = {"horizontal": True, "bind": "query-params", "persist_state": "session"}
    title = st.radio("Lesson", list(_BY_TITLE), 0, key=LESSON, on_change=_begin, **kept)
    lesson = _BY_TITLE[title]
    number_ = st.radio("Step", list(range(1, len(lesson.steps) + 1)), 0, key=STEP, **kept)
    _offer_next(place, lesson, number_)
    _show_step(lesson, number_)
    st.caption(page_texts.LESSON_LINK)


def _begin() -> None:
    st.session_state[STEP] = 1


def _go(title: str, step: int) -> None:
    st.session_state[LESSON], st.session_state[STEP] = title, step


def _offer_next(place: DeltaGenerator, lesson: Lesson, step: int) -> None:
    """Draw the button to the next step, or lesson, if there is one."""
    if step < len(lesson.steps):
        label, to = "Next step", (lesson.title, step + 1)
    elif lesson != LESSONS[-1]:
        label, to = "Next lesson", (LESSONS[LESSONS.index(lesson) + 1].title, 1)
    else:
        return
    place.button(label, type="primary", width="stretch", on_click=_go, args=to)


def _show_step(lesson: Lesson, number_: int) -> None:
    step, answer = lesson.steps[number_ - 1], None
    left, right = st.columns([2, 3], gap="large")
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
        chosen = {slider.name: _slide(slider) for slider in shown.sliders}
        setting = {**lesson.first_setting, **chosen}
        figure, words = shown.draw(setting)
        figure.layout.meta = {"name": lesson.steps[drawn - 1].title, "finding": ""}
        draw_chart(figure, f"lesson-{lesson.title}-{drawn}", about=lesson.title)
        st.markdown(words)
    if step.question is not None and answer is not None:
        best = step.question.answers[step.question.right]
        draw = left.success if answer == best else left.warning
        verdict = "Right." if answer == best else f"Rather: {best}."
        draw(f"**{verdict}** {shown.why(setting)}")


def _slide(slider: Slider) -> float:
    return st.select_slider(
        slider.label,
        slider.values,
        value=slider.first,
        key=slider.name,
        bind="query-params",
        persist_state="session",
    )
