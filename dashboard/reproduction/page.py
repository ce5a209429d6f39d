"""A reproduction as one HTML page that needs nothing but itself."""

from markupsafe import Markup

from ..export.html import chart, charts_script, render
from ..figures import shrinkage_figure
from ..wording.predictors import of_names
from ..wording.rows import feature_order
from .agreement import reach
from .result import Reproduction
from .results_table import Kind
from .study import SWEEPS, StudyRow
from .study_figure import study_figure
from .text import described, with_spread

_COLOURS: dict[Kind, str] = {
    "within": "good",
    "differs": "off",
    "cannot": "none",
    "sizes cannot": "none",
    "no spread": "none",
}
_STUDIED = ("base_test", "ifacm_training", "ifacm_test", "floor", "adjusted_floor")


def to_html(reproduction: Reproduction) -> str:
    """Return the page."""
    coefficients = _coefficient_figures(reproduction)
    studies = _study_figures(reproduction.study)
    return render(
        __package__,
        {
            "reproduction": reproduction,
            "colours": _COLOURS,
            "coefficients": coefficients,
            "studies": studies,
            "script": charts_script() if coefficients or studies else "",
        },
        {"described": described, "reach": reach, "with_spread": with_spread},
    )


def _coefficient_figures(reproduction: Reproduction) -> list[Markup]:
    rows = reproduction.coefficients
    order, given = feature_order(rows), of_names(row["algorithm"] for row in rows)
    return [
        chart(shrinkage_figure(rows, order, subset, given), f"coefficients-{subset}")
        for subset in ("training", "test")
        if rows
    ]


def _study_figures(rows: list[StudyRow]) -> list[Markup]:
    figures: list[Markup] = []
    for sweep in SWEEPS:
        found = [row for row in rows if row.sweep == sweep]
        if found:
            sizes = [row.n_train if sweep == "training rows" else row.predictors for row in found]
            dcvs = {name: [getattr(row, name) for row in found] for name in _STUDIED}
            figures.append(chart(study_figure(sizes, dcvs, sweep), f"study-{len(figures)}"))
    return figures
