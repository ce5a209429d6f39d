"""A table of the result, with words for its columns: the same words as in the report."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from ...wording.tables import Column


def show_worded(table: pd.DataFrame, columns: Mapping[str, Column]) -> None:
    """Draw the columns that have words, in their order; the others can be shown by the toolbar."""
    st.dataframe(table, **wording(table, columns))


def wording(table: pd.DataFrame, columns: Mapping[str, Column]) -> dict[str, Any]:
    """Return how streamlit is to draw a table's columns; what does not apply is an empty cell."""
    return {
        "hide_index": True,
        "width": "stretch",
        "placeholder": "",
        "column_order": [name for name in columns if name in table.columns],
        "column_config": {name: _config(column) for name, column in columns.items()},
    }


def _config(column: Column) -> ColumnConfig:
    help_ = column.help or None
    if not column.form:
        return st.column_config.Column(column.name, help=help_)
    return st.column_config.NumberColumn(column.name, format=column.form, help=help_)
