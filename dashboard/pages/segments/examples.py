"""Test rows one by one, of those that the filter leaves."""

import streamlit as st

from evencover.core.exploration import ORDERS, examples

from ...wording import exploration_texts
from ...wording.predictors import predictors, worded
from ...wording.rows import has_path
from ...wording.tables import examples_table
from ..filtered_result import LookedAt
from ..shared.table import drawn

MOST = 100
_FIRST = 20


def show_examples(look: LookedAt) -> None:
    """Draw the table, closed at first: it is of single rows."""
    st.subheader("Examples")
    given = predictors(look.result)
    left, right = st.columns([2, 1])
    order = left.selectbox(
        "First those",
        [name for name in ORDERS if name != "moved most" or has_path(look.result)],
        format_func=lambda name: worded(exploration_texts.ORDER_NAMES[name], given),
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
    spec = examples_table(look.objects, found, given)
    st.dataframe(**drawn(spec, spec.rows(look.result), given))
    shown = exploration_texts.what_is_shown(look.filter.words(), look.n)
    about = worded(exploration_texts.ABOUT_EXAMPLES, given)
    st.caption(f"{shown} Shown: {len(found):,}. {about}")
