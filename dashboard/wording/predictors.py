"""Predictors by their places: the words and the ends of fields' names that they have."""

import re
from collections.abc import Iterable, Mapping, Sized
from typing import NamedTuple

from evencover.core import AuditResult
from evencover.core.findings.result_json import suffix
from evencover.core.remedies import REMEDIES

_COMPARED = re.compile(r"\[\[(.*?)(?:\|(.*?))?\]\]", re.DOTALL)


class Predictor(NamedTuple):
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
        return f" {self.when}" if self.when != self.title or self.place else ""


def named(titles: Mapping[str, str]) -> list[Predictor]:
    """Return the predictors of these names in data, with their names for a reader."""
    if len(titles) == 1:
        return [Predictor(name, 0, suffix(0, name), title, title) for name, title in titles.items()]
    found = []
    for place, (name, title) in enumerate(titles.items()):
        word = "after" if place else "before"
        whole = f"{word} ({title})"
        is_alone = place < 2  # noqa: PLR2004 - there is one before, and one after
        when = word if is_alone else whole
        found.append(Predictor(name, place, suffix(place, name), when, whole))
    return found


def predictors(result: AuditResult) -> list[Predictor]:
    """Return those of a result, the reference first."""
    return named({predictor.name: predictor.title for predictor in result.predictors})


def of_names(names: Iterable[str]) -> list[Predictor]:
    """Return the predictors of these names, each once, where no result has their titles."""
    titles = {name: REMEDIES[name].title if name in REMEDIES else name for name in names}
    return named(titles)


def worded(text: str, given: Sized) -> str:
    """Return a text for one predictor or for several.

    What it has in [[double brackets]] is for several; what follows a | in them is for one.
    """
    return _COMPARED.sub(lambda found: (found[2] or "") if len(given) == 1 else found[1], text)
