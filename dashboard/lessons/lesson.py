"""What a lesson is: steps of one idea each, as data that a page draws."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

Setting = Mapping[str, float]
"""The values of a lesson's sliders, by their names."""


@dataclass(frozen=True)
class Slider:
    """One that the learner moves; its name is that of its value in the address."""

    name: str
    label: str
    values: tuple[float, ...]
    first: float


@dataclass(frozen=True)
class Question:
    """What the learner answers before the step's picture is shown; ``right`` counts from 0."""

    text: str
    answers: tuple[str, ...]
    right: int
    why: Callable[[Setting], str]


@dataclass(frozen=True)
class Step:
    """One idea: a text in Markdown with the paper's formulas, a picture, and what it shows.

    Until a question is answered the picture is that of the step before.
    """

    title: str
    text: str
    picture: Callable[[Setting], go.Figure]
    shows: Callable[[Setting], str]
    sliders: tuple[Slider, ...] = ()
    question: Question | None = None


@dataclass(frozen=True)
class Lesson:
    """A lesson by its title, which is in the address, and its steps; the first asks nothing."""

    title: str
    steps: tuple[Step, ...]

    @property
    def sliders(self) -> tuple[Slider, ...]:
        """Those of all steps, once each."""
        return tuple(dict.fromkeys(slider for step in self.steps for slider in step.sliders))

    @property
    def first_setting(self) -> Setting:
        """The values that its sliders have at first."""
        return {slider.name: slider.first for slider in self.sliders}
