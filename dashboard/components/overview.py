"""The figures before and after."""

import math

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditResult
from evencover.core.estimators import ESTIMATORS
from evencover.core.result import ResultRow

from .. import texts
from ..figures.style import NAMES
from ..texts import size_name

_ON_REQUEST = ("floor simulated", "p-value permuted")


def show_metrics(result: AuditResult) -> None:
    """Draw the three figures that matter."""
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
        _with_floor("floor {}; ", after)
        + f"before {base.dcv:.4f}"
        + _with_floor(", floor {}", base),
    )


def _with_floor(text: str, row: ResultRow) -> str:
    """Return text with the floor in it; nothing where there is no floor by formula."""
    return "" if row.dcv_floor is None else text.format(f"{row.dcv_floor:.4f}")


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
        pd.DataFrame([_overview_row(row) for row in result.results]).drop(
            columns=[name for name in _ON_REQUEST if not result.settings["permutations"]]
        ),
        hide_index=True,
        width="stretch",
        column_config={
            name: st.column_config.NumberColumn(format=text, help=help_)
            for name, (text, help_) in texts.OVERVIEW_COLUMNS.items()
        },
    )
    st.markdown(texts.ABOUT_DCV)
    if not ESTIMATORS[result.settings["estimator"]].maximum_likelihood:
        st.markdown(texts.ABOUT_OTHER_ESTIMATORS)
    if result.settings["permutations"]:
        st.markdown(texts.ABOUT_PERMUTATIONS)


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
        "floor simulated": row.dcv_floor_simulated,
        "p-value": row.p_value,
        "p-value permuted": row.p_value_permuted,
        "DCV corrected": row.dcv_corrected,
        "from": row.dcv_corrected_low,
        "to": row.dcv_corrected_high,
        "DCV cross-fitted": row.dcv_crossfitted,
        "DCV: level": row.dcv_level,
        "DCV: spread": row.dcv_spread,
        "parameters": row.parameters,
    }
