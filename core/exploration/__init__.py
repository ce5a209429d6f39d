"""A closer look at an audit's test rows, computed when somebody asks: all, or those of a filter."""

from .examples import ORDERS, Example, ShownSet, examples
from .groups import GroupFigures, Where, group_figures
from .map import CoverageMap, MapCell, coordinates, coverage_on_map
from .profile import Band, Cell, CoverageAlong, CoverageOver, coverage_along, coverage_over
from .values import ColumnValues, column_values

__all__ = [
    "ORDERS",
    "Band",
    "Cell",
    "ColumnValues",
    "CoverageAlong",
    "CoverageMap",
    "CoverageOver",
    "Example",
    "GroupFigures",
    "MapCell",
    "ShownSet",
    "Where",
    "column_values",
    "coordinates",
    "coverage_along",
    "coverage_on_map",
    "coverage_over",
    "examples",
    "group_figures",
]
