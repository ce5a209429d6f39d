"""Sentences for a person, and what that person gave, as a sentence shows it."""

import re
from collections.abc import Iterable
from functools import partial
from itertools import chain, count
from typing import Any, Self

LONGEST = 80
"""Characters of a value: more of it would not make it clearer."""

_UNSEEN = re.compile(r"[^\S ]|^ |(?<= ) | $")
"""White space that is shown like other white space, or not at all."""

_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


class Cell(str):
    """A value of a row of the user's table: a report leaves it out unless it is asked for."""

    __slots__ = ()


class Names(tuple[str, ...]):
    """Names that a sentence quotes whole, one behind the other, however long that is."""

    __slots__ = ()

    def __str__(self) -> str:
        return _writable(", ".join(self))


class Sentence(str):  # noqa: SLOT000 - its attributes are few and its copies too
    """A sentence for a person; what is decided about it goes by code and values, not wording.

    The code, such as "column.unknown", is the same whatever the sentence quotes. The template, in
    the form of ``str.format``, has a place for each value. Text is cut where it is long (see
    :func:`shown`); a value of a row of the user's table is to be a :class:`Cell`.
    """

    code: str
    template: str
    values: dict[str, Any]

    def __new__(cls, code: str, template: str, /, **values: object) -> Self:
        """Fill in the values."""
        sentence = super().__new__(cls, _filled_in(template, values))
        sentence.code, sentence.template, sentence.values = code, template, values
        return sentence

    def __reduce__(self) -> tuple[object, ...]:
        return partial(Sentence, self.code, self.template, **self.values), ()

    def without_cells(self) -> str:
        """Return the sentence without what single rows of the user's table hold."""
        values = {k: "…" if isinstance(v, Cell) else v for k, v in self.values.items()}
        return _filled_in(self.template, values)


def _filled_in(template: str, values: dict[str, Any]) -> str:
    cut = {name: shown(v) if isinstance(v, str) else v for name, v in values.items()}
    return template.format(**cut)


def counted(number: int, what: str) -> str:
    """Return such as "1 rule" or "2,000 rules"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def told_apart(names: Iterable[str]) -> list[str]:
    """Return the names, a later one with a number behind it where it is taken."""
    unique: dict[str, None] = {}
    for name in names:
        candidates = chain([name], (f"{name} ({number})" for number in count(2)))
        unique[next(free for free in candidates if free not in unique)] = None
    return list(unique)


def same_but_for_space(name: str, names: Iterable[str]) -> str | None:
    """Return the first of the names that differs from ``name`` in white space alone, if any."""
    return next((other for other in names if other != name and other.split() == name.split()), None)


def with_space_told(name: str) -> str:
    """Return a name, cut where it is long, with escapes for white space but single spaces."""
    return shown(_UNSEEN.sub(_escape, name))


def _escape(space: re.Match[str]) -> str:
    return r"\x20" if space[0] == " " else ascii(space[0])[1:-1]


def shown(given: object) -> str:
    """Return it as text, cut where it is long, with escapes for what UTF-8 cannot hold."""
    text = str(given)
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"
    return _writable(cut)


def _writable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def is_unwritable(text: str) -> bool:
    """Say whether text holds half a character, as JSON can, so that no file or page takes it."""
    return _HALF_A_CHARACTER.search(text) is not None
