"""Which remedies to compare, and by how many seeds."""

import streamlit as st

from evencover.core import InputError
from evencover.core.experiment.comparison import REMEDIES, SEEDS
from evencover.core.preparation.settings import OPTIONS
from evencover.core.remedies.names import asked_for
from evencover.core.tables.grammar import write_columns

from ...wording import comparison_texts
from ...wording.formatting import plain
from ..session import SessionState


def choose_comparison(state: SessionState) -> tuple[tuple[str, ...], int] | None:
    """Draw the choices, and return them; None where they cannot be."""
    names, count = st.columns([4, 1])
    text = names.text_input(
        comparison_texts.REMEDIES,
        write_columns(REMEDIES),
        key="compared-remedies",
        help=comparison_texts.REMEDIES_HELP,
        persist_state="session",
    )
    draft = state.draft
    is_fixed = draft is not None and draft.fixed_split_column is not None
    seeds = count.number_input(
        comparison_texts.SEEDS,
        1,
        100,
        SEEDS,
        key="compared-seeds",
        help=comparison_texts.SEEDS_HELP,
        disabled=is_fixed,
        persist_state="session",
    )
    try:
        remedies = OPTIONS["remedies"].kind.read(text)
        asked_for(name for name in remedies if name != "base")
    except InputError as error:
        names.error(plain(error.sentence))
        return None
    return tuple(remedies), 1 if is_fixed else int(seeds)
