"""The progress events of a run: all that a progress bar or a live page reads of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Stage = Literal["read", "profile", "base_model", "remedy", "audit"]


@dataclass(frozen=True)
class RepeatStarted:
    """An audit with the next seed has begun."""

    number: int
    repeats: int


@dataclass(frozen=True)
class StageStarted:
    """A stage of the work has begun; ``predictor`` is whose fit the next events are of."""

    stage: Stage
    predictor: str = ""


@dataclass(frozen=True)
class BaseMeasured:
    """Algorithm 1 was run on the base measure; the point from which IFACM sets out.

    It adds so many layers at most, and evaluates the objective so often at most for each, but for
    the last steps of a search; 0 where nobody says.
    """

    dcv: float
    inefficiency: float
    max_layers: int = 0
    max_evaluations: int = 0


@dataclass(frozen=True)
class LayerTried:
    """One evaluation of the objective at a (gamma, delta) tried for a layer."""

    iteration: int
    evaluation: int
    gamma: float
    delta: float
    dcv: float
    inefficiency: float
    objective: float


@dataclass(frozen=True)
class LayerAccepted:
    """A layer has been added; figures are those of the training set with it in place."""

    iteration: int
    gamma: float
    delta: float
    dcv: float
    inefficiency: float
    objective: float
    evaluations: int
    seconds: float


@dataclass(frozen=True)
class LayerMeasured:
    """What a predictor's sets are like after its last layer; ``step`` is a row of its result."""

    step: object


@dataclass(frozen=True)
class StepDone:
    """One more of so many steps is done, such as the fit of a remedy with a seed in a comparison.

    Without a title it is one of the simulated and permuted outcomes that was examined.
    """

    done: int
    asked: int
    title: str = ""


Event = (
    RepeatStarted
    | StageStarted
    | BaseMeasured
    | LayerTried
    | LayerAccepted
    | LayerMeasured
    | StepDone
)
Listener = Callable[[Event], None]
StopRequest = Callable[[], bool]


def ignore(event: Event) -> None:
    """Listen to nothing."""


def never() -> bool:
    """Never ask to stop."""
    return False
