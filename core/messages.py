"""What a person gave, as a message about it shows it."""

import re
from collections.abc import Iterable

_UNSEEN = re.compile(r"[^\S ]|^ |(?<= ) | $")
"""White space that is shown like other white space, or not at all."""


def told_apart(names: Iterable[str]) -> list[str]:
    """Return the names, a later one with a number behind it where it is taken."""
    taken: set[str] = set()
    unique: list[str] = []
    for name in names:
        free, number = name, 1
        while free in taken:
            number += 1
            free = f"{name} ({number})"
        taken.add(free)
        unique.append(free)
    return unique


def same_but_for_space(name: str, names: Iterable[str]) -> str | None:
    """Return the first of the names that differs from ``name`` in white space alone, if any."""
    return next((other for other in names if other != name and other.split() == name.split()), None)


def with_space_told(name: str) -> str:
    """Return a name, cut where it is long, with its white space told but for spaces in between."""
    return shown(_UNSEEN.sub(_escape, name))


def meant_but_for_space(name: str) -> str:
    """Ask whether this name was meant by one that differs from it in white space alone."""
    return f"did you mean '{with_space_told(name)}', which differs in white space alone?"


def _escape(space: re.Match[str]) -> str:
    return r"\x20" if space[0] == " " else ascii(space[0])[1:-1]


LONGEST = 80
"""Characters: what is longer is not told any better by more of it."""


def shown(given: object) -> str:
    """Return it as text, cut where it is long, with escapes for what UTF-8 cannot hold."""
    text = str(given)
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"
    return cut.encode("utf-8", "backslashreplace").decode()


def is_unwritable(text: str) -> bool:
    """Say whether text holds half a character, as JSON can, so that no file or page takes it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
