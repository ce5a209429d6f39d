"""How IFACM counts an increase and looks for its layers, among the finer choices of step 3."""

from typing import TypedDict

import streamlit as st

from evencover.core.penalties import PENALTIES
from evencover.core.searches import SEARCHES

from .. import texts
from ..tables import LoadedTable


class SearchSettings(TypedDict):
    """Those of the audit's settings that are chosen here."""

    penalty_form: str
    search: str


def choose_search(table: LoadedTable) -> SearchSettings:
    """Draw the choice of the penalty's form and of the search, and return it."""
    choices, token = table.choices, table.token
    forms, searches = list(PENALTIES), list(SEARCHES)
    form = st.selectbox(
        "Form of the penalty",
        forms,
        index=forms.index(choices.penalty_form),
        key=f"penalty-form-{token}",
        help=texts.HELP_PENALTY_FORM,
    )
    search = st.selectbox(
        "Search for layers",
        searches,
        index=searches.index(choices.search),
        key=f"search-{token}",
        help=texts.HELP_SEARCH,
    )
    return {"penalty_form": form, "search": search}
