"""Data: choose a table."""

from dataclasses import replace

import streamlit as st

from evencover.core import AuditSettings, InputError
from evencover.core.messages import Sentence, in_quotes, shown
from evencover.core.preparation.roles import profile_columns
from evencover.core.tables.grammar import parse_columns, write_columns
from evencover.core.tables.reading import AS_IT_IS
from evencover.core.tables.table import Table, rows_fingerprint
from evencover.core.tables.text_values import Reading
from evencover.sample_data import is_downloaded, load_sample, sample_names
from evencover.sample_data.lessons.two_kinds import typical

from ..lessons.lesson import promise_figure
from ..options import BY_SAMPLES, SAMPLE_PREFIX, read_text
from ..runs.upload import LoadedTable, Upload
from ..wording import page_texts
from ..wording.formatting import plain
from ..wording.tables import first_rows
from .heading import DATA, SETUP, next_step, show_words
from .option_widget import outputs_taken, show_profiles
from .runs import name_of, open_run
from .session import SessionState, session
from .widgets import draw_chart, show_reading

_LEVEL, _ROWS_SHOWN = 0.9, 5


def main() -> None:
    """Draw the page."""
    state = session()
    st.title(page_texts.TITLE)
    st.markdown(page_texts.TAGLINE)
    take_wanted_sample(state)
    # one place for whatever is told: moved down by it, the choice would lose a file on its way up
    with st.container():
        if state.problem is not None:
            st.error(plain(state.problem))
        show_wanted(state)
        if state.upload is not None and state.reading is not None:
            asked, upload = page_texts.READING_CUT["asked"], state.upload
            show_reading(upload.name, state.reading, lambda: state.refuse(asked, upload))
        if state.table is not None:
            if state.settings_taken:
                st.success(page_texts.SETTINGS_TAKEN)
            show_name(state.table)
            if outputs_taken(state.table):
                SETUP.open()
        elif state.upload is None:
            offer_last_run(state)
            show_promise()
        if state.upload is not None and state.reading is None:
            offer_readings(state, state.upload)
            offer_second_table(state, state.upload)
        if state.table is not None:
            st.markdown("**Its columns**")
            show_profiles(state.table, state.table.choices)
            st.markdown("**Its first rows**")
            rows = first_rows(state.table.frame, _ROWS_SHOWN)
            # by itself a missing cell looks like the text None
            st.dataframe(rows, hide_index=True, width="stretch", placeholder="")
    with st.container() if state.table is None else st.expander("Choose another table"):
        choose_table(state)
        st.markdown(page_texts.PRIVACY)


def show_name(table: LoadedTable) -> None:
    """Draw its size, what it is about and what was done in reading it, and the way on."""
    rows, columns = table.frame.shape
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.header(f"{plain(table.name)}: {rows:,} rows, {columns} columns")
    next_step(right, "Next: Setup", SETUP)
    if table.description is not None:
        st.markdown(table.description)
    if table.table.notes:
        st.info("\n".join(f"- {plain(str(note))}" for note in table.table.notes))


def offer_last_run(state: SessionState) -> None:
    """Draw the way to the visitor's last run, if there is one."""
    for run in state.runs()[:1]:
        text, button = st.columns([3, 1], vertical_alignment="center")
        text.info(page_texts.LAST_RUN.format(name_of(run)))
        if button.button("Open it", width="stretch"):
            open_run(state, run)


def show_promise() -> None:
    """Draw intervals of which 90 % hold their label, but not 90 % of either kind."""
    left, right = st.columns([2, 3], vertical_alignment="center")
    with left:
        st.markdown(page_texts.PROMISE)
        show_words(DATA.words)
    draw_chart(promise_figure(typical(_LEVEL)), "promise", right, about="")


def choose_table(state: SessionState) -> None:
    """Draw the choice of a table and take up what is chosen."""
    own, samples = st.columns(2, gap="large")
    with own:
        st.header("Your own table")
        upload = st.file_uploader("Your own file", help=page_texts.UPLOAD_HELP, key="table-file")
        with st.expander("Settings from a file"):
            settings = st.file_uploader(
                "Settings file",
                type=["json"],
                help=page_texts.SETTINGS_FILE_HELP,
                key="settings-file",
            )
    with samples:
        st.header("or a sample")
        for name in sample_names():
            button, about = st.columns([1, 2], vertical_alignment="center")
            help_ = page_texts.DOWNLOAD_HELP if is_downloaded(name) else None
            pressed = button.button(_title(name), f"sample-{name}", help_, width="stretch")
            about.markdown(page_texts.SAMPLES[name])
            if pressed:
                _take_sample(state, name)
    if settings is not None and settings.file_id != state.settings_id:
        state.settings_id = settings.file_id
        try:
            state.want(read_text(settings.getvalue(), settings.name))
        except InputError as error:
            state.refuse_settings(str(error))
        st.rerun()
    if upload is not None and upload.file_id != state.upload_id:
        state.upload_id = upload.file_id
        reading = AS_IT_IS if state.wanted is None else state.wanted.settings.reading
        state.read(Upload(upload.name, upload.getvalue(), reading))
        st.rerun()


def take_wanted_sample(state: SessionState) -> None:
    """Take up at once the sample that settings from a link are for, unless it is to be fetched."""
    wanted = state.wanted.sample if state.wanted is not None else None
    if wanted is None or is_downloaded(wanted):
        return
    if state.table is None and state.problem is None and state.lost is None:
        _take_sample(state, wanted)


def show_wanted(state: SessionState) -> None:
    """Say for which table there are settings, as long as they wait for it."""
    if state.wanted is None:
        return
    source, sample = state.wanted.source, state.wanted.sample
    of_what = "another table" if source is None else f"a table called {shown(source)}"
    sentence, button = st.columns([3, 1], vertical_alignment="center")
    sentence.info(plain(page_texts.SETTINGS_WAIT.format(of_what)))
    if sample is not None and is_downloaded(sample):
        name = f"Fetch {_title(sample)}"
        if button.button(name, type="primary", width="stretch", help=page_texts.DOWNLOAD_HELP):
            _take_sample(state, sample)
    if button.button("Forget these settings", width="stretch"):
        state.wanted = state.problem = None
        st.rerun()


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _take_sample(state: SessionState, name: str) -> None:
    """Use a sample, or say why it cannot be had, and draw the page anew."""
    try:
        with st.spinner(f"{'Fetching' if is_downloaded(name) else 'Reading'} {_title(name)} …"):
            sample = load_sample(name)
    except InputError as error:
        state.refuse(str(error))
    else:
        table = Table.of(sample.frame)
        loaded = LoadedTable(
            f"sample {name}",
            table,
            profile_columns(table, AuditSettings(target=sample.target)),
            AuditSettings(**{option: getattr(sample, option) for option in BY_SAMPLES}),
            source=f"{SAMPLE_PREFIX}{name}",
            description=sample.description,
            fingerprint=rows_fingerprint(sample.frame),
        )
        state.use(loaded)
    st.rerun()


def offer_readings(state: SessionState, upload: Upload) -> None:
    """Draw what can be said about how the file is to be read, and read it again so."""
    notes = () if state.table is None else state.table.table.notes
    sheets: tuple[str, ...] = () if state.table is None else state.table.table.sheets
    if isinstance(state.problem, Sentence):
        sheets = state.problem.values.get("sheets", sheets)
    asks = state.table is None or any("choice" in note.values for note in notes)
    for note in notes:
        taken = note.values.get("taken")
        # words taken as missing are kept as values
        if taken and st.button(plain(page_texts.KEEP_WORDS.format(in_quotes(taken)))):
            words = upload.reading.words.anywhere - {*taken}
            reading = replace(upload.reading, missing=tuple(sorted(words)))
            state.read(replace(upload, reading=reading))
            st.rerun()
    with st.expander(page_texts.READ_DIFFERENTLY, expanded=asks), st.form("reading", border=False):
        asked = _asked(upload.reading, sheets)
        pressed = st.form_submit_button("Read again")
        if isinstance(asked, InputError):
            st.error(plain(str(asked)))
        elif pressed:
            state.read(replace(upload, reading=asked))
            st.rerun()


def offer_second_table(state: SessionState, upload: Upload) -> None:
    """Draw the choice of a second file, or a way to do without it, and read both again so."""
    second = upload.second
    if second is not None:
        line, button = st.columns([3, 1], vertical_alignment="center")
        line.markdown(page_texts.JOINED.format(plain(second.name), plain(upload.on)))
        if button.button("Do without it", width="stretch"):
            state.read(replace(upload, second=None))
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
                state.read(replace(upload, second=Upload(file.name, file.getvalue()), on=on))
                st.rerun()


def _asked(now: Reading, sheets: tuple[str, ...]) -> Reading | InputError:
    """Return what is asked for; fields begin with how the file was read."""
    places, help_ = iter(st.columns(5)), page_texts.READING_HELP

    def text(label: str, value: str, what: str) -> str:
        return next(places).text_input(label, value, help=help_[what])

    sheet: str | None
    if sheets:
        first = sheets.index(now.sheet) if now.sheet in sheets else 0
        sheet = next(places).selectbox("Sheet", sheets, index=first, help=help_["sheet"])
    else:  # of a file that could not be read it is not known whether it has any
        sheet = text("Sheet", now.sheet or "", "sheet").strip() or None
    encoding = text("Encoding", now.encoding or "", "encoding").strip() or None
    header = next(places).number_input("Row of names", 1, value=now.header, help=help_["header"])
    words = "" if now.missing is None else write_columns(now.missing)
    missing = text("Words for missing values", words, "missing")
    numeric = text("Read as numbers", write_columns(now.numeric), "numeric")
    try:
        words_of, numbers = parse_columns(missing) or None, parse_columns(numeric)
        return Reading(encoding, sheet, int(header), words_of, numbers)
    except InputError as error:
        return error
