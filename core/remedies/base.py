"""What every remedy offers: a conformity measure made from another one."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import FloatArray
from ..conformal.measures import ConformityMeasure
from ..events import LayerAccepted, Listener, StopRequest, ignore, never
from ..messages import Sentence


class Remedy(ConformityMeasure):
    """A conformity measure that adjusts a base measure for better conditional coverage.

    Being a conformity measure fitted on training data alone, it drops into the ICP, whose
    marginal guarantee therefore holds for it unchanged.

    Attributes
    ----------
    n_terms_ : int or None
        Fitted terms by which the scores depend on the object beyond the base measure; 0 when
        nothing was adjusted, None where it was by an estimator without a number of parameters.
    iterations_ : list of LayerAccepted
        Empty for a remedy that has no layers.
    stopped_ : bool
        Whether ``should_stop`` ended the fit.
    notes_ : list of Sentence
        What a user should know.
    """

    n_terms_: int | None
    iterations_: list[LayerAccepted]
    stopped_: bool
    notes_: list[Sentence]

    @abstractmethod
    def fit(
        self,
        X: FloatArray,
        y: NDArray[Any],
        *,
        on_event: Listener = ignore,
        should_stop: StopRequest = never,
    ) -> Self:
        """Fit on training examples, X of shape (n, d), y of shape (n,).

        ``on_event`` hears of the progress; when ``should_stop`` says so, the fit ends with
        what it has and stays usable.
        """

    def steps(self, X: FloatArray) -> FloatArray:
        """Return what each layer adds to the scores of the objects X, shape (layers, n).

        Without rows for a remedy that has no layers.
        """
        return np.empty((0, len(X)))
