"""The verdict, and the figures before and after."""

import math

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditResult
from evencover.core.result import ResultRow

from .. import texts
from ..figures.style import NAMES
from ..texts import plain, size_name
from ..verdict import verdict


def show_verdict(result: AuditResult) -> None:
    """Draw the three figures that matter, and what they say."""
    base, after = result.row("test", "base"), result.row("test", "ifacm")
    accuracy, size, dcv = st.columns(3)
    _show_metric(
        accuracy,
        "Test accuracy after IFACM",
        f"{after.accuracy:.1%}",
        f"before {base.accuracy:.1%}",
    )
    _show_metric(
        size,
        f"Test {size_name(result.settings['task'])}",
        _figure(after.inefficiency_original_units),
        f"before {_figure(base.inefficiency_original_units)}"
        + _change(base.inefficiency_original_units, after.inefficiency_original_units),
    )
    _show_metric(
        dcv,
        "Test DCV",
        f"{after.dcv:.4f}",
        f"floor {after.dcv_floor:.4f}; before {base.dcv:.4f}, floor {base.dcv_floor:.4f}",
    )
    st.info("\n\n".join([*map(plain, result.findings), verdict(result)]))


def _show_metric(column: DeltaGenerator, name: str, value: str, detail: str) -> None:
    column.metric(name, value, detail, delta_color="off", delta_arrow="off")


def _figure(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:,.4g}" if value < 1e3 else f"{value:,.0f}"  # noqa: PLR2004


def _change(before: float, after: float) -> str:
    known = before > 0.0 and math.isfinite(before) and math.isfinite(after)
    return f", {after / before - 1.0:+.1%}" if known else ""


def show_overview(result: AuditResult) -> None:
    """Draw the figures before and after, on training and test rows."""
    st.dataframe(
        pd.DataFrame([_overview_row(row) for row in result.results]),
        hide_index=True,
        width="stretch",
        column_config={
            name: st.column_config.NumberColumn(format=text, help=help_)
            for name, (text, help_) in texts.OVERVIEW_COLUMNS.items()
        },
    )
    st.markdown(texts.ABOUT_DCV)


def _overview_row(row: ResultRow) -> dict[str, str | float | None]:
    return {
        "rows": row.segment,
        "predictor": NAMES[row.algorithm],
        "accuracy": row.accuracy,
        "inefficiency": row.inefficiency,
        "in label's units": row.inefficiency_original_units,
        "DCV": row.dcv,
        "floor": row.dcv_floor,
        "floor unadjusted": row.dcv_floor_unadjusted,
        "p-value": row.p_value,
        "DCV corrected": row.dcv_corrected,
        "from": row.dcv_corrected_low,
        "to": row.dcv_corrected_high,
        "DCV: level": row.dcv_level,
        "DCV: spread": row.dcv_spread,
        "parameters": row.parameters,
    }
