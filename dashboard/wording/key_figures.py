"""The three figures that matter, before and after."""

import math
from typing import NamedTuple

from evencover.core import AuditResult
from evencover.core.findings.result import ResultRow

from .page_texts import percent, size_name

_WHOLE_FROM = 1e3
"""Widths from here on are shown in whole units."""


class KeyFigure(NamedTuple):
    """A figure after the adjustment, and what it was before."""

    name: str
    value: str
    detail: str


def key_figures(result: AuditResult) -> list[KeyFigure]:
    """Return accuracy, size of the sets and DCV of the test rows."""
    base, after = result.row("test", "base"), result.row("test", "ifacm")
    before_size, size = base.inefficiency_original_units, after.inefficiency_original_units
    return [
        KeyFigure(
            "Test coverage after the adjustment",
            percent(after.accuracy),
            f"before {percent(base.accuracy)}",
        ),
        KeyFigure(
            f"Test {size_name(result.settings['task'])}",
            _figure(size),
            f"before {_figure(before_size)}" + _change(before_size, size),
        ),
        KeyFigure(
            "Test DCV: unevenness of coverage, 0 is best",
            f"{after.dcv:.4f}",
            _with_floor("floor {}; ", after)
            + f"before {base.dcv:.4f}"
            + _with_floor(", floor {}", base),
        ),
    ]


def _with_floor(text: str, row: ResultRow) -> str:
    """Return text with the floor in it; nothing where there is no floor by formula."""
    return "" if row.dcv_floor is None else text.format(f"{row.dcv_floor:.4f}")


def _figure(value: float) -> str:
    if math.isinf(value):
        return "infinite"
    return f"{value:,.4g}" if value < _WHOLE_FROM else f"{value:,.0f}"


def _change(before: float, after: float) -> str:
    known = before > 0.0 and math.isfinite(before) and math.isfinite(after)
    return f", {percent(after / before - 1.0, '+.1f')}" if known else ""
