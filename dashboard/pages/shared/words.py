"""What the terms of a page mean, in a click."""

from collections.abc import Sequence

import streamlit as st

from ...wording.formatting import plain
from ...wording.glossary import GLOSSARY


def show_words(terms: Sequence[str]) -> None:
    """Draw what opens their meanings."""
    if terms:
        with st.popover("Words on this page"):
            for term in terms:
                st.markdown(f"**{plain(term)}**: {plain(GLOSSARY[term])}")
