"""How figures, names and predictors are written."""

import re
from collections.abc import Iterable, Sequence, Sized
from typing import NamedTuple

from evencover.core import AuditResult
from evencover.core.messages import one_line
from evencover.core.remedies.names import title_of
from evencover.core.report.result import suffix
from evencover.core.report.wording import PredictorWords

_TOO_LONG = 1e15  # a number whose digits nobody counts, and of which a computer knows no more
_DRAWN_AS_OTHERS = re.compile(r"\\[<>~-](?=\\?[>=-])|\\:(?=//)|www(?=\\\.)|@", re.IGNORECASE)
"""Signs in escaped text behind which it is to be parted."""


def signed_points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign: +1.8."""
    return f"{100.0 * share:+z.1f}"


def number(value: float, digits: int = 4) -> str:
    """Return a number of so many digits, whole where it has as many before the point, up to 15."""
    whole = 10.0 ** (digits - 1) <= abs(value) < _TOO_LONG
    return f"{value:,.0f}" if whole else f"{value:,.{digits}g}".replace("inf", "infinite")


def inefficiency_name(task: str) -> str:
    """Return what inefficiency is for a task, in words."""
    return "mean width (standardised)" if task == "regression" else "mean set size"


def size_name(task: str) -> str:
    """Return what inefficiency in the label's own units is for a task, in words."""
    return "mean width, label's units" if task == "regression" else "mean set size"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines of text, in columns as wide as their widest cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def plain(text: str) -> str:
    """Return text that Markdown shows as it is: names and values of a table may hold anything."""
    escaped = re.sub(r"([\\`*_{}\[\]()<>#+\-.!|$~:^&])", r"\\\1", one_line(text))
    # Escaped or not, streamlit draws an arrow for -> and one sign for >=, and makes links of
    # addresses, unless they are parted; :small[] draws nothing, and is copied as nothing.
    return _DRAWN_AS_OTHERS.sub(r"\g<0>:small[]", escaped)


_COMPARED = re.compile(r"\[\[([^][|]*)(?:\|([^][]*))?\]\]")


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


def predictors(result: AuditResult, *, over_seeds: bool = False) -> list[ShownPredictor]:
    """Return those of a result, the reference first; over seeds without what one of them chose."""
    return of_names(result.names) if over_seeds else _in_words(result.words)


def of_names(names: Iterable[str]) -> list[ShownPredictor]:
    """Return a reference and adjustments of these names, each once, where there is no result."""
    return _in_words(PredictorWords({name: title_of(name) for name in names}))


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
