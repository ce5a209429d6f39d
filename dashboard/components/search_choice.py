"""How IFACM counts an increase and looks for its layers, among the finer choices."""

from typing import TypedDict

from evencover.core.penalties import PENALTIES
from evencover.core.searches import SEARCHES

from .. import help_texts
from ..tables import LoadedTable
from .named_choice import choose_name


class SearchSettings(TypedDict):
    """Those of the audit's settings that are chosen here."""

    penalty_form: str
    search: str


def choose_search(table: LoadedTable) -> SearchSettings:
    """Draw the choice of the penalty's form and of the search, and return it."""
    choices, token = table.choices, table.token
    form = choose_name(
        "Form of the penalty",
        PENALTIES,
        choices.penalty_form,
        key=f"penalty-form-{token}",
        help_=help_texts.PENALTY_FORM,
    )
    search = choose_name(
        "Search for layers",
        SEARCHES,
        choices.search,
        key=f"search-{token}",
        help_=help_texts.SEARCH,
    )
    return {"penalty_form": form, "search": search}
