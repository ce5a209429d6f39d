"""What a lesson is: steps of one idea each, as data that a page draws."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import plotly.graph_objects as go

Setting = Mapping[str, float]  # the values of a lesson's sliders, by their names


@dataclass(frozen=True)
class Slider:
    """One that the learner moves; its name is that of its value in the address."""

    name: str
    label: str
    values: tuple[float, ...]
    first: float


class Shown(NamedTuple):
    """What a step shows at a setting: a picture, its sliders, and ``why`` an answer is right."""

    draw: Callable[[Setting], tuple[go.Figure, str]]  # the picture, and in words what it shows
    sliders: tuple[Slider, ...] = ()
    why: Callable[[Setting], str] = lambda _: ""


@dataclass(frozen=True)
class Question:
    """What the learner answers before the step's picture is shown; ``right`` counts from 0."""

    text: str
    answers: Sequence[str]
    right: int


@dataclass(frozen=True)
class Step:
    """One idea: a text in Markdown with the paper's formulas, and what is shown of it.

    Until a question is answered that of the step before is shown.
    """

    title: str
    text: str
    shown: Shown
    question: Question | None


@dataclass(frozen=True)
class Lesson:
    """A lesson by its title, which is in the address, and its steps; the first asks nothing."""

    title: str
    steps: tuple[Step, ...]

    @property
    def first_setting(self) -> Setting:
        """The values that the sliders of all steps have at first."""
        return {slider.name: slider.first for step in self.steps for slider in step.shown.sliders}


def read_lesson(name: str, *shown: Shown) -> Lesson:
    """Return a lesson: its words are in a file of this name, what its steps show is given."""
    told = tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))
    steps = []
    for words, of_step in zip(told["steps"], shown, strict=True):
        question = Question(**words["question"]) if "question" in words else None
        steps.append(Step(words["title"], words["text"], of_step, question))
    return Lesson(told["title"], tuple(steps))
