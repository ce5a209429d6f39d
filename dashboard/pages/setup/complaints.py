"""What makes the choices unusable: for the top of the page, and beside the field, if of one."""

from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from evencover.core.messages import Sentence

from ...wording.formatting import plain

SHAPE = "shape"
"""The field of how to split the rows."""

OUTPUTS = "outputs"
"""The fields of what a user's own model said."""

_FIELDS = {
    "label": "target",
    **dict.fromkeys(("split_column", "group", "time"), SHAPE),
    **dict.fromkeys(("probabilities", "sets"), OUTPUTS),
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
