"""The results of a run: the verdict, a tab for each kind of figures, and downloads."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.events import BaseMeasured
from evencover.core.result import Repeats

from .. import texts
from ..exports import to_csv_zip, to_json_text
from ..texts import inefficiency_name, plain
from .audit_only import show_audit_only
from .coefficients import show_coefficients
from .layers import show_layers
from .other_measures import show_other_measures
from .overview import show_overview, show_verdict
from .segments import show_segments
from .worst_segments import show_worst_segments


def show_results(result: AuditResult) -> None:
    """Draw everything a finished run found."""
    show_verdict(result)
    names = ["Before and after", "Coefficients", "Layers", "Segments", "Data and notes"]
    if result.repeats is not None:
        names.append("Repeats")
    overview, coefficients, layers, segments, data, *repeats = st.tabs(names)
    with overview:
        show_overview(result)
        show_audit_only(result)
        show_other_measures(result)
    with coefficients:
        show_coefficients(result)
    with layers:
        _show_layers(result)
    with segments:
        show_segments(result)
        show_worst_segments(result)
    with data:
        _show_data(result)
    if result.repeats is not None:
        with repeats[0]:
            _show_repeats(result.repeats)
    _show_downloads(result)


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
