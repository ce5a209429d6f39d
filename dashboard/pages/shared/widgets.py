"""How every page draws a choice, a chart and a table of the result."""

import html
from collections.abc import Sequence
from typing import Any, TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.column_types import ColumnConfig

from evencover.core import AuditResult

from ...figures import in_words
from ...wording.predictors import Predictor, predictors
from ...wording.rows import Row, with_titles
from ...wording.tables import Column, TableSpec, cell_text, is_missing

_Option = TypeVar("_Option")

FORMS = {
    "percent": "%.1f %%",
    "points": "%+.1f points",
    "count": "localized",
    "number": "localized",
}
"""How streamlit is to write what it knows no form of C for."""


def choose_one(
    title: str,
    options: Sequence[_Option],
    key: str,
    *,
    first: _Option | None = None,
    place: DeltaGenerator | None = None,
    **more: Any,  # noqa: ANN401 - whatever streamlit takes
) -> _Option:
    """Draw a choice that stays while other pages are shown; without options it returns None."""
    draw = st.selectbox if place is None else place.selectbox
    index = options.index(first) if first in options else 0
    chosen: _Option = draw(title, options, index=index, key=key, persist_state="session", **more)
    return chosen


def draw_chart(
    figure: go.Figure,
    key: str,
    place: DeltaGenerator | None = None,
    **more: Any,  # noqa: ANN401 - whatever streamlit takes
) -> None:
    """Draw a chart in its own look, as wide as its place, with words for who does not see it."""
    within = st.container() if place is None else place
    within.html(f'<p class="read-out">{html.escape(in_words(figure))}</p>')
    within.plotly_chart(figure, width="stretch", theme=None, key=key, **more)


def show_table(result: AuditResult, spec: TableSpec) -> None:
    """Draw a table; fields that are not in its columns can be shown by the toolbar."""
    st.dataframe(**drawn(spec, spec.rows(result), predictors(result)))


def drawn(spec: TableSpec, rows: Sequence[Row], given: Sequence[Predictor]) -> dict[str, Any]:
    """Return how streamlit is to draw rows; what does not apply is an empty cell."""
    table = pd.DataFrame(with_titles(rows, given))
    for column in spec.shown(rows, given):
        table[column.key] = [_cell(value, column.form) for value in table[column.key]]
    lists = [name for name in table if any(isinstance(cell, list) for cell in table[name])]
    return {
        "data": table.drop(columns=lists).dropna(axis="columns", how="all"),
        "hide_index": True,
        "width": "stretch",
        "placeholder": "",
        "column_order": [column.key for column in spec.shown(rows, given, spec.page_to)],
        "column_config": {column.key: _config(column) for column in spec.shown(rows, given)},
    }


def _cell(value: Any, form: str) -> Any:  # noqa: ANN401 - of any field
    """Return a cell for streamlit to write: in percent or its digits, and never as minus zero."""
    text = cell_text(value, form)
    if form == "q":
        return text
    if not form or is_missing(value):
        return value
    if form == "number":
        return float(f"{value:.4g}")
    scale = 100.0 if form in ("percent", "points") else 1
    return 0.0 if value < 0 and not text.startswith("-") else scale * value


def _config(column: Column) -> ColumnConfig:
    help_ = column.help or None
    if column.form in ("", "q"):
        return st.column_config.Column(column.title, help=help_)
    form = FORMS.get(column.form, column.form)
    return st.column_config.NumberColumn(column.title, format=form, help=help_)
