"""What every remedy offers: a conformity measure made from another one."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..conformal.measures import ConformityMeasure, Task
from ..conformal.predictor import MARGINAL, MeasurePredictor, NoLayerReason
from ..conformal.scores import ScoreFunctions
from ..events import AfterLayers, LayerAccepted, Listener, StopRequest, ignore, never
from ..messages import Sentence
from ..rows.examples import Examples, Objects, checked_examples

Wanted = Literal["nothing", "column", "column or nothing", "adjustment"]
"""What a remedy's name has behind a colon, as in "mondrian:region"."""


HOLDS_ALL = (
    "With {n} training rows at confidence level {level} every training row's set holds its label, "
    "so there is nothing for {title} to adjust: after is as before."
)


class Remedy(ConformityMeasure):
    """A conformity measure that adjusts a base measure for better conditional coverage.

    It changes the scores, or the rule by which thresholds are learned, or both. Being fitted on
    training data alone, it drops into the ICP, whose marginal guarantee therefore holds for it.
    ``n_terms_`` counts fitted terms as :class:`.conformal.predictor.Predictor` does its ``terms``,
    and ``no_layer_reason_`` and ``suggested_penalty_`` are what it says of them without the ``_``.
    """

    title: ClassVar[str]
    guarantee: ClassVar[str] = MARGINAL
    tasks: ClassVar[tuple[Task, ...]] = ("regression", "classification")
    wants: ClassVar[Wanted] = "nothing"
    n_terms_: int | None = 0
    iterations_: Sequence[LayerAccepted] = ()  # accepted layers, if it has any, in order
    no_layer_reason_: NoLayerReason = ""
    suggested_penalty_: float | None = None
    stopped_: bool = False  # whether ``should_stop`` ended the fit
    notes_: Sequence[Sentence] = ()

    @classmethod
    @abstractmethod
    def from_settings(cls, base: ConformityMeasure, settings: Any, of: Any = None) -> Self:  # noqa: ANN401
        """Return the remedy for a fitted base measure, with an audit's settings.

        ``of`` is what its name has behind a colon, see ``wants``: None, a column, or a remedy.
        """

    @abstractmethod
    def fit(
        self,
        X: Objects,
        y: NDArray[Any] | None = None,
        *,
        on_event: Listener = ignore,
        should_stop: StopRequest = never,
    ) -> Self:
        """Fit on training examples, X of shape (n, d), y of shape (n,).

        ``on_event`` hears of the progress; when ``should_stop`` says so, the fit ends with
        what it has and stays usable.
        """

    def steps(self, X: Objects, first: int = 0) -> FloatArray:  # noqa: ARG002
        """Return what each layer from the ``first`` on adds to scores, shape (layers, n)."""
        return np.empty((0, len(checked_examples(self, X))))


class ScoreAdjustment(Remedy):
    """A remedy that adds to the scores of all labels of an object a number that depends on it.

    ``base`` is the measure that it adjusts, ``base_`` that fitted on the training examples.
    """

    base: ConformityMeasure
    base_: ConformityMeasure
    confidence_level: float

    @abstractmethod
    def adjustment(self, X: Objects) -> FloatArray:
        """Return what is added to the scores of objects, shape (n,)."""

    def score_functions(self, X: Objects) -> ScoreFunctions:
        """Return the adjusted scores of objects, shape (n, d)."""
        examples = checked_examples(self, X)
        functions: ScoreFunctions = self.base_.score_functions(examples)
        return functions.shifted(self.adjustment(examples))

    def weakened(self, examples: Examples, strength: float) -> Sequence[LayerAccepted]:  # noqa: ARG002
        """Return the layers as they are on training examples if times ``strength``."""
        return self.iterations_

    def regressors(self, X: FloatArray) -> FloatArray:
        """Return what the adjustment can make use of, for checked objects, shape (n, m)."""
        return X


class RemedyPredictor(MeasurePredictor):
    """The predictor of a fitted remedy, whose notes hold its name as the value ``remedy``."""

    is_adjustment = True

    def __init__(
        self,
        name: str,
        remedy: Remedy,
        confidence_level: float,
        title: str | None = None,
        replay: Sequence[AfterLayers] = (),
    ) -> None:
        title = remedy.title if title is None else title
        super().__init__(name, title, remedy, confidence_level, remedy.guarantee)
        self.terms = remedy.n_terms_
        self.layers = remedy.iterations_
        self.no_layer_reason = remedy.no_layer_reason_
        self.suggested_penalty = remedy.suggested_penalty_
        self.stopped = remedy.stopped_
        self.notes = [note.with_values(remedy=name) for note in remedy.notes_]
        self.replay = replay
        self._remedy = remedy

    def steps(self, examples: Examples) -> FloatArray:
        """Return what each layer of the remedy adds."""
        return self._remedy.steps(examples)
