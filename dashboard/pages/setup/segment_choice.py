"""Which segments to look at: pairs, bands of numbers, and groups to compare with."""

from dataclasses import replace
from typing import Any

import streamlit as st

from ...options.segment_options import (
    parse_cuts,
    parse_lines,
    parse_pairs,
    parse_reference,
    references_left,
    write_cuts,
    write_pairs,
    write_reference,
)
from ...runs.loaded_table import LoadedTable
from ...wording import help_texts
from ..filtered_result import Cohorts


def choose_segments(table: LoadedTable, cohorts: Cohorts) -> dict[str, Any]:
    """Draw the choices about segments; return them by their names in the settings.

    A group to compare with goes with its cohort.

    Raises
    ------
    InputError
        If what is written is not of the form that is asked for.
    """
    choices, token = table.choices, table.token
    pairs = st.text_input(
        "Pairs of columns",
        value=write_pairs(choices.pairs),
        key=f"pairs-{token}",
        persist_state="session",
        placeholder="A:B, C:D",
        help=help_texts.PAIRS,
    )
    bins = st.number_input(
        "Bands of a number",
        min_value=2,
        value=choices.bins,
        step=1,
        key=f"bins-{token}",
        persist_state="session",
        help=help_texts.BINS,
    )
    cuts = st.text_area(
        "Cut points",
        value=write_cuts(choices.cuts),
        key=f"cuts-{token}",
        persist_state="session",
        placeholder="age=18,40,65",
        help=help_texts.CUTS,
    )
    reference_key = f"reference-{token}"
    _fill_in_reference(reference_key, table, cohorts)
    reference = st.text_area(
        "Groups to compare with",
        key=reference_key,
        persist_state="session",
        placeholder="owner=agency",
        help=help_texts.REFERENCE,
    )
    return {
        "pairs": parse_pairs(pairs) if pairs.strip() else (),
        "bins": bins,
        "cuts": parse_lines(cuts, parse_cuts),
        "reference": parse_lines(reference, parse_reference),
    }


def _fill_in_reference(key: str, table: LoadedTable, cohorts: Cohorts) -> None:
    """Write the text at first; later, take out what is of cohorts gone since it was drawn."""
    choices, drawn_key = table.choices, f"cohorts-{key}"
    text = st.session_state.setdefault(key, write_reference(choices.reference))
    before = replace(choices, cohorts=st.session_state.get(drawn_key, choices.cohorts))
    st.session_state[drawn_key] = cohorts
    if before.cohorts != cohorts:
        st.session_state[key] = references_left(text, before, cohorts, table.frame.columns)
