"""Step 1: a sample, or a file of one's own."""

import streamlit as st

from evencover.core import InputError, parse_table
from evencover.core.roles import profile_columns
from evencover.sample_data import available_samples, load_sample

from .. import texts
from ..state import LoadedTable, SessionState


def choose_table(state: SessionState) -> None:
    """Draw the choice of a table and take up what is chosen."""
    st.subheader("1. Table")
    upload = st.file_uploader(
        "Your own file", type=["csv", "tsv", "txt", "parquet"], help=texts.HELP_UPLOAD
    )
    if upload is not None and upload.file_id != state.upload_id:
        state.upload_id = upload.file_id
        _take_upload(state, upload.name, upload.getvalue())
    st.caption("or a sample")
    for name in available_samples():
        if st.button(name.replace("_", " ").capitalize(), key=f"sample-{name}", width="stretch"):
            _take_sample(state, name)


def _take_upload(state: SessionState, name: str, content: bytes) -> None:
    try:
        frame = parse_table(content, name)
    except InputError as error:
        state.refuse(str(error))
    else:
        state.use(LoadedTable(name, frame, profile_columns(frame)))


def _take_sample(state: SessionState, name: str) -> None:
    try:
        sample = load_sample(name)
    except InputError as error:
        state.refuse(str(error))
    else:
        profiles = profile_columns(sample.frame, sample.target)
        state.use(LoadedTable(f"sample {name}", sample.frame, profiles, sample))
