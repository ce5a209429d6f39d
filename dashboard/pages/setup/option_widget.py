"""The widget of an option, made of what the table of options says of it."""

from typing import Any

import streamlit as st

from evencover.core.preparation.options import FLAG, NUMBER, PAIRS, TEXT, WHOLE, Option, options_of

from ...options.forms import FORMS
from ...runs.loaded_table import LoadedTable

_AUTOMATIC = "automatic"


def choose(table: LoadedTable, field: str, *, disabled: bool = False) -> Any:  # noqa: ANN401
    """Draw the widget of an option that names no columns, and return the value chosen.

    What is written in another form than is asked for is an :class:`InputError`.
    """
    option, key = options_of(type(table.choices))[field], option_key(table, field)
    # no default beside it, as the page may change the state by itself
    st.session_state.setdefault(key, _shown(option, getattr(table.choices, field)))
    common: dict[str, Any] = {
        "key": key,
        "help": option.help,
        "persist_state": "session",
        "disabled": disabled,
    }
    if option.kind is FLAG:
        return st.checkbox(option.title, **common)
    if option.kind is WHOLE:
        return st.number_input(option.title, option.least, step=int(option.step), **common)
    if option.kind is NUMBER:
        return st.number_input(option.title, step=option.step, format="%g", **common)
    if option.allowed:
        automatic = [_AUTOMATIC] if option.default is None else []
        name = st.selectbox(option.title, [*automatic, *option.allowed], **common)
        return None if name == _AUTOMATIC else name
    draw = st.text_input if option.kind in (TEXT, PAIRS) else st.text_area
    form = FORMS[option.kind]
    return form.read(draw(option.title, placeholder=form.example, **common))


def option_key(table: LoadedTable, field: str) -> str:
    """Return the key of an option's widget."""
    return f"{field}-{table.token}"


def _shown(option: Option, value: Any) -> Any:  # noqa: ANN401 - of any option
    if option.kind in (FLAG, WHOLE):
        return value
    if option.kind is NUMBER:
        return float(value)
    if option.allowed:
        return value or _AUTOMATIC
    return FORMS[option.kind].write(value)
