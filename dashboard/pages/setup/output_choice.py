"""The choice of the columns that hold what a user's own model said."""

from typing import Any

import streamlit as st

from evencover.core.preparation.output_ways import OUTPUT_FIELDS

from ...runs.loaded_table import LoadedTable
from ...wording import page_texts
from .column_choice import choose_named, column_key
from .complaints import OUTPUTS, Complaints

_ABREAST = 3


def choose_outputs(table: LoadedTable, target: str, complaints: Complaints) -> dict[str, Any]:
    """Draw the choice, folded away where nothing is chosen, and return it by option."""
    names = [profile.name for profile in table.profiles if profile.name != target]
    given = any(getattr(table.choices, field) for field in OUTPUT_FIELDS)
    with st.expander(page_texts.OUTPUTS, expanded=given):
        st.markdown(page_texts.ABOUT_OUTPUTS)
        complaints.open_place(OUTPUTS)
        columns = st.columns(_ABREAST)
        chosen = {}
        for place, field in enumerate(OUTPUT_FIELDS):
            with columns[place % _ABREAST]:
                key = column_key(table, target, field)
                chosen[field] = choose_named(table, field, key, names)
    return chosen
