"""The widget of an option, made of what the table of options says, and what is wrong beside it."""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core import InputError
from evencover.core.messages import Sentence
from evencover.core.preparation.options import (
    FLAG,
    NUMBER,
    NUMBER_BY_LABEL,
    PAIRS,
    REMEDY_LIST,
    TEXT,
    WHOLE,
    Option,
    options_of,
)

from ..runs.loaded_table import LoadedTable
from ..wording import page_texts
from ..wording.formatting import plain

_AUTOMATIC = "automatic"

SPLIT_FIELDS = "shape"
"""The field of how to split the rows."""

OUTPUTS_FIELDS = "outputs"
"""The fields of what a user's own model said."""

_FIELDS = {
    "label": "target",
    **dict.fromkeys(("split_column", "group", "time"), SPLIT_FIELDS),
    **dict.fromkeys(("probabilities", "sets"), OUTPUTS_FIELDS),
}
"""Of sentences by the first word of their codes, where that is no field's name."""


@dataclass
class Complaints:
    """The sentences, in their order, and the places beside the fields."""

    sentences: list[Sentence] = field(default_factory=list)
    _places: dict[str, DeltaGenerator] = field(default_factory=dict)

    def open_place(self, about: str) -> None:
        """Keep a place here for what is to be said of a field."""
        self._places[about] = st.container()

    def add(self, sentence: Sentence, about: str | None = None) -> None:
        """Say why a field, or what the sentence's code is about, is unusable."""
        self.sentences.append(sentence)
        subject = sentence.code.partition(".")[0]
        place = self._places.get(about or _FIELDS.get(subject, subject))
        if place is not None:
            place.caption(f":red[{plain(sentence)}]")


def choose(
    table: LoadedTable, field: str, complaints: Complaints, *, disabled: bool = False
) -> Any:  # noqa: ANN401
    """Draw the widget of an option that names no columns, and return the value chosen.

    One that is unusable whatever the table is complained about; in its place is the first choice.
    """
    option = options_of(type(table.choices))[field]
    try:
        value = _drawn(option, table, disabled=disabled)
        option.check(value)
    except InputError as error:
        complaints.open_place(field)
        complaints.add(error.sentence, field)
        return getattr(table.choices, field)
    complaints.open_place(field)
    return value


def _drawn(option: Option, table: LoadedTable, *, disabled: bool) -> Any:  # noqa: ANN401
    key = option_key(table, option.field)
    # no default beside it, as the page may change the state by itself
    st.session_state.setdefault(key, _shown(option, getattr(table.choices, option.field)))
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
    if option.kind is NUMBER_BY_LABEL:
        common |= {"value": None, "placeholder": page_texts.BY_LABEL}
        return st.number_input(option.title, step=option.step, format="%g", **common)
    if option.allowed:
        automatic = [_AUTOMATIC] if option.default is None else []
        name = st.selectbox(option.title, [*automatic, *option.allowed], **common)
        return None if name == _AUTOMATIC else name
    draw = st.text_input if option.kind in (TEXT, PAIRS, REMEDY_LIST) else st.text_area
    return option.kind.read(draw(option.title, placeholder=option.kind.example, **common))


def option_key(table: LoadedTable, field: str) -> str:
    """Return the key of an option's widget."""
    return f"{field}-{table.token}"


def _shown(option: Option, value: Any) -> Any:  # noqa: ANN401 - of any option
    if option.kind in (FLAG, WHOLE):
        return value
    if option.kind in (NUMBER, NUMBER_BY_LABEL):
        return None if value is None else float(value)
    if option.allowed:
        return value or _AUTOMATIC
    return option.kind.write(value)
