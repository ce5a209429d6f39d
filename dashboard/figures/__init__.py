"""Charts as pure functions from the audit's rows to Plotly figures; no streamlit here."""

from .coefficients import feature_order, shrinkage_figure
from .histogram import probability_figure
from .layers import path_figure
from .segments import segment_figure

__all__ = [
    "feature_order",
    "path_figure",
    "probability_figure",
    "segment_figure",
    "shrinkage_figure",
]
