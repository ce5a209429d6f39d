"""Coverage on a map, where the table has latitudes and longitudes."""

import math
from dataclasses import dataclass

import numpy as np

from ..columns import as_numbers, column_kind
from ..objects import AuditedObjects
from ..prediction_sets import BoolArray, FloatArray
from ..segment_tests import FEWEST_COMPARED
from .group import figures_by_code
from .rows import GroupFigures, Where

_FEWEST_CELLS, _MOST_CELLS = 8, 40
"""Of the longer side of the map, for where nearly all test rows are."""

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

    Attributes
    ----------
    latitude, longitude
        Names of the columns, in degrees.
    cells
        Those that hold rows, from south to north.
    beyond
        Rows so far from most others that the map leaves them out.
    """

    latitude: str
    longitude: str
    cells: list[MapCell]
    beyond: int


def coverage_on_map(
    objects: AuditedObjects, where: Where = None, cells: int | None = None
) -> CoverageMap | None:
    """Return coverage before and after in cells of a map; None without coordinates.

    The cells are the same whichever rows are looked at. Rows without coordinates are in none.

    Parameters
    ----------
    objects
        The n test rows.
    where
        Which of them to look at, shape (n,); None for all.
    cells
        How many the longer side is divided into; None for as many as leave, were the map full,
        about 30 of all test rows in each.
    """
    columns = coordinates(objects)
    if columns is None:
        return None
    latitude, longitude = (as_numbers(objects.frame[column]) for column in columns)
    known = ~np.isnan(latitude) & ~np.isnan(longitude)
    if cells is None:
        cells = round(math.sqrt(known.sum() / FEWEST_COMPARED))
        cells = min(max(cells, _FEWEST_CELLS), _MOST_CELLS)
    high, wide = _cell_size(latitude[known], longitude[known], cells)
    near = known & _is_near(latitude, latitude[known], high)
    near &= _is_near(longitude, longitude[known], wide)
    south, west = _edge_below(latitude[near], high), _edge_below(longitude[near], wide)
    corners, codes = np.unique(np.stack([south, west]), axis=1, return_inverse=True)
    whole = np.zeros(len(known), dtype=np.intp)
    whole[near] = codes.ravel()
    wanted = np.ones(len(known), dtype=bool) if where is None else where
    looked_at = near & wanted
    figures = figures_by_code(objects, whole, corners.shape[1], looked_at)
    found = [
        MapCell(
            south=_edge(row, high),
            north=_edge(row + 1, high),
            west=_edge(column, wide),
            east=_edge(column + 1, wide),
            **of_cell,
        )
        for (row, column), of_cell in zip(corners.T.tolist(), figures, strict=True)
        if of_cell["n"]
    ]
    return CoverageMap(*columns, found, int((known & wanted & ~near).sum()))


def coordinates(objects: AuditedObjects) -> tuple[str, str] | None:
    """Return the columns that hold latitudes and longitudes, by their names and values, if any."""
    latitude = _column(objects, _LATITUDES, _POLE)
    longitude = _column(objects, _LONGITUDES, _DATE_LINE)
    return None if latitude is None or longitude is None else (latitude, longitude)


def _column(objects: AuditedObjects, names: tuple[str, ...], limit: float) -> str | None:
    for name in objects.frame.columns:
        column = objects.frame[name]
        if (
            str(name).strip().lower() in names
            and name not in objects.categorical
            and column_kind(column) == "number"
            and _within(as_numbers(column), limit)
        ):
            return str(name)
    return None


def _within(values: FloatArray, limit: float) -> bool:
    seen = values[~np.isnan(values)]
    return len(seen) > 0 and bool((np.abs(seen) <= limit).all())


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
