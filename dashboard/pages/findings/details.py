"""Everything else a finished run found, in tabs."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.coverage.estimators import ESTIMATORS

from ...wording import page_texts
from ...wording.formatting import plain
from ...wording.predictors import worded
from ...wording.rows import has_path
from ...wording.tables import AUDIT_ONLY, DROPPED, OTHER_MEASURES, OVERVIEW
from ..shared.layers import show_path
from ..shared.table import show_table
from .coefficients import show_coefficients


def show_details(result: AuditResult) -> None:
    """Draw a tab for each kind of figures."""
    shown = {
        "Coefficients": show_coefficients,
        worded("[[Before and after|Figures]]", result.predictors): _show_overview,
        "Layers": show_path,
        "Data and notes": _show_data,
        "Repeats": _show_repeats,
    }
    absent = {"Layers": not has_path(result), "Repeats": result.repeats is None}
    names = [name for name in shown if not absent.get(name)]
    for tab, name in zip(st.tabs(names), names, strict=True):
        with tab:
            shown[name](result)


def _show_overview(result: AuditResult) -> None:
    show_table(result, OVERVIEW)
    st.markdown(worded(page_texts.ABOUT_DCV, result.predictors))
    if not ESTIMATORS[result.settings["estimator"]].maximum_likelihood:
        st.markdown(page_texts.ABOUT_OTHER_ESTIMATORS)
    if result.settings["permutations"]:
        st.markdown(page_texts.ABOUT_PERMUTATIONS)
    if result.audit_only:
        st.subheader("Audit-only columns")
        st.markdown(worded(page_texts.ABOUT_AUDIT_ONLY, result.predictors))
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


def _show_repeats(result: AuditResult) -> None:
    repeats = result.repeats
    assert repeats is not None  # noqa: S101 - else there is no such tab
    st.markdown(page_texts.ABOUT_REPEATS)
    layers = f"; layers {repeats.layers_mean:.2f} ± {repeats.layers_sd:.2f}"
    st.markdown(f"Seeds {', '.join(map(str, repeats.seeds))}{layers if has_path(result) else ''}.")
    for rows in (repeats.results, repeats.segments, repeats.coefficients):
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
