"""The paper's search."""

from .base import Round, Search
from .nelder_mead import nelder_mead


class PaperSearch(Search):
    """Nelder-Mead from ``(log gamma, log delta) = (-5, -5)``, and the layers end where it does."""

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The one round."""
        return (nelder_mead,)
