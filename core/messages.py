"""Sentences for a person, and what that person gave, as a sentence shows it."""

import difflib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import PurePath
from typing import Any, Self

from .arrays import as_python

MOST_SHOWN = 80  # characters of a value: more of it would not make it clearer
MOST_TEXT = 200_000  # characters of an option as it is written, of a link, or of a column's name
_MOST = 30  # names that are quoted, for the same reason
_FEW = 5
_COMPARED = 200  # characters of names that are compared, which takes the square of their number
MOST_WHOLE = 2**53 - 1  # larger ones do not come through JSON unchanged everywhere

_NO_MEMORY = (
    "this takes more memory than there is; take fewer rows or columns, or a machine with more"
)
_UNSEEN = re.compile(r"[^\S ]|^ |(?<= ) | $")
"""White space that is shown like other white space, or not at all."""

_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")

_SIGNS = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "␡"}
_SIGNS |= {
    code: ascii(chr(code))[1:-1]
    for code in (
        *(*range(0x80, 0xA0), 0x61C, 0x200E, 0x200F),
        *(*range(0x2028, 0x202F), *range(0x2066, 0x206A)),
    )
}
"""Unicode's pictures or escapes for what moves a terminal's cursor, colours or renames it, or turns
the order of what follows."""

_IN_JSON = {code: f"\\u{code:04x}" for code in _SIGNS if code > ord("~")}  # others are anyway


class Cell(str):
    """A value of a row of the user's table: a report leaves it out unless it is asked for."""

    __slots__ = ()


class Passage(str):
    """Text of sentences, which another shows as far as names are shown: with its end."""

    __slots__ = ()


class Names(tuple[str, ...]):
    """Names that a sentence quotes one behind the other, with their ends, where they may differ."""

    __slots__ = ()

    def __str__(self) -> str:
        more = f" and {len(self) - _MOST} more" if len(self) > _MOST else ""
        return visible(", ".join(map(_with_end, self[:_MOST]))) + more


def in_quotes(names: Iterable[str]) -> Names:
    """Return names each of which a sentence puts in quotes."""
    return Names(f"'{name}'" for name in names)


def first_of(names: Sequence[str]) -> Names:
    """Return the first names, with "..." behind them if there are more."""
    return Names([*names[:_FEW], *["..."] * (len(names) > _FEW)])


def _with_end(name: str) -> str:
    return name if len(name) <= 3 * MOST_SHOWN else f"{name[:MOST_SHOWN]} … {name[-MOST_SHOWN:]}"


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

    def with_values(self, **more: object) -> "Sentence":
        """Return the same sentence with other or further values."""
        return Sentence(self.code, self.template, **self.values | more)

    def without_cells(self) -> str:
        """Return the sentence without what single rows of the user's table hold."""
        values = {k: "…" if isinstance(v, Cell) else v for k, v in self.values.items()}
        return _filled_in(self.template, values)


def _filled_in(template: str, values: dict[str, Any]) -> str:
    return template.format(**{name: _quoted(value) for name, value in values.items()})


def _quoted(value: object) -> object:
    if isinstance(value, PurePath):  # whole: it is the person's own
        return visible(str(value))
    if isinstance(value, Passage):
        return visible(_with_end(value))
    return shown(value) if isinstance(value, str) else value


def listed(words: Sequence[str]) -> str:
    """Return "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def counted(number: int, what: str) -> str:
    """Return such as "1 rule" or "2,000 rules"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def told_apart(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return the names, a later one with a number behind it where it is taken."""
    unique: dict[str, None] = {}
    numbers: defaultdict[str, Iterator[int]] = defaultdict(partial(count, 2))
    avoided = set(taken)
    for name in names:
        free = name
        while free in avoided:
            # goes on where it ended, or thousands of one name would each be counted through
            free = f"{name} ({next(numbers[name])})"
        avoided.add(free)
        unique[free] = None
    return list(unique)


def same_but_for_space(name: str, names: Iterable[str]) -> str | None:
    """Return the first of the names that differs from ``name`` in white space alone, if any."""
    return next((other for other in names if other != name and other.split() == name.split()), None)


def nearest(given: str, names: Iterable[str]) -> list[str]:
    """Return the name that is most like a misspelt one, if one is like it."""
    by_letters: dict[str, str] = {}  # whatever their case
    for name in names:
        if len(name) <= _COMPARED:
            by_letters.setdefault(name.casefold(), name)
    close = difflib.get_close_matches(given[:_COMPARED].casefold(), by_letters, n=1)
    return [by_letters[letters] for letters in close]


def perhaps(given: str, names: Iterable[str]) -> str:
    """Return a question for the end of a sentence: which of the program's names may be meant."""
    return "".join(f"; did you mean '{name}'?" for name in nearest(given, names))


def with_space_told(name: str) -> str:
    """Return a name, cut where it is long, with escapes for white space but single spaces."""
    return shown(_UNSEEN.sub(lambda s: r"\x20" if s[0] == " " else ascii(s[0])[1:-1], name))


def shown(given: object) -> str:
    """Return it as text, cut where it is long, with signs for what is not to be printed."""
    text = str(given)
    cut = text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 2]} …"
    return visible(cut)


def visible(text: str) -> str:
    """Return text with signs for its control characters, and escapes for what UTF-8 cannot hold."""
    return text.translate(_SIGNS).encode("utf-8", "backslashreplace").decode()


def as_json(plain: object) -> str:
    """Return JSON that, printed, steers neither a terminal nor, as ##[ does, a pipeline's log."""
    text = json.dumps(plain, indent=1, allow_nan=False, ensure_ascii=False) + "\n"
    return text.translate(_IN_JSON).replace("##", r"#\u0023")


def one_line(text: str) -> str:
    """Return text without line ends and control signs; names and values may hold both."""
    return visible(" ".join(text.splitlines()))


def is_unwritable(text: str) -> bool:
    """Say whether text holds half a character, as JSON can, so that no file or page takes it."""
    return _HALF_A_CHARACTER.search(text) is not None


class InputError(ValueError):
    """A table, column, value or option is unusable.

    Its ``sentence``, made of the parameters, is for the person who supplied the input: it names
    the file, column, row or value at fault and says what to do about it.
    """

    def __init__(self, code: str, template: str, /, **values: object) -> None:
        self.sentence = Sentence(code, template, **values)
        super().__init__(self.sentence)

    def __reduce__(self) -> tuple[object, ...]:
        # a worker process pickles what it raises
        sentence = self.sentence
        return partial(InputError, sentence.code, sentence.template, **sentence.values), ()


_OUT_OF_MEMORY = re.compile(
    "out of memory|excessive memory|cannot allocate memory|failed to map segment"
    "|can't start new thread",
    re.IGNORECASE,
)


def lack_of_memory(error: BaseException | None) -> InputError | None:
    """Return what is told where an error goes back to a lack of memory, which has many names."""
    while error is not None:
        said = "" if isinstance(error, InputError) else str(error)  # which may quote anything
        if isinstance(error, MemoryError) or _OUT_OF_MEMORY.search(said):
            return InputError("memory.lacking", _NO_MEMORY)
        error = error.__cause__ or error.__context__
    return None


def check_whole(what: str, number: object, least: int, most: int = MOST_WHOLE) -> None:
    """Raise :class:`InputError` if it is no whole number between these bounds."""
    number = as_python(number)
    if isinstance(number, int) and least <= number <= most:
        return
    is_more = isinstance(number, int) and number > most == MOST_WHOLE
    advice = f"at most {most}" if is_more else f"a whole number {within(least, most)}"
    sentence = "{what} is {number}; give {advice}"
    raise InputError("option.whole", sentence, what=what, number=str(number), advice=advice)


def within(least: int, most: int) -> str:
    """Return bounds of a number in words, as in "from 1 to 9" or "of 1 or more"."""
    return f"of {least} or more" if most == MOST_WHOLE else f"from {least} to {most}"
