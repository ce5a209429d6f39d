"""Coverage on a map, where the table has latitudes and longitudes."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import BoolArray, FloatArray, IndexArray
from ..segments.audited_rows import TestRows
from ..segments.statistics import FEWEST_JUDGED
from ..segments.tally import lines
from .groups import GroupFigures, Where, all_or, figures_by_group

_CELLS = (40, 32, 25, 20, 16, 12, 10, 8, 6, 5, 4, 3)
"""How many the longer side of the map may be divided into, for where nearly all test rows are."""

_ENOUGH = 0.75
"""The share of the test rows that are to be in cells of enough rows to tell something."""

_COORDINATES = ((("lat", "latitude"), 90.0), (("lng", "lon", "long", "longitude"), 180.0))
"""Names of columns of latitudes, and of longitudes, and how far from 0 these are at most."""

_CENTRAL = (0.01, 0.99)
"""A row far from all others must not make cells of which one holds the rest."""


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
        ends, codes, near = _divided(latitude, longitude, known, number)
        counts = np.bincount(codes[near])
        if counts[counts >= FEWEST_JUDGED].sum() >= _ENOUGH * max(1, counts.sum()):
            break
    wanted = all_or(where, test_rows)
    by_cell = figures_by_group(test_rows, codes, len(ends), near & wanted)
    found = [MapCell(**at, **of) for at, of in zip(ends, by_cell, strict=True) if of["n"]]
    return CoverageMap(*columns, found, int((known & wanted & ~near).sum()))


def _divided(
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
