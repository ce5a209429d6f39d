"""What all commands share: their parser, and how they speak to the terminal, progress too."""

import argparse
import io
import re
import sys
from functools import cached_property
from typing import Any, NoReturn, Self, TypeAlias

from tqdm import tqdm

from evencover.core import InputError, events
from evencover.core.messages import perhaps, visible
from evencover.core.remedies.names import title_of

from ..wording.formatting import one_line

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"  # noqa: SLF001 - it has no public name


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are input errors like all others, with what may be meant."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401
        """Return what is known; nothing is unknown, as that is refused."""
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            meant = perhaps(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{meant}")
        return known, unknown

    def error(self, message: str) -> NoReturn:
        """Raise an InputError."""
        if found := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message):
            message += perhaps(found[1], re.findall(r"[\w-]+", found[2]))
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


def print_lines(text: str) -> None:
    """Print text for people, of which nothing steers a terminal, or the log of a pipeline."""
    print_text("\n".join(map(_harmless, text.split("\n"))))


def say(sentence: str) -> None:
    """Write one sentence to standard error."""
    sys.stderr.write(f"evencover: {_harmless(one_line(sentence))}\n")


def _harmless(line: str) -> str:
    return _COMMAND.sub(lambda found: rf"{found[1] or ''}\x{ord(found[0][-1]):x}", visible(line))


_COMMAND = re.compile(r"^(\s*):(?=:)|#(?=#\w*\[)")
"""Begins a command to a pipeline in its log, as ::error:: or ##[group] do."""


class ProgressBar:
    """Listens to an audit and counts its evaluations; ``quiet`` shows nothing.

    The bar appears with the first event: a table that is refused has had no progress.
    """

    def __init__(self, *, quiet: bool, title: str = "") -> None:
        self._quiet = quiet
        self._title = title
        self._repeat = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if "_bar" in vars(self):
            self._bar.close()

    def __call__(self, event: events.Event) -> None:
        """Show an event."""
        match event:
            case events.RepeatStarted(number, repeats):
                self._repeat = f"repeat {number} of {repeats}, " if repeats > 1 else ""
            case events.StageStarted(stage, predictor):
                name = title_of(predictor) if stage == "remedy" else stage.replace("_", " ")
                self._bar.set_description_str(_harmless(self._title + self._repeat + name))
            case events.BaseMeasured(dcv=dcv):
                self._bar.set_postfix_str(f"training DCV {dcv:.4f}")
            case events.LayerTried():
                self._bar.update()
            case events.LayerAccepted(iteration=iteration, dcv=dcv):
                self._bar.set_postfix_str(f"layer {iteration}, training DCV {dcv:.4f}")
            case events.StepDone(done, asked, ""):
                self._bar.set_postfix_str(f"permutation {done} of {asked}")
            case events.StepDone(done, asked, title):
                described = _harmless(f"{self._title}{title}")
                self._bar.set_description_str(f"{described}, step {done} of {asked}")

    @cached_property
    def _bar(self) -> "tqdm[NoReturn]":
        return tqdm(
            file=sys.stderr,
            disable=self._quiet,
            unit=" evaluations",
            delay=1e-9,  # else it is there once before it says what is done
            bar_format="{desc}: {n_fmt}{unit}, {elapsed}{postfix}",
        )
