"""A command line as a shell reads it."""

import shlex
from collections.abc import Iterable

from evencover.core.messages import is_unwritable

_IN_DOLLAR_QUOTES = {
    # Python reads a byte that is no UTF-8, as in a file's name of another encoding, as one of these
    **{0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)},
    ord("'"): r"\'",
    ord("\\"): r"\\",
}


def command_line(words: Iterable[str]) -> str:
    """Return the words as one line, each quoted where a shell would read it otherwise."""
    return " ".join(map(quoted, words))


def quoted(word: str) -> str:
    """Return a word as a shell reads it, with what is no UTF-8 written by its bytes."""
    return f"$'{word.translate(_IN_DOLLAR_QUOTES)}'" if is_unwritable(word) else shlex.quote(word)
