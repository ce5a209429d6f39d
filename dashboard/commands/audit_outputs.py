"""What the command ``evencover audit`` writes of its result."""

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from evencover.core import AuditResult, InputError

from ..export.files import TABLES, to_csv_texts, to_json_text, to_rows_csv
from ..export.report import check_examples, to_html
from ..export.terminal_summary import to_text
from .outputs import Made, Outputs

_OUTPUTS = Outputs(
    {
        "json": "the result as JSON",
        "html": "a report to mail, one page",
        "rows": "the test rows one by one as CSV: each with its columns, its set before and after, "
        "whether that holds the label, and the estimated probability of it",
    },
    TABLES,
)


def add_outputs(add: Callable[..., Any]) -> None:
    """Add the options by a parser's ``add_argument``."""
    _OUTPUTS.add(add)
    help_ = "test rows shown in the report (default 0: it holds no row of the table)"
    add("--html-examples", type=int, default=0, metavar="N", help=help_)


def check_outputs(options: argparse.Namespace, second_table: str | None = None) -> None:
    """Refuse an output that cannot be written before the work is done, not after."""
    if options.preview and _OUTPUTS.asked(options):
        raise InputError(
            "output.of_preview",
            "--preview only tells what becomes of the columns; leave out --json, --html, --rows "
            "and --csv",
        )
    check_examples(options.html_examples)
    if options.html_examples and options.html is None:
        sentence = "--html-examples shows rows in the report; say where with --html"
        raise InputError("output.examples_alone", sentence)
    _OUTPUTS.check(options, second_table)


def write_outputs(result: AuditResult, options: argparse.Namespace) -> int:
    """Write what is asked for, or else print a summary; return the exit status."""
    texts = {
        "json": partial(to_json_text, result),
        "html": partial(to_html, result, options.html_examples),
        "rows": partial(to_rows_csv, result),
    }
    made = Made(texts, partial(to_csv_texts, result), partial(to_text, result))
    return _OUTPUTS.write(made, options)
