"""Predictors by their places: the words and the ends of fields' names that they have."""

import re
from collections.abc import Iterable, Sized
from typing import NamedTuple

from evencover.core import AuditResult
from evencover.core.remedies.names import title_of
from evencover.core.report.json_rows import suffix
from evencover.core.report.wording import PredictorWords

_COMPARED = re.compile(r"\[\[(.*?)(?:\|(.*?))?\]\]", re.DOTALL)


class ShownPredictor(NamedTuple):
    """A predictor of a result; the place of the reference is 0.

    ``suffix`` ends its fields where those of several stand side by side. ``when`` is the word for
    it in sentences and beside a figure's name, ``title`` where it stands alone.
    """

    name: str
    place: int
    suffix: str
    when: str
    title: str

    @property
    def at(self) -> str:
        """The word for it at the end of a clause: none for the only one."""
        return f" {self.when}" if self.when != self.title else ""


def predictors(result: AuditResult) -> list[ShownPredictor]:
    """Return those of a result, the reference first."""
    return _in_words(result.words)


def of_names(names: Iterable[str]) -> list[ShownPredictor]:
    """Return a reference and adjustments of these names, each once, where there is no result."""
    titles = {name: title_of(name) for name in names}
    return _in_words(PredictorWords(titles, list(titles)[1:]))


def _in_words(words: PredictorWords) -> list[ShownPredictor]:
    found = []
    for place, (name, title) in enumerate(words.titles.items()):
        when = words.when(name) or title
        word = when.partition(" ")[0]
        whole = f"{word} ({title})" if word in ("before", "after") else title
        found.append(ShownPredictor(name, place, suffix(place, name), when, whole))
    return found


def worded(text: str, given: Sized) -> str:
    """Return a text for one predictor or for several.

    What it has in [[double brackets]] is for several; what follows a | in them is for one.
    """
    return _COMPARED.sub(lambda found: (found[2] or "") if len(given) == 1 else found[1], text)
