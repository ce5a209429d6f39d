"""What all commands share: their parser, and how they speak to the terminal."""

import argparse
import io
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from evencover.core.messages import InputError, one_line, perhaps, visible


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are input errors like all others, with what may be meant.

    ``fill`` adds arguments once they are asked for.
    """

    def __init__(self, *, fill: Callable[["Parser"], None] | None = None, **given: Any) -> None:  # noqa: ANN401
        super().__init__(allow_abbrev=False, **given)
        self._fill = fill

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401
        """Return what is known; nothing is unknown, as that is refused."""
        if self._fill is not None:
            self._fill(self)
            self._fill = None
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            meant = perhaps(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        """Raise an InputError."""
        given, is_choice, known = message.rpartition("' (choose from ")
        if is_choice:
            given = given.partition("invalid choice: '")[2]
            message += perhaps(given, re.findall(r"[\w-]+", known))
        template = message.replace("{", "{{").replace("}", "}}")
        raise InputError("command.usage", f"{template}; see '{{prog}} --help'", prog=self.prog)


def open_streams() -> None:
    """Open what whoever started us has closed: nothing is read, printing fails, errors are lost."""
    # in this order, as each gets the lowest number that is free: its own
    sys.stdin = sys.stdin or Path(os.devnull).open()  # noqa: SIM115 - as long as we run
    if not sys.stdout:
        raw = io.FileIO(os.open(os.devnull, os.O_RDONLY), "w")
        sys.stdout = io.TextIOWrapper(raw, write_through=True)  # or exit would fail once more
    sys.stderr = sys.stderr or Path(os.devnull).open("w")  # noqa: SIM115


def print_text(text: str) -> None:
    """Print in UTF-8 whatever the terminal's encoding is: JSON is to be read by programs."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if sys.stdout.isatty():  # else a program reads it, to which values are to come as they are
        text = "\n".join(map(harmless, text.split("\n")))
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        sentence = "standard output cannot be written: {why}"
        raise InputError("output.failed", sentence, why=error.strerror) from None


def print_lines(text: str) -> None:
    """Print text for people, of which nothing steers a terminal, or the log of a pipeline."""
    print_text("\n".join(map(harmless, text.split("\n"))))


def say(sentence: str) -> None:
    """Write one sentence to standard error."""
    with suppress(OSError):  # there is nowhere else to say it
        sys.stderr.write(f"evencover: {harmless(one_line(sentence))}\n")


def harmless(line: str) -> str:
    """Return a line of which nothing steers a terminal, or the log of a pipeline."""
    return _COMMAND.sub(lambda found: rf"{found[1] or ''}\x{ord(found[0][-1]):x}", visible(line))


_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\w*\[)")
"""Begins a command to a pipeline in its log, as ::error:: or ##[group] do."""
