"""Data: choose a table."""

import streamlit as st

from evencover.core import AuditSettings, InputError
from evencover.core.messages import shown
from evencover.core.preparation.roles import profile_columns
from evencover.core.tables.fingerprint import rows_fingerprint
from evencover.core.tables.table import Table
from evencover.sample_data import is_downloaded, load_sample, sample_names
from evencover.sample_data.lessons.two_kinds import typical

from ..lessons.pictures import promise_figure
from ..options.command_line import BY_SAMPLES, SAMPLE_PREFIX
from ..options.links import read_text
from ..runs.loaded_table import LoadedTable
from ..wording import page_texts
from ..wording.formatting import plain
from .column_profiles import show_name, show_table
from .heading import show_words
from .reading import offer_readings, offer_second_table, show_reading
from .session import SessionState, session
from .steps import DATA
from .widgets import draw_chart

_LEVEL = 0.9


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
        if state.upload is not None and state.is_reading:
            show_reading(state, state.upload)
        if state.table is None:
            if state.upload is None:
                show_promise()
            elif not state.is_reading:
                offer_readings(state, state.upload)
                offer_second_table(state, state.upload)
        else:
            if state.settings_taken:
                st.success(page_texts.SETTINGS_TAKEN)
            show_name(state.table)
            if state.upload is not None:
                offer_readings(state, state.upload)
                offer_second_table(state, state.upload)
            show_table(state.table)
    with st.container() if state.table is None else st.expander("Choose another table"):
        choose_table(state)
        st.markdown(page_texts.PRIVACY)


def show_promise() -> None:
    """Draw intervals of which 90 % hold their label, but not 90 % of either kind."""
    left, right = st.columns([2, 3], vertical_alignment="center")
    with left:
        st.markdown(page_texts.PROMISE)
        show_words(DATA.words)
    draw_chart(promise_figure(typical(_LEVEL)), "promise", right)


def choose_table(state: SessionState) -> None:
    """Draw the choice of a table and take up what is chosen."""
    own, samples = st.columns(2, gap="large")
    with own:
        st.subheader("Your own table")
        upload = st.file_uploader("Your own file", help=page_texts.UPLOAD_HELP, key="table-file")
        with st.expander("Settings from a file"):
            _choose_settings(state)
    with samples:
        st.subheader("or a sample")
        for name in sample_names():
            _offer(state, name)
    if upload is not None and upload.file_id != state.upload_id:
        state.upload_id = upload.file_id
        state.read(upload.name, upload.getvalue())
        st.rerun()


def take_wanted_sample(state: SessionState) -> None:
    """Take up at once the sample that settings from a link are for, unless it is to be fetched."""
    wanted = state.wanted.sample if state.wanted is not None else None
    if wanted is None or is_downloaded(wanted):
        return
    if state.table is None and state.problem is None:
        _take_sample(state, wanted)
        st.rerun()


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
            st.rerun()
    if button.button("Forget these settings", width="stretch"):
        state.forget_wanted()
        st.rerun()


def _choose_settings(state: SessionState) -> None:
    upload = st.file_uploader(
        "Settings file", type=["json"], help=page_texts.SETTINGS_FILE_HELP, key="settings-file"
    )
    if upload is None or upload.file_id == state.settings_id:
        return
    state.settings_id = upload.file_id
    try:
        state.want(read_text(upload.getvalue(), upload.name))
    except InputError as error:
        state.refuse_settings(str(error))
    st.rerun()


def _offer(state: SessionState, name: str) -> None:
    button, about = st.columns([1, 2], vertical_alignment="center")
    help_ = page_texts.DOWNLOAD_HELP if is_downloaded(name) else None
    pressed = button.button(_title(name), key=f"sample-{name}", width="stretch", help=help_)
    about.markdown(page_texts.SAMPLES[name])
    if pressed:
        _take_sample(state, name)
        st.rerun()


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _take_sample(state: SessionState, name: str) -> None:
    try:
        with st.spinner(f"{'Fetching' if is_downloaded(name) else 'Reading'} {_title(name)} …"):
            sample = load_sample(name)
    except InputError as error:
        state.refuse(str(error))
        return
    table = Table.of(sample.frame)
    state.use(
        LoadedTable(
            f"sample {name}",
            table,
            profile_columns(table, AuditSettings(target=sample.target)),
            AuditSettings(**{option: getattr(sample, option) for option in BY_SAMPLES}),
            source=f"{SAMPLE_PREFIX}{name}",
            description=sample.description,
            fingerprint=rows_fingerprint(sample.frame),
        )
    )
