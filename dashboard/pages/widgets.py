"""How every page draws a choice, a chart and a table, and what a click on these does.

A chart or table that is drawn anew under its old key would report its last click again, and one
whose data changes would lose it. So a click is taken up once, where it arrives, as a part of the
active filter, and everything that can be clicked gets a new key.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from pandas.api.types import is_float_dtype, is_scalar
from pandas.io.formats.style import Styler
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditResult
from evencover.core.scoring import SavedPredictor

from ..figures.style import buttons, in_words
from ..runs.job import Job, Outcome, Snapshot
from ..runs.run import BackgroundRun
from ..wording import figure_words, page_texts
from ..wording.formatting import ShownPredictor, plain, predictors
from ..wording.rows import Row, with_titles
from ..wording.tables import TableSpec, cell_text
from .filter import Filter, LookedAt, Part
from .session import SessionState, job_manager, session

_Option = TypeVar("_Option")
_POLL_SECONDS = 0.5
_DOING = {None: "Preparing to read", "read": "Reading", "profile": "Looking at the columns of"}
pd.set_option("styler.render.max_elements", sys.maxsize)
"""Else streamlit refuses large tables that say how they are written."""


def choose_one(
    title: str,
    options: Sequence[_Option],
    key: str,
    *,
    first: _Option | None = None,
    place: DeltaGenerator | None = None,
    **more: Any,  # noqa: ANN401 - whatever streamlit takes
) -> _Option:
    """Draw a choice that stays while other pages are shown; without options it returns None."""
    draw = st.selectbox if place is None else place.selectbox
    index = options.index(first) if first in options else 0
    chosen: _Option = draw(title, options, index=index, key=key, persist_state="session", **more)
    return chosen


def draw_chart(
    figure: go.Figure,
    key: str,
    place: DeltaGenerator | None = None,
    about: str | None = None,
    **more: Any,  # noqa: ANN401 - whatever streamlit takes
) -> None:
    """Draw a chart in its own look, as wide as its place, with words for who does not see it.

    Its file is named by its title and by what it is ``about``, if not the table of the run.
    """
    run = session().run
    about = run.name if about is None and run is not None else about or ""
    config, alt, draw = buttons(figure, about), in_words(figure), (place or st).plotly_chart
    draw(figure, width="stretch", theme=None, key=key, config=config, alt=alt, **more)


def show_table(result: AuditResult, spec: TableSpec) -> None:
    """Draw a table; fields that are not in its columns can be shown by the toolbar."""
    st.dataframe(**drawn(spec, spec.rows(result), predictors(result, over_seeds=spec.over_seeds)))


def drawn(spec: TableSpec, rows: Sequence[Row], given: Sequence[ShownPredictor]) -> dict[str, Any]:
    """Return how streamlit is to draw rows; what does not apply is an empty cell.

    Fields that hold several values are left out.
    """
    columns = spec.shown(rows, given)
    table = pd.DataFrame(with_titles(rows, given)).dropna(axis="columns", how="all")
    single = table.loc[:, [all(map(is_scalar, table[name])) for name in table]]
    return {
        "data": written(single, {one.key: one.form for one in columns}),
        "hide_index": True,
        "width": "stretch",
        "placeholder": "",
        "column_order": [column.key for column in spec.shown(rows, given, spec.page_to)],
        "column_config": {
            column.key: st.column_config.Column(column.title, help=column.help or None)
            for column in columns
        },
    }


def written(table: pd.DataFrame, forms: Mapping[str, str]) -> Styler:
    """Return a table whose figures are written as everywhere, whatever a browser's language.

    They are sorted as numbers. For forms see :func:`cell_text`; a figure without one is a "number".
    """
    texts: dict[Any, str | Callable[[object], str] | None] = {}
    for name in table:
        form = "number" if is_float_dtype(table[name]) else ""
        texts[name] = partial(cell_text, form=forms.get(str(name), form))
    return table.style.format(texts)


Parts = tuple[Part, ...]


def clickable_chart(
    state: SessionState, figure: go.Figure, parts: Sequence[Parts], *, key: str
) -> None:
    """Draw a chart; ``parts`` are added to the filter by a click on the point of their place."""
    whole_key = f"{state.clicks}-{key}"
    draw_chart(
        figure,
        whole_key,
        selection_mode="points",
        on_select=lambda: take_up(state, st.session_state[whole_key], parts),
    )


def clickable_table(
    state: SessionState,
    result: AuditResult,
    spec: TableSpec,
    rows: Sequence[Row],
    parts: Sequence[Parts],
    *,
    key: str,
) -> None:
    """Draw a table; ``parts`` are added to the filter by the choice of the row of their place."""
    whole_key = f"{state.clicks}-{key}"
    st.dataframe(
        **drawn(spec, rows, predictors(result)),
        key=whole_key,
        lazy=False,
        selection_mode="single-row",
        on_select=lambda: take_up(state, st.session_state[whole_key], parts),
    )


def take_up(state: SessionState, event: dict[str, Any], parts: Sequence[Parts]) -> None:
    """Take up a click on a chart, or the choice of a row of a table."""
    place = picked(event)
    if place is not None:
        state.set_filter(state.filter.adding(*parts[place]))


def picked(event: dict[str, Any]) -> int | None:
    """Return the place of the point or row that was chosen; None where one was left again."""
    chosen = event["selection"]
    places = [*chosen.get("rows", ()), *(one["point_index"] for one in chosen.get("points", ()))]
    return places[0] if places else None


def show_filter(state: SessionState, look: LookedAt) -> None:
    """Draw what it leaves, and ways out of it, on top of the pages that it is for."""
    if not look.filter:
        st.caption(page_texts.NO_FILTER.format(n=look.n))
        return
    figures, given = look.figures, predictors(look.result)
    shown = [figure_words.coverage_in_words(figures, given)]
    if look.n:
        is_regression = look.test_rows.task == "regression"
        shown.append(figure_words.sizes_in_words(figures, given, are_intervals=is_regression))
    parts = look.filter.parts
    with st.container(key="filter", border=True, gap="small"):
        st.markdown(f"**Filter: {plain(look.filter.words())}**  \n{' · '.join(shown)}")
        with st.container(horizontal=True, gap="small"):
            if st.button("Clear filter", key="clear-filter"):
                state.set_filter(Filter())
                st.rerun()
            for place, part in enumerate(parts if len(parts) > 1 else ()):
                if st.button(f"Remove: {plain(part.words)}", key=f"remove-part-{place}"):
                    state.set_filter(look.filter.without(part))
                    st.rerun()


def follow(
    state: SessionState,
    run: BackgroundRun[Outcome],
    show: Callable[[Snapshot[Outcome], str | None, DeltaGenerator], None],
    *,
    every: float = 1.0,
    key: str = "stop",
) -> None:
    """Draw how far a run is, again and again until it has ended, with a way to stop it.

    ``show`` draws a snapshot, in the place beside the button and below it; while the run waits
    it is told in which words. Polling twice a second slowed a long run by 38 %, once a second by
    6 %.
    """

    def draw() -> None:
        place = job_manager().place(run)
        snapshot = run.job.snapshot()
        if not snapshot.is_live:
            st.rerun()  # the whole page, which then shows the results
        status, button = st.columns([4, 1], vertical_alignment="center")
        show(snapshot, None if place is None else page_texts.WAITING.format(place), status)
        if state.me != run.owner:
            status.markdown(page_texts.WATCHING)
        elif button.button("Stop", key=key, disabled=snapshot.stopping, width="stretch"):
            run.stop(state.me)

    st.fragment(draw, run_every=every)()


def show_reading(name: str, job: Job[Any], stop: Callable[[], None]) -> None:
    """Draw how far the reading of a file is, again and again until it has ended."""

    def draw() -> None:
        snapshot = job.snapshot()
        if not snapshot.is_live:
            st.rerun()  # the whole page, which then takes up what was read
        status, button = st.columns([3, 1], vertical_alignment="center")
        doing, place = f"{_DOING[snapshot.stage]} {plain(name)}", job.place()
        waiting = page_texts.READING_WAITS.format(plain(name), place)
        status.info(f"{doing}, {snapshot.seconds:.0f} s ..." if place is None else waiting)
        if button.button("Stop reading", width="stretch"):
            stop()
            st.rerun()

    st.fragment(draw, run_every=_POLL_SECONDS)()


def result_of(name: str, job: Job[Outcome]) -> Outcome | None:
    """Return what the reading of a file has made; else draw how far it is, or what is wrong."""
    snapshot = job.snapshot()
    if snapshot.is_live:
        show_reading(name, job, job.stop)
    elif snapshot.result is None:
        st.error(plain(page_texts.READING_CUT.get(snapshot.cut_short) or str(snapshot.error)))
    return snapshot.result


def saved_by_title(result: AuditResult) -> dict[str, SavedPredictor]:
    """Return the predictors of a result that can be saved, first what the advice is to use."""
    given = sorted(predictors(result), key=lambda by: by.name != result.advised)
    found = {by.title: result.saved.get(by.name) for by in given}
    return {title: by for title, by in found.items() if isinstance(by, SavedPredictor)}


def offer_file(
    place: DeltaGenerator, title: str, make: Callable[[], str | bytes], name: str, mime: str
) -> None:
    """Draw the button for a file, which is made when it is asked for."""
    place.download_button(
        title, make, file_name=name, mime=mime, on_click="ignore", width="stretch"
    )
