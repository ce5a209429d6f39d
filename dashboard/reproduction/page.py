"""A reproduction as one HTML page that needs nothing but itself."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from markupsafe import Markup

from evencover.core.experiment.figures import CoefficientRow

from ..export.html import chart, charts_script, render
from ..figures import shrinkage_figure
from ..figures.style import ADJUSTED_COLOUR, BASE_COLOUR, LEVEL_COLOUR, draw, small_title
from ..wording.predictors import of_names
from ..wording.rows import feature_order
from .agreement import reach
from .result import Reproduction
from .variants import SWEEPS, Sweep

_COLOURS = {
    "within": "good",
    "differs": "off",
    "cannot": "none",
    "sizes cannot": "none",
    "no spread": "none",
}
"""By kind of verdict."""

_STUDY_LINES = {
    "base_test": ("before, test", BASE_COLOUR, "solid"),
    "ifacm_training": ("after, training", ADJUSTED_COLOUR, "dot"),
    "ifacm_test": ("after, test", ADJUSTED_COLOUR, "solid"),
    "floor": ("floor, not adjusted", LEVEL_COLOUR, "dot"),
    "adjusted_floor": ("floor, adjusted", LEVEL_COLOUR, "dash"),
}


def reproduction_page(reproduction: Reproduction) -> str:
    """Return the page."""
    coefficients = _coefficient_figures(reproduction.coefficients)
    by_sweep = {
        sweep: [row for row in reproduction.study if row["sweep"] == sweep] for sweep in SWEEPS
    }
    studies = [
        chart(_study_figure(rows, sweep), f"study-{i}")
        for i, (sweep, rows) in enumerate(by_sweep.items())
        if rows
    ]
    values = {
        "reproduction": reproduction,
        "reach": reach(reproduction.settings["seeds"]),
        "colours": _COLOURS,
        "coefficients": coefficients,
        "studies": studies,
        "script": charts_script() if coefficients or studies else "",
    }
    return render(__package__, values)


def _coefficient_figures(rows: Sequence[dict[str, Any]]) -> list[Markup]:
    found = [
        CoefficientRow(
            subset=row["segment"],
            predictor=row["algorithm"],
            **{key: row[key] for key in ("feature", "coefficient", "standard_error")},
        )
        for row in rows
    ]
    order, given = feature_order(found), of_names(row.predictor for row in found)
    return [
        chart(shrinkage_figure(found, order, subset, given), f"coefficients-{subset}")
        for subset in ("training", "test")
        if rows
    ]


def _study_figure(rows: Sequence[dict[str, Any]], sweep: Sweep) -> go.Figure:
    sizes = [row["n_train" if sweep == "training rows" else "predictors"] for row in rows]
    lines = [
        go.Scatter(
            x=sizes,
            y=[row[key] for row in rows],
            mode="lines" if "floor" in key else "lines+markers",
            line={"color": colour, "dash": dash, "width": 2},
            name=label,
            hovertemplate=f"{label}, %{{x}} {sweep}: %{{y:.4f}}<extra></extra>",
        )
        for key, (label, colour, dash) in _STUDY_LINES.items()
    ]
    return draw(
        lines,
        height=480,
        title=small_title(f"DCV against {sweep}"),
        x={"type": "log", "title": {"text": sweep}, "tickvals": sizes},
        y={"type": "log", "title": {"text": "DCV"}},
        # five names need more room than there is above the chart on a phone
        legend={"y": -0.25, "yanchor": "top"},
        margin={"t": 45},
    )
