"""Everything else a finished run found, in tabs."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.findings.result import Repeats

from ...export.files import to_table
from ...wording import page_texts
from ...wording.page_texts import NAMES, plain
from ...wording.tables import AUDIT_ONLY
from ..shared.layers import show_path
from ..shared.table import show_worded
from .coefficients import show_coefficients
from .overview import show_overview


def show_audit_only(result: AuditResult) -> None:
    """Draw how coverage depends on the audit-only columns, if there are any."""
    if not result.audit_only:
        return
    st.subheader("Audit-only columns")
    st.markdown(page_texts.ABOUT_AUDIT_ONLY)
    table = to_table(result, "audit_only")
    show_worded(table.assign(algorithm=table["algorithm"].map(NAMES)), AUDIT_ONLY)


def show_other_measures(result: AuditResult) -> None:
    """Draw excess risks, worst-slab and size-stratified coverage of the test rows."""
    st.subheader("Other measures, on test rows")
    st.markdown(page_texts.ABOUT_OTHER_MEASURES)
    rows = to_table(result, "results").query("segment == 'test'")
    columns = {field: name for field, (name, _, _) in page_texts.OTHER_MEASURES.items()}
    st.dataframe(
        pd.DataFrame({"predictor": rows["algorithm"].map(NAMES)}).join(
            rows[list(columns)].rename(columns=columns)
        ),
        hide_index=True,
        width="stretch",
        placeholder="",
        column_config={
            name: st.column_config.NumberColumn(format=text, help=help_)
            for name, text, help_ in page_texts.OTHER_MEASURES.values()
        },
    )


def show_details(result: AuditResult) -> None:
    """Draw a tab for each kind of figures."""
    names = ["Coefficients", "Before and after", "Layers", "Data and notes"]
    if result.repeats is not None:
        names.append("Repeats")
    coefficients, overview, layers, data, *repeats = st.tabs(names)
    with coefficients:
        show_coefficients(result)
    with overview:
        show_overview(result)
        show_audit_only(result)
        show_other_measures(result)
    with layers:
        show_path(result)
    with data:
        _show_data(result)
    if result.repeats is not None:
        with repeats[0]:
            _show_repeats(result.repeats)


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
    st.markdown(page_texts.ABOUT_REPEATS)
    st.markdown(
        f"Seeds {', '.join(map(str, repeats.seeds))}; layers {repeats.layers_mean:.2f} ± "
        f"{repeats.layers_sd:.2f}."
    )
    for rows in (repeats.results, repeats.segments, repeats.coefficients):
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
