"""Charts as pure functions from the audit's rows to Plotly figures; no streamlit here."""

from .path import path_figure
from .probabilities import probability_figure
from .segments import segment_figure
from .shrinkage import feature_order, shrinkage_figure
from .study import study_figure

__all__ = [
    "feature_order",
    "path_figure",
    "probability_figure",
    "segment_figure",
    "shrinkage_figure",
    "study_figure",
]
