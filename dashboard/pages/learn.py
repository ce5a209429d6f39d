"""Learn: what the figures mean, by small worlds whose truth is known."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from ..lessons import LESSONS
from ..lessons.lesson import Lesson, Question, Setting, Slider, Step
from ..wording import page_texts
from .heading import heading
from .steps import LEARN
from .widgets import draw_chart

LESSON, STEP = "lesson", "step"
"""Of the page's address, as are the names of sliders."""

_BY_TITLE = {lesson.title: lesson for lesson in LESSONS}


def main() -> None:
    """Draw the page."""
    show_lessons(heading(LEARN))


def show_lessons(place: DeltaGenerator) -> None:
    """Draw the choice of a lesson and its step, and the step; ``place`` is that of the way on."""
    title = st.radio(
        "Lesson",
        list(_BY_TITLE),
        horizontal=True,
        key=LESSON,
        on_change=_begin,
        bind="query-params",
        persist_state="session",
    )
    lesson = _BY_TITLE[title]
    numbers = list(range(1, len(lesson.steps) + 1))
    number_ = st.radio(
        "Step",
        numbers,
        horizontal=True,
        key=STEP,
        bind="query-params",
        persist_state="session",
    )
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
    step = lesson.steps[number_ - 1]
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.subheader(step.title)
        st.markdown(step.text)
        answer = None if step.question is None else _ask(step.question, lesson.title, number_)
    with right:
        is_open = step.question is None or answer is not None
        shown = step if is_open else lesson.steps[number_ - 2]
        drawn = {slider.name: _slide(slider) for slider in shown.sliders}
        setting = {**lesson.first_setting, **drawn}
        _show_picture(shown, setting, f"{lesson.title}-{lesson.steps.index(shown) + 1}")
    if step.question is not None and answer is not None:
        with left:
            _reveal(step.question, answer, setting)


def _ask(question: Question, lesson: str, step: int) -> str | None:
    return st.radio(
        f"**{question.text}**",
        question.answers,
        index=None,
        key=f"answer-{lesson}-{step}",
        persist_state="session",
    )


def _slide(slider: Slider) -> float:
    return st.select_slider(
        slider.label,
        slider.values,
        value=slider.first,
        key=slider.name,
        bind="query-params",
        persist_state="session",
    )


def _show_picture(step: Step, setting: Setting, key: str) -> None:
    draw_chart(step.picture(setting), f"lesson-{key}")
    st.markdown(step.shows(setting))


def _reveal(question: Question, answer: str, setting: Setting) -> None:
    is_right = answer == question.answers[question.right]
    draw = st.success if is_right else st.warning
    verdict = "Right." if is_right else f"Rather: {question.answers[question.right]}."
    draw(f"**{verdict}** {question.why(setting)}")
