"""Predict: a saved predictor, or one of the run's, used on a table of rows or on one row."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditResult, InputError
from evencover.core.exploration.one_row import Asked, OneRow, asked_of, predict_row
from evencover.core.scoring import SavedPredictor
from evencover.core.scoring.file import ENDING
from evencover.core.tables.plain_columns import new_in_words

from ..export.files import csv_text
from ..runs.upload import Upload
from ..wording import figure_words, page_texts
from ..wording.formatting import ShownPredictor, plain, predictors
from ..wording.tables import first_rows
from .heading import PREDICT, heading
from .session import SessionState, session
from .widgets import choose_one, offer_file, result_of, saved_by_title, written

_ROWS_SHOWN, _COLUMNS = 20, 4
_ALL_TIMES = datetime.min, datetime.max  # noqa: DTZ901 - as dates of tables


def main() -> None:
    """Draw the choice of a predictor, and what it says of a table and of one row."""
    state = session()
    heading(PREDICT)
    predictor, result = choose_predictor(state)
    if predictor is None:
        return
    many, one = st.tabs(["A table", "One row"], key="predict")
    with many:
        show_table(state, predictor)
    with one:
        show_row(predictor, result)


def choose_predictor(state: SessionState) -> tuple[SavedPredictor | None, AuditResult | None]:
    """Draw the choice; return what is chosen, and the run's result, if it is of that."""
    left, right = st.columns(2)
    file = right.file_uploader("Saved predictor", ENDING, help=page_texts.PREDICTOR_HELP)
    if file is not None and file.file_id != state.saved_id:
        state.saved = state.saved_id = None  # whose name is no longer there
        try:
            state.saved = SavedPredictor.of_bytes(file.getvalue(), file.name)
            state.saved_id = file.file_id
        except InputError as error:
            st.error(plain(str(error)))
    uploaded = f"uploaded: {state.saved.title}" if state.saved else ""
    result = None if state.run is None else state.run.job.snapshot().result
    choices = {} if state.saved is None else {uploaded: state.saved}
    choices |= {} if result is None else saved_by_title(result)
    if not choices:
        st.info(page_texts.NO_PREDICTOR)
        return None, None
    chosen = choose_one("Predictor", [*choices], f"predictor-{state.saved_id}", place=left)
    predictor = choices[chosen]
    label, level = plain(predictor.label.name), 100.0 * predictor.confidence_level
    st.markdown(page_texts.ABOUT_PREDICTOR.format(label, level, plain(predictor.guarantee)))
    return predictor, None if chosen == uploaded else result


def show_table(state: SessionState, predictor: SavedPredictor) -> None:
    """Draw the choice of a table, and its rows with what is predicted."""
    st.markdown(page_texts.ABOUT_ROWS.format(", ".join(map(plain, predictor.columns))))
    file = st.file_uploader("Rows to predict", help=page_texts.UPLOAD_HELP)
    if file is not None and file.file_id != state.rows_id:
        state.rows_id = file.file_id
        state.predict(predictor, Upload(file.name, file.getvalue()))
    elif state.rows is not None and state.rows_by is not predictor:
        state.predict(predictor, state.rows)
    if state.rows is None or state.predicting is None:
        return
    found = result_of(state.rows.name, state.predicting)
    if found is not None:
        _show_predicted(state.rows.name, *found)


def _show_predicted(
    name: str, own: pd.DataFrame, said: pd.DataFrame, new: Mapping[str, int]
) -> None:
    words = new_in_words(len(own), int((said.iloc[:, -1] > 0).sum()), new)
    line, button = st.columns([3, 1], vertical_alignment="center")
    line.markdown(f"**{plain(name)}**: {plain(words)}.")
    file = f"{Path(name).stem}-predicted.csv"
    offer_file(button, "Download predictions", lambda: csv_text(own.join(said)), file, "text/csv")
    rows = said.head(_ROWS_SHOWN).join(first_rows(own, _ROWS_SHOWN))
    st.dataframe(written(rows, {}), hide_index=True, placeholder="")
    st.caption(page_texts.ABOUT_CSV)


def show_row(predictor: SavedPredictor, result: AuditResult | None) -> None:
    """Draw a form for one row, and what is predicted of it."""
    with st.form("row", border=False):
        places, of = cycle(st.columns(_COLUMNS)), predictor.about.get("fingerprint")
        asked = asked_of(predictor).items()
        values = {name: _ask(next(places), name, one, f"row-{of}-{name}") for name, one in asked}
        if not st.form_submit_button("Predict this row", help=page_texts.ROW_HELP):
            return
    try:
        found = predict_row(predictor, values, result)
    except InputError as error:
        st.error(plain(str(error)))
        return
    _show_found(found, predictors(result) if result else [], predictor.title)


def _show_found(found: OneRow, given: Sequence[ShownPredictor], title: str) -> None:
    told = [by for by in given if by.name in [*found.sets["predictor"]]]
    names = [by.title for by in told] or [title]
    show = partial(st.dataframe, hide_index=True, placeholder="")
    show(written(found.sets.assign(predictor=names).drop(columns=["threshold", "new"]), {}))
    if found.new:
        st.warning(page_texts.NEW.format(plain(", ".join(found.new))))
    shares = {name: "percent" for name in found.why.columns[1:] if "label" in found.why}
    st.markdown(page_texts.WHY_LABELS if shares else page_texts.WHY_WIDTH)
    show(written(found.why, shares))
    if found.alike is not None:
        st.markdown(page_texts.ALIKE.format(figure_words.coverage_in_words(found.alike, told)))


def _ask(place: DeltaGenerator, name: str, one: Asked, key: str) -> Any:  # noqa: ANN401
    """Draw the field of a column; return its value."""
    kind, first, known = one
    kept: dict[str, Any] = {"key": f"{key}-{kind}", "persist_state": "session"}
    if kind == "number":
        return place.number_input(plain(name), value=first, format="%g", **kept)
    if kind == "date":
        return place.datetime_input(plain(name), first, *_ALL_TIMES, **kept)
    return place.selectbox(plain(name), known, accept_new_options=True, **kept)
