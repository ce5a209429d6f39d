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
from ...wording.tables import Column, TableSpec, cell_text

_Option = TypeVar("_Option")

_FORMS = {"percent": "%.1f %%", "number": "localized"}
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
        if column.form == "percent":
            table[column.key] = 100.0 * table[column.key].astype("float64")
        elif column.form == "number":
            table[column.key] = [_rounded(value) for value in table[column.key]]
        elif column.form == "q":
            table[column.key] = [cell_text(value, "q") for value in table[column.key]]
    lists = [name for name in table if any(isinstance(cell, list) for cell in table[name])]
    return {
        "data": table.drop(columns=lists).dropna(axis="columns", how="all"),
        "hide_index": True,
        "width": "stretch",
        "placeholder": "",
        "column_order": [column.key for column in spec.shown(rows, given, spec.page_to)],
        "column_config": {column.key: _config(column) for column in spec.shown(rows, given)},
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _config(column: Column) -> ColumnConfig:
    help_ = column.help or None
    if column.form in ("", "q"):
        return st.column_config.Column(column.title, help=help_)
    form = _FORMS.get(column.form, column.form)
    return st.column_config.NumberColumn(column.title, format=form, help=help_)
