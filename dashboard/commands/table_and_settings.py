"""The table that a command is given, and the settings of an audit of it."""

import argparse
import functools
import sys
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from evencover.core import AuditSettings, InputError
from evencover.core.experiment.out_of_core import is_served
from evencover.core.preparation.options import options_of
from evencover.core.preparation.roles import columns_in_use, columns_with_a_role, with_audit_only
from evencover.core.preparation.settings_json import read_settings
from evencover.core.tables.lazy import LazyTable, is_large_parquet
from evencover.core.tables.reading import parse_table, read_chosen, read_table
from evencover.core.tables.table import Table, file_fingerprint, folder_fingerprint, joined
from evencover.core.tables.text_values import Reading
from evencover.sample_data import DATA_VARIABLE, Sample, load_sample, sample_names

from ..options import BY_SAMPLES, SAMPLE_PREFIX, add_options
from ..runs.server_settings import server_settings
from ..terminal.console import Parser

STANDARD_INPUT = "-"


def add_table_and_options(
    parser: Parser, run: Callable[[argparse.Namespace], int], without: Collection[str] = ()
) -> Callable[..., Any]:
    """Let a command take TABLE, the options of an audit but for some, and a file of them.

    Return its parser's ``add_argument``.
    """
    samples = ", ".join(sample_names())
    parser.description = (
        "TABLE is a CSV, Parquet, Excel or OpenDocument file, as it is or packed with gzip or "
        "zip, a folder of Parquet files, of which ready-made intervals or sets are audited "
        f"without reading it as a whole, or {SAMPLE_PREFIX}NAME with NAME one of {samples}. A "
        "sample brings the options marked * with it where they are not given. The last three are "
        f"published data: they are read from the folder that {DATA_VARIABLE} names, or else "
        "downloaded once and kept in scikit-learn's cache."
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    help_ = f"a table's file, - for standard input, or {SAMPLE_PREFIX}NAME of {samples}"
    add("table", metavar="TABLE", help=help_)
    add_options(add, without)
    help_ = (
        "options from a file of settings, or from a JSON result, instead of a sample's own; those "
        "given beside it win"
    )
    add("--settings", type=Path, metavar="FILE", help=help_)
    add("--quiet", action="store_true", help="no progress bar")
    return add


def fingerprint_of(table: str) -> str:
    """Return that of a file or folder; empty of what else is read, whose rows have one."""
    if is_sample(table) or table == STANDARD_INPUT:
        return ""
    path = Path(table)
    return folder_fingerprint(path) if _is_folder(path) else file_fingerprint(path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # nothing can be there, as reading it says
        return False


def read(
    options: argparse.Namespace, settings: AuditSettings, *, whole: bool = False
) -> tuple[Table | LazyTable, AuditSettings, list[str]]:
    """Return the table, the settings, and the names of columns that need not be read.

    ``whole`` every column is read, as for a preview.
    """
    if is_sample(options.table):
        if settings.reading != Reading(numeric=settings.numeric):
            sentence = (
                "'{table}' is no file; leave out its encoding, sheet, header and words for missing "
                "values"
            )
            raise InputError("file.unserved", sentence, table=options.table)
        sample = load_sample(options.table.removeprefix(SAMPLE_PREFIX))
        if options.settings is None:
            settings = _filled_in(options, settings, sample)
        return *_joined(Table.of(sample.frame), settings), []
    bounds = server_settings().bounds
    path = Path(options.table)
    is_counted = not whole and is_served(settings) and is_large_parquet(path)
    if is_counted or _is_folder(path):
        return LazyTable.of_folder(path, bounds), settings, []
    if options.table == STANDARD_INPUT:
        name = "standard input"
        content = bounds.read(sys.stdin.buffer, Path(name))
        return *_joined(parse_table(content, name, settings.reading, bounds), settings), []
    # settings name columns of a second table, too
    every = whole or settings.join is not None
    choose = list if every else functools.partial(columns_in_use, settings=settings)
    table, unread = read_chosen(path, choose, settings.reading, bounds)
    return *_joined(table, settings), unread


def _joined(table: Table, settings: AuditSettings) -> tuple[Table, AuditSettings]:
    """Return the table with the columns of a second one, and settings by which these are audited.

    Columns with another role keep it.
    """
    if settings.join is None or settings.on is None:
        return table, settings
    bounds = server_settings().bounds
    other = read_table(Path(settings.join), settings.reading_of_second, bounds)
    table = joined(table, other, settings.on, settings.join, bounds)
    return table, with_audit_only(settings, other.names)


def is_sample(table: str) -> bool:
    """Say whether what a command is given names a sample, and no file."""
    return table.startswith(SAMPLE_PREFIX)


def settings_given(options: argparse.Namespace) -> AuditSettings:
    """Return the settings as given; those of a sample are still to be filled in."""
    given, file = vars(options), options.settings
    if not options.table.strip():  # which would be the current folder
        raise InputError("file.no_name", "TABLE is empty; name a file, a folder or a sample")
    brings_its_own = is_sample(options.table) or file is not None
    if "target" not in given and not (brings_its_own or given.get("preview")):
        sentence = "--target is missing; name the label's column (only a sample brings its own)"
        raise InputError("target.missing", sentence)
    known = options_of(AuditSettings)
    settings: dict[str, Any] = {
        name: tuple(dict.fromkeys(value)) if isinstance(value, list) else value
        for name, value in given.items()
        if name in known
    }
    given_words = settings.pop("missing", ())
    in_one = [words[0] for words in given_words if words and isinstance(words[0], tuple)]
    others = [words for words in given_words if not (words and words[0] in in_one)]
    settings |= {"missing_in": tuple(in_one)} if in_one else {}
    settings |= {"missing": tuple(dict.fromkeys(chain(*others)))} if others else {}
    if file is not None:
        return replace(read_settings(file), **settings)
    return AuditSettings(**{"target": ""} | settings)


def _filled_in(
    options: argparse.Namespace, settings: AuditSettings, sample: Sample
) -> AuditSettings:
    """Return the settings with the sample's own in place of options that are not given.

    What suits the sample's label is not carried over to another one, and a column that is
    given one role loses the one it has in the sample.
    """
    spoken_for = columns_with_a_role(settings)
    own = {name: getattr(sample, name) for name in BY_SAMPLES}
    own["log_target"] &= settings.target in ("", sample.target)
    for role in ("drop", "audit_only"):
        own[role] = tuple(column for column in own[role] if column not in spoken_for)
    return replace(settings, **{k: v for k, v in own.items() if k not in options})
