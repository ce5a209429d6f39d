"""The report's charts; long names are cut, so that no table makes the page large."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import plotly.graph_objects as go
from markupsafe import Markup

from evencover.core import AuditResult

from ...figures.paths import path_figures
from ...figures.probability import probability_figure, shrinkage_figure
from ...figures.segments import coverage_range, segment_figure
from ...figures.style import shortened
from ...wording.figure_words import watched_gaps
from ...wording.formatting import inefficiency_name, predictors
from ...wording.rows import (
    SEGMENTS_SHOWN,
    ShownSegment,
    by_shortfall,
    feature_order,
    object_segments,
    replay_of,
    segments,
    subsets_of,
    too_low,
    watched,
    worst_first,
)
from ...wording.tables import FEATURES_SHOWN
from ..html import chart
from .cells import LONGEST_SENTENCE, cut

VARIABLES_SHOWN = 12
_GROUPS_SHOWN = 8
_LONGEST = 120


def histogram(result: AuditResult) -> go.Figure:
    """Return how p(x) is spread over the test rows."""
    reference = result.row("test", result.reference)
    given, level = predictors(result), result.settings["cl"]
    return probability_figure(result.probabilities, given, reference, level)


def coefficient_figures(result: AuditResult) -> dict[str, go.Figure]:
    """Return the largest coefficients on training and on test rows, by the subset."""
    every = result.coefficients
    features = feature_order(every)[:FEATURES_SHOWN]
    # two names that are cut to the same would share a bar
    short = {
        name: name if len(name) <= _LONGEST else f"({place}) {cut(name, _LONGEST)}"
        for place, name in enumerate(features, 1)
    }
    rows = [replace(row, feature=short[row.feature]) for row in every if row.feature in short]
    names, given = list(short.values()), predictors(result)
    return {subset: shrinkage_figure(rows, names, subset, given) for subset in subsets_of(rows)}


def layer_charts(result: AuditResult) -> list[Markup]:
    """Return what DCV, inefficiency and the worst group's coverage are after each layer."""
    steps = replay_of(result)
    if len(steps) < 2:  # noqa: PLR2004 - one is without a layer
        return []
    level, words = result.settings["cl"], inefficiency_name(result.settings["task"])
    figures = path_figures(steps, len(steps) - 1, level, words).values()
    return [
        chart(path, f"path-{name}")
        for name, path in zip(("dcv", "inefficiency", "group"), figures, strict=False)
    ]


def group_chart(result: AuditResult) -> Markup | str:
    """Return the coverage of the groups by which most rows are missed; empty without any."""
    low = too_low(result)
    others = [row for row in by_shortfall(object_segments(result), result) if row not in low]
    shown = [replace(one, value=one.group) for one in [*low, *others][:_GROUPS_SHOWN]]
    return _segment_chart(result, shown, "chart-groups") if shown else ""


def watched_names(result: AuditResult) -> list[str]:
    """Return the audit-only columns, and those that may be protected, that have a chart."""
    return list(watched(result))[:VARIABLES_SHOWN]


def watched_charts(result: AuditResult) -> list[tuple[str, str, Markup]]:
    """Return name, largest gap and chart of audit-only columns and of what may be protected."""
    gaps, rows = watched_gaps(result), watched(result)
    span = _span(result, rows.values())
    return [
        (
            cut(name, _LONGEST),
            cut(gaps[name], LONGEST_SENTENCE),
            _segment_chart(result, rows[name], f"watched-{number}", span),
        )
        for number, name in enumerate(watched_names(result), 1)
    ]


def segment_charts(result: AuditResult) -> list[tuple[str, Markup]]:
    """Return name and chart of the variables with the largest shortfalls in rows before.

    The label's segments are left out, as nothing promises the level for each label, and variables
    with a chart among :func:`watched_charts`; of one of many segments those of the largest
    shortfalls are shown.
    """
    above, missed = watched_names(result), by_shortfall(object_segments(result), result)
    names = dict.fromkeys(one.variable for one in missed if one.variable not in above)
    rows: dict[str, list[ShownSegment]] = {name: [] for name in list(names)[:VARIABLES_SHOWN]}
    for one in segments(result):
        if one.n and one.variable in rows:
            rows[one.variable].append(one)
    first = {name: worst_first(of_one, result) for name, of_one in rows.items()}
    span = _span(result, first.values())
    return [
        (cut(name, _LONGEST), _segment_chart(result, of_one, f"segments-{i}", span))
        for i, (name, of_one) in enumerate(first.items(), 1)
    ]


def _span(result: AuditResult, charts: Iterable[Sequence[ShownSegment]]) -> list[float]:
    rows = [row for of_one in charts for row in of_one[:SEGMENTS_SHOWN]]
    return coverage_range(rows, predictors(result), result.settings["cl"])


def _segment_chart(
    result: AuditResult, rows: Sequence[ShownSegment], name: str, span: list[float] | None = None
) -> Markup:
    """Return the chart of the first of the rows, long values cut."""
    first = rows[:SEGMENTS_SHOWN]
    shown = [replace(one, value=shortened(one.value, _LONGEST)) for one in first]
    return chart(segment_figure(shown, predictors(result), result.settings["cl"], span), name)
