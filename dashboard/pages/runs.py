"""Runs: those of this browser that are kept, any of them opened again, any two side by side."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta, timezone

import streamlit as st

from evencover.core import AuditResult
from evencover.core.experiment.two_runs import Beside, TwoRuns, two_runs
from evencover.core.report.in_short import in_short
from evencover.core.report.wording import certainty_in_words, percent

from ..options import differences_in_words
from ..runs.run import Run
from ..wording import page_texts, tables
from ..wording.formatting import plain, predictors
from ..wording.rows import Row, on_test_rows
from .heading import FINDINGS, RUN, RUNS, open_page, subject_of
from .session import SessionState
from .widgets import choose_one, drawn


def main() -> None:
    """Draw a line for each run, the last one first, and the choice of two."""
    state, _ = open_page(RUNS)
    runs = state.runs()
    if not runs:
        st.info(page_texts.NO_RUNS)
        return
    st.markdown(page_texts.ABOUT_RUNS)
    for place, run in enumerate(runs):
        with st.container(border=True, key=f"run-{place}"):
            text, button = st.columns([5, 1], vertical_alignment="center")
            mark = " · shown now" if run is state.run else ""
            text.markdown(f"**{name_of(run)}**{mark}  \n{_came_to(run)}")
            if button.button(
                "Open", key=f"open-{place}", disabled=run is state.run, width="stretch"
            ):
                open_run(state, run)
    _show_two(runs)


def open_run(state: SessionState, run: Run) -> None:
    """Show a run, on the page of what it has come to."""
    state.open(run)
    (RUN if run.job.snapshot().result is None else FINDINGS).open()


def name_of(run: Run) -> str:
    """Return when a run was started, and of what it is."""
    # by the offset: this machine need not know the name of the browser's time zone
    behind = timedelta(minutes=st.context.timezone_offset or 0)
    started = run.started.astimezone(timezone(-behind))
    settings = run.settings
    repeats = f", {settings.repeats} repeats" if settings.repeats > 1 else ""
    remedies = "" if settings.is_ready_made else f", {plain(', '.join(settings.remedies))}"
    return f"{started:%H:%M:%S} · {subject_of(run)}, seed {settings.seed}{repeats}{remedies}"


def _came_to(run: Run) -> str:
    snapshot = run.job.snapshot()
    if snapshot.result is None:
        return plain(snapshot.error) if snapshot.error is not None else "still running"
    figures = [
        f"{by.title}: accuracy {percent(row.accuracy)}, DCV {row.dcv:.4f}"
        for by, row in on_test_rows(snapshot.result)
    ]
    return f"{plain(in_short(snapshot.result)[0])}  \n{plain('; '.join(figures))}"


def _show_two(runs: Sequence[Run]) -> None:
    """Draw the choice of two runs that have ended, and what they say beside each other."""
    results = {run.token: run.job.snapshot().result for run in runs}
    ended = [run for run in runs if results[run.token] is not None]
    if not ended:
        return
    st.header(page_texts.TWO_RUNS)
    if len(ended) == 1:
        st.info(page_texts.ONE_RUN)
        return
    left, right = st.columns(2)
    with left:
        first, by = _choose("First", ended, results, ended[1])
    with right:
        second, by_second = _choose("Second", ended, results, ended[0])
    one, other = results[first.token], results[second.token]
    if one is None or other is None:
        return
    for place, result in ((left, one), (right, other)):
        place.markdown(plain(in_short(result)[0]))
    words = differences_in_words(first.settings, second.settings)
    if first.name != second.name:
        words = [f"table: {first.name}, then {second.name}", *words]
    told = "".join(f"\n- {plain(each)}" for each in words)
    st.markdown(f"What differs in what was asked for:\n{told}" if words else page_texts.ASKED_ALIKE)
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
        st.info(page_texts.SAME_ROWS.format(**counted, **points, by_chance=by_chance))
    elif found.pairing == "gone":
        st.info(page_texts.ROWS_LET_GO)
    else:
        st.info(page_texts.OTHER_ROWS)
    changed = sorted(found.segments, key=lambda row: -abs(row.change))
    shown = {
        "Figures": (tables.TWO_FIGURES, map(_in_words, found.figures)),
        "Segments": (tables.TWO_SEGMENTS, map(asdict, changed)),
        "Coefficients": (tables.TWO_COEFFICIENTS, map(asdict, found.coefficients)),
    }
    for tab, (table, rows) in zip(st.tabs(list(shown)), shown.values(), strict=True):
        tab.dataframe(**drawn(table, [*rows], []))


def _in_words(row: Beside) -> Row:
    """Return a row of figures, each as it is written elsewhere."""
    figure = tables.FIELDS[row.what]
    of_run = {"first": row.first, "second": row.second}
    written = {name: tables.cell_text(value, figure.form) for name, value in of_run.items()}
    return {"what": figure.title} | written
