"""The accepted layers, growing or complete: their path and their table."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evencover.core.events import BaseMeasured, LayerAccepted

from ..figures import path_figure

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
