"""The remedy that is chosen of several, by training rows alone."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from ..arrays import FloatArray
from ..conformal.measures import CandidateFigures, Choice, ConformityMeasure, Fit
from ..conformal.overlapping import PatternRule, indicators
from ..conformal.predictor import MeasurePredictor
from ..conformal.rank import exact_significance
from ..conformal.scores import ScoreFunctions
from ..conformal.thresholds import ColumnGroups, ThresholdRule
from ..coverage.diagnosis import change_of_unevenness, out_of_fold, squared_terms
from ..coverage.evenness import JUDGES
from ..events import Listener, StopRequest
from ..messages import Passage, Sentence
from ..rows.dependent_columns import independent_columns
from ..rows.examples import Examples, Objects, checked_examples
from ..rows.folds import FOLDS, fold_numbers, some_rows
from ..rows.outcomes import IntervalSets, Outcomes
from ..rows.weights import weighted_mean
from ..scoring.forms import Form
from .base import Remedy, fitted_base
from .ifacm.ifacm import IFACM
from .quantile import QuantileAdjustment, QuantileTrees

NOTHING = "none"

_MOST_ROWS, _QUARTERS = 10_000, 4
_CHOSEN = (
    "Of {candidates} the training rows choose {chosen}: on {n} of them that it was not fitted on, "
    "coverage is clearly more even as straight lines and boosted trees see it (ERT {after:z.5f} in "
    "place of {before:z.5f}), at {size:.1f} % of the size."
)
_NOTHING = (
    "Of {candidates} the training rows choose none: with none of them coverage of {n} rows that it "
    "was not fitted on is clearly more even as straight lines and boosted trees see it, with sets "
    "at most {growth:.0f} % larger. After is as before."
)
_FEW = "There are too few training rows, or clusters of them, to choose by: after is as before."
_STOPPED = "The choice was stopped before its end: after is as before."


class Auto(Remedy):
    """The one of several remedies, or none, that makes coverage most even.

    Each is fitted on half of the training rows, and judged on either half of the others as it is
    calibrated on the other half; then the other way round; of very many on a sample. Scores are
    those that a flexible base measure gives without having seen a row. A remedy is taken only if
    coverage is clearly more even than without it, by the paired test of squared losses of p(x), and
    its sets are at most ``most_growth`` times as large. Of those within a standard error of the
    most even, that with the lowest mean interval score, of label sets with the smallest, is fitted
    on all training rows. p(x) is the mean of what straight lines and boosted trees see: these alone
    choose trees in a quarter of worlds in which lines are right.

    Parameters
    ----------
    base
        The measure that is adjusted.
    candidates
        Remedies by their names; without it ``quantile``, ``quantile-trees`` and ``ifacm``.
    confidence_level
        CL = 1 - eps, strictly between 0 and 1.
    most_growth
        Times the mean size without a remedy.
    level
        Of the test, one-sided, divided by the number of candidates. The p(x) of folds share rows,
        so that of 160 worlds without fault 20 were not left alone at 0.05, and seven at 0.02.

    Attributes
    ----------
    chosen_
        The fitted remedy; the base measure where none is chosen.

    Examples
    --------
    >>> import numpy as np
    >>> from evencover.core import Auto, StandardMeasure
    >>> X = np.linspace(-1.0, 1.0, 2_000)[:, None]
    >>> y = (0.1 + (np.abs(X[:, 0]) > 0.5)) * np.tile([-1.0, 0.5, 2.0, -3.0, 1.5], 400)
    >>> Auto(StandardMeasure()).fit(X, y).fit_.choice.remedy  # no straight line sees it
    'quantile-trees'
    """

    title: ClassVar[str] = "auto"
    takes_weights: ClassVar[bool] = True
    chosen_: ConformityMeasure

    def __init__(
        self,
        base: ConformityMeasure | None = None,
        candidates: Mapping[str, Remedy] | None = None,
        *,
        confidence_level: float = 0.9,
        most_growth: float = 1.1,
        level: float = 0.02,
    ) -> None:
        self.base = base
        self.candidates = candidates
        self.confidence_level = confidence_level
        self.most_growth = most_growth
        self.level = level

    def adjust(self, examples: Examples, on_event: Listener, should_stop: StopRequest) -> Fit:  # noqa: ARG002
        """Choose, and fit what is chosen."""
        self.base_ = self.chosen_ = fitted_base(self.base, examples)
        usual = {"quantile": QuantileAdjustment(), "quantile-trees": QuantileTrees()}
        candidates = usual | {"ifacm": IFACM()} if self.candidates is None else self.candidates
        # twice the columns, as each candidate is fitted twice
        some = examples.part(some_rows(len(examples), 2 * examples.X.shape[1], _MOST_ROWS))
        if len(np.unique(fold_numbers(len(some), some.clusters))) < FOLDS:
            return Fit(no_layer_reason="even", notes=[Sentence("auto.few", _FEW)])
        judged = self._judged(some, candidates, should_stop)
        if should_stop():
            return Fit(stopped=True, notes=[Sentence("auto.stopped", _STOPPED)])
        name = self._best(judged)
        choice = Choice(name, [one.figures(name) for name, one in judged.items()])
        before, after = (judged[of].figures(of) for of in (NOTHING, name))
        told = {
            "candidates": Passage(", ".join(candidates)),
            "chosen": name,
            "n": len(judged[name].spread),
            "before": before.ert_l2,
            "after": after.ert_l2,
            "size": 100.0
            * (after.inefficiency / before.inefficiency if before.inefficiency else 1.0),
            "growth": 100.0 * (self.most_growth - 1.0),
        }
        if name == NOTHING:
            notes = [Sentence("auto.none", _NOTHING, **told)]
            return Fit(no_layer_reason="even", notes=notes, choice=choice)
        remedy = self._over(self.base_, candidates[name])
        self.chosen_ = remedy.fit(examples, should_stop=should_stop)
        notes = [Sentence("auto.chosen", _CHOSEN, **told), *remedy.fit_.notes]
        return replace(remedy.fit_, notes=notes, choice=choice)

    @property
    def threshold_rule(self) -> ThresholdRule:
        """What learns thresholds of what is chosen."""
        return self.chosen_.threshold_rule

    def score_functions(self, X: Objects) -> ScoreFunctions:
        """Return the scores of what is chosen."""
        return self.chosen_.score_functions(checked_examples(self, X))

    def learning_functions(self, X: Objects) -> ScoreFunctions:
        """Return those that learn from training examples."""
        return self.chosen_.learning_functions(checked_examples(self, X))

    def steps(self, X: Objects, first: int = 0) -> FloatArray:
        """Return what each layer of what is chosen adds to scores, shape (layers, n)."""
        return self.chosen_.steps(checked_examples(self, X), first)

    def written(self) -> Form:
        """Return what is chosen as plain values."""
        return self.chosen_.written()

    def _over(self, base: ConformityMeasure, candidate: Remedy) -> Remedy:
        """Return a candidate over a fitted measure, for the confidence level; itself stays."""
        given = {"base": FrozenEstimator(base), "confidence_level": self.confidence_level}
        has = candidate.get_params(deep=False)
        remedy: Remedy = clone(candidate).set_params(**{n: v for n, v in given.items() if n in has})
        return remedy

    def _judged(
        self,
        examples: Examples,
        candidates: Mapping[str, Remedy],
        should_stop: StopRequest,
    ) -> dict[str, "_Judged"]:
        """Return what became of rows that each of the candidates, and none, was not fitted on."""
        unseen = _Unseen(self.base_)
        numbers = fold_numbers(len(examples), examples.clusters, _QUARTERS)
        divisions: Sequence[ColumnGroups] = ()
        became: dict[str, list[FloatArray]] = {}
        for name, remedy in {NOTHING: None, **candidates}.items():
            measure: ConformityMeasure = unseen
            for number in range(_QUARTERS):
                if remedy is not None and number % 2 == 0:
                    known = examples.part(numbers // 2 != number // 2)
                    measure = self._over(unseen, remedy).fit(known, should_stop=should_stop)
                of, others = (examples.part(numbers == n) for n in (number, number ^ 1))
                by = MeasurePredictor(name, name, measure, self.confidence_level)
                found, out = by.predict(of, others), np.full(len(of), np.nan)
                if isinstance(found.sets, IntervalSets):
                    ends, y = found.sets, of.labels
                    out = np.maximum(np.maximum(ends.lower - y, y - ends.upper), 0.0)
                each = np.array([found.outcomes.correct, found.outcomes.sizes, out])
                became.setdefault(name, []).append(each)
                divisions = divisions or getattr(measure.threshold_rule, "divisions", ())
        if should_stop():
            return {}
        judged = examples.part(np.argsort(numbers, kind="stable"))
        # what remedies may divide rows by, judges are to see, too
        patterns = PatternRule(divisions=(*divisions,)).patterns(judged)
        X = np.hstack([judged.X, indicators(patterns, dict.fromkeys(chain(*patterns)))])
        X = X[:, independent_columns(X)]
        given = X, judged, self.confidence_level
        return {name: _Judged.of(np.hstack(each), *given) for name, each in became.items()}

    def _best(self, judged: Mapping[str, "_Judged"]) -> str:
        """Return the name of what is chosen."""
        none, level = judged[NOTHING], self.level / max(len(judged) - 1, 1)
        clear = {}
        for name, one in judged.items():
            change, _, p_value = change_of_unevenness(none.spread, one.spread, one.outcomes)
            is_small = one.size <= self.most_growth * none.size
            if change < 0.0 and p_value / 2.0 <= level and is_small:
                clear[name] = change
        if not clear:
            return NOTHING
        most = judged[min(clear, key=lambda name: clear[name])]

        def is_near(name: str) -> bool:
            one = judged[name]
            more, error, _ = change_of_unevenness(most.spread, one.spread, one.outcomes)
            return more <= error

        return min(filter(is_near, clear), key=lambda name: judged[name].price)


class _Unseen(ConformityMeasure):
    """A fitted measure whose scores of training examples are those to learn from, and to judge."""

    takes_weights = True

    def __init__(self, measure: ConformityMeasure) -> None:
        self.measure = measure

    def fit(self, X: Objects, y: NDArray[Any] | None = None) -> Self:  # noqa: ARG002
        """Leave it as it is."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        """Say that it is fitted."""
        return True

    def score_functions(self, X: Objects) -> ScoreFunctions:
        """Return what a flexible measure says of examples by fits without them."""
        return self.measure.learning_functions(X)


@dataclass(frozen=True)
class _Judged:
    """What became of n rows that a remedy was not fitted on, by judges that were not, either."""

    outcomes: Outcomes
    spread: FloatArray  # squared terms about the outcomes' own mean, shape (n,)
    ert_l2: float  # about CL
    ert_l2_trees: float  # by trees alone
    score: float  # the mean interval score; NaN of sets of labels

    @classmethod
    def of(cls, became: FloatArray, X: FloatArray, examples: Examples, level: float) -> Self:
        """Judge by whether sets hold labels, their sizes, and how far labels are out, (3, n)."""
        correct, sizes, out = became[0] > 0.0, *became[1:]
        outcomes = Outcomes(correct, sizes, math.inf, examples.weights, examples.clusters)
        costs = sizes + 2.0 / float(exact_significance(level)) * out
        seen = {name: out_of_fold(X, outcomes, judge()) for name, judge in JUDGES.items()}
        p = np.mean([*seen.values()], axis=0)
        spread = squared_terms(p, correct, outcomes.accuracy)
        ert, by_trees = (
            weighted_mean(squared_terms(each, correct, level), examples.weights)
            for each in (p, seen["trees"])
        )
        return cls(outcomes, spread, ert, by_trees, weighted_mean(costs, examples.weights))

    @property
    def size(self) -> float:
        """The mean size of the sets."""
        return weighted_mean(self.outcomes.sizes, self.outcomes.weights)

    @property
    def price(self) -> float:
        """What is to be small among remedies that are as even."""
        return self.size if math.isnan(self.score) else self.score

    def figures(self, name: str) -> CandidateFigures:
        """Return what is told of it."""
        return CandidateFigures(name, self.ert_l2, self.ert_l2_trees, self.size, self.score)
