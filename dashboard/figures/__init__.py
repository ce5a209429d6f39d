"""Charts as functions of the result's rows; may import wording."""

from .cells import heat_figure, map_figure
from .coefficients import shrinkage_figure
from .comparison import comparison_figure, path_figure, path_points
from .histogram import probability_figure
from .layers import layer_figures
from .segments import along_figure, segment_figure

__all__ = [
    "along_figure",
    "comparison_figure",
    "heat_figure",
    "layer_figures",
    "map_figure",
    "path_figure",
    "path_points",
    "probability_figure",
    "segment_figure",
    "shrinkage_figure",
]
