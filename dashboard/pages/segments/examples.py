"""Test rows one by one, of those that the filter leaves."""

import pandas as pd
import streamlit as st

from evencover.core.exploration import ORDERS, Example, ShownSet, examples

from ...wording import exploration_texts
from ...wording.prediction_sets import end_text
from ..filtered_result import LookedAt

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
    st.dataframe(
        to_table(found, look.objects.target),
        hide_index=True,
        width="stretch",
        column_config={
            name: st.column_config.NumberColumn(format="%.3f")
            for name in ("p(x) before", "p(x) after")
        },
    )
    shown = exploration_texts.what_is_shown(look.filter.words(), look.n)
    st.caption(f"{shown} Shown: {len(found):,}. {exploration_texts.ABOUT_EXAMPLES}")


def to_table(found: list[Example], target: str) -> pd.DataFrame:
    """Return a line for each row; layers that added nothing to any of them are left out."""
    rows = [
        [example.row, example.label, *_shown(example.base), *_shown(example.adjusted)]
        for example in found
    ]
    names = ["row", f"label {target}"]
    names += [f"{what} {when}" for when in ("before", "after") for what in ("set", "held", "p(x)")]
    table = pd.DataFrame(rows, columns=names)
    for layer, steps in enumerate(zip(*(example.steps for example in found), strict=True), 1):
        if any(steps):
            table[f"layer {layer}"] = [f"{step:+.3g}" if step else "" for step in steps]
    return table


def _shown(one: ShownSet) -> list[object]:
    if one.lower is None or one.upper is None:
        text = ", ".join(one.labels) or "(none)"
    else:
        text = f"{end_text(one.lower)} to {end_text(one.upper)}"
    return [text, "yes" if one.held else "no", one.probability]
