"""The table of accepted layers, growing or complete."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from evencover.core.events import LayerAccepted

_FORMATS = {
    "gamma": "%.5f",
    "delta": "%.5f",
    "dcv": "%.5f",
    "inefficiency": "%.4f",
    "objective": "%.5f",
    "seconds": "%.2f",
}


def show_layers(layers: Sequence[LayerAccepted]) -> None:
    """Draw the layers' parameters and training figures, a row for each."""
    st.dataframe(
        pd.DataFrame(layers),
        hide_index=True,
        width="stretch",
        column_config={
            name: st.column_config.NumberColumn(format=text) for name, text in _FORMATS.items()
        },
    )
