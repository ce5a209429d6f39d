"""A table of the result, as streamlit draws it."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.elements.lib.column_types import ColumnConfig

from evencover.core import AuditResult

from ...wording.predictors import Predictor, predictors
from ...wording.rows import Row, with_titles
from ...wording.tables import Column, TableSpec


def show_table(result: AuditResult, spec: TableSpec) -> None:
    """Draw a table; fields that are not in its columns can be shown by the toolbar."""
    st.dataframe(**drawn(spec, spec.rows(result), predictors(result)))


def drawn(spec: TableSpec, rows: Sequence[Row], given: Sequence[Predictor]) -> dict[str, Any]:
    """Return how streamlit is to draw rows; what does not apply is an empty cell."""
    table = pd.DataFrame(with_titles(rows, given))
    lists = [name for name in table if any(isinstance(cell, list) for cell in table[name])]
    return {
        "data": table.drop(columns=lists).dropna(axis="columns", how="all"),
        "hide_index": True,
        "width": "stretch",
        "placeholder": "",
        "column_order": [column.key for column in spec.shown(rows, given, spec.page_to)],
        "column_config": {column.key: _config(column) for column in spec.shown(rows, given)},
    }


def _config(column: Column) -> ColumnConfig:
    help_ = column.help or None
    if not column.form:
        return st.column_config.Column(column.title, help=help_)
    return st.column_config.NumberColumn(column.title, format=column.form, help=help_)
