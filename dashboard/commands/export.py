"""The command ``evencover export``."""

import argparse

from evencover.core.scoring import load
from evencover.core.scoring.engines import ENGINES
from evencover.core.scoring.sql import to_sql

from ..terminal.console import Parser
from ..terminal.outputs import Outputs

_OUTPUTS = Outputs({"out": "the SELECT (default: standard output)"}, ())


def fill(parser: Parser) -> None:
    """Add the command's arguments to its parser."""
    parser.set_defaults(run=run_export, table=None, csv=None, settings=None)
    add = parser.add_argument
    add("saved", metavar="SAVED", help="a saved predictor, as of evencover audit --save")
    help_ = "the engine whose SQL it is to be: duckdb, spark or bigquery"
    add("--sql", choices=[*ENGINES], required=True, metavar="ENGINE", help=help_)
    help_ = "the table that rows are read from, after its schema's name and a dot if it has one"
    add("--table", dest="rows", default="rows", metavar="NAME", help=f"{help_} (default rows)")
    _OUTPUTS.add(add)
    add("--quiet", action="store_true", help="do not say what is written")


def run_export(options: argparse.Namespace) -> int:
    """Write a saved predictor as one SELECT, to standard output unless a file is named."""
    options.out = options.out or "-"
    _OUTPUTS.check(options)
    text = to_sql(load(options.saved), options.sql, options.rows)
    return _OUTPUTS.write(options, {"out": lambda: text}, dict, str)
