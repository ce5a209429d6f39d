"""The inductive conformal predictor, and all that gives prediction sets and can be audited."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..arrays import BoolArray, FloatArray
from ..messages import Sentence
from ..rows.examples import Examples, Labels, Objects, checked_examples
from ..rows.outcomes import IntervalSets, LabelSets, Outcomes, PredictionSets
from ..scoring.columns import AsRead, Design, EncodedNumber
from ..scoring.forms import LabelForm
from ..scoring.predictor import ClassesLabel, Label, NumberLabel, SavedPredictor
from .measures import ConformityMeasure, Fit
from .rank import WeightedScores, threshold_rank
from .scores import ScoredExamples
from .thresholds import ThresholdRule, Thresholds


@dataclass(frozen=True, eq=False)
class Prediction:
    """The prediction sets for n examples, with a numeric label standardised."""

    sets: PredictionSets
    outcomes: Outcomes
    notes: Sequence[Sentence] = ()  # what a user should know of how they came about
    tied: float = 0.0  # the share of labels whose score is just the threshold


class InductiveConformalPredictor(BaseEstimator):  # type: ignore[misc]
    """Prediction sets with marginal coverage, from any conformity measure.

    Keeps for an object x every label y with
    ``#{calibration scores <= A(x, y)} + 1 > eps (n + 1)``, the paper's eq. (predinterval1).
    If calibration and new examples are exchangeable the sets hold the label with probability
    at least CL; without ties among scores their coverage, over the draw of n calibration
    examples, follows Beta(n + 1 - r, r). A measure with another threshold rule than the single
    threshold, such as one for each group, keeps the promise of that rule.

    Parameters
    ----------
    measure
        What scores examples. Wrap a fitted one in ``sklearn.frozen.FrozenEstimator`` to use it as
        it is.
    confidence_level
        CL = 1 - eps, strictly between 0 and 1.

    Attributes
    ----------
    threshold_
        The calibration score of rank r = ``rank_``.
    thresholds_
        What the measure's rule learned; by default that one threshold for all.

    Examples
    --------
    >>> import numpy as np
    >>> from evencover.core import InductiveConformalPredictor, StandardMeasure
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(900, 1))
    >>> y = X[:, 0] + rng.normal(size=900)
    >>> icp = InductiveConformalPredictor(StandardMeasure()).fit(X[:300], y[:300])
    >>> intervals = icp.calibrate(X[300:600], y[300:600]).predict(X[600:])
    >>> float(intervals.sizes[0].round(1)), float(icp.covers(X[600:], y[600:]).mean().round(1))
    (3.5, 0.9)
    """

    measure_: ConformityMeasure
    thresholds_: Thresholds
    rank_: int  # r; 0 when the calibration set is too small for CL and every label is kept
    threshold_: float  # -inf for r = 0
    calibration_scores_: FloatArray  # ascending
    _frame: pd.DataFrame  # whose columns groups go by
    _weighted: WeightedScores  # the same with how much each counts

    def __init__(self, measure: ConformityMeasure, *, confidence_level: float = 0.9) -> None:
        self.measure = measure
        self.confidence_level = confidence_level

    def fit(self, X: Objects, y: Labels = None, sample_weight: Labels = None) -> Self:
        """Fit the measure on training examples, X of shape (n, d), y and weights of shape (n,)."""
        examples = checked_examples(self, X, y, sample_weight, fitting=True, any_columns=True)
        self.measure_ = clone(self.measure).fit(examples, y)
        for name in ("rank_", "threshold_", "thresholds_", "calibration_scores_"):
            self.__dict__.pop(name, None)  # the calibration of another measure
        return self

    def calibrate(self, X: Objects, y: Labels = None, sample_weight: Labels = None) -> Self:
        """Learn thresholds from calibration examples the measure was not fitted on.

        InputError if the confidence level is not strictly between 0 and 1.
        """
        self._calibrate(self._scores(self._checked(X, y, sample_weight)))
        return self

    def _calibrate(self, scored: ScoredExamples) -> None:
        scores, examples, level = scored.scores, scored.examples, self.confidence_level
        learned_from = scored.functions.to_learn(scores, examples.labels)
        self._frame = examples.frame
        examples = replace(examples, y=scored.functions.codes_of(examples.labels))
        self.thresholds_ = self.measure_.threshold_rule.learn(learned_from, examples, level)
        self.rank_, self.threshold_ = threshold_rank(len(scores), level), scored.threshold(level)
        self._weighted = WeightedScores.of(scores, level, examples.weights)
        self.calibration_scores_ = self._weighted.scores

    def saved(self, name: str = "predictor", label: str = "label") -> SavedPredictor:
        """Return the calibrated predictor as it is written down, by names for it and its label.

        Features go by their names, or else by x0, x1 and so on. InputError if it cannot be written.
        """
        check_is_fitted(self, "thresholds_")
        names = getattr(self, "feature_names_in_", [f"x{i}" for i in range(self.n_features_in_)])
        count, scores = len(names), self.measure_.written()
        most = float(np.finfo(np.float64).max)  # as nothing is known of where they lie
        columns = (*(EncodedNumber(str(each), low=-most, high=most) for each in names),)
        by = np.arange(count, dtype=np.int32), np.zeros(count), np.ones(count)
        design = Design(columns, *by) if scores.asks_features else Design.without_columns()
        coding: Label = NumberLabel(label, 0.0, 1.0, logarithmic=False, low=None, high=None)
        if isinstance(scores, LabelForm):
            base = self.measure_
            while not hasattr(base, "classes_"):  # as of a remedy, which adjusts another
                base = base.base_
            coding = ClassesLabel(label, (*map(str, base.classes_),))
        return SavedPredictor(
            name=name,
            title=name,
            guarantee=self.measure_.guarantee,
            confidence_level=self.confidence_level,
            label=coding,
            read=AsRead(),
            design=design,
            scores=scores,
            thresholds=self.thresholds_.written(self._frame),
            about={},
        )

    def save(self, path: str | Path) -> None:
        """Write the calibrated predictor to a file: see :meth:`saved`."""
        self.saved().save(path)

    def predict(self, X: Objects) -> PredictionSets:
        """Return the prediction sets of objects, shape (n, d)."""
        examples = self._checked(X)
        check_is_fitted(self, "thresholds_")
        return self.measure_.score_functions(examples).sets(self.thresholds_.at(examples))

    def covers(self, X: Objects, y: Labels = None) -> BoolArray:
        """Say for each example whether its prediction set holds its label, shape (n,)."""
        scored = self._scored(self._checked(X, y))
        return scored.held(self.thresholds_.at(scored.examples))

    def judged(self, X: Objects, y: Labels = None) -> Prediction:
        """Return the sets of examples with labels, what becomes of them, and what is to be told."""
        return self._judged(self._scored(self._checked(X, y)), are_new=True)

    def judged_by_itself(self, X: Objects, y: Labels = None) -> Prediction:
        """Calibrate on training examples, and judge these: Algorithm 1, where all count alike."""
        examples = self._checked(X, y)
        scored = ScoredExamples.of(examples, self.measure_.learning_functions(examples))
        self._calibrate(scored)
        return self._judged(scored, are_new=False)

    def _judged(self, scored: ScoredExamples, *, are_new: bool) -> Prediction:
        threshold = self.thresholds_.at(scored.examples, are_new=are_new)
        notes = self.thresholds_.notes(scored.examples)
        sets, outcomes = scored.outcomes(threshold)
        if are_new and self.thresholds_.rule == ThresholdRule():
            outcomes = replace(outcomes, p_values=self._p_values(scored))
        return Prediction(sets, outcomes, notes, scored.tied(threshold))

    def _checked(self, X: Objects, *of_rows: Labels) -> Examples:
        return checked_examples(self, X, *of_rows, any_columns=True)

    def _scored(self, examples: Examples) -> ScoredExamples:
        check_is_fitted(self, "thresholds_")
        return self._scores(examples)

    def _scores(self, examples: Examples) -> ScoredExamples:
        return ScoredExamples.of(examples, self.measure_.score_functions(examples))

    def p_values(
        self,
        X: Objects,
        y: Labels = None,
        *,
        smoothed: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> FloatArray:
        """Return the p-values of the labels y for the objects X, shape (n,).

        ``(#{A_j <= A} + 1) / (n + 1)`` over all calibration examples together, with the weights
        that count in thresholds where they have some; under the single threshold a label is in the
        set exactly when its p-value exceeds eps. Smoothed:
        ``(#{A_j < A} + u (#{A_j = A} + 1)) / (n + 1)`` with u uniform on [0, 1), which makes the
        coverage exact also with ties (Vovk et al., 2005).
        """
        scored = self._scored(self._checked(X, y))
        rng = check_random_state(random_state)
        return self._p_values(scored, rng.uniform(size=len(scored.examples)) if smoothed else 1.0)

    def _p_values(self, scored: ScoredExamples, uniform: float | FloatArray = 1.0) -> FloatArray:
        known, scores = self._weighted, scored.scores
        new = known.counted(scored.examples.weights if self.thresholds_.weighted else None)
        at_most = known.reached[np.searchsorted(known.scores, scores, side="right")]
        below = at_most
        if np.ndim(uniform):
            below = known.reached[np.searchsorted(known.scores, scores, side="left")]
        p_values: FloatArray = (below + uniform * (at_most - below + new)) / (known.whole + new)
        return p_values


class Predictor(ABC):
    """Something with a name that gives prediction sets; it knows nothing of how it is judged.

    Sets that do not hang on calibration examples have nothing to learn on training rows either,
    and these are not audited.
    """

    name: str  # in data, such as "base" or "mondrian:region"
    title: str  # for a reader, such as "IFACM"
    guarantee: str  # what it promises, in one sentence
    is_calibrated: bool = True
    fit_: Fit = Fit()
    rule: ThresholdRule = ThresholdRule()  # how its thresholds are learned

    @abstractmethod
    def predict(self, examples: Examples, calibration: Examples) -> Prediction:
        """Return the sets for examples with labels, calibrated on others (or on the same)."""

    def steps(self, examples: Examples) -> FloatArray:
        """Return what each layer adds to the scores of the examples, shape (layers, n)."""
        return np.empty((0, len(examples)))


class MeasurePredictor(Predictor):
    """The inductive conformal predictor of a fitted measure, with its threshold rule.

    Notes of a remedy's fit hold its name as the value ``remedy``. ``thresholds_`` are those that
    were learned last on other rows than were predicted, from ``calibration_scores_``, ascending.
    """

    thresholds_: Thresholds
    calibration_scores_: FloatArray

    def __init__(
        self, name: str, title: str, measure: ConformityMeasure, confidence_level: float
    ) -> None:
        self.name, self.title, self.guarantee = name, title, measure.guarantee
        self.measure, self.confidence_level = measure, confidence_level
        notes = tuple(note.with_values(remedy=name) for note in measure.fit_.notes)
        self.fit_, self.rule = replace(measure.fit_, notes=notes), measure.threshold_rule

    def predict(self, examples: Examples, calibration: Examples) -> Prediction:
        """Return the sets of an inductive conformal predictor with the measure's rule."""
        frozen, level = FrozenEstimator(self.measure), self.confidence_level
        icp = InductiveConformalPredictor(frozen, confidence_level=level)
        icp.fit(calibration, calibration.labels)
        if examples is calibration:
            return icp.judged_by_itself(examples)
        self.thresholds_ = icp.calibrate(calibration).thresholds_
        self.calibration_scores_ = icp.calibration_scores_
        return icp.judged(examples)

    def steps(self, examples: Examples) -> FloatArray:
        """Return what each layer of the measure adds."""
        return self.measure.steps(examples)


class ReadyMade(Predictor):
    """The sets that a user's model gave, taken as they are: nothing is fitted or calibrated."""

    name = "given"
    guarantee = "Whatever the maker of its sets promises: they are taken as they are."
    is_calibrated = False

    def __init__(self, title: str) -> None:
        self.title = title

    def predict(self, examples: Examples, calibration: Examples) -> Prediction:  # noqa: ARG002
        """Return the sets that were given; ValueError if there are none."""
        given = examples.model_outputs
        sets: PredictionSets
        if given.members is not None:
            sets, largest = LabelSets(given.members), float(given.members.shape[1])
        elif given.lower is not None and given.upper is not None:
            sets, largest = IntervalSets(given.lower, given.upper), math.inf
        else:
            raise ValueError("there are neither intervals nor sets among what the model said")
        held, rows = sets.contain(examples.labels), (examples.weights, examples.clusters)
        return Prediction(sets, Outcomes(held, sets.sizes, largest, *rows))
