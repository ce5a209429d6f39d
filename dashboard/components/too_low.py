"""The groups whose coverage is clearly too low, before or after."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.headline import segment_in_words

from .. import texts
from ..report.cells import Column
from .worded_table import show_worded

_COLUMNS = {
    "group": Column("group"),
    "n": Column("test rows", "%d"),
    "accuracy_base": Column("before", "percent", "Share of sets that hold the true label."),
    "accuracy_adjusted": Column("after", "percent", "The same after the adjustment."),
    "low_base": Column("likely from, before", "percent", "Ends of Wilson's 95 % interval."),
    "high_base": Column("to, before", "percent"),
    "low_adjusted": Column("likely from, after", "percent", "The same after the adjustment."),
    "high_adjusted": Column("to, after", "percent"),
    "q_value_base": Column("q, before", "%.2g", "Up to 0.05 it is unlikely to be chance."),
    "q_value_adjusted": Column("q, after", "%.2g"),
}


def show_too_low(result: AuditResult) -> None:
    """Draw them as a table, most rows missed before first; nothing where there are none."""
    before, after = result.too_low(), result.too_low("adjusted")
    rows = [*before, *(row for row in after if row not in before)]
    if not rows:
        return
    st.subheader("Groups with clearly too little coverage")
    st.caption(texts.ABOUT_TOO_LOW)
    fields = [name for name in _COLUMNS if name != "group"]
    table = pd.DataFrame([{name: getattr(row, name) for name in fields} for row in rows])
    table.insert(0, "group", [segment_in_words(row) for row in rows])
    show_worded(table, _COLUMNS)
