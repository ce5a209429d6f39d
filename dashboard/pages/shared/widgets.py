"""How every page draws a choice, a chart, a table of the result, and the path of the layers."""

from collections.abc import Sequence
from typing import Any, TypeVar

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.column_types import ColumnConfig

from evencover.core import AuditResult
from evencover.core.events import BaseMeasured, LayerAccepted

from ...figures import layer_figures
from ...wording import page_texts
from ...wording.formatting import inefficiency_name, plain
from ...wording.predictors import Predictor, predictors
from ...wording.rows import Row, fields_of, path_of, why_no_layer, with_titles
from ...wording.tables import LAYERS, Column, TableSpec

_Option = TypeVar("_Option")


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
    """Draw a chart in its own look, as wide as its place."""
    draw = st.plotly_chart if place is None else place.plotly_chart
    draw(figure, width="stretch", theme=None, key=key, **more)


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


def show_layers(
    base: BaseMeasured | None, layers: Sequence[LayerAccepted], inefficiency: str, *, key: str
) -> None:
    """Draw DCV and inefficiency after each layer, and the layers' parameters, a row for each."""
    figures = {} if base is None else layer_figures(base, layers, inefficiency)
    for column, (name, figure) in zip(st.columns(2), figures.items(), strict=False):
        draw_chart(figure, f"{key}-{name}", column)
    if layers:
        st.dataframe(**drawn(LAYERS, [fields_of(layer) for layer in layers], []))


def show_path(result: AuditResult) -> None:
    """Draw the same of a finished run, with what it means."""
    st.markdown(page_texts.ABOUT_LAYERS)
    path = path_of(result)
    if path is not None:
        show_layers(*path, inefficiency_name(result.settings["task"]), key="path")
    if not result.iterations:
        st.info(plain(why_no_layer(result)))
