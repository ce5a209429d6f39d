"""The choice of one name among those of a registry."""

from collections.abc import Iterable

import streamlit as st


def choose_name(title: str, names: Iterable[str], chosen: str, *, key: str, help_: str) -> str:
    """Draw the choice and return it; ``chosen`` is what stands there at first."""
    options = list(names)
    return st.selectbox(
        title,
        options,
        index=options.index(chosen),
        key=key,
        help=help_,
        persist_state="session",
    )
