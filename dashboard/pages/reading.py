"""A file that is read: how far it is, a way to stop, and ways to have it read differently."""

from dataclasses import replace

import streamlit as st

from evencover.core import InputError
from evencover.core.messages import Sentence, in_quotes
from evencover.core.tables.grammar import parse_columns, write_columns
from evencover.core.tables.text_values import Reading

from ..runs.upload import SecondFile, Upload
from ..wording import page_texts
from ..wording.formatting import plain
from .session import SessionState

_POLL_SECONDS = 0.5
_DOING = {
    None: "Preparing to read",
    "read": "Reading",
    "profile": "Looking at the columns of",
}


def show_reading(state: SessionState, upload: Upload) -> None:
    """Draw how far the reading is, again and again until it has ended."""
    st.fragment(_draw, run_every=_POLL_SECONDS)(state, upload)


def _draw(state: SessionState, upload: Upload) -> None:
    snapshot = upload.job.snapshot()
    if not snapshot.is_live:
        st.rerun()  # the whole page, which then takes up the table
    status, button = st.columns([3, 1], vertical_alignment="center")
    doing = f"{_DOING[snapshot.stage]} {plain(upload.name)}"
    status.info(f"{doing}, {snapshot.seconds:.0f} s ...")
    if button.button("Stop reading", width="stretch"):
        state.refuse(page_texts.READING_CUT["asked"], upload)
        st.rerun()


def offer_readings(state: SessionState, upload: Upload) -> None:
    """Draw what can be said about how the file is to be read, and read it again so."""
    notes = () if state.table is None else state.table.table.notes
    sheets: tuple[str, ...] = () if state.table is None else state.table.table.sheets
    if isinstance(state.problem, Sentence):
        sheets = state.problem.values.get("sheets", sheets)
    asks = state.table is None or any("choice" in note.values for note in notes)
    for note in notes:
        _offer_to_keep(state, upload, note)
    with st.expander(page_texts.READ_DIFFERENTLY, expanded=asks), st.form("reading", border=False):
        reading = _asked(upload.reading, sheets)
        pressed = st.form_submit_button("Read again")
        if isinstance(reading, InputError):
            st.error(plain(str(reading)))
        elif pressed:
            state.read(upload.name, upload.content, reading, upload.second)
            st.rerun()


def offer_second_table(state: SessionState, upload: Upload) -> None:
    """Draw the choice of a second file, or a way to do without it, and read both again so."""
    second = upload.second
    if second is not None:
        line, button = st.columns([3, 1], vertical_alignment="center")
        line.markdown(page_texts.JOINED.format(plain(second.name), plain(second.on)))
        if button.button("Do without it", width="stretch"):
            state.read(upload.name, upload.content, upload.reading)
            st.rerun()
    elif state.table is not None:
        with st.expander(page_texts.SECOND_TABLE):
            help_ = page_texts.SECOND_TABLE_HELP
            file = st.file_uploader("Second file", help=help_["file"], key="second-file")
            on = st.selectbox("Key", state.table.table.names, help=help_["on"])
            if file is None:
                return
            line, button = st.columns([3, 1], vertical_alignment="center")
            line.warning(page_texts.NOT_JOINED.format(plain(file.name)))
            if button.button("Join", width="stretch"):
                second = SecondFile(file.name, file.getvalue(), on)
                state.read(upload.name, upload.content, upload.reading, second)
                st.rerun()


def _offer_to_keep(state: SessionState, upload: Upload, note: Sentence) -> None:
    """Draw a button that has the words that a note says were taken as missing kept as values."""
    taken = note.values.get("taken")
    if taken and st.button(plain(page_texts.KEEP_WORDS.format(in_quotes(taken)))):
        words = upload.reading.words.anywhere - {*taken}
        reading = replace(upload.reading, missing=tuple(sorted(words)))
        state.read(upload.name, upload.content, reading, upload.second)
        st.rerun()


def _asked(now: Reading, sheets: tuple[str, ...]) -> Reading | InputError:
    """Return what is asked for; fields begin with how the file was read."""
    places, help_ = iter(st.columns(4)), page_texts.READING_HELP

    def text(label: str, value: str, what: str) -> str:
        return next(places).text_input(label, value, help=help_[what])

    sheet: str | None
    if sheets:
        first = sheets.index(now.sheet) if now.sheet in sheets else 0
        sheet = next(places).selectbox("Sheet", sheets, index=first, help=help_["sheet"])
    else:  # of a file that could not be read it is not known whether it has any
        sheet = text("Sheet", now.sheet or "", "sheet").strip() or None
    encoding = text("Encoding", now.encoding or "", "encoding").strip() or None
    words = "" if now.missing is None else write_columns(now.missing)
    missing = text("Words for missing values", words, "missing")
    numeric = text("Read as numbers", write_columns(now.numeric), "numeric")
    try:
        return Reading(encoding, sheet, parse_columns(missing) or None, parse_columns(numeric))
    except InputError as error:
        return error
