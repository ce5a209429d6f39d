"""The accepted layers, growing or complete: their path and their table."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.events import BaseMeasured, LayerAccepted

from .. import texts
from ..figures import path_figure
from ..texts import inefficiency_name

_FORMATS = {
    "gamma": "%.5f",
    "delta": "%.5f",
    "dcv": "%.5f",
    "inefficiency": "%.4f",
    "objective": "%.5f",
    "seconds": "%.2f",
}


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
        st.dataframe(
            pd.DataFrame(layers),
            hide_index=True,
            width="stretch",
            column_config={
                name: st.column_config.NumberColumn(format=text) for name, text in _FORMATS.items()
            },
        )


def show_path(result: AuditResult) -> None:
    """Draw the same of a finished run, with what it means."""
    st.markdown(texts.ABOUT_LAYERS)
    base = result.row("training", "base")
    show_layers(
        BaseMeasured(base.dcv, base.inefficiency),
        result.iterations,
        inefficiency_name(result.settings["task"]),
        key="path",
    )
    if not result.iterations:
        st.info("No layer was accepted: after is as before.")
