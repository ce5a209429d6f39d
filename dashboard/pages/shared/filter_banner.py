"""The active filter, on top of the pages that it is for: what it leaves, and ways out of it."""

import streamlit as st

from ...wording import exploration_texts
from ...wording.formatting import plain
from ...wording.predictors import predictors
from ...wording.rows import fields_of
from ..filter import Filter
from ..filtered_result import LookedAt
from ..session import SessionState

_STAYS = """<style>
div:has(> .st-key-filter) {position: sticky; top: 3.75rem; z-index: 90;}
.st-key-filter {background: #FFF6E8; max-height: 30vh; overflow: auto;}
[data-testid="stMain"] {scroll-padding-top: 30vh;}
</style>"""
"""The banner stays in sight while the page is scrolled; what is scrolled to stays below it."""


def show_filter(state: SessionState, look: LookedAt) -> None:
    """Draw the filter."""
    if not look.filter:
        st.caption(exploration_texts.NO_FILTER.format(n=look.n))
        return
    st.html(_STAYS)
    are_intervals = look.objects.task == "regression"
    figures, given = fields_of(look.figures), predictors(look.result)
    coverage = exploration_texts.coverage_in_words(figures, given)
    sizes = exploration_texts.sizes_in_words(figures, given, are_intervals=are_intervals)
    with st.container(key="filter", border=True, gap="small"):
        st.markdown(
            f"**Filter: {plain(look.filter.words())}**  \n"
            f"{coverage}{' · ' + sizes if sizes else ''}"
        )
        with st.container(horizontal=True, gap="small"):
            if st.button("Clear filter", key="clear-filter"):
                _use(state, Filter())
            for place, part in enumerate(look.filter.parts if len(look.filter.parts) > 1 else ()):
                if st.button(f"Remove: {plain(part.words)}", key=f"remove-part-{place}"):
                    _use(state, look.filter.without(part))


def _use(state: SessionState, chosen: Filter) -> None:
    state.filter = chosen
    state.clicks += 1
    st.rerun()
