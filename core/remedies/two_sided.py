"""Intervals that hold the share of labels below them, and the share above, each by itself."""

from fractions import Fraction
from typing import ClassVar

from ..conformal.measures import ConformityMeasure, Fit, Task
from ..conformal.rank import exact_significance
from ..conformal.scores import ScoreFunctions, TwoSidedScores
from ..conformal.thresholds import EndsRule
from ..events import Listener, StopRequest
from ..messages import InputError, Sentence
from ..rows.examples import Examples, Objects, checked_examples
from ..scoring.forms import EndsForm, TwoSidedForm
from .base import Remedy, fitted_base
from .quantile import QuantileTrees, finite

_NO_END = 1.0 - 1e-9  # so near to 1 that no number of rows tells it
_MOVED = (
    "Labels may lie below intervals in {below:.3g} % of rows, and above in {above:.3g} %. By the "
    "training rows the lower end {lower} with the features, the upper end {upper}."
)


def end_levels(below: float | None, confidence_level: float) -> tuple[float, float]:
    """Return the levels of the lower and the upper end; ``below`` is as for :class:`TwoSided`."""
    eps = exact_significance(confidence_level)
    share = eps / 2 if below is None else Fraction(str(below))
    if not 0 <= share <= eps:
        sentence = (
            "the share of labels allowed below intervals is {given}; give one from 0 to {most:g}, "
            "what the confidence level allows below and above"
        )
        raise InputError("below.range", sentence, given=below, most=float(eps))
    return float(1 - share), float(1 - eps + share)


class TwoSided(Remedy):
    """The base measure with a threshold for each end, which may move with the features, too.

    How far inside of an end labels are is adjusted by its quantile given the object, by trees, if
    the training rows show that it depends on it. The two thresholds are those of Romano, Patterson
    and Candes (2019), "Conformalized quantile regression", theorem 2.

    Parameters
    ----------
    base
        The measure; a fitted one within ``sklearn.frozen.FrozenEstimator``. An audit gives its own
        where it is None.
    confidence_level
        CL = 1 - eps, strictly between 0 and 1.
    below
        The share of labels allowed below, from 0 to eps, where it is None half of eps; the rest may
        lie above. With 0 or eps intervals have one end.

    Attributes
    ----------
    adjustments_
        What each end is adjusted by, the lower one first.
    """

    title: ClassVar[str] = "two-sided thresholds"
    tasks: ClassVar[tuple[Task, ...]] = ("regression",)
    guarantee: ClassVar[str] = (
        "On average over all rows the label lies below its intervals with at most the probability "
        "allowed there, and above them likewise, so that they hold it with the promised one, if "
        "calibration rows and new rows are exchangeable; for no group by itself."
    )
    takes_weights: ClassVar[bool] = True
    adjustments_: list[QuantileTrees]

    def __init__(
        self,
        base: ConformityMeasure | None = None,
        *,
        confidence_level: float = 0.9,
        below: float | None = None,
    ) -> None:
        self.base = base
        self.confidence_level = confidence_level
        self.below = below

    def adjust(self, examples: Examples, on_event: Listener, should_stop: StopRequest) -> Fit:  # noqa: ARG002
        """Choose and fit what each end is adjusted by."""
        levels = end_levels(self.below, self.confidence_level)
        self.base_ = fitted_base(self.base, examples)
        ends = self.base_.learning_functions(examples).from_ends().inside(examples.labels)
        self.adjustments_ = []
        for scores, level in zip(ends, levels, strict=True):
            self.adjustments_.append(QuantileTrees(confidence_level=min(level, _NO_END)))
            self.adjustments_[-1].learn(examples, finite(scores), should_stop)
        below, above = (100.0 * (1.0 - level) for level in levels)
        moved = [by.model_ is not None for by in self.adjustments_]
        lower, upper = ("moves" if moves else "does not move" for moves in moved)
        about = {"below": below, "above": above, "lower": lower, "upper": upper}
        notes = [Sentence("two-sided.moved", _MOVED, **about)]
        return Fit(None if any(moved) else 0, stopped=should_stop(), notes=notes)

    @property
    def threshold_rule(self) -> EndsRule:
        """What learns a threshold for each end."""
        return EndsRule(levels=end_levels(self.below, self.confidence_level))

    def score_functions(self, X: Objects) -> TwoSidedScores:
        """Return the scores of objects, shape (n, d), with two ends."""
        examples = checked_examples(self, X)
        return self._with_ends(super().score_functions(examples), examples)

    def learning_functions(self, X: Objects) -> TwoSidedScores:
        """Return the same of training examples."""
        examples = checked_examples(self, X)
        return self._with_ends(super().learning_functions(examples), examples)

    def written(self) -> TwoSidedForm:
        """Return the measure as plain values."""
        base = self.base_.written()
        assert isinstance(base, EndsForm)  # noqa: S101 - it serves regression alone
        return TwoSidedForm((), base, *(by.written_adjustment() for by in self.adjustments_))

    def _with_ends(self, functions: ScoreFunctions, examples: Examples) -> TwoSidedScores:
        ends = functions.from_ends()
        below, above = (ends.unit * by.adjustment(examples) for by in self.adjustments_)
        return TwoSidedScores(ends.lower - below, ends.upper + above, ends.unit, shift=ends.shift)
