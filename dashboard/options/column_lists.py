"""Lists of columns as a person writes them: names between commas."""

import re
from collections.abc import Iterable

from evencover.core import InputError

_QUOTED = r'"((?:[^"]|"")*)"'
_PLAIN = r"([^,\r\n]*?)"
_ITEM = re.compile(rf"\s*(?:{_QUOTED}|{_PLAIN})\s*(?:,|\Z)")
_SPECIAL = re.compile(r'[,"\r\n]')


def parse_columns(text: str) -> tuple[str, ...]:
    """Return the names of ``a,b,c``; one that holds a comma or line end is put in double quotes.

    Quotes keep spaces around a name, too; within them a double quote is written twice.

    Raises
    ------
    InputError
        If a line end is in no quotes.
    """
    names: list[str] = []
    place = 0
    while place < len(text):
        item = _ITEM.match(text, place)
        if item is None:
            raise InputError(
                "columns.unreadable",
                "'{text}' is no list of columns; put a name that holds a line end in double quotes",
                text=text,
            )
        quoted, plain = item.groups()
        if quoted is not None:
            names.append(quoted.replace('""', '"'))
        elif plain:
            names.append(plain)
        place = item.end()
    return tuple(names)


def write_columns(names: Iterable[str]) -> str:
    """Write names as :func:`parse_columns` reads them."""
    return ",".join(map(_written, names))


def _written(name: str) -> str:
    if name and name == name.strip() and not _SPECIAL.search(name):
        return name
    return '"' + name.replace('"', '""') + '"'
