"""The command ``evencover``."""

import argparse
import gc
import importlib
import importlib.metadata
import os
import sys
import traceback
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from evencover.core.messages import InputError, lack_of_memory

from ..terminal import BUG, INTERRUPTED, UNUSABLE
from ..terminal.console import Parser, open_streams, say

COMMANDS = {
    "dashboard": (".dashboard", "start the dashboard in the browser (the default)"),
    "audit": (".audit", "audit a table without a browser"),
    "compare": (".compare", "compare remedies on a table, over seeds"),
    "predict": (".predict", "predict rows by a saved predictor, however many they are"),
    "watch": (".watch", "watch a saved predictor on newer rows: has coverage moved, and for whom"),
    "export": (".export", "write a saved predictor as SQL, to run where the rows are"),
    "schema": (".schema", "print the schema of a saved predictor"),
    "reproduce": (
        "..reproduction.command",
        "run the paper's tables and figure again, and compare",
    ),
}
"""Each with the module that has it, loaded when it is asked for, and what it does."""

_GUIDE = "The guide tells more: the dashboard's page Guide, chapter 'Command line'."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0 done; 2 the input or an option is unusable, reported in one sentence; 1 a bug.
    """
    open_streams()
    try:
        options = _parser().parse_args(arguments)
        status: int = options.run(options)
    except InputError as error:
        return _fail(str(error), UNUSABLE)
    except KeyboardInterrupt:
        return _fail("interrupted, nothing written", INTERRUPTED)
    except BrokenPipeError:
        # whoever read standard output has gone; without this Python complains at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BUG
    except Exception as error:  # noqa: BLE001 - a person reads of a bug in one line
        if told := lack_of_memory(error):
            return _fail(str(told), UNUSABLE)
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        what = f"{type(error).__name__} at {where}"  # its message may quote the table
        return _fail(f"this is a bug in evencover ({what}); please report it", BUG)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="evencover",
        description="Shows for whom prediction intervals fail, and mends them.",
        epilog=_GUIDE,
    )
    version = f"evencover {importlib.metadata.version('evencover')}"
    parser.add_argument("--version", action="version", version=version)
    parser.set_defaults(run=lambda _: main(["dashboard"]))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (module, what) in COMMANDS.items():
        commands.add_parser(name, help=what, fill=partial(_fill, module), epilog=_GUIDE)
    return parser


def _fill(module: str, parser: Parser) -> None:
    """Add a command's arguments by its module, which may take seconds to load."""
    gc.disable()  # of what is loaded nothing is garbage: to look for some takes a sixth of the time
    try:
        importlib.import_module(module, __package__).fill(parser)
    finally:
        gc.enable()
    gc.freeze()  # nor is it looked at later


def _fail(sentence: str, status: int) -> int:
    say(sentence)
    return status


if __name__ == "__main__":
    from . import start

    sys.exit(start())
