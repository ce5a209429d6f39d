"""The report's charts; long names are cut, so that no table makes the page large."""

from collections.abc import Sequence

from markupsafe import Markup

from evencover.core import AuditResult

from ...figures import layer_figures, probability_figure, segment_figure, shrinkage_figure
from ...wording.formatting import inefficiency_name
from ...wording.predictors import predictors
from ...wording.rows import (
    Row,
    feature_order,
    figure,
    object_segments,
    paired,
    path_of,
    reference_row,
    rows_concerned,
    segments,
    subsets_of,
)
from ...wording.tables import FEATURES_SHOWN, SEGMENTS_SHOWN
from ..html import chart
from .cells import cut

VARIABLES_SHOWN = 12
_LONGEST = 120


def histogram(result: AuditResult) -> Markup:
    """Return how p(x) is spread over the test rows."""
    level, given, reference = result.settings["cl"], predictors(result), reference_row(result)
    return chart(probability_figure(result.probabilities, given, reference, level), "histogram")


def coefficient_charts(result: AuditResult) -> list[Markup]:
    """Return the largest coefficients on training and test rows."""
    every = paired(result, "coefficients")
    features = feature_order(every)[:FEATURES_SHOWN]
    # two names that are cut to the same would share a bar
    short = {name: _told_apart(name, place) for place, name in enumerate(features, 1)}
    rows = [row | {"feature": short[row["feature"]]} for row in every if row["feature"] in short]
    names, given = list(short.values()), predictors(result)
    return [
        chart(shrinkage_figure(rows, names, subset, given), f"coefficients-{subset}")
        for subset in subsets_of(rows)
    ]


def _told_apart(name: str, place: int) -> str:
    return name if len(name) <= _LONGEST else f"({place}) {cut(name, _LONGEST)}"


def layer_charts(result: AuditResult) -> list[Markup]:
    """Return the paths of training DCV and inefficiency over the layers."""
    base, layers = path_of(result)
    if base is None or not layers:
        return []
    figures = layer_figures(base, layers, inefficiency_name(result.settings["task"]))
    return [
        chart(path, f"path-{name}")
        for name, path in zip(("dcv", "inefficiency"), figures.values(), strict=True)
    ]


def segment_charts(result: AuditResult) -> list[tuple[str, Markup]]:
    """Return name and chart of the variables with the largest shortfalls in rows before.

    The label's segments are left out, as nothing promises the level for each label; of a variable
    of many segments those furthest off in rows are shown.
    """
    level, given = result.settings["cl"], predictors(result)
    shortfall: dict[str, float] = {}
    for row in object_segments(result):
        missed = row["n"] * (level - figure(row, "accuracy", given[0]))
        shortfall[row["variable"]] = max(missed, shortfall.get(row["variable"], missed))
    shown = sorted(shortfall, key=lambda name: -shortfall[name])[:VARIABLES_SHOWN]
    rows: dict[str, list[Row]] = {name: [] for name in shown}
    for row in segments(result):
        if row["n"] and row["variable"] in rows:
            rows[row["variable"]].append(row)
    figures = [segment_figure(_furthest_off(some, level), given, level) for some in rows.values()]
    return [
        (cut(name, _LONGEST), chart(drawn, f"segments-{number}"))
        for number, (name, drawn) in enumerate(zip(rows, figures, strict=True), 1)
    ]


def _furthest_off(rows: Sequence[Row], level: float) -> list[Row]:
    """Return some of the rows, in their order, long values cut."""
    order = sorted(rows, key=lambda row: rows_concerned(row, level), reverse=True)
    shown = {id(row) for row in order[:SEGMENTS_SHOWN]}
    return [row | {"value": cut(row["value"], _LONGEST)} for row in rows if id(row) in shown]
