"""What all commands share: their parser, and how they speak to the terminal."""

import argparse
import io
import sys
from typing import NoReturn, TypeAlias

from evencover.core import InputError

from ..wording.formatting import one_line

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001 - it has no public name


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are input errors like all others."""

    def error(self, message: str) -> NoReturn:
        """Raise an InputError."""
        template = message.replace("{", "{{").replace("}", "}}")
        raise InputError("command.usage", f"{template}; see '{{prog}} --help'", prog=self.prog)


def print_text(text: str) -> None:
    """Print in UTF-8 whatever the terminal's encoding is: JSON is to be read by programs."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        sentence = "standard output cannot be written: {why}"
        raise InputError("output.failed", sentence, why=error.strerror) from None


def say(sentence: str) -> None:
    """Write one sentence to standard error."""
    sys.stderr.write(f"evencover: {one_line(sentence)}\n")
