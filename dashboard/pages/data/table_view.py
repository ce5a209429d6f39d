"""The table in use: its size, what it is about, its first rows, and what each column is."""

import streamlit as st

from ...runs.loaded_table import LoadedTable
from ...wording.formatting import plain
from ..shared.heading import next_step
from ..steps import SETUP
from .column_profiles import draw_profiles

_ROWS_SHOWN = 5


def show_table(table: LoadedTable) -> None:
    """Draw the table and the way on."""
    rows, columns = table.frame.shape
    left, right = st.columns([3, 1], vertical_alignment="center")
    left.subheader(f"{plain(table.name)}: {rows:,} rows, {columns} columns")
    next_step(right, "Next: Setup", SETUP)
    if table.description is not None:
        st.markdown(table.description)
    st.markdown("**Its columns**")
    draw_profiles(table.profiles)
    st.markdown("**Its first rows**")
    st.dataframe(table.frame.head(_ROWS_SHOWN), hide_index=True, width="stretch")
