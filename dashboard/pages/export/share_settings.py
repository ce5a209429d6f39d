"""The run to repeat, and its settings to pass on: a command, a file and a link."""

import streamlit as st

from evencover.core import AuditSettings

from ...options.links import link, settings_text
from ...options.repeat_command import repeat_command
from ...wording import page_texts
from .downloads import offer


def show_passing_on(settings: AuditSettings, source: str, *, stopped: bool) -> None:
    """Draw the command that repeats the run, its settings as a file, and as a link.

    Parameters
    ----------
    stopped
        Whether the run was ended before its end, which the command does not repeat.
    """
    st.subheader("The same again")
    st.markdown(f"{page_texts.ABOUT_COMMAND_STOPPED}:" if stopped else page_texts.ABOUT_COMMAND)
    st.code(repeat_command(settings, source), language="sh", wrap_lines=True)
    offer(
        "Download settings",
        lambda: settings_text(settings, source),
        "evencover-settings.json",
        "application/json",
    )
    address = st.context.url
    if address is not None:
        st.markdown(page_texts.ABOUT_LINK)
        st.code(link(address, settings, source), language=None, wrap_lines=True)
