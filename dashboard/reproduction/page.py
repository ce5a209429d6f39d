"""A reproduction as one HTML page that needs nothing but itself."""

from importlib.resources import files

import plotly.graph_objects as go
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from evencover.core.comparison import reach

from ..figures import feature_order, shrinkage_figure, study_figure
from .lines import LineResult
from .result import Reproduction
from .study import SWEEPS, StudyRow
from .text import described, with_spread

_KINDS = {
    "within the spread": "good",
    "differs": "off",
    "cannot": "none",
    "sizes cannot": "none",
    "no spread": "none",
}
_STUDIED = ("base_test", "ifacm_training", "ifacm_test", "floor", "adjusted_floor")


def to_html(reproduction: Reproduction) -> str:
    """Return the page."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.globals |= {"described": described, "kind": _kind, "reach": reach}
    environment.filters["with_spread"] = with_spread
    template = environment.from_string(
        files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    )
    coefficients = _coefficient_figures(reproduction)
    studies = _study_figures(reproduction.study)
    return template.render(
        reproduction=reproduction,
        coefficients=coefficients,
        studies=studies,
        plotly=Markup(get_plotlyjs()) if coefficients or studies else "",  # noqa: S704 - our own
    )


def _kind(result: LineResult) -> str:
    return next(kind for start, kind in _KINDS.items() if result.verdict.startswith(start))


def _coefficient_figures(reproduction: Reproduction) -> list[Markup]:
    rows = reproduction.coefficients
    order = feature_order(rows)
    return [
        _drawn(shrinkage_figure(rows, order, segment), f"coefficients-{segment}")
        for segment in ("training", "test")
        if rows
    ]


def _study_figures(rows: list[StudyRow]) -> list[Markup]:
    figures: list[Markup] = []
    for sweep in SWEEPS:
        found = [row for row in rows if row.sweep == sweep]
        if found:
            sizes = [row.n_train if sweep == "training rows" else row.predictors for row in found]
            dcvs = {name: [getattr(row, name) for row in found] for name in _STUDIED}
            figures.append(_drawn(study_figure(sizes, dcvs, sweep), f"study-{len(figures)}"))
    return figures


def _drawn(figure: go.Figure, name: str) -> Markup:
    figure.update_layout(autosize=True)
    return Markup(  # noqa: S704 - figures escape what they are given
        figure.to_html(
            full_html=False,
            include_plotlyjs=False,
            div_id=name,
            config={"responsive": True, "displayModeBar": False},
        )
    )
