"""Coverage on a map, where the table has latitudes and longitudes."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IndexArray
from ..segments.audited_rows import TestRows
from ..segments.statistics import FEWEST_JUDGED
from .groups import GroupFigures, Where, all_or, filled

_CELLS = (40, 32, 25, 20, 16, 12, 10, 8, 6, 5, 4, 3)
"""How many the longer side of the map may be divided into, for where nearly all test rows are."""

_ENOUGH = 0.75
"""The share of the test rows that are to be in cells of enough rows to tell something."""

_LATITUDES = ("lat", "latitude")
_LONGITUDES = ("lng", "lon", "long", "longitude")
_POLE, _DATE_LINE = 90.0, 180.0
_CENTRAL = (0.01, 0.99)
"""A row far from all others must not make cells of which one holds the rest."""

_MARGIN = 1.0
"""So many times the span of nearly all rows is shown on each side of them."""

_SMALLEST_CELL = 1e-6


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
    grids = (_divided(latitude, longitude, known, n) for n in ((cells,) if cells else _CELLS))
    for grid in grids:
        if grid.share_in_full_cells() >= _ENOUGH:
            break
    wanted = all_or(where, test_rows)
    found = [
        MapCell(**grid.ends(code), **figures)
        for code, figures in filled(test_rows, grid.codes, len(grid.corners), grid.near & wanted)
    ]
    return CoverageMap(*columns, found, int((known & wanted & ~grid.near).sum()))


@dataclass(frozen=True)
class _Grid:
    """Cells of one size in degrees, by the numbers of their southern and western edges.

    ``codes``, shape (n,), are the cells of the rows that are ``near`` enough to be shown.
    """

    corners: list[tuple[float, float]]
    codes: IndexArray
    near: BoolArray
    high: float
    wide: float

    def ends(self, code: int) -> dict[str, Any]:
        """Return where a cell ends, by the names of :class:`MapCell`."""
        row, column = self.corners[code]
        south, north = (_edge(number, self.high) for number in (row, row + 1))
        west, east = (_edge(number, self.wide) for number in (column, column + 1))
        return {"south": south, "north": north, "west": west, "east": east}

    def share_in_full_cells(self) -> float:
        counts = np.bincount(self.codes[self.near])
        return float(counts[counts >= FEWEST_JUDGED].sum() / max(1, counts.sum()))


def _divided(latitude: FloatArray, longitude: FloatArray, known: BoolArray, cells: int) -> _Grid:
    high, wide = _cell_size(latitude[known], longitude[known], cells)
    near = known & _is_near(latitude, latitude[known], high)
    near &= _is_near(longitude, longitude[known], wide)
    south, west = _edge_below(latitude[near], high), _edge_below(longitude[near], wide)
    corners, of_near = np.unique(np.stack([south, west]), axis=1, return_inverse=True)
    codes = np.zeros(len(known), dtype=np.intp)
    codes[near] = of_near.ravel()
    return _Grid([(row, column) for row, column in corners.T.tolist()], codes, near, high, wide)


def coordinates(test_rows: TestRows) -> tuple[str, str] | None:
    """Return the columns of latitudes and longitudes; None if no row has both."""
    latitude = _column(test_rows, _LATITUDES, _POLE)
    longitude = _column(test_rows, _LONGITUDES, _DATE_LINE)
    if latitude is None or longitude is None:
        return None
    known = test_rows.frame[[latitude, longitude]].notna().all(axis=1)
    return (latitude, longitude) if known.any() else None


def _column(test_rows: TestRows, names: tuple[str, ...], limit: float) -> str | None:
    for name in test_rows.table.names:
        if name.strip().lower() in names and test_rows.table[name].kind == "number":
            numbers = test_rows.table[name].numbers
            seen = np.abs(numbers[~np.isnan(numbers)])
            if len(seen) and seen.max() <= limit:
                return name
    return None


def _is_near(values: FloatArray, known: FloatArray, size: float) -> BoolArray:
    """Say which values a map shows; never none of them all."""
    low, high = np.quantile(known, _CENTRAL)
    margin = max(size, _MARGIN * (high - low))
    near: BoolArray = (values >= low - margin) & (values <= high + margin)
    return near


def _cell_size(latitude: FloatArray, longitude: FloatArray, cells: int) -> tuple[float, float]:
    """Return a cell's height and width in degrees, each of two digits."""
    south, north = np.quantile(latitude, _CENTRAL)
    west, east = np.quantile(longitude, _CENTRAL)
    narrowing = max(0.01, math.cos(math.radians((south + north) / 2.0)))
    side = max(north - south, (east - west) * narrowing) / cells
    return _two_digits(side), _two_digits(side / narrowing)


def _two_digits(size: float) -> float:
    return max(_SMALLEST_CELL, float(f"{size:.1e}"))


def _edge_below(values: FloatArray, size: float) -> FloatArray:
    """Return the number of the last edge that is not above each value."""
    numbers = np.floor(values / size)
    digits = _digits(size)
    # a cell's rows are those between its edges as they are written, whatever division rounds to
    numbers -= values < np.round(numbers * size, digits)
    numbers += values >= np.round((numbers + 1.0) * size, digits)
    return numbers


def _edge(number: float, size: float) -> float:
    return float(np.round(number * size, _digits(size)))


def _digits(size: float) -> int:
    """Return the decimals of a number of two digits."""
    return max(0, 1 - math.floor(math.log10(size)))
