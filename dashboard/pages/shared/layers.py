"""The accepted layers, growing or complete: their path and their table."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.events import BaseMeasured, LayerAccepted

from ...figures import path_figure
from ...wording import page_texts
from ...wording.page_texts import inefficiency_name
from ...wording.tables import LAYERS
from .table import show_worded


def show_layers(
    base: BaseMeasured, layers: Sequence[LayerAccepted], inefficiency: str, *, key: str
) -> None:
    """Draw DCV and inefficiency after each layer, and the layers' parameters, a row for each."""
    steps: list[BaseMeasured | LayerAccepted] = [base, *layers]
    paths = {
        "training DCV": [step.dcv for step in steps],
        f"training {inefficiency}": [step.inefficiency for step in steps],
    }
    for column, (name, values) in zip(st.columns(2), paths.items(), strict=True):
        column.plotly_chart(
            path_figure(values, name), width="stretch", theme=None, key=f"{key}-{name}"
        )
    if layers:
        show_worded(pd.DataFrame(layers), LAYERS)


def show_path(result: AuditResult) -> None:
    """Draw the same of a finished run, with what it means."""
    st.markdown(page_texts.ABOUT_LAYERS)
    base = result.row("training", "base")
    show_layers(
        BaseMeasured(base.dcv, base.inefficiency),
        result.iterations,
        inefficiency_name(result.settings["task"]),
        key="path",
    )
    if not result.iterations:
        st.info("No layer was accepted: after is as before.")
