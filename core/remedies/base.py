"""What every remedy offers: a conformity measure made from another one."""

from abc import abstractmethod
from typing import ClassVar, Literal, Self

from sklearn.base import clone

from ..arrays import FloatArray
from ..conformal.measures import ConformityMeasure, Fit, Task
from ..conformal.scores import ScoreFunctions
from ..conformal.thresholds import ThresholdRule
from ..events import Listener, StopRequest, ignore, never
from ..messages import InputError
from ..rows.examples import Examples, Labels, Objects, checked_examples
from ..scoring.forms import Form
from ..scoring.functions import Function
from ..threads import single_blas_thread

_NOT_WRITTEN = (
    "remedy {remedy} says not how it is written down, so that it cannot be saved; give it a method "
    "written_adjustment, which returns a function of evencover.core.scoring"
)

Wanted = Literal["nothing", "column", "column or nothing", "columns"]
"""What a remedy's name has behind a colon, as in "mondrian:region"."""


class Remedy(ConformityMeasure):
    """A conformity measure that adjusts a base measure for better conditional coverage.

    It changes the scores, or the rule by which thresholds are learned, or both. Being fitted on
    training data alone, it drops into the ICP, whose marginal guarantee therefore holds for it.

    A remedy of your own has a ``title``, and a method ``adjust``, or a ``fit`` of its own that sets
    ``base_`` and ``fit_``. An audit gives it the parameters that it has of those in its settings,
    see :func:`evencover.core.audit`, and a fitted measure as ``base`` where that is None.
    """

    title: ClassVar[str]
    tasks: ClassVar[tuple[Task, ...]] = ("regression", "classification")
    wants: ClassVar[Wanted] = "nothing"
    base: ConformityMeasure | None
    base_: ConformityMeasure

    def fit(
        self,
        X: Objects,
        y: Labels = None,
        sample_weight: Labels = None,
        *,
        on_event: Listener = ignore,
        should_stop: StopRequest = never,
    ) -> Self:
        """Fit base measure and remedy on training examples, X of shape (n, d), y of shape (n,).

        Weights, too. ``on_event`` hears of the progress; when ``should_stop`` says so, the fit ends
        with what it has and stays usable. InputError if a parameter or the data are unusable.
        """
        examples = checked_examples(self, X, y, sample_weight, fitting=True)
        with single_blas_thread():
            self.fit_ = self.adjust(examples, on_event, should_stop)
        if not hasattr(self, "base_"):
            raise NotImplementedError(f"adjust of {type(self).__name__} sets no base_")
        return self

    def adjust(self, examples: Examples, on_event: Listener, should_stop: StopRequest) -> Fit:
        """Set ``base_``, see :func:`fitted_base`, and what the remedy learns on training examples.

        Return what has been done.
        """
        raise NotImplementedError(f"{type(self).__name__} has no adjust and no fit of its own")

    @property
    def threshold_rule(self) -> ThresholdRule:
        """What learns thresholds of its scores: what does so of the base measure's."""
        rule: ThresholdRule = self.base_.threshold_rule
        return rule

    def score_functions(self, X: Objects) -> ScoreFunctions:
        """Return the scores of objects, shape (n, d): those of the base measure, adjusted."""
        examples = checked_examples(self, X)
        return self.adjusted(self.base_.score_functions(examples), examples)

    def learning_functions(self, X: Objects) -> ScoreFunctions:
        """Return those that learn from training examples, of the base measure likewise."""
        examples = checked_examples(self, X)
        return self.adjusted(self.base_.learning_functions(examples), examples)

    def adjusted(self, functions: ScoreFunctions, examples: Examples) -> ScoreFunctions:  # noqa: ARG002
        """Return what becomes of the base measure's scores of checked examples."""
        return functions


class ScoreAdjustment(Remedy):
    """A remedy that adds to the scores of all labels of an object a number that depends on it."""

    def written(self) -> Form:
        """Return the base measure as plain values, and what is added."""
        return self.base_.written().shifted(self.written_adjustment())

    def written_adjustment(self) -> Function:
        """Return what is added, as a function of plain values."""
        raise InputError("saved.remedy", _NOT_WRITTEN, remedy=type(self).__name__)

    @abstractmethod
    def adjustment(self, X: Objects) -> FloatArray:
        """Return what is added to the scores of objects, shape (n,)."""

    def adjusted(self, functions: ScoreFunctions, examples: Examples) -> ScoreFunctions:
        """Return the scores with the adjustment, as Algorithm 1 has them of training examples."""
        return functions.shifted(self.adjustment(examples))


def fitted_base(base: ConformityMeasure | None, examples: Examples) -> ConformityMeasure:
    """Return a base measure fitted on training examples; ValueError if there is none."""
    if base is None:
        raise ValueError("a remedy adjusts a conformity measure: give it one as base")
    fitted: ConformityMeasure = clone(base).fit(examples, examples.labels)
    return fitted
