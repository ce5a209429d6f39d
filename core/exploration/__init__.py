"""Coverage of any part of the test rows, when somebody asks; may import report and below."""

from .examples import ORDERS, Example, ShownSet, examples
from .groups import ColumnValues, GroupFigures, Where, column_values, group_figures
from .map import CoverageMap, MapCell, coordinates, coverage_on_map
from .profile import Band, CoverageAlong, CoverageOver, PairCell, coverage_along, coverage_over

__all__ = [
    "ORDERS",
    "Band",
    "ColumnValues",
    "CoverageAlong",
    "CoverageMap",
    "CoverageOver",
    "Example",
    "GroupFigures",
    "MapCell",
    "PairCell",
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
