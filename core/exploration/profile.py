"""Coverage along a variable, more finely than its segments, and over two at once."""

from dataclasses import dataclass

import numpy as np

from ..arrays import FloatArray, IndexArray
from ..preparation.encoding import MISSING
from ..segments.audited_rows import TestRows
from ..segments.binning import meetings, partition_column
from ..segments.statistics import FEWEST_JUDGED
from ..tables.columns import Column, ColumnKind
from .groups import GroupFigures, Where, all_or, column_of, filled, find_variable, kind_of

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
    looked_at = all_or(where, test_rows)
    if kind not in ("number", "date"):
        names, codes = found.partition.names, np.where(looked_at, found.partition.codes, -1)
        return CoverageAlong(found.name, "category", _bands(test_rows, None, names, codes))
    column = column_of(test_rows, found)
    codes, names = np.full(len(column), -1, dtype=np.intp), []
    if looked_at.any():
        most = max(1, min(bands, int(looked_at.sum()) // FEWEST_JUDGED))
        names, codes[looked_at] = _divided(column.rows(looked_at), most)
    return CoverageAlong(found.name, kind, _bands(test_rows, column.places, names, codes))


def _divided(column: Column, bands: int) -> tuple[list[str], IndexArray]:
    """Return names and each row's band, by quantiles of these very rows."""
    if bands == 1 and column.is_many_valued:
        return [_ALL, MISSING], np.where(column.missing, 1, 0)
    partition = partition_column(column, np.arange(len(column)), bins=bands)
    return partition.names, partition.codes


def _bands(
    test_rows: TestRows, places: FloatArray | None, names: list[str], codes: IndexArray
) -> list[Band]:
    """Return those with rows; codes are -1 of rows that are not looked at."""
    bands = []
    for code, figures in filled(test_rows, np.maximum(codes, 0), len(names), codes >= 0):
        ends: list[float | None] = [None] * 3
        if places is not None and not np.isnan(inside := places[codes == code]).all():
            ends = np.nanquantile(inside, (0.0, 0.5, 1.0)).tolist()
        first, middle, last = ends
        band = Band(value=names[code], first=first, middle=middle, last=last, **figures)
        bands.append(band)
    return bands


@dataclass(frozen=True, kw_only=True)
class PairCell(GroupFigures):
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
    cells: list[PairCell]


def coverage_over(test_rows: TestRows, one: str, other: str, where: Where = None) -> CoverageOver:
    """Return each predictor's coverage wherever segments of two variables meet.

    The figures are those that ``AuditSettings.pairs`` gives for the two. Raises :class:`InputError`
    if there is no variable of such a name.
    """
    variables = find_variable(test_rows, one), find_variable(test_rows, other)
    first, second = (variable.partition for variable in variables)
    pairs, codes = meetings(first, second)
    cells = [
        PairCell(one=first.names[pairs[code][0]], other=second.names[pairs[code][1]], **figures)
        for code, figures in filled(test_rows, codes, len(pairs), where)
    ]
    with_rows = {cell.one for cell in cells}, {cell.other for cell in cells}
    ones = [name for name in first.names if name in with_rows[0]]
    others = [name for name in second.names if name in with_rows[1]]
    return CoverageOver(variables[0].name, variables[1].name, ones, others, cells)
