"""The dashboard: six pages, from the data to the export, and one to learn.

Run by streamlit as a script, hence the absolute imports.
"""

import streamlit as st

from evencover.dashboard.pages.gc_freeze import spare_imports
from evencover.dashboard.pages.session import session
from evencover.dashboard.pages.steps import PAGES
from evencover.dashboard.pages.uploaded_files import share_contents
from evencover.dashboard.wording import page_texts

_CLOSE = """<style>
[data-testid="stMainBlockContainer"] {padding-top: 4.25rem;}
[data-testid="stMainBlockContainer"] h1 {padding: 0 0 0.5rem 0; font-size: 2.25rem;}
[data-testid="stMetric"] * {white-space: normal !important;}
[data-testid="stFileChip"] {flex-wrap: wrap; max-width: none; height: auto;}
[data-testid="stFileChip"] [role="alert"] {
    position: static; width: auto; height: auto; clip: auto; clip-path: none; overflow: visible;
}
</style>"""  # less room above, so that findings are on one screen; why a file is refused is seen


def main() -> None:
    """Draw the page that the address names."""
    share_contents()
    page = st.navigation(
        [st.Page(step.file, title=step.title, url_path=step.title.lower()) for step in PAGES],
        position="top",
    )
    st.set_page_config(
        page_title=f"{page.title} · {page_texts.TITLE}",
        page_icon="⚖️",
        layout="wide",
        initial_sidebar_state="collapsed",
    )
    st.html(_CLOSE)
    state = session()
    state.take_up_what_is_read()
    state.keep_address()
    page.run()
    spare_imports()


main()
