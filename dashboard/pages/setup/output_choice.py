"""The choice of the columns that hold what a user's own model said, and a guess at them."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core.preparation.options import COLUMN
from evencover.core.preparation.output_ways import OUTPUT_FIELDS
from evencover.core.preparation.outputs.guess import Guess, guess_outputs
from evencover.core.preparation.settings import OPTIONS
from evencover.core.tables.table import Table

from ...runs.loaded_table import LoadedTable
from ...wording import page_texts
from ...wording.formatting import plain
from .column_choice import choose_named, column_key
from .complaints import OUTPUTS, Complaints

_ABREAST = 3


def choose_outputs(
    table: LoadedTable, target: str, complaints: Complaints, hints: DeltaGenerator
) -> dict[str, Any]:
    """Draw the choice, folded away where nothing is chosen, and return it by option.

    What looks right is said in the place for hints.
    """
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
    if not any(chosen.values()):
        with hints:
            _show_guesses(table, target)
    return chosen


def _show_guesses(table: LoadedTable, target: str) -> None:
    """Say which columns look like outputs; a button takes them, and leaves the others out."""
    guesses = _guesses(table.token, target, table.table)
    every = [name for guess in guesses for name in _columns(guess)]

    def take(guess: Guess) -> None:
        for field, value in guess.items():
            is_one = OPTIONS[field].kind is COLUMN
            st.session_state[column_key(table, target, field)] = value if is_one else [*value]
        others = [name for name in every if name not in _columns(guess)]
        drop = column_key(table, target, "drop")
        st.session_state[drop] = list(dict.fromkeys([*st.session_state[drop], *others]))

    for place, guess in enumerate(guesses):
        text, button = st.columns([3, 1], vertical_alignment="center")
        listed = []
        for field, value in guess.items():
            if value:
                option = OPTIONS[field]
                names = ", ".join(option.kind.columns(value))
                listed.append(f"{plain(names)} ({option.title.lower()})")
        text.markdown(page_texts.GUESSED_OUTPUTS.format(", ".join(listed)))
        key = f"guess-{place}-{table.token}-{target}"
        button.button("Audit them", key, on_click=take, args=(guess,), width="stretch")


def _columns(guess: Guess) -> list[str]:
    given = {field: value for field, value in guess.items() if value}
    return [name for field, value in given.items() for name in OPTIONS[field].kind.columns(value)]


@st.cache_data(max_entries=6, scope="session", show_spinner=False)
def _guesses(
    token: str,  # noqa: ARG001 - stands for the table, which takes long to hash
    target: str,
    _table: Table,
) -> Sequence[Guess]:
    return guess_outputs(_table, target)
