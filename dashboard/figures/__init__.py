"""Charts as functions of the result's rows; may import wording."""

from .cells import heat_figure, map_figure
from .coefficients import shrinkage_figure, shrinking_figures
from .comparison import comparison_figure, path_figure, path_points
from .histogram import probability_figure, replayed_probability_figure
from .replay import path_figures, search_figure
from .segments import along_figure, coverage_range, segment_figure
from .style import in_words, shortened

__all__ = [
    "along_figure",
    "comparison_figure",
    "coverage_range",
    "heat_figure",
    "in_words",
    "map_figure",
    "path_figure",
    "path_figures",
    "path_points",
    "probability_figure",
    "replayed_probability_figure",
    "search_figure",
    "segment_figure",
    "shortened",
    "shrinkage_figure",
    "shrinking_figures",
]
