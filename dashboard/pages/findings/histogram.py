"""The histogram of p(x), of the rows that the filter leaves."""

import streamlit as st

from evencover.core import AuditResult
from evencover.core.coverage.histogram import probability_bins

from ...figures.histogram import probability_figure
from ...wording import exploration_texts
from ...wording.predictors import predictors
from ...wording.rows import reference_row
from ..filtered_result import LookedAt


def show_histogram(result: AuditResult, look: LookedAt | None) -> None:
    """Draw how p(x) is spread, by each predictor."""
    st.subheader("Estimated probability of a correct set")
    bins = result.probabilities
    if look is not None and look.where is not None:
        if look.n == 0:
            st.info(exploration_texts.NOTHING_LEFT)
            return
        bins = probability_bins(
            {name: sets.probability[look.where] for name, sets in look.objects.sets.items()}
        )
    st.plotly_chart(
        probability_figure(bins, predictors(result), reference_row(result), result.settings["cl"]),
        width="stretch",
        theme=None,
        key="probabilities",
    )
    words, n = ("", result.data.test) if look is None else (look.filter.words(), look.n)
    st.caption(f"{exploration_texts.what_is_shown(words, n)} {exploration_texts.ABOUT_HISTOGRAM}")
