"""The dashboard: eight pages, from the data to the export, then Predict, Watch, Learn and Guide.

Run by streamlit as a script, hence the absolute imports.
"""

from pathlib import Path

import streamlit as st

from evencover.dashboard.figures.style import ALONG
from evencover.dashboard.pages.heading import PAGES
from evencover.dashboard.pages.reruns import share_contents, spare_imports
from evencover.dashboard.pages.session import session
from evencover.dashboard.wording import page_texts

_FOLDER = Path(__file__).parent
_STYLE = (_FOLDER / "style.css").read_text(encoding="utf-8")
_SCRIPT = (_FOLDER / "history.js").read_text(encoding="utf-8") + ALONG


def main() -> None:
    """Draw the page that the address names."""
    share_contents()
    page = st.navigation([page.in_navigation() for page in PAGES], position="top")
    st.set_page_config(
        page_title=f"{page.title} · {page_texts.TITLE}",
        page_icon="⚖️",
        layout="wide",
        initial_sidebar_state="collapsed",
    )
    st.html(f"<style>{_STYLE}</style>")
    st.html(f"<script>{_SCRIPT}</script>", unsafe_allow_javascript=True)
    state = session()
    state.take_up_what_is_read()
    state.keep_address()
    state.keep_watched()
    page.run()
    spare_imports()


main()
