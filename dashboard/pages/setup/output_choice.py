"""The choice of the columns that hold what a user's own model said."""

from typing import Any

import streamlit as st

from evencover.core.preparation.options import COLUMN
from evencover.core.preparation.settings import OPTIONS, OUTPUT_WAYS

from ...runs.loaded_table import LoadedTable
from ...wording import page_texts
from .complaints import OUTPUTS, Complaints
from .option_widget import option_key

OUTPUT_FIELDS = tuple(field for way in OUTPUT_WAYS for field in (*way.needed, *way.more))
"""Options that name such columns."""

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
                chosen[field] = _drawn(table, field, f"{option_key(table, field)}-{target}", names)
    return chosen


def _drawn(table: LoadedTable, field: str, key: str, names: list[str]) -> Any:  # noqa: ANN401
    option, first = OPTIONS[field], getattr(table.choices, field)
    common: dict[str, Any] = {"key": key, "help": option.help, "persist_state": "session"}
    # no default beside it, as the page may change the state by itself
    if option.kind is COLUMN:
        st.session_state.setdefault(key, first if first in names else None)
        return st.selectbox(option.title, names, index=None, placeholder="none", **common)
    st.session_state.setdefault(key, [name for name in first if name in names])
    return tuple(st.multiselect(option.title, names, **common))
