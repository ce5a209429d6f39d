"""Settings from a file or link, before there is a table for them."""

import streamlit as st

from evencover.core import InputError
from evencover.core.messages import shown

from ...options.links import read_text
from ...wording import help_texts, page_texts
from ...wording.formatting import plain
from ..session import SessionState


def choose_shared_settings(state: SessionState) -> None:
    """Draw the choice of a settings file, and take up what is chosen."""
    upload = st.file_uploader(
        "Settings file", type=["json"], help=help_texts.SETTINGS_FILE, key="settings-file"
    )
    if upload is None or upload.file_id == state.settings_id:
        return
    state.settings_id = upload.file_id
    try:
        state.want(read_text(upload.getvalue(), upload.name))
    except InputError as error:
        state.refuse_settings(str(error))
    st.rerun()


def show_wanted(state: SessionState) -> None:
    """Say for which table there are settings, as long as they wait for it."""
    if state.wanted is None:
        return
    source = state.wanted.source
    of_what = "another table" if source is None else f"a table called {shown(source)}"
    told, button = st.columns([3, 1], vertical_alignment="center")
    told.info(plain(page_texts.SETTINGS_WAIT.format(of_what)))
    if button.button("Forget these settings", width="stretch"):
        state.forget_wanted()
        st.rerun()
