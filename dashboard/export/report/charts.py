"""The report's charts; long names are cut, so that no table makes the page large."""

from collections.abc import Sequence
from dataclasses import replace

import plotly.graph_objects as go
from markupsafe import Markup

from evencover.core import AuditResult
from evencover.core.events import BaseMeasured, LayerAccepted
from evencover.core.findings.result import CoefficientRow, SegmentName
from evencover.core.segments.by_segment import SegmentRow

from ...figures import (
    feature_order,
    path_figure,
    probability_figure,
    segment_figure,
    shrinkage_figure,
)
from ...wording.page_texts import inefficiency_name
from ..html import chart
from .limits import cut
from .tables import FEATURES_SHOWN, rows_concerned

VARIABLES_SHOWN = 12
SEGMENTS_SHOWN = 20
_LONGEST = 120
_SETS: tuple[SegmentName, SegmentName] = ("training", "test")


def histogram(result: AuditResult) -> Markup:
    """Return how p(x) is spread over the test rows."""
    figure = probability_figure(result.probabilities, result.results, result.settings["cl"])
    return chart(figure, "histogram")


def coefficient_charts(result: AuditResult) -> list[Markup]:
    """Return the largest coefficients on training and test rows."""
    features = feature_order(result.coefficients)[:FEATURES_SHOWN]
    # two names that are cut to the same would share a bar
    short = {name: _told_apart(name, place) for place, name in enumerate(features, 1)}
    rows: list[CoefficientRow] = [
        replace(row, feature=short[row.feature])
        for row in result.coefficients
        if row.feature in short
    ]
    return [
        chart(shrinkage_figure(rows, list(short.values()), segment), f"coefficients-{segment}")
        for segment in _SETS
        if rows
    ]


def _told_apart(name: str, place: int) -> str:
    return name if len(name) <= _LONGEST else f"({place}) {cut(name, _LONGEST)}"


def layer_charts(result: AuditResult) -> list[Markup]:
    """Return the paths of training DCV and inefficiency over the layers."""
    if not result.iterations:
        return []
    base = result.row("training", "base")
    steps: list[BaseMeasured | LayerAccepted] = [
        BaseMeasured(base.dcv, base.inefficiency),
        *result.iterations,
    ]
    inefficiency = inefficiency_name(result.settings["task"])
    return [
        chart(path_figure([step.dcv for step in steps], "training DCV"), "path-dcv"),
        chart(
            path_figure([step.inefficiency for step in steps], f"training {inefficiency}"),
            "path-inefficiency",
        ),
    ]


def segment_charts(result: AuditResult) -> list[tuple[str, Markup]]:
    """Return name and chart of the variables with the largest shortfalls in rows before.

    The label's segments are left out, as nothing promises the level for each label; of a variable
    of many segments those furthest off in rows are shown.
    """
    level = result.settings["cl"]
    shortfall: dict[str, float] = {}
    for row in result.object_segments():
        missed = row.n * (level - row.accuracy_base)
        shortfall[row.variable] = max(missed, shortfall.get(row.variable, missed))
    shown = sorted(shortfall, key=lambda name: -shortfall[name])[:VARIABLES_SHOWN]
    rows: dict[str, list[SegmentRow]] = {name: [] for name in shown}
    for row in result.segments:
        if row.n and row.variable in rows:
            rows[row.variable].append(row)
    return [
        (cut(name, _LONGEST), chart(_segments_of(rows[name], level), f"segments-{number}"))
        for number, name in enumerate(shown, 1)
    ]


def _segments_of(rows: Sequence[SegmentRow], level: float) -> go.Figure:
    concerned = rows_concerned(level)
    shown = sorted(rows, key=concerned, reverse=True)[:SEGMENTS_SHOWN]
    bounded = [replace(row, value=cut(row.value, _LONGEST)) for row in rows if row in shown]
    return segment_figure(bounded, level)
