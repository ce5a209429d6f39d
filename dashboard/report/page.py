"""The page."""

import importlib.metadata
import platform

from evencover.core import AuditResult

from .. import texts
from ..key_figures import key_figures
from ..offline import charts_script, in_html, render
from .cells import cut
from .drawings import coefficient_charts, layer_charts, segment_charts
from .tables import tables

_PACKAGES = ("evencover", "numpy", "pandas", "scikit-learn", "scipy")
_LONGEST_SENTENCE = 2000
_MOST_NOTES = 100


def to_html(result: AuditResult, examples: int = 0) -> str:
    """Return the result as an HTML page that needs nothing but itself, of at most 6 MB.

    It holds names and values of columns but no row of the table, unless ``examples`` asks for so
    many of the test rows.
    """
    return render(
        __package__,
        {
            "result": result,
            "texts": texts,
            "tables": tables(result),
            "key_figures": key_figures(result),
            "coefficients": coefficient_charts(result),
            "layers": layer_charts(result),
            "segments": segment_charts(result),
            "versions": _versions(),
            "script": charts_script(),
        },
        {"in_html": in_html, "cut": cut},
    )


def _versions() -> dict[str, str]:
    """Return the versions that the figures hang on."""
    return {"Python": platform.python_version()} | {
        name: importlib.metadata.version(name) for name in _PACKAGES
    }
