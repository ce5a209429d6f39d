"""Charts as functions of the result's rows; may import wording."""

from .cells import heat_figure, map_figure
from .coefficients import shrinkage_figure
from .histogram import probability_figure
from .layers import layer_figures
from .segments import along_figure, segment_figure

__all__ = [
    "along_figure",
    "heat_figure",
    "layer_figures",
    "map_figure",
    "probability_figure",
    "segment_figure",
    "shrinkage_figure",
]
