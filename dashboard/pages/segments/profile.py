"""Coverage along a variable, more finely than by its segments."""

import streamlit as st

from evencover.core.exploration import coverage_along

from ...figures.profile import along_figure
from ...wording import exploration_texts
from ...wording.formatting import plain
from ...wording.predictors import predictors
from ...wording.rows import fields_of
from ..filtered_result import LookedAt


def show_along(look: LookedAt, variable: str) -> None:
    """Draw the chart of the rows that the filter leaves."""
    if look.n == 0:
        st.info(exploration_texts.NOTHING_LEFT)
        return
    found = coverage_along(look.objects, variable, look.where)
    st.plotly_chart(
        along_figure(found, predictors(look.result), look.result.settings["cl"]),
        width="stretch",
        theme=None,
        key="along-chart",
    )
    shown = exploration_texts.what_is_shown(look.filter.words(), look.n)
    st.caption(f"{shown} {exploration_texts.ABOUT_ALONG if found.kind != 'category' else ''}")
    for band in found.bands:
        if band.middle is None and found.kind != "category":
            coverage = exploration_texts.coverage_in_words(fields_of(band), predictors(look.result))
            st.caption(f"{plain(band.value)}: {coverage}")
