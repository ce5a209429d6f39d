"""Figures of any test rows: along a variable, where two variables meet, and on a map."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IndexArray
from ..scoring.columns import MISSING
from ..segments.audited_rows import TestRows
from ..segments.binning import meetings, partition_column
from ..segments.grouping import Variable
from ..segments.statistics import FEWEST_JUDGED
from ..segments.tally import ByGroup, Tally, lines
from ..segments.under_coverage import JudgedRow
from ..segments.worst_segments import WorstSegmentRow
from ..tables.columns import Column, ColumnKind, check_exists

MOST_LISTED = 200  # values of a category, of which the most frequent are told

BANDS = 20

Where = BoolArray | None  # which of the test rows to look at, shape (n,); None for all


@dataclass(frozen=True)
class Figures:
    """One predictor's share of sets that hold their label, and their mean size.

    ``low`` and ``high`` are Wilson's 95 % interval for the accuracy; ``size`` is the mean number of
    labels in a set, or mean width in the label's own units.
    """

    accuracy: float
    low: float
    high: float
    size: float


@dataclass(frozen=True, kw_only=True)
class GroupFigures:
    """The figures of n test rows, by the predictor's name."""

    n: int
    figures: Mapping[str, Figures]


def group_figures(test_rows: TestRows, where: Where = None) -> GroupFigures:
    """Return the figures of all test rows together, or of those that ``where`` says.

    Shares and means are NaN where there is no row.
    """
    (found,) = figures_by_group(test_rows, np.zeros(len(test_rows.rows), dtype=np.intp), 1, where)
    return GroupFigures(**found)


def all_or(where: Where, test_rows: TestRows) -> BoolArray:
    """Return which rows to look at, shape (n,), whether or not that was said."""
    return np.ones(len(test_rows.rows), dtype=bool) if where is None else where


def figures_by_group(
    test_rows: TestRows, codes: IndexArray, count: int, where: Where = None
) -> list[dict[str, Any]]:
    """Return what the figures of each of ``count`` groups are, by the names of GroupFigures.

    ``codes`` are the numbers of the rows' groups, from 0 up, shape (n,).
    """
    looked_at = all_or(where, test_rows)
    codes, by_predictor = codes[looked_at], {}
    for name, sets in test_rows.sets.items():
        outcomes = replace(test_rows.outcomes[name].unclustered, sizes=sets.sizes)
        tally = Tally.of(outcomes.part(looked_at))
        groups = ByGroup(tally, codes, count)
        columns = {"accuracy": groups.accuracy, "low": groups.low, "high": groups.high}
        by_predictor[name] = lines(columns | {"size": groups.shares(tally.size)})
    return [
        {"n": n, "figures": {name: Figures(**of[group]) for name, of in by_predictor.items()}}
        for group, n in enumerate(np.bincount(codes, minlength=count).tolist())
    ]


@dataclass(frozen=True)
class ColumnValues:
    """The values of a column among the test rows.

    ``names`` are the most frequent of a category's values; ``low`` and ``high`` the ends of
    numbers, or of dates in days since 1970, None where all are missing; ``missing`` counts missing
    values.
    """

    kind: ColumnKind
    names: list[str]
    low: float | None
    high: float | None
    missing: int


def column_values(test_rows: TestRows, column: str) -> ColumnValues:
    """Return the values of a column that segments go by; :class:`InputError` for any other."""
    by_column = _by_column(test_rows)
    check_exists(list(by_column), column)
    return values_of(test_rows.table[column], _kind_of(test_rows, by_column[column]))


def values_of(values: Column, kind: ColumnKind) -> ColumnValues:
    """Return the values of a column that is taken for one of this kind."""
    missing = int(values.missing.sum())
    if kind != "category":
        seen = values.places[~np.isnan(values.places)]
        low, high = (float(seen.min()), float(seen.max())) if len(seen) else (None, None)
        return ColumnValues(kind, [], low, high, missing)
    counts = values.levels.value_counts()
    # ties in the order of the names, which the order of the rows must not change
    names = sorted(counts.index, key=lambda name: (-counts[name], name))
    return ColumnValues(kind, names[:MOST_LISTED], None, None, missing)


def rows_of(test_rows: TestRows, group: JudgedRow) -> BoolArray:
    """Return which test rows a segment is, or those that a rule was judged on, shape (n,)."""
    if isinstance(group, WorstSegmentRow):
        return test_rows.searched.holds[group.rule] & test_rows.searched.judging
    partition = _find_variable(test_rows, group.variable).partition
    return np.asarray(partition.codes == list(partition.names).index(group.value))


def _find_variable(test_rows: TestRows, name: str) -> Variable:
    """Return the variable of this name, or the one that goes by the column of this name."""
    named = {variable.name: variable for variable in test_rows.variables}
    known = {**named, **_by_column(test_rows), **named}  # in which order a refusal lists them
    check_exists(list(known), name, "variable")
    return known[name]


def _by_column(test_rows: TestRows) -> dict[str, Variable]:
    single = (v for v in test_rows.variables if len(v.columns) == 1 and not v.rule)
    return {variable.columns[0]: variable for variable in single}


def _kind_of(test_rows: TestRows, variable: Variable) -> ColumnKind:
    """Return "number" or "date" if the variable goes by a single column that has an order."""
    if len(variable.columns) != 1 or variable.rule:
        return "category"
    if variable.columns[0] == test_rows.target:
        return "number" if test_rows.task == "regression" else "category"
    kind = test_rows.table[variable.columns[0]].kind
    return kind if kind in ("number", "date") else "category"


@dataclass(frozen=True, kw_only=True)
class Band(GroupFigures):
    """The test rows of a band of values, or of one value.

    ``first``, ``middle`` and ``last`` are the smallest value of the band's rows, their median and
    the largest; dates in days since 1970. None for categories and where values are missing.
    """

    value: str
    first: float | None = None
    middle: float | None = None
    last: float | None = None


@dataclass(frozen=True)
class CoverageAlong:
    """Coverage along a variable; ``bands`` are in the order of their values, missing ones last."""

    variable: str
    kind: ColumnKind
    bands: list[Band]


def first_in_order(test_rows: TestRows, variable: str) -> str | None:
    """Return what goes by the first number or date of those that a variable goes by, if any."""
    by_column = _by_column(test_rows)
    of_it = (by_column.get(column) for column in _find_variable(test_rows, variable).columns)
    names = (each.name for each in of_it if each and _has_order(test_rows, each))
    return next(names, None)


def _has_order(test_rows: TestRows, variable: Variable) -> bool:
    return variable.kind != "group" and _kind_of(test_rows, variable) != "category"


def coverage_along(
    test_rows: TestRows,
    variable: str,
    where: Where = None,
    bands: int = BANDS,
    held: Mapping[str, BoolArray] | None = None,
) -> CoverageAlong:
    """Return each predictor's coverage in narrow bands of a number or date, or by value.

    ``variable`` names what segments go by, or a column among these; :class:`InputError` if there is
    none. Numbers and dates of more than 12 values are divided into ``bands`` of about equally many
    of the rows looked at; fewer if a band would have under 20 rows. ``held`` says by predictor
    which sets are to count as right, shape (n,), such as those by its first layers alone; sizes
    stay as they are.
    """
    found, looked_at = _find_variable(test_rows, variable), all_or(where, test_rows)
    kind = _kind_of(test_rows, found) if _has_order(test_rows, found) else "category"
    of = test_rows.outcomes
    after = {name: replace(of[name], correct=correct) for name, correct in (held or {}).items()}
    test_rows = replace(test_rows, outcomes={**of, **after})
    names, codes, places = found.partition.names, found.partition.codes, None
    if kind != "category":
        places = test_rows.table[found.columns[0]].places
        names, codes = _divided(test_rows, found.columns[0], looked_at, bands)
    along = []
    by_group = figures_by_group(test_rows, codes, len(names), looked_at)
    for code, (value, figures) in enumerate(zip(names, by_group, strict=True)):
        if figures["n"]:
            inside = None if places is None else places[looked_at & (codes == code)]
            along.append(Band(value=value, **_ends(inside), **figures))
    return CoverageAlong(found.name, kind, along)


def _divided(
    test_rows: TestRows, name: str, looked_at: BoolArray, bands: int
) -> tuple[list[str], IndexArray]:
    """Return names and each row's band, by quantiles of these very rows."""
    column, codes = test_rows.table[name].rows(looked_at), np.zeros(len(looked_at), dtype=np.intp)
    most = max(1, min(bands, len(column) // FEWEST_JUDGED))
    if len(column) == 0:
        return [], codes
    if most == 1 and column.is_many_valued:
        codes[looked_at] = column.missing
        return ["all values", MISSING], codes
    partition = partition_column(column, np.arange(len(column)), bins=most)
    codes[looked_at] = partition.codes
    return partition.names, codes


def _ends(values: FloatArray | None) -> dict[str, Any]:
    if values is None or np.isnan(values).all():
        return {}
    ends = np.nanquantile(values, (0.0, 0.5, 1.0)).tolist()
    return dict(zip(("first", "middle", "last"), ends, strict=True))


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
    first, second = _find_variable(test_rows, one), _find_variable(test_rows, other)
    names = first.partition.names, second.partition.names
    pairs, codes = meetings(first.partition, second.partition)
    by_pair = zip(pairs, figures_by_group(test_rows, codes, len(pairs), where), strict=True)
    cells = [
        PairCell(one=names[0][one], other=names[1][other], **of)
        for (one, other), of in by_pair
        if of["n"]
    ]
    with_rows = {cell.one for cell in cells}, {cell.other for cell in cells}
    ones, others = ([name for name in names[i] if name in with_rows[i]] for i in (0, 1))
    return CoverageOver(first.name, second.name, ones, others, cells)


_CELLS = (40, 32, 25, 20, 16, 12, 10, 8, 6, 5, 4, 3)
"""How many the longer side of the map may be divided into, for where nearly all test rows are."""

_ENOUGH = 0.75
"""The share of the test rows that are to be in cells of enough rows to tell something."""

_COORDINATES = ((("lat", "latitude"), 90.0), (("lng", "lon", "long", "longitude"), 180.0))
"""Names of columns of latitudes, and of longitudes, and how far from 0 these are at most."""

_CENTRAL = (0.01, 0.99)  # a row far from all others must not make cells of which one holds the rest


@dataclass(frozen=True, kw_only=True)
class MapCell(GroupFigures):
    """The test rows from ``south`` to below ``north`` and from ``west`` to below ``east``."""

    south: float
    north: float
    west: float
    east: float


@dataclass(frozen=True)
class CoverageMap:
    """Coverage in cells that are about square on the ground.

    ``latitude`` and ``longitude`` are names of columns, in degrees; ``cells`` are those that hold
    rows, from south to north; ``beyond`` counts rows so far from most others that the map leaves
    them out.
    """

    latitude: str
    longitude: str
    cells: list[MapCell]
    beyond: int


def coverage_on_map(
    test_rows: TestRows, where: Where = None, cells: int | None = None
) -> CoverageMap | None:
    """Return each predictor's coverage in cells of a map; None without coordinates.

    The cells are the same whichever rows are looked at. Rows without coordinates are in none. The
    longer side is divided into so many ``cells``; None for as many as leave three quarters of all
    test rows in cells of 20 or more.
    """
    columns = coordinates(test_rows)
    if columns is None:
        return None
    latitude, longitude = (test_rows.table[column].numbers for column in columns)
    known = ~np.isnan(latitude) & ~np.isnan(longitude)
    for number in (cells,) if cells else _CELLS:
        ends, codes, near = _cells_of_size(latitude, longitude, known, number)
        counts = np.bincount(codes[near])
        if counts[counts >= FEWEST_JUDGED].sum() >= _ENOUGH * max(1, counts.sum()):
            break
    wanted = all_or(where, test_rows)
    by_cell = figures_by_group(test_rows, codes, len(ends), near & wanted)
    found = [MapCell(**at, **of) for at, of in zip(ends, by_cell, strict=True) if of["n"]]
    return CoverageMap(*columns, found, int((known & wanted & ~near).sum()))


def _cells_of_size(
    latitude: FloatArray, longitude: FloatArray, known: BoolArray, cells: int
) -> tuple[list[dict[str, Any]], IndexArray, BoolArray]:
    """Return where cells of one size end, each row's cell, and which rows are near enough."""
    (south, north), (west, east) = (
        np.quantile(values[known], _CENTRAL) for values in (latitude, longitude)
    )
    narrowing = max(0.01, math.cos(math.radians((south + north) / 2.0)))
    side = max(north - south, (east - west) * narrowing) / cells
    high, wide = (max(1e-6, float(f"{of:.1e}")) for of in (side, side / narrowing))
    near = known.copy()
    sides = (latitude, south, north, high), (longitude, west, east, wide)
    for values, low, upper, size in sides:
        margin = max(size, upper - low)  # on each side as much again; never none of them all
        near &= (values >= low - margin) & (values <= upper + margin)
    edges = np.stack([_edge_below(latitude[near], high), _edge_below(longitude[near], wide)])
    (row, column), of_near = np.unique(edges, axis=1, return_inverse=True)
    codes = np.zeros(len(known), dtype=np.intp)
    codes[near] = of_near.ravel()
    ends = {
        "south": _edge(row, high),
        "north": _edge(row + 1.0, high),
        "west": _edge(column, wide),
        "east": _edge(column + 1.0, wide),
    }
    return lines(ends), codes, near


def coordinates(test_rows: TestRows) -> tuple[str, str] | None:
    """Return the columns of latitudes and longitudes; None if no row has both."""
    latitude, longitude = (_column(test_rows, *of) for of in _COORDINATES)
    if latitude is None or longitude is None:
        return None
    known = test_rows.table.frame[[latitude, longitude]].notna().all(axis=1)
    return (latitude, longitude) if known.any() else None


def _column(test_rows: TestRows, names: tuple[str, ...], farthest: float) -> str | None:
    for name in test_rows.table.names:
        if name.strip().lower() in names and test_rows.table[name].kind == "number":
            numbers = test_rows.table[name].numbers
            seen = np.abs(numbers[~np.isnan(numbers)])
            if len(seen) and seen.max() <= farthest:
                return name
    return None


def _edge_below(values: FloatArray, size: float) -> FloatArray:
    """Return the number of the last edge that is not above each value."""
    numbers = np.floor(values / size)
    # a cell's rows are those between its edges as they are written, whatever division rounds to
    numbers -= values < _edge(numbers, size)
    numbers += values >= _edge(numbers + 1.0, size)
    return numbers


def _edge(numbers: FloatArray, size: float) -> FloatArray:
    """Return the edges of these numbers, as many decimals as two digits of the size have."""
    return np.round(numbers * size, max(0, 1 - math.floor(math.log10(size))))
