"""The dashboard: eight pages, from the data to the export, then Predict, Watch, Learn and Guide.

Run by streamlit as a script, hence the absolute imports.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from evencover.core.messages import shown
from evencover.dashboard.figures.style import ALONG
from evencover.dashboard.pages.heading import PAGES
from evencover.dashboard.pages.reruns import share_contents, spare_imports
from evencover.dashboard.pages.session import session
from evencover.dashboard.wording import page_texts
from evencover.dashboard.wording.formatting import plain

_FOLDER = Path(__file__).parent
_STYLE = (_FOLDER / "style.css").read_text(encoding="utf-8")
_SCRIPT = (_FOLDER / "history.js").read_text(encoding="utf-8") + ALONG


def main() -> None:
    """Draw the page that the address names."""
    share_contents()
    unknown = _unknown_page()
    page = st.navigation([page.in_navigation() for page in PAGES], position="top")
    st.set_page_config(
        page_title=f"{page.title} · {page_texts.TITLE}",
        page_icon="⚖️",
        layout="wide",
        initial_sidebar_state="collapsed",
    )
    st.html(f"<style>{_STYLE}</style>")
    st.html(f"<script>{_SCRIPT}</script>", unsafe_allow_javascript=True)
    st.html(f'<p class="server-gone" role="alert">{page_texts.SERVER_GONE}</p>')
    state = session()
    state.take_up_what_is_read()
    state.keep_address()
    state.keep_watched()
    for told in filter(None, (unknown, state.lost)):
        st.error(plain(told))
    page.run()
    spare_imports()


def _unknown_page() -> str | None:
    """Return what is said of an address that no page has, in place of streamlit's dialog."""
    context = get_script_run_ctx()
    name = None if context is None else context.pages_manager.intended_page_name
    if context is None or not name or name in {page.title.lower() for page in PAGES[1:]}:
        return None
    context.pages_manager.set_script_intent("", "")  # the first page's
    return page_texts.NO_PAGE.format(shown(name)) if name != PAGES[0].title.lower() else None


main()
