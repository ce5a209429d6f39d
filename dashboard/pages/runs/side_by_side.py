"""Two runs side by side, and their common test rows as pairs."""

from collections.abc import Sequence
from dataclasses import asdict

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.audit.compare.two_runs import TwoRuns, two_runs

from ...options.differences import differences_in_words
from ...runs.run import Run
from ...wording import comparison_texts
from ...wording.formatting import plain
from ...wording.predictors import predictors
from ...wording.tables import OTHER_MEASURES, OVERVIEW
from ..shared.widgets import choose_one
from .run_list import name_of


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
        text = comparison_texts.SAME_ROWS
        st.info(text.format(**counted, **points, p_value=change.p_value))
    elif found.pairing == "gone":
        st.info(comparison_texts.ROWS_LET_GO)
    else:
        st.info(comparison_texts.OTHER_ROWS)
    figures, segments, coefficients = st.tabs(["Figures", "Segments", "Coefficients"])
    with figures:
        titles = {column.key: column.title for block in OVERVIEW.columns for column in block}
        titles |= {column.key: column.title for block in OTHER_MEASURES.columns for column in block}
        rows = [asdict(row) | {"what": titles[row.what]} for row in found.figures]
        _draw(pd.DataFrame(rows))
    with segments:
        table = pd.DataFrame(map(asdict, found.segments))
        if len(table):
            table["change"] = table["second"] - table["first"]
            table = table.sort_values("change", key=abs, ascending=False)
        _draw(table)
    with coefficients:
        _draw(pd.DataFrame(map(asdict, found.coefficients)))


def _draw(table: pd.DataFrame) -> None:
    shown = table.dropna(axis="columns", how="all")
    numbers = [name for name in ("first", "second", "change", "p_value") if name in shown]
    form = st.column_config.NumberColumn(format="%.4f")
    st.dataframe(
        shown,
        hide_index=True,
        width="stretch",
        placeholder="",
        column_config=dict.fromkeys(numbers, form),
    )
