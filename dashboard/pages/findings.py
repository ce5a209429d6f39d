"""Findings: who is under-covered and by how much, in words, figures and charts."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import streamlit as st

from evencover.core import AuditResult
from evencover.core.coverage.diagnosis import probability_bins
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.exploration.examples import examples
from evencover.core.exploration.groups import coordinates, rows_of
from evencover.core.remedies.names import NONE
from evencover.core.report.groups import named_group
from evencover.core.report.in_short import in_short, shown_groups, who_title
from evencover.core.report.wording import in_brief
from evencover.sample_data.lessons.two_kinds import Promised

from ..figures.probability import dcv_figure, probability_figure, shrinkage_figure
from ..figures.segments import coverage_range, segment_figure
from ..figures.style import axis_name
from ..figures.who import who_figure
from ..lessons.lesson import promise_figure
from ..options import say_the_same
from ..wording import figure_words, page_texts, tables
from ..wording import rows as found
from ..wording.formatting import plain, predictors, worded
from .filter import LookedAt
from .heading import FINDINGS, SEGMENTS, need_look, next_step, open_page
from .next_steps import show_steps
from .segments import MAP, TAB
from .session import SessionState
from .widgets import choose_one, draw_chart, show_filter, show_table

_MOST_WATCHED = 4
_FORTY = 40


def main() -> None:
    """Draw the page."""
    state, button = open_page(FINDINGS)
    result, look = need_look(state)
    next_step(button, "See the segments", SEGMENTS, is_first=False)
    has_places = look is not None and coordinates(look.test_rows) is not None
    if has_places and button.button("See the map", width="stretch"):
        st.session_state[TAB] = MAP
        SEGMENTS.open()
    if look is not None and look.filter:
        show_filter(state, look)
        st.caption(page_texts.FINDINGS_OF_ALL)
    show_lead(state, result, look)
    show_more(state, result, look)


def show_lead(state: SessionState, result: AuditResult, look: LookedAt | None) -> None:
    """Draw who is failed, how much and how surely, and what to do now, on one screen."""
    words, picture = st.columns([6, 7], gap="medium")
    with words:
        st.markdown("\n\n".join(map(plain, in_short(result))))
        figures = figure_words.key_figures(result)
        for column, figure in zip(st.columns(len(figures)), figures, strict=True):
            column.metric(
                plain(figure.name),
                figure.value,
                figure.detail,
                help=page_texts.GLOSSARY[figure.term],
                delta_color="off",
                delta_arrow="off",
            )
        show_steps(state, result, look)
    if groups := shown_groups(result):
        given, level = predictors(result), result.settings["cl"]
        draw_chart(who_figure(groups, given, level, who_title(result)), "who", picture)


def show_more(state: SessionState, result: AuditResult, look: LookedAt | None) -> None:
    """Draw the rest, each closed until it is asked for."""
    with st.expander("In more words"):
        st.markdown("\n\n".join(map(plain, [*result.headline, *result.explanations])))
    if result.repeats is not None:
        st.markdown("\n\n".join(map(plain, found.over_seeds(result))))
    show_better(state, result)
    low, columns = tables.TOO_LOW.rows(result), found.watched(result)
    if low:
        title = "All groups too low[[, before or after]]"
        with st.expander(worded(title, result.predictors)):
            st.caption(worded(page_texts.ABOUT_STATUS, result.predictors))
            show_table(result, tables.TOO_LOW)
    if columns:
        with st.expander("Protected and audit-only columns"):
            _show_watched(result, columns)
    _show_forty(result, look)
    with st.expander("Estimated probability of a correct set"):
        show_histogram(result, look)
    with st.expander("Figures, coefficients, data and notes"):
        show_details(result)


def _show_watched(result: AuditResult, columns: Mapping[str, Sequence[found.ShownSegment]]) -> None:
    """Draw coverage by audit-only columns and by those that may be protected, each a chart.

    Of many columns one is chosen; of many values those of the largest shortfalls are shown.
    """
    names, given, gaps = list(columns), predictors(result), figure_words.watched_gaps(result)
    if len(names) > _MOST_WATCHED:
        names = [choose_one("Column, audit-only ones first", names, "watched-column")]
    level = result.settings["cl"]
    span = coverage_range([columns[name] for name in names], given, level)
    for name in names:
        st.markdown(f"**{plain(name)}**", help=plain(gaps[name]))
        rows = columns[name]
        figure = segment_figure(rows[: found.SEGMENTS_SHOWN], given, level, span)
        draw_chart(figure, f"watched-{name}")
        if len(rows) > found.SEGMENTS_SHOWN:
            st.caption(page_texts.MORE_VALUES.format(more=len(rows) - found.SEGMENTS_SHOWN))


def _show_forty(result: AuditResult, look: LookedAt | None) -> None:
    """Draw rows of the group named and of the rest with their intervals, by a chosen predictor."""
    group = named_group(result)
    if look is None or group is None or not result.is_regression:
        return
    with st.expander("Forty of them, forty of the rest"):
        given = {by.title: by.name for by in predictors(result)}
        by = given[choose_one("Intervals", list(given), "forty")]
        inside = rows_of(look.test_rows, group)
        drawn = [
            (kind, float(row.label), row.sets[by])
            for kind, where in ((axis_name(in_brief(group)), inside), ("the rest", ~inside))
            for row in examples(look.test_rows, where, _FORTY, "by lot")
        ]
        seen = [end for _, y, shown in drawn for end in (y, shown.lower, shown.upper)]
        finite = [end for end in seen if end is not None and math.isfinite(end)]
        # infinite ends have no place: they are drawn as far as the others go
        low, high = min(finite), max(finite)
        rows = [
            Promised(kind, max(shown.lower or 0.0, low), min(shown.upper or 0.0, high), y)
            for kind, y, shown in drawn
        ]
        draw_chart(promise_figure(rows, axis_name(result.settings["target"])), "forty-rows")
        st.caption(page_texts.ABOUT_FORTY)


def show_histogram(result: AuditResult, look: LookedAt | None) -> None:
    """Draw how p(x) of the rows that the filter leaves is spread, by each predictor."""
    st.caption(page_texts.ABOUT_HISTOGRAM)
    bins = result.probabilities
    if look is not None and look.where is not None:
        if look.n == 0:
            st.info(page_texts.NOTHING_LEFT)
            return
        bins = probability_bins(
            {name: p[look.where] for name, p in look.test_rows.probabilities.items()}
        )
    given, reference = predictors(result), result.row("test", result.reference)
    draw_chart(probability_figure(bins, given, reference, result.settings["cl"]), "probabilities")
    words, n = ("", result.data.test) if look is None else (look.filter.words(), look.n)
    st.caption(figure_words.what_is_shown(words, n))


def show_details(result: AuditResult) -> None:
    """Draw a tab for each kind of figures."""
    shown = {
        "Coefficients": _show_coefficients,
        worded("[[Before and after|Figures]]", result.predictors): _show_overview,
        "Data and notes": _show_data,
    }
    if result.repeats is not None:
        shown["Repeats"] = _show_repeats
    for tab, show in zip(st.tabs(list(shown)), shown.values(), strict=True):
        with tab:
            show(result)


def _show_coefficients(result: AuditResult) -> None:
    """Draw the coefficient charts, the largest features first."""
    about = worded(page_texts.ABOUT_COEFFICIENTS, result.predictors)
    st.markdown(page_texts.ZERO_IS_GOOD, help=about)
    rows = result.coefficients
    features = found.feature_order(rows)
    first = 0
    if len(features) > tables.FEATURES_SHOWN:
        first = choose_one(
            "Features by size",
            range(0, len(features), tables.FEATURES_SHOWN),
            "features-shown",
            format_func=lambda s: f"{s + 1} to {min(s + tables.FEATURES_SHOWN, len(features))}",
        )
    shown = features[first : first + tables.FEATURES_SHOWN]
    for column, subset in zip(st.columns(2), found.subsets_of(rows), strict=False):
        figure = shrinkage_figure(rows, shown, subset, predictors(result))
        draw_chart(figure, f"shrinkage-{subset}", column)
    with st.expander("As a table"):
        show_table(result, tables.COEFFICIENTS)


def _show_overview(result: AuditResult) -> None:
    draw_chart(dcv_figure(found.on_test_rows(result)), "dcv")
    show_table(result, tables.OVERVIEW)
    if not ESTIMATORS[result.settings["estimator"]].maximum_likelihood:
        st.markdown(page_texts.ABOUT_OTHER_ESTIMATORS)
    if result.settings["permutations"]:
        st.markdown(page_texts.ABOUT_PERMUTATIONS)
    if result.audit_only:
        st.header("Audit-only columns")
        st.markdown(worded(page_texts.ABOUT_AUDIT_ONLY, result.predictors))
        show_table(result, tables.AUDIT_ONLY)
    st.header("Other measures, on test rows")
    st.markdown(page_texts.ABOUT_OTHER_MEASURES)
    show_table(result, tables.OTHER_MEASURES)


def _show_data(result: AuditResult) -> None:
    data = result.data
    st.markdown(
        f"{data.rows:,} rows, of which {found.rows_by_set(result)}. "
        f"Features: {plain(', '.join(data.features))}."
    )
    for note in result.notes:
        st.markdown(f"- {plain(note)}")
    if data.dropped:
        show_table(result, tables.DROPPED)
    st.caption(f"Seed {result.settings['seed']}, {result.seconds.total:.1f} s in all.")


def _show_repeats(result: AuditResult) -> None:
    repeats = result.repeats
    assert repeats is not None  # noqa: S101 - else there is no such tab
    st.markdown(page_texts.ABOUT_REPEATS)
    layers = f"; layers {repeats.layers_mean:.2f} ± {repeats.layers_sd:.2f}"
    st.markdown(
        f"Seeds {', '.join(map(str, repeats.seeds))}{layers if found.has_path(result) else ''}."
    )
    for table in (tables.REPEATS, tables.REPEATED_SEGMENTS, tables.REPEATED_COEFFICIENTS):
        show_table(result, table)


def show_better(state: SessionState, result: AuditResult) -> None:
    """Draw what the session's comparison says, if it is of the table and settings shown."""
    run, comparison = state.run, state.comparison
    last = None if comparison is None else comparison.job.snapshot().result
    if run is None or comparison is None or last is None:
        return
    asked, compared = (
        replace(settings, remedies=(NONE,), seed=0, repeats=1)
        for settings in (run.settings, comparison.settings)
    )
    if say_the_same(asked, compared) and last.fingerprint == result.data.fingerprint:
        for sentence in last.verdict:
            st.info(plain(sentence))
