"""How every page draws a choice, a chart and a table of the result."""

import html
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from pandas.api.types import is_float_dtype, is_scalar
from pandas.io.formats.style import Styler
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditResult

from ...figures import in_words
from ...wording.predictors import Predictor, predictors
from ...wording.rows import Row, with_titles
from ...wording.tables import TableSpec, cell_text

_Option = TypeVar("_Option")

pd.set_option("styler.render.max_elements", sys.maxsize)
"""Else streamlit refuses large tables that say how they are written."""


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
    """Return how streamlit is to draw rows; what does not apply is an empty cell.

    Fields that hold several values are left out.
    """
    columns = spec.shown(rows, given)
    table = pd.DataFrame(with_titles(rows, given)).dropna(axis="columns", how="all")
    single = table.loc[:, [all(map(is_scalar, table[name])) for name in table]]
    return {
        "data": written(single, {one.key: one.form for one in columns}),
        "hide_index": True,
        "width": "stretch",
        "placeholder": "",
        "column_order": [column.key for column in spec.shown(rows, given, spec.page_to)],
        "column_config": {
            column.key: st.column_config.Column(column.title, help=column.help or None)
            for column in columns
        },
    }


def written(table: pd.DataFrame, forms: Mapping[str, str]) -> Styler:
    """Return a table whose figures are written as everywhere, whatever a browser's language.

    They are sorted as numbers. For forms see :func:`cell_text`; a figure without one is a "number".
    """
    texts: dict[Any, str | Callable[[object], str] | None] = {}
    for name in table:
        form = "number" if is_float_dtype(table[name]) else ""
        texts[name] = partial(cell_text, form=forms.get(str(name), form))
    return table.style.format(texts)
