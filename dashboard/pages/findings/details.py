"""Everything else a finished run found, in tabs."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.coverage.estimators import ESTIMATORS
from evencover.core.findings.result import Repeats

from ...wording import page_texts
from ...wording.formatting import plain
from ...wording.tables import AUDIT_ONLY, DROPPED, OTHER_MEASURES, OVERVIEW
from ..shared.layers import show_path
from ..shared.table import show_table
from .coefficients import show_coefficients


def show_details(result: AuditResult) -> None:
    """Draw a tab for each kind of figures."""
    names = ["Coefficients", "Before and after", "Layers", "Data and notes"]
    if result.repeats is not None:
        names.append("Repeats")
    coefficients, overview, layers, data, *repeats = st.tabs(names)
    with coefficients:
        show_coefficients(result)
    with overview:
        _show_overview(result)
    with layers:
        show_path(result)
    with data:
        _show_data(result)
    if result.repeats is not None:
        with repeats[0]:
            _show_repeats(result.repeats)


def _show_overview(result: AuditResult) -> None:
    show_table(result, OVERVIEW)
    st.markdown(page_texts.ABOUT_DCV)
    if not ESTIMATORS[result.settings["estimator"]].maximum_likelihood:
        st.markdown(page_texts.ABOUT_OTHER_ESTIMATORS)
    if result.settings["permutations"]:
        st.markdown(page_texts.ABOUT_PERMUTATIONS)
    if result.audit_only:
        st.subheader("Audit-only columns")
        st.markdown(page_texts.ABOUT_AUDIT_ONLY)
        show_table(result, AUDIT_ONLY)
    st.subheader("Other measures, on test rows")
    st.markdown(page_texts.ABOUT_OTHER_MEASURES)
    show_table(result, OTHER_MEASURES)


def _show_data(result: AuditResult) -> None:
    data = result.data
    st.markdown(
        f"{data.rows} rows, of which {data.train} for training, {data.calibration} for calibration "
        f"and {data.test} for test. Features: {plain(', '.join(data.features))}."
    )
    for note in result.notes:
        st.markdown(f"- {plain(note)}")
    if data.dropped:
        show_table(result, DROPPED)
    st.caption(f"Seed {result.settings['seed']}, {result.seconds.total:.1f} s in all.")


def _show_repeats(repeats: Repeats) -> None:
    st.markdown(page_texts.ABOUT_REPEATS)
    st.markdown(
        f"Seeds {', '.join(map(str, repeats.seeds))}; layers {repeats.layers_mean:.2f} ± "
        f"{repeats.layers_sd:.2f}."
    )
    for rows in (repeats.results, repeats.segments, repeats.coefficients):
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
