"""Guide: all that there is to say, a chapter at a time."""

from functools import partial

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
    right.markdown(guide.drawn(title), width=800)  # of longer lines the next is hard to find
    if title != titles[-1]:
        following = {CHAPTER: titles[titles.index(title) + 1]}
        go_on = partial(st.session_state.update, following)
        place.button("Next chapter", type="primary", width="stretch", on_click=go_on)
