"""Charts as pure functions of the result's rows.

May import wording, and what wording may.
"""

from .coefficients import shrinkage_figure
from .histogram import probability_figure
from .layers import layer_figures
from .segments import segment_figure

__all__ = ["layer_figures", "probability_figure", "segment_figure", "shrinkage_figure"]
