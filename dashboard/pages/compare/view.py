"""A comparison's result: what it says, its table, its figure, and its files."""

from functools import partial

import streamlit as st

from evencover.core.experiment.compared_rows import RemedyComparison
from evencover.core.remedies.names import DEFAULT, title_of

from ...export.comparison import comparison_to_csv_zip, comparison_to_json_text
from ...figures import comparison_figure
from ...options.differences import say_the_same
from ...wording import comparison_texts
from ...wording.comparison import difference_rows, group_table, mean_rows, promises, refusals
from ...wording.formatting import plain
from ...wording.tables import COMPARED, COMPARED_CHANGES
from ..heading import subject
from ..session import SessionState
from ..widgets import draw_chart, drawn, offer_file
from .progress import result_of


def show_comparison(state: SessionState) -> None:
    """Draw the session's comparison as it stands."""
    run = state.comparison
    found = result_of(state, run, "comparison")
    if found is None or run is None:
        return
    settings = run.settings
    seeds = ", ".join(map(str, found.seeds))
    st.markdown(f"{subject(run.name, settings, float(found.settings['c']))}; seeds {seeds}")
    if state.draft is not None and not say_the_same(settings, state.draft):
        st.warning(comparison_texts.COMPARED_OTHERS)
    _show_result(found)


def _show_result(found: RemedyComparison) -> None:
    if not found.verdict and DEFAULT in found.remedies:
        st.info(comparison_texts.NONE_BETTER.format(default=title_of(DEFAULT)))
    for sentence in found.verdict:
        st.success(plain(sentence))
    for refusal in refusals(found):
        st.warning(plain(refusal))
    rows = mean_rows(found)
    st.dataframe(**drawn(COMPARED, rows, []))
    draw_chart(comparison_figure(found), "comparison")
    st.caption(comparison_texts.ABOUT_FIGURE)
    changes = difference_rows(found)
    if changes:
        st.markdown(comparison_texts.ABOUT_DIFFERENCES)
        st.dataframe(**drawn(COMPARED_CHANGES, changes, []))
    st.markdown("**What each promises**")
    for promise, names in promises(rows).items():
        st.markdown(f"- **{plain(', '.join(names))}**: {plain(promise)}")
    spec, groups = group_table(found)
    if groups:
        st.markdown(comparison_texts.ABOUT_GROUPS)
        st.dataframe(**drawn(spec, groups, []))
    with st.expander("Notes"):
        for note in found.notes:
            st.markdown(f"- {plain(note)}")
    json_place, csv_place = st.columns(2)
    as_json = "evencover-comparison.json", "application/json"
    json = partial(comparison_to_json_text, found)
    offer_file(json_place, "Download comparison (JSON)", json, *as_json)
    as_csv = "evencover-comparison.zip", "application/zip"
    csv = partial(comparison_to_csv_zip, found)
    offer_file(csv_place, "Download comparison (CSV)", csv, *as_csv)
