"""The choice between before and after the adjustment."""

import streamlit as st

from evencover.core.segments.search.worst_segments import When

_NAMES: dict[When, str] = {"base": "before", "adjusted": "after"}


def choose_when(key: str) -> When:
    """Draw the choice and return it."""
    return st.radio(
        "Coverage",
        list(_NAMES),
        format_func=_NAMES.__getitem__,
        horizontal=True,
        key=f"when-{key}",
        persist_state="session",
    )
