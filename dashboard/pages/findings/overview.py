"""The figures before and after."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.coverage.estimators import ESTIMATORS

from ...wording import page_texts
from ...wording.key_figures import key_figures
from ...wording.tables import overview_rows


def show_metrics(result: AuditResult) -> None:
    """Draw the three figures that matter."""
    figures = key_figures(result)
    for column, figure in zip(st.columns(len(figures)), figures, strict=True):
        column.metric(*figure, delta_color="off", delta_arrow="off")


def show_overview(result: AuditResult) -> None:
    """Draw the figures before and after, on training and test rows."""
    st.dataframe(
        pd.DataFrame(overview_rows(result)),
        hide_index=True,
        width="stretch",
        placeholder="",
        column_config={
            name: st.column_config.NumberColumn(format=text, help=help_)
            for name, (text, help_) in page_texts.OVERVIEW_COLUMNS.items()
        },
    )
    st.markdown(page_texts.ABOUT_DCV)
    if not ESTIMATORS[result.settings["estimator"]].maximum_likelihood:
        st.markdown(page_texts.ABOUT_OTHER_ESTIMATORS)
    if result.settings["permutations"]:
        st.markdown(page_texts.ABOUT_PERMUTATIONS)
