"""How unequal coverage is over the segments of each variable, and by the size of the sets."""

from dataclasses import asdict

import pandas as pd
import streamlit as st

from evencover.core import AuditResult

from ...wording import page_texts
from ...wording.page_texts import NAMES
from ...wording.tables import SIZE_STRATA
from ..shared.table import show_worded

_SHOWN = (
    *("variable", "reference", "gap_segment_base", "gap_base", "gap_low_base", "gap_high_base"),
    *("gap_segment_adjusted", "gap_adjusted", "gap_low_adjusted", "gap_high_adjusted"),
    *("lowest_base", "lowest_adjusted"),
)
"""Fields that fit on a page; the toolbar shows the others, too."""


def show_gaps(result: AuditResult) -> None:
    """Draw for each variable the gap between its segments, largest before first."""
    st.markdown(page_texts.ABOUT_GAPS)
    columns = {field: name for field, (name, _) in page_texts.GAP_COLUMNS.items()}
    table = pd.DataFrame([asdict(row) for row in result.gaps])
    largest_first = table["gap_base"].abs().sort_values(ascending=False, kind="stable").index
    st.dataframe(
        table.loc[largest_first, list(columns)].rename(columns=columns),
        hide_index=True,
        width="stretch",
        placeholder="",
        column_order=[columns[field] for field in _SHOWN],
        column_config={
            name: st.column_config.NumberColumn(format="%.3f", help=help_)
            for field, (name, help_) in page_texts.GAP_COLUMNS.items()
            if pd.api.types.is_float_dtype(table[field])
        },
    )


def show_size_strata(result: AuditResult) -> None:
    """Draw accuracy by the size of the prediction sets."""
    st.markdown(page_texts.ABOUT_SIZE_STRATA)
    table = pd.DataFrame([asdict(row) for row in result.size_strata])
    show_worded(table.assign(algorithm=table["algorithm"].map(NAMES)), SIZE_STRATA)
