"""Guide: all that there is to say, a chapter at a time."""

import streamlit as st

from .. import guide
from .heading import GUIDE, heading

CHAPTER = "chapter"  # of the page's address


def main() -> None:
    """Draw the choice of a chapter, the chapter, and beside the heading the way to the next."""
    place, titles = heading(GUIDE), list(guide.chapters())
    left, right = st.columns([1, 3], gap="large")
    title = left.radio(
        "Chapter", titles, 0, key=CHAPTER, bind="query-params", persist_state="session"
    )
    right.markdown(guide.drawn(title))
    if title != titles[-1]:
        to = [titles[titles.index(title) + 1]]
        place.button("Next chapter", type="primary", width="stretch", on_click=_go, args=to)


def _go(title: str) -> None:
    st.session_state[CHAPTER] = title
