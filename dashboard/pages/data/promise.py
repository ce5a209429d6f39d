"""What an interval promises, in one picture."""

import streamlit as st

from evencover.sample_data.lessons.two_kinds import typical

from ...figures.lessons import promise_figure
from ...wording import page_texts
from ..shared.widgets import draw_chart
from ..shared.words import show_words
from ..steps import DATA

_LEVEL = 0.9


def show_promise() -> None:
    """Draw intervals of which 90 % hold their label, but not 90 % of either kind."""
    left, right = st.columns([2, 3], vertical_alignment="center")
    with left:
        st.markdown(page_texts.PROMISE)
        show_words(DATA.words)
    draw_chart(promise_figure(typical(_LEVEL)), "promise", right)
