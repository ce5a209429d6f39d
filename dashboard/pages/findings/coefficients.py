"""How correctness depends on each feature, before and after."""

import streamlit as st

from evencover.core import AuditResult

from ...figures import shrinkage_figure
from ...wording import page_texts
from ...wording.predictors import predictors, worded
from ...wording.rows import feature_order, paired, subsets_of
from ...wording.tables import COEFFICIENTS, FEATURES_SHOWN
from ..shared.table import show_table


def show_coefficients(result: AuditResult) -> None:
    """Draw the coefficient charts, the largest features first."""
    given = predictors(result)
    st.markdown(worded(page_texts.ABOUT_COEFFICIENTS, given))
    rows = paired(result, "coefficients")
    features = feature_order(rows)
    first = 0
    if len(features) > FEATURES_SHOWN:
        starts = range(0, len(features), FEATURES_SHOWN)
        first = st.selectbox(
            "Features by size",
            starts,
            format_func=lambda s: f"{s + 1} to {min(s + FEATURES_SHOWN, len(features))}",
            key="features-shown",
            persist_state="session",
        )
    shown = features[first : first + FEATURES_SHOWN]
    for column, subset in zip(st.columns(2), subsets_of(rows), strict=False):
        column.plotly_chart(
            shrinkage_figure(rows, shown, subset, given),
            width="stretch",
            theme=None,
            key=f"shrinkage-{subset}",
        )
    with st.expander("As a table"):
        show_table(result, COEFFICIENTS)
