"""The command ``evencover schema``."""

import argparse
import json

from evencover.core.scoring.predictor import schema

from ..terminal import DONE
from ..terminal.console import Parser, print_text

_SCHEMAS = {"predictor": schema}


def fill(parser: Parser) -> None:
    """Add the command's arguments to its parser."""
    parser.description = "Prints the JSON schema of what evencover writes."
    parser.set_defaults(run=_run)
    help_ = "predictor: the header of a predictor that audit --save writes"
    parser.add_argument("what", choices=[*_SCHEMAS], help=help_)


def _run(options: argparse.Namespace) -> int:
    print_text(json.dumps(_SCHEMAS[options.what](), indent=1) + "\n")
    return DONE
