"""The choice of a table: a sample, or a file of one's own."""

import streamlit as st

from evencover.core import AuditSettings, InputError, parse_table
from evencover.core.preparation.column_profile import profile_columns
from evencover.core.preparation.roles import guess_label
from evencover.core.tables.fingerprint import bytes_fingerprint, rows_fingerprint
from evencover.sample_data import Sample, is_downloaded, load_sample, sample_names

from ...options.source import BY_SAMPLES, SAMPLE_PREFIX, file_source
from ...runs.loaded_table import LoadedTable
from ...wording import help_texts, page_texts
from ..session import SessionState
from .shared_settings import choose_shared_settings

_TYPES = ["csv", "tsv", "txt", "parquet", "xlsx", "xls", "ods", "gz", "zip"]
_HELP_DOWNLOAD = (
    "Published data, downloaded the first time you choose it (which needs a connection to the "
    "internet and may take a minute or two) and kept on this computer for later."
)


def choose_table(state: SessionState) -> None:
    """Draw the choice of a table and take up what is chosen."""
    own, samples = st.columns(2, gap="large")
    with own:
        st.subheader("Your own table")
        upload = st.file_uploader(
            "Your own file", type=_TYPES, help=help_texts.UPLOAD, key="table-file"
        )
        with st.expander("Settings from a file"):
            choose_shared_settings(state)
    with samples:
        st.subheader("or a sample")
        for name in sample_names():
            _offer(state, name)
    if upload is not None and upload.file_id != state.upload_id:
        state.upload_id = upload.file_id
        _take_upload(state, upload.name, upload.getvalue())
        st.rerun()


def take_wanted_sample(state: SessionState) -> None:
    """Take up at once the sample that settings from a link are for."""
    wanted = state.wanted.sample if state.wanted is not None else None
    if wanted is not None and state.table is None and state.problem is None:
        _take_sample(state, wanted)
        st.rerun()


def _offer(state: SessionState, name: str) -> None:
    button, told = st.columns([1, 2], vertical_alignment="center")
    help_ = _HELP_DOWNLOAD if is_downloaded(name) else None
    pressed = button.button(_title(name), key=f"sample-{name}", width="stretch", help=help_)
    told.markdown(page_texts.SAMPLES[name])
    if pressed:
        _take_sample(state, name)
        st.rerun()


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _take_upload(state: SessionState, name: str, content: bytes) -> None:
    try:
        frame = parse_table(content, name)
        choices = AuditSettings(target=guess_label(frame))
        profiles = profile_columns(frame, choices)
    except InputError as error:
        state.refuse(str(error))
    else:
        mark = bytes_fingerprint(content)
        source = file_source(name)
        state.use(LoadedTable(name, frame, profiles, choices, source=source, fingerprint=mark))


def _take_sample(state: SessionState, name: str) -> None:
    try:
        with st.spinner(f"{'Fetching' if is_downloaded(name) else 'Reading'} {_title(name)} …"):
            sample = load_sample(name)
    except InputError as error:
        state.refuse(str(error))
    else:
        profiles = profile_columns(sample.frame, AuditSettings(target=sample.target))
        state.use(
            LoadedTable(
                f"sample {name}",
                sample.frame,
                profiles,
                _choices(sample),
                source=f"{SAMPLE_PREFIX}{name}",
                description=sample.description,
                fingerprint=rows_fingerprint(sample.frame),
            )
        )


def _choices(sample: Sample) -> AuditSettings:
    return AuditSettings(**{name: getattr(sample, name) for name in BY_SAMPLES})
