"""Coverage along a variable, more finely than its segments, and over two at once."""

from dataclasses import dataclass

import numpy as np

from ..arrays import IndexArray
from ..preparation.encoding import MISSING
from ..segments.audited_rows import TestRows
from ..segments.binning import partition_column
from ..segments.statistics import FEWEST_JUDGED
from ..tables.columns import Column, ColumnKind
from .groups import GroupFigures, Where, all_or, column_of, figures_by_code, find_variable, kind_of

BANDS = 20
_ALL = "all values"


@dataclass(frozen=True, kw_only=True)
class Band(GroupFigures):
    """The test rows of a band of values, or of one value.

    ``first``, ``middle`` and ``last`` are the smallest value of the band's rows, their median and
    the largest; dates in days since 1970. None for categories and where values are missing.
    """

    value: str
    first: float | None
    middle: float | None
    last: float | None


@dataclass(frozen=True)
class CoverageAlong:
    """Coverage along a variable; ``bands`` are in the order of their values, missing ones last."""

    variable: str
    kind: ColumnKind
    bands: list[Band]


def coverage_along(
    test_rows: TestRows, variable: str, where: Where = None, bands: int = BANDS
) -> CoverageAlong:
    """Return each predictor's coverage in narrow bands of a number or date, or by value.

    ``variable`` names what segments go by, or a column among these; :class:`InputError` if there is
    none. Numbers and dates of more than 12 values are divided into ``bands`` of about equally many
    of the rows looked at; fewer if a band would have under 20 rows.
    """
    found = find_variable(test_rows, variable)
    kind = "category" if found.kind == "group" else kind_of(test_rows, found)
    looked_at = np.flatnonzero(all_or(where, test_rows))
    if kind not in ("number", "date"):
        figures = figures_by_code(
            test_rows, found.partition.codes, len(found.partition.names), where
        )
        values = [
            Band(value=value, first=None, middle=None, last=None, **of_value)
            for value, of_value in zip(found.partition.names, figures, strict=True)
            if of_value["n"]
        ]
        return CoverageAlong(found.name, "category", values)
    column = column_of(test_rows, found)
    codes = np.full(len(column), -1, dtype=np.intp)
    names: list[str] = []
    if len(looked_at):
        shown = column.rows(looked_at)
        most = max(1, min(bands, len(looked_at) // FEWEST_JUDGED))
        names, codes[looked_at] = _divided(shown, most)
    return CoverageAlong(found.name, kind, _bands(test_rows, column, names, codes))


def _divided(column: Column, bands: int) -> tuple[list[str], IndexArray]:
    """Return names and each row's band, by quantiles of these very rows."""
    if bands == 1 and column.is_many_valued:
        return [_ALL, MISSING], np.where(column.missing, 1, 0)
    partition = partition_column(column, np.arange(len(column)), bins=bands)
    return partition.names, partition.codes


def _bands(test_rows: TestRows, column: Column, names: list[str], codes: IndexArray) -> list[Band]:
    found = figures_by_code(test_rows, np.maximum(codes, 0), len(names), codes >= 0)
    bands = []
    for code, (name, figures) in enumerate(zip(names, found, strict=True)):
        inside = column.places[codes == code]
        ends: list[float | None] = [None] * 3
        if not np.isnan(inside).all():
            ends = np.nanquantile(inside, (0.0, 0.5, 1.0)).tolist()
        bands.append(Band(value=name, first=ends[0], middle=ends[1], last=ends[2], **figures))
    return [band for band in bands if band.n]


@dataclass(frozen=True, kw_only=True)
class Cell(GroupFigures):
    """The test rows where a segment of one variable meets a segment of another."""

    one: str
    other: str


@dataclass(frozen=True)
class CoverageOver:
    """Coverage over two variables: ``ones`` and ``others`` are their segments.

    Segments and cells without rows are left out.
    """

    one: str
    other: str
    ones: list[str]
    others: list[str]
    cells: list[Cell]


def coverage_over(test_rows: TestRows, one: str, other: str, where: Where = None) -> CoverageOver:
    """Return each predictor's coverage wherever segments of two variables meet.

    The figures are those that ``AuditSettings.pairs`` gives for the two. Raises :class:`InputError`
    if there is no variable of such a name.
    """
    variables = find_variable(test_rows, one), find_variable(test_rows, other)
    first, second = (variable.partition for variable in variables)
    width = len(second.names)
    # numbered anew: of many times many segments few meet
    present, codes = np.unique(
        first.codes.astype(np.int64) * width + second.codes, return_inverse=True
    )
    found = figures_by_code(test_rows, codes, len(present), where)
    cells = [
        Cell(one=first.names[code // width], other=second.names[code % width], **figures)
        for code, figures in zip(present.tolist(), found, strict=True)
        if figures["n"]
    ]
    filled = {cell.one for cell in cells}, {cell.other for cell in cells}
    ones = [name for name in first.names if name in filled[0]]
    others = [name for name in second.names if name in filled[1]]
    return CoverageOver(variables[0].name, variables[1].name, ones, others, cells)
