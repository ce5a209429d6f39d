"""The field's other measures of conditional coverage, beside DCV."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult

from .. import texts
from ..exports import to_table
from ..figures.style import NAMES


def show_other_measures(result: AuditResult) -> None:
    """Draw excess risks, worst-slab and size-stratified coverage of the test rows."""
    st.subheader("Other measures, on test rows")
    st.markdown(texts.ABOUT_OTHER_MEASURES)
    rows = to_table(result, "results").query("segment == 'test'")
    columns = {field: name for field, (name, _, _) in texts.OTHER_MEASURES.items()}
    st.dataframe(
        pd.DataFrame({"predictor": rows["algorithm"].map(NAMES)}).join(
            rows[list(columns)].rename(columns=columns)
        ),
        hide_index=True,
        width="stretch",
        placeholder="",
        column_config={
            name: st.column_config.NumberColumn(format=text, help=help_)
            for name, text, help_ in texts.OTHER_MEASURES.values()
        },
    )
