"""Watch: newer rows beside a saved predictor, and whether coverage has moved, and for whom."""

from dataclasses import replace
from functools import partial

import streamlit as st

from evencover.core import InputError
from evencover.core.messages import as_json
from evencover.core.watching.report import report, to_json
from evencover.core.watching.state import WatchState

from ..export.open_metrics import to_open_metrics
from ..figures.periods import watched_figure
from ..runs.upload import Looked, Upload, Watching
from ..wording import page_texts, tables
from ..wording.formatting import plain
from ..wording.rows import watch_rows
from .heading import WATCH, heading
from .predict import choose_predictor
from .session import session
from .widgets import draw_chart, drawn, offer_file, result_of

_STRONG = ("prospect", "moved", "risen", "scores", "level", "steady", "group")


def main() -> None:
    """Draw the choice of a predictor and of newer rows, and what these say."""
    state = session()
    heading(WATCH)
    predictor, _ = choose_predictor(state)
    if predictor is None:
        return
    try:
        watching = state.watching(predictor)
        choose_files(watching)
    except InputError as error:  # as it was saved without a reference, or the state is another's
        st.error(plain(str(error)))
        return
    show_report(watching)


def choose_files(watching: Watching) -> None:
    """Draw the choice of rows, and of a state to go on from; InputError if that is none."""
    (left, right), words = st.columns(2), page_texts.WATCH["state"]
    file = left.file_uploader("Newer rows", help=page_texts.UPLOAD_HELP)
    before = right.file_uploader("State of last time, if any", "json", help=words)
    is_live = watching.work is not None and watching.work.snapshot().is_live
    if file is not None and file.file_id not in watching.taken:
        watching.taken.add(file.file_id)
        watching.look(Upload(file.name, file.getvalue()), watching.watch)
    if before is not None and before.file_id not in watching.taken and not is_live:
        found = WatchState.of_json(before.getvalue(), before.name)
        watching.report, watching.state = report(watching.watch, found), found
        watching.taken.add(before.file_id)
    if watching.rows is None:
        return
    if watching.work and result_of(watching.rows.name, watching.work) is not None:
        st.rerun()  # as it has come just now, which is taken up first
    if watching.looked is not None:
        _choose_columns(watching, watching.rows, watching.looked)


def _choose_columns(watching: Watching, upload: Upload, found: Looked) -> None:
    """Draw the choice of keys and times, and the button that counts rows by these."""
    by, names = watching.watch, found.names
    first = {"key": by.key, "time": by.time or "".join(found.dates[: len(found.dates) == 1])}
    *places, last = st.columns([2, 2, 1], vertical_alignment="bottom")
    key, time = (
        place.selectbox(
            f"Column of {what}s",
            names,
            index=names.index(name) if name in names else None,
            placeholder="none",
            help=page_texts.WATCH[what],
            key=f"watch-{what}-{upload.name}",
            persist_state="session",
        )
        for place, (what, name) in zip(places, first.items(), strict=True)
    )
    if last.button("Add these rows", type="primary", width="stretch"):
        watching.look(upload, replace(by, key=key, time=time), watching.state)
        st.rerun()


def show_report(watching: Watching) -> None:
    """Draw what was seen, or can be: in sentences, by period, group and column, and as files."""
    found = watching.report
    said = [of for of in found.sentences if not (watching.new and of.code == "watch.now")]
    told = [(plain(of), "**" * of.code.endswith(_STRONG)) for of in said]
    show = st.error if found.needs_recalibration else st.info
    show("\n\n".join(f"{mark}{of}{mark}" for of, mark in told))
    if watching.new is not None:
        line, button = st.columns([3, 1], vertical_alignment="center")
        line.markdown(f"**{plain(watching.new.sentence)}**")
        name, kind = "recalibrated.evencover", "application/zip"
        offer_file(button, "Download it", watching.new.predictor.to_bytes, name, kind)
    if len(found.periods) > 1:
        draw_chart(watched_figure(found.periods, found.confidence_level), "over-time", about="")
        st.caption(page_texts.ABOUT_PERIODS)
    for about, spec in tables.WATCHED.items():
        if rows := watch_rows(found, about):
            st.header(f"Watched {about}s")
            st.dataframe(**drawn(spec, rows, []))
            st.caption(page_texts.WATCH[about])
    kind, places = "application/json", st.columns(3)
    offer_file(places[0], "Download state", watching.state.to_json, "watch.json", kind)
    told_all = partial(as_json, to_json(found))
    offer_file(places[1], "Download report", told_all, "watch-report.json", kind)
    metrics = partial(to_open_metrics, found)
    offer_file(places[2], "Download metrics", metrics, "watch.prom", "text/plain")
    st.caption(page_texts.WATCH["keep"])
