"""The command ``evencover``."""

import argparse
import importlib.metadata
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from evencover.core import InputError

from ..reproduction.command import add_reproduce
from ..terminal import BUG, INTERRUPTED, UNUSABLE
from ..terminal.console import Parser, say
from .audit import add_audit
from .compare import add_compare
from .dashboard import launch


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0 done; 2 the input or an option is unusable, reported in one sentence; 1 a bug.
    """
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
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        what = f"{type(error).__name__} at {where}"  # its message may quote the table
        return _fail(f"this is a bug in evencover ({what}); please report it", BUG)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="evencover",
        description="Shows for whom prediction intervals fail, and mends them.",
        allow_abbrev=False,
    )
    version = f"evencover {importlib.metadata.version('evencover')}"
    parser.add_argument("--version", action="version", version=version)
    parser.set_defaults(
        run=lambda options: launch(port=options.port, browser=not options.no_browser),
        port=None,
        no_browser=False,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    dashboard = commands.add_parser(
        "dashboard", help="start the dashboard in the browser (the default)", allow_abbrev=False
    )
    dashboard.add_argument("--port", type=int, help="port to serve on (default: the first free)")
    dashboard.add_argument("--no-browser", action="store_true", help="do not open a browser")
    add_audit(commands)
    add_compare(commands)
    add_reproduce(commands)
    return parser


def _fail(sentence: str, status: int) -> int:
    say(sentence)
    return status


if __name__ == "__main__":
    sys.exit(main())
