"""The settings to pass on: as a file, and as a link."""

import streamlit as st

from .. import texts
from ..links import link, settings_text
from ..runs import Run


def show_passing_on(run: Run, source: str) -> None:
    """Draw the settings file, and a link that brings the settings back."""
    st.subheader("The settings, again")
    st.markdown(texts.ABOUT_SETTINGS)
    st.download_button(
        "Download settings",
        settings_text(run.settings, source),
        file_name="evencover-settings.json",
        mime="application/json",
        on_click="ignore",
    )
    address = st.context.url
    if address is not None:
        st.markdown(texts.ABOUT_LINK)
        st.code(link(address, run.settings, source), language=None, wrap_lines=True)
