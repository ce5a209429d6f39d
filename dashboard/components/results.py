"""Everything else a finished run found, in tabs."""

import pandas as pd
import streamlit as st

from evencover.core import AuditResult
from evencover.core.result import Repeats

from .. import texts
from ..texts import plain
from .audit_only import show_audit_only
from .coefficients import show_coefficients
from .layers import show_path
from .other_measures import show_other_measures
from .overview import show_overview


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
    st.markdown(texts.ABOUT_REPEATS)
    st.markdown(
        f"Seeds {', '.join(map(str, repeats.seeds))}; layers {repeats.layers_mean:.2f} ± "
        f"{repeats.layers_sd:.2f}."
    )
    for rows in (repeats.results, repeats.segments, repeats.coefficients):
        st.dataframe(pd.DataFrame(rows), hide_index=True, width="stretch")
