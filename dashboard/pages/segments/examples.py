"""Test rows one by one, of those that the filter leaves."""

import streamlit as st

from evencover.core.exploration import ORDERS, examples

from ...wording import exploration_texts
from ...wording.predictors import predictors
from ...wording.tables import examples_table
from ..filtered_result import LookedAt
from ..shared.table import drawn

MOST = 100
_FIRST = 20


def show_examples(look: LookedAt) -> None:
    """Draw the table, closed at first: it is of single rows."""
    st.subheader("Examples")
    left, right = st.columns([2, 1])
    order = left.selectbox(
        "First those",
        list(ORDERS),
        format_func=exploration_texts.ORDER_NAMES.__getitem__,
        key="examples-order",
        persist_state="session",
    )
    number = right.selectbox(
        "Rows shown", [_FIRST, MOST], key="examples-number", persist_state="session"
    )
    if look.n == 0:
        st.info(exploration_texts.NOTHING_LEFT)
        return
    found = examples(look.objects, look.where, number, order)
    given = predictors(look.result)
    spec = examples_table(look.objects, found, given)
    st.dataframe(**drawn(spec, spec.rows(look.result), given))
    shown = exploration_texts.what_is_shown(look.filter.words(), look.n)
    st.caption(f"{shown} Shown: {len(found):,}. {exploration_texts.ABOUT_EXAMPLES}")
