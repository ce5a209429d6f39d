"""Two runs side by side, and their common test rows as pairs."""

from collections.abc import Sequence
from dataclasses import asdict

import streamlit as st

from evencover.core import AuditResult
from evencover.core.experiment.compare.two_runs import Beside, TwoRuns, two_runs
from evencover.core.report.wording import certainty_in_words

from ...options.differences import differences_in_words
from ...runs.run import Run
from ...wording import comparison_texts
from ...wording.formatting import plain
from ...wording.predictors import predictors
from ...wording.rows import Row
from ...wording.tables import (
    OTHER_MEASURES,
    OVERVIEW,
    TWO_COEFFICIENTS,
    TWO_FIGURES,
    TWO_SEGMENTS,
    cell_text,
)
from ..shared.widgets import choose_one, drawn
from .run_list import name_of

_MEASURES = {
    column.key: column
    for table in (OVERVIEW, OTHER_MEASURES)
    for block in table.columns
    for column in block
}


def show_two(runs: Sequence[Run]) -> None:
    """Draw the choice of two runs that have ended, and what they say beside each other."""
    results = {run.token: run.job.snapshot().result for run in runs}
    ended = [run for run in runs if results[run.token] is not None]
    if not ended:
        return
    st.subheader(comparison_texts.TWO_RUNS)
    if len(ended) == 1:
        st.info(comparison_texts.ONE_RUN)
        return
    left, right = st.columns(2)
    with left:
        first, by = _choose("First", ended, results, ended[1])
    with right:
        second, by_second = _choose("Second", ended, results, ended[0])
    one, other = results[first.token], results[second.token]
    if one is None or other is None:
        return
    words = differences_in_words(first.settings, second.settings)
    st.markdown("; ".join(map(plain, words)) or "Both were asked for in the same way.")
    _show(two_runs(one, by, other, by_second))


def _choose(
    title: str, runs: Sequence[Run], results: dict[str, AuditResult | None], first: Run
) -> tuple[Run, str]:
    names = {run.token: name_of(run).replace("\\", "") for run in runs}
    token = choose_one(
        title,
        [run.token for run in runs],
        f"two-{title}-{len(runs)}",
        first=first.token,
        format_func=lambda token: names[token],
    )
    run = next(run for run in runs if run.token == token)
    result = results[token]
    given = [] if result is None else predictors(result)
    titles = {by.name: by.title for by in given}
    by = choose_one(
        f"{title}: predictor",
        list(titles),
        f"two-{title}-by-{token}",
        first=next(reversed(titles), None),
        format_func=lambda name: titles[name],
    )
    return run, by


def _show(found: TwoRuns) -> None:
    change = found.change
    if change is not None:
        points = {"change": 100 * change.change, "low": 100 * change.low, "high": 100 * change.high}
        counted = {"n": change.n, "gained": change.gained, "lost": change.lost}
        by_chance = certainty_in_words("p", change.p_value)
        st.info(comparison_texts.SAME_ROWS.format(**counted, **points, by_chance=by_chance))
    elif found.pairing == "gone":
        st.info(comparison_texts.ROWS_LET_GO)
    else:
        st.info(comparison_texts.OTHER_ROWS)
    figures, segments, coefficients = st.tabs(["Figures", "Segments", "Coefficients"])
    changed = sorted(found.segments, key=lambda row: -abs(row.change))
    with figures:
        st.dataframe(**drawn(TWO_FIGURES, [*map(_in_words, found.figures)], []))
    with segments:
        st.dataframe(**drawn(TWO_SEGMENTS, [*map(asdict, changed)], []))
    with coefficients:
        st.dataframe(**drawn(TWO_COEFFICIENTS, [*map(asdict, found.coefficients)], []))


def _in_words(row: Beside) -> Row:
    """Return a row of figures, each as its measure is written elsewhere."""
    measure = _MEASURES[row.what]
    of_run = {"first": row.first, "second": row.second}
    written = {name: cell_text(value, measure.form) for name, value in of_run.items()}
    return {"what": measure.title} | written
