"""The command ``evencover compare``."""

import argparse
from dataclasses import replace
from functools import partial

from joblib import cpu_count

from evencover.core import InputError
from evencover.core.experiment.comparison import COMPARED_REMEDIES, SEEDS, compare
from evencover.core.experiment.experiment import Workers
from evencover.core.preparation.settings import OPTIONS
from evencover.core.remedies.names import NONE, WRITTEN
from evencover.core.tables.lazy import LazyTable
from evencover.core.tables.table import Origin

from ..export import comparison as export
from ..options import complaining
from ..terminal.console import Parser
from ..terminal.outputs import Outputs
from ..terminal.progress import ProgressBar
from .table_and_settings import add_table_and_options, fingerprint_of, read, settings_given

_OUTPUTS = Outputs({"json": "the comparison as JSON"}, export.ROW_TYPES)
_NOT_ASKED = ("remedies", "repeats")  # options of an audit that the comparison has its own for


def fill(parser: Parser) -> None:
    """Add the command's arguments to its parser."""
    add = add_table_and_options(parser, run_compare, without=_NOT_ASKED)
    help_ = f"remedies: {WRITTEN} (default {','.join(COMPARED_REMEDIES)}); the base is always there"
    add(
        "--remedies",
        dest="compared",
        type=complaining(OPTIONS["remedies"].kind.parse),
        metavar="A,B",
        help=help_,
    )
    help_ = (
        "models of your own to compare, in place of remedies: the columns of a's outputs are those "
        "named by --lower and the like, called a_lower or lower_a"
    )
    columns = complaining(OPTIONS["drop"].kind.parse)
    add("--models", type=columns, default=(), metavar="A,B", help=help_)
    help_ = "a column that says which model a row is of: each object has a row for each model"
    add("--model-column", metavar="COL", help=help_)
    help_ = "with --model-column, columns by which rows are one object (default: all others)"
    add("--key", type=columns, default=(), metavar="A,B", help=help_)
    help_ = f"random splits, each with a seed of its own (default {SEEDS}; 1 where it is fixed)"
    add("--seeds", type=int, metavar="N", help=help_)
    help_ = (
        "fits and examinations that go on at once (default 1); of this machine no more than it has "
        "processors"
    )
    add("--workers", type=int, metavar="N", help=help_)
    help_ = "joblib's backend that they go on by: loky, threading, dask or ray"
    add("--backend", metavar="NAME", help=help_)
    help_ = "the scheduler of a Dask cluster whose workers do them all, such as tcp://host:8786"
    add("--scheduler", metavar="ADDRESS", help=help_)
    _OUTPUTS.add(add)


def run_compare(options: argparse.Namespace) -> int:
    """Compare remedies on the table, and write or print what is asked for."""
    settings = replace(settings_given(options), remedies=(NONE,), repeats=1)
    _OUTPUTS.check(options, settings.join)
    of_models = options.models or options.model_column or options.key
    table, settings, _ = read(options, settings, whole=True)
    if isinstance(table, LazyTable):
        sentence = (
            "'{folder}' is a folder, of which nothing can be fitted; compare remedies on one file "
            "of it"
        )
        raise InputError("compare.folder", sentence, folder=options.table)
    count = options.workers
    if count and options.backend in (None, "loky", "threading"):
        # more processes than processors take memory and time for nothing
        count = min(count, cpu_count())
    with ProgressBar(quiet=options.quiet) as bar:
        found = compare(
            table,
            settings,
            COMPARED_REMEDIES if options.compared is None and not of_models else options.compared,
            models=options.models,
            model_column=options.model_column,
            key=options.key,
            seeds=options.seeds,
            workers=Workers(count, options.backend, options.scheduler),
            origin=Origin(options.table, fingerprint_of(options.table)),
            on_event=bar,
        )
    texts = {"json": partial(export.comparison_to_json_text, found)}
    tables = partial(export.comparison_to_csv_texts, found)
    return _OUTPUTS.write(options, texts, tables, partial(export.comparison_to_text, found))
