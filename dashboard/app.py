"""The dashboard: six pages, from the data to the export.

Run by streamlit as a script, hence the absolute imports.
"""

import streamlit as st

from evencover.dashboard import texts
from evencover.dashboard.spared import spare_imports
from evencover.dashboard.state import session
from evencover.dashboard.steps import STEPS


def main() -> None:
    """Draw the page that the address names."""
    page = st.navigation([st.Page(step.file, title=step.title) for step in STEPS], position="top")
    st.set_page_config(
        page_title=f"{page.title} · {texts.TITLE}",
        page_icon="⚖️",
        layout="wide",
        initial_sidebar_state="collapsed",
    )
    session().keep_address()
    page.run()
    spare_imports()


main()
