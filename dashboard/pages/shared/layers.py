"""The accepted layers, growing or complete: their path and their table."""

from collections.abc import Sequence

import streamlit as st

from evencover.core import AuditResult
from evencover.core.events import BaseMeasured, LayerAccepted

from ...figures import layer_figures
from ...wording import page_texts
from ...wording.formatting import inefficiency_name
from ...wording.rows import fields_of, path_of
from ...wording.tables import LAYERS
from .table import drawn


def show_layers(
    base: BaseMeasured | None, layers: Sequence[LayerAccepted], inefficiency: str, *, key: str
) -> None:
    """Draw DCV and inefficiency after each layer, and the layers' parameters, a row for each."""
    figures = {} if base is None else layer_figures(base, layers, inefficiency)
    for column, (name, figure) in zip(st.columns(2), figures.items(), strict=False):
        column.plotly_chart(figure, width="stretch", theme=None, key=f"{key}-{name}")
    if layers:
        st.dataframe(**drawn(LAYERS, [fields_of(layer) for layer in layers], []))


def show_path(result: AuditResult) -> None:
    """Draw the same of a finished run, with what it means."""
    st.markdown(page_texts.ABOUT_LAYERS)
    path = path_of(result)
    if path is not None:
        show_layers(*path, inefficiency_name(result.settings["task"]), key="path")
    if not result.iterations:
        st.info("No layer was accepted: after is as before.")
