"""The results of a run: before and after, coefficients, layers, segments, downloads."""

import math

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import AuditResult
from evencover.core.events import BaseMeasured
from evencover.core.result import Repeats, ResultRow, SegmentName

from .. import texts
from ..exports import to_csv_zip, to_json_text, to_tables
from ..figures import feature_order, segment_figure, shrinkage_figure
from ..figures.style import NAMES
from ..texts import plain
from ..verdict import verdict
from .layers import show_layers

FEATURES_SHOWN = 30


def inefficiency_name(task: str) -> str:
    """Return what inefficiency is for a task, in words."""
    return "mean width (standardised)" if task == "regression" else "mean set size"


def size_name(task: str) -> str:
    """Return what inefficiency in the label's own units is for a task, in words."""
    return "mean width, label's units" if task == "regression" else "mean set size"


def show_results(result: AuditResult) -> None:
    """Draw everything a finished run found."""
    _show_verdict(result)
    names = ["Before and after", "Coefficients", "Layers", "Segments", "Data and notes"]
    if result.repeats is not None:
        names.append("Repeats")
    overview, coefficients, layers, segments, data, *repeats = st.tabs(names)
    with overview:
        _show_overview(result)
    with coefficients:
        _show_coefficients(result)
    with layers:
        _show_layers(result)
    with segments:
        _show_segments(result)
    with data:
        _show_data(result)
    if result.repeats is not None:
        with repeats[0]:
            _show_repeats(result.repeats)
    _show_downloads(result)


def _show_verdict(result: AuditResult) -> None:
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
    st.info(" ".join([*map(plain, result.findings), verdict(result)]))


def _show_metric(column: DeltaGenerator, name: str, value: str, detail: str) -> None:
    column.metric(name, value, detail, delta_color="off", delta_arrow="off")


def _figure(value: float) -> str:
    return "infinite" if math.isinf(value) else f"{value:,.4g}" if value < 1e3 else f"{value:,.0f}"  # noqa: PLR2004


def _change(before: float, after: float) -> str:
    known = before > 0.0 and math.isfinite(before) and math.isfinite(after)
    return f", {after / before - 1.0:+.1%}" if known else ""


def _show_overview(result: AuditResult) -> None:
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
        "DCV corrected": row.dcv_corrected,
        "from": row.dcv_corrected_low,
        "to": row.dcv_corrected_high,
        "p-value": row.p_value,
        "DCV: level": row.dcv_level,
        "DCV: spread": row.dcv_spread,
        "parameters": row.parameters,
    }


def _show_coefficients(result: AuditResult) -> None:
    st.markdown(texts.ABOUT_COEFFICIENTS)
    features = feature_order(result.coefficients)
    first = 0
    if len(features) > FEATURES_SHOWN:
        starts = range(0, len(features), FEATURES_SHOWN)
        first = st.selectbox(
            "Features by size",
            starts,
            format_func=lambda s: f"{s + 1} to {min(s + FEATURES_SHOWN, len(features))}",
            key="features-shown",
        )
    shown = features[first : first + FEATURES_SHOWN]
    sets: tuple[SegmentName, SegmentName] = ("training", "test")
    for column, segment in zip(st.columns(2), sets, strict=True):
        column.plotly_chart(
            shrinkage_figure(result.coefficients, shown, segment),
            width="stretch",
            theme=None,
            key=f"shrinkage-{segment}",
        )
    with st.expander("As a table"):
        st.dataframe(to_tables(result)["coefficients"], hide_index=True, width="stretch")


def _show_layers(result: AuditResult) -> None:
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


def _show_segments(result: AuditResult) -> None:
    st.markdown(texts.ABOUT_SEGMENTS)
    variables = list(dict.fromkeys(row.variable for row in result.segments))
    failing = [row.variable for row in result.failing_segments()]
    variables.sort(key=lambda name: failing.index(name) if name in failing else len(failing))
    variable = st.selectbox(
        "Variable, largest shortfall or excess in rows first",
        variables,
        format_func=lambda name: f"{name} (clearly off before: {failing.count(name)})",
        key="segment-variable",
    )
    rows = [row for row in result.segments if row.variable == variable]
    st.plotly_chart(
        segment_figure(rows, result.settings["cl"]),
        width="stretch",
        theme=None,
        key="segment-chart",
    )
    everything = st.checkbox(f"Table of {texts.ALL_VARIABLES}", key="segment-all")
    table = to_tables(result)["segments"]
    st.dataframe(
        table if everything else table[table["variable"] == variable],
        hide_index=True,
        width="stretch",
        column_config={
            name: st.column_config.NumberColumn(format="%.3f")
            for name in table.columns
            if name not in ("variable", "value", "n")
        },
    )


def _show_data(result: AuditResult) -> None:
    data = result.data
    st.markdown(
        f"{data.rows} rows, of which {data.train} for training, {data.calibration} for calibration "
        f"and {data.test} for test. Features: {plain(', '.join(data.features))}."
    )
    for note in result.notes:
        st.markdown(f"- {plain(note)}")
    if data.dropped:
        st.dataframe(pd.DataFrame(data.dropped), hide_index=True, width="stretch")
    st.caption(f"Seed {result.settings['seed']}, {result.seconds.total:.1f} s in all.")


def _show_repeats(repeats: Repeats) -> None:
    st.markdown(texts.ABOUT_REPEATS)
    st.markdown(
        f"Seeds {', '.join(map(str, repeats.seeds))}; layers {repeats.layers_mean:.2f} ± "
        f"{repeats.layers_sd:.2f}."
    )
    for rows in (repeats.results, repeats.segments, repeats.coefficients):
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")


def _show_downloads(result: AuditResult) -> None:
    left, right = st.columns(2)
    left.download_button(
        "Download JSON",
        to_json_text(result),
        file_name="evencover.json",
        mime="application/json",
        on_click="ignore",
        width="stretch",
    )
    right.download_button(
        "Download tables (CSV)",
        to_csv_zip(result),
        file_name="evencover-tables.zip",
        mime="application/zip",
        on_click="ignore",
        width="stretch",
    )
