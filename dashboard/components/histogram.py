"""The histogram of p(x), of the rows that the filter leaves."""

import streamlit as st

from evencover.core.probability_bins import probability_bins

from .. import looking_texts
from ..figures.probabilities import probability_figure
from ..looked_at import LookedAt


def show_histogram(look: LookedAt) -> None:
    """Draw how p(x) is spread, before and after."""
    st.subheader("Estimated probability of a correct set")
    result, objects, where = look.result, look.objects, look.where
    if where is not None and look.n == 0:
        st.info(looking_texts.NOTHING_LEFT)
        return
    bins = result.probabilities
    if where is not None:
        bins = probability_bins(
            {
                "base": objects.base.probability[where],
                "ifacm": objects.adjusted.probability[where],
            }
        )
    st.plotly_chart(
        probability_figure(bins, result.results, result.settings["cl"]),
        width="stretch",
        theme=None,
        key="probabilities",
    )
    shown = looking_texts.what_is_shown(look.filter.words(), look.n)
    st.caption(f"{shown} {looking_texts.ABOUT_HISTOGRAM}")
