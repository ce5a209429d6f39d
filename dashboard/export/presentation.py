"""How results show themselves in Python and in notebooks: what ``evencover.presentation`` names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
from markupsafe import escape

from evencover.core import AuditResult, InputError
from evencover.core.messages import Names
from evencover.core.report.in_short import shown_groups, who_title
from evencover.core.tables.columns import check_exists

from ..figures.segments import segment_figure
from ..figures.who import who_figure
from ..wording.formatting import predictors
from ..wording.rows import in_order, segments
from .report import coefficient_figures, histogram, to_first_screen, to_html
from .writing import write_together

_FRAME = (
    '<iframe sandbox="" srcdoc="{page}" title="audit by Evencover" '
    'style="width: 100%; height: 40rem; border: 0; resize: vertical"></iframe>'
)
"""The page's look is not that of the notebook around it, and no cell of a table can run there."""


def first_screen(result: AuditResult) -> str:
    """Return the report's first screen in a frame of its own."""
    return _FRAME.format(page=escape(to_first_screen(result)))


def report(result: AuditResult, path: Path, examples: int = 0) -> None:
    """Write the report; see :func:`to_html`."""
    write_together({path: to_html(result, examples)})


def figure(result: AuditResult, name: str, **choice: Any) -> go.Figure:  # noqa: ANN401
    """Return one of the report's charts; InputError if there is none of that name."""
    if name not in CHARTS:
        sentence = "there is no figure '{name}'; choose one of {names}"
        raise InputError("figure.unknown", sentence, name=name, names=Names(CHARTS))
    return CHARTS[name](result, **choice)


def _coefficients(result: AuditResult, subset: str = "test") -> go.Figure:
    return coefficient_figures(result)[subset]


def _segments(result: AuditResult, variable: str | None = None) -> go.Figure:
    every = segments(result)
    chosen = every[0].variable if variable is None else variable
    check_exists(list(dict.fromkeys(one.variable for one in every)), chosen, "variable")
    rows = in_order([one for one in every if one.variable == chosen], result)
    return segment_figure(rows, predictors(result), result.settings["cl"])


def _groups(result: AuditResult) -> go.Figure:
    level = result.settings["cl"]
    return who_figure(shown_groups(result), predictors(result), level, who_title(result))


CHARTS: dict[str, Callable[..., go.Figure]] = {
    "coefficients": _coefficients,
    "groups": _groups,
    "probabilities": histogram,
    "segments": _segments,
}
"""Coefficients are of one ``subset``, "test" or "training", segments of one ``variable``."""
