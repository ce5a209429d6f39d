"""The three figures that matter, after the adjustment and before."""

import math
from collections.abc import Callable
from typing import NamedTuple

from evencover.core import AuditResult
from evencover.core.experiment.figures import ResultRow
from evencover.core.report.wording import percent

from .formatting import number, size_name
from .predictors import ShownPredictor
from .rows import on_test_rows


class KeyFigure(NamedTuple):
    """A figure after the adjustment, and what it is otherwise."""

    name: str
    value: str
    detail: str
    term: str  # of the glossary


def key_figures(result: AuditResult) -> list[KeyFigure]:
    """Return accuracy, size of the sets and DCV of the test rows."""
    shown = on_test_rows(result)
    main, after = shown[1] if len(shown) > 1 else shown[0]
    others = [(by, row) for by, row in shown if by != main]

    def otherwise(say: Callable[[ResultRow], str], of_reference: str = "") -> str:
        return ", ".join(
            f"{by.when} {say(row)}{'' if by.place else of_reference}" for by, row in others
        )

    size = after.inefficiency_original_units
    when = " after the adjustment" if main.place else ""
    floor = "" if after.dcv_floor is None else f"floor {after.dcv_floor:.4f}; "
    coverage = otherwise(lambda row: percent(row.accuracy))
    change = _change(result, main)
    sizes = otherwise(lambda row: number(row.inefficiency_original_units), change)
    name = f"Test {size_name(result.settings['task'])}"
    dcv = f"{after.dcv:.4f}", (floor + otherwise(_dcv)).removesuffix("; ")
    return [
        KeyFigure(f"Test coverage{when}", percent(after.accuracy), coverage, "coverage"),
        KeyFigure(name, number(size), sizes, "inefficiency"),
        KeyFigure("Test DCV: unevenness, 0 is best", *dcv, "DCV"),
    ]


def _dcv(row: ResultRow) -> str:
    floor = "" if row.dcv_floor is None else f", floor {row.dcv_floor:.4f}"
    return f"{row.dcv:.4f}{floor}"


def _change(result: AuditResult, main: ShownPredictor) -> str:
    """Return by how much the sets grow: for intervals that of the median row."""
    if main.name not in result.adjustments:
        return ""
    ratio, of_what = result.comparison(main.name).size_ratio_median, "the median row "
    if ratio is None:
        before, after = (result.row("test", n).inefficiency for n in (result.reference, main.name))
        ratio, of_what = after / before if before > 0.0 else math.nan, ""
    return "" if math.isnan(ratio) else f", {of_what}{percent(ratio - 1.0, '+z.1f')}"
