"""The paper's search, set going again where it stalls."""

from .base import Objective, Round, Search
from .nelder_mead import Start, nelder_mead

STARTS: tuple[Start, ...] = ((-2.0, -5.0), (-3.0, -7.0))
"""For (log gamma, log delta): a larger gamma, and a smaller delta, than the paper's start has."""


class RestartedSearch(Search):
    """The paper's search and, when that finds no further layer, Nelder-Mead from two more starts.

    Its layers begin with those of the paper's search. From where that ends they go on, each to
    lower the objective, so that what it ends with is never worse.
    """

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The paper's search, and the other starts."""
        return nelder_mead, _from_other_starts


def _from_other_starts(objective: Objective, max_evaluations: int) -> None:
    for start in STARTS:
        nelder_mead(objective, max_evaluations, start)
