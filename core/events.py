"""The progress events of a run: all that a progress bar or a live page reads of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

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


class SegmentName(NamedTuple):
    """A segment: a value of a variable, or a band of its numbers or dates."""

    variable: str
    value: str
    is_band: bool


@dataclass(frozen=True)
class SegmentCoverage:
    """The share of right sets among the n test rows of a segment, with its 95 % interval."""

    name: SegmentName
    n: int
    coverage: float
    low: float
    high: float


@dataclass(frozen=True)
class SegmentPart:
    """Some of the test rows of a segment: n out of ``size``."""

    name: SegmentName
    n: int
    size: int


@dataclass(frozen=True)
class ChangedRows:
    """The n test rows whose sets a layer made larger, or smaller, and by how much on average.

    ``change`` is a share of their widths before, or a number of labels; None where one of these is
    infinite. ``among`` is the segment most in excess among them; None without such.
    """

    n: int
    change: float | None
    among: SegmentPart | None


@dataclass(frozen=True)
class Coefficients:
    """Those of the logistic regression of correctness, with standard errors, by feature."""

    slopes: tuple[float, ...]
    errors: tuple[float, ...]


@dataclass(frozen=True)
class AfterLayers:
    """What the prediction sets of a predictor are like with its first layers alone.

    Figures are of the test rows unless their names say otherwise. ``probabilities`` counts p(x) in
    bins of equal width from 0 to 1; ``worst`` is the segment whose 95 % interval ends lowest,
    ``followed`` the one of which that holds without a layer, None where no segment has rows enough.
    ``tried`` are the evaluations that the last of the layers was chosen from.
    """

    predictor: str
    layers: int
    training_dcv: float
    training_inefficiency: float
    dcv: float
    inefficiency: float
    coverage: float
    features: tuple[str, ...]
    training_coefficients: Coefficients
    coefficients: Coefficients
    probabilities: tuple[int, ...]
    worst: SegmentCoverage | None
    followed: SegmentCoverage | None
    are_intervals: bool
    wider: ChangedRows | None = None
    narrower: ChangedRows | None = None
    gamma: float | None = None
    delta: float | None = None
    tried: tuple[LayerTried, ...] = ()


@dataclass(frozen=True)
class Permuted:
    """One more of the simulated and permuted outcomes was examined."""

    done: int
    asked: int


@dataclass(frozen=True)
class StepDone:
    """One more of the steps of a comparison, such as the fit of a remedy with a seed, is done."""

    done: int
    asked: int
    title: str


Event = (
    RepeatStarted
    | StageStarted
    | BaseMeasured
    | LayerTried
    | LayerAccepted
    | AfterLayers
    | Permuted
    | StepDone
)
Listener = Callable[[Event], None]
StopRequest = Callable[[], bool]


def ignore(event: Event) -> None:
    """Listen to nothing."""


def never() -> bool:
    """Never ask to stop."""
    return False
