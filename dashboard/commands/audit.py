"""The command ``evencover audit``."""

import argparse
import functools
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from evencover.core import AuditSettings, InputError, audit
from evencover.core.preparation.column_profile import profile_columns
from evencover.core.preparation.hints import hints_before
from evencover.core.preparation.options import options_of
from evencover.core.preparation.roles import columns_in_use
from evencover.core.preparation.settings_json import read_settings
from evencover.core.tables.fingerprint import file_fingerprint
from evencover.core.tables.reading import Reading, read_chosen
from evencover.core.tables.table import Table, read_as_asked
from evencover.sample_data import DATA_VARIABLE, Sample, load_sample, sample_names

from ..options.command_line import add_options
from ..options.repeat_command import hint_line
from ..options.source import BY_SAMPLES, SAMPLE_PREFIX
from ..runs.server_settings import server_settings
from ..terminal.parser import Commands, print_text
from ..terminal.progress_bar import ProgressBar
from ..wording.formatting import one_line
from ..wording.tables import preview_text
from .audit_outputs import add_outputs, check_outputs, write_outputs


def add_audit(commands: Commands) -> None:
    """Add the command to a parser."""
    samples = ", ".join(sample_names())
    audit_ = commands.add_parser(
        "audit",
        help="audit a table without a browser",
        description=(
            "TABLE is a CSV, Parquet, Excel or OpenDocument file, as it is or packed with gzip or "
            f"zip, or {SAMPLE_PREFIX}NAME with NAME one of {samples}. A sample brings the options "
            "marked * with it where they are not given. The last three are published data: they "
            f"are read from the folder that {DATA_VARIABLE} names, or else downloaded once and "
            "kept in scikit-learn's cache."
        ),
        allow_abbrev=False,
    )
    audit_.set_defaults(run=run_audit)
    add = audit_.add_argument
    add("table", metavar="TABLE", help=f"a table's file, or {SAMPLE_PREFIX}NAME of {samples}")
    add_options(add)
    help_ = (
        "options from a file of settings, or from a JSON result, instead of a sample's own; those "
        "given beside it win"
    )
    add("--settings", type=Path, metavar="FILE", help=help_)
    add_outputs(add)
    add("--preview", action="store_true", help="only say what becomes of each column")
    add("--quiet", action="store_true", help="no progress bar")


def run_audit(options: argparse.Namespace) -> int:
    """Audit the table, and write or print what is asked for."""
    settings = _settings_given(options)
    check_outputs(options)
    started = time.perf_counter()
    table, unread, settings = _read(options, settings)
    if options.preview:
        print_text(_preview(table, settings))
        return 0
    fingerprint = None if _is_sample(options.table) else file_fingerprint(Path(options.table))
    read_seconds = time.perf_counter() - started
    with ProgressBar(quiet=options.quiet) as bar:
        result = audit(
            table,
            settings,
            unread=unread,
            source=options.table,
            fingerprint=fingerprint,
            read_seconds=read_seconds,
            on_event=bar,
        )
    return write_outputs(result, options)


def _preview(table: Table, settings: AuditSettings) -> str:
    table, notes = read_as_asked(table, settings.numeric, settings.categorical)
    profiles = profile_columns(table, settings)
    hints = map(hint_line, hints_before(table, settings, profiles))
    lines = (f"\n{one_line(line)}\n" for line in (*table.notes, *notes, *hints))
    return preview_text(profiles) + "".join(lines)


def _read(
    options: argparse.Namespace, settings: AuditSettings
) -> tuple[Table, list[str], AuditSettings]:
    """Return the table, the names of its columns that need not be read, and the settings."""
    if _is_sample(options.table):
        if settings.reading != Reading(numeric=settings.numeric):
            sentence = (
                "'{table}' is no file; leave out its encoding, sheet and words for missing values"
            )
            raise InputError("file.unserved", sentence, table=options.table)
        sample = load_sample(options.table.removeprefix(SAMPLE_PREFIX))
        own = options.settings is None
        return (
            Table.of(sample.frame),
            [],
            _filled_in(options, settings, sample) if own else settings,
        )
    # a preview is of every column
    choose = list if options.preview else functools.partial(columns_in_use, settings=settings)
    bounds = server_settings().bounds
    return *read_chosen(Path(options.table), choose, settings.reading, bounds), settings


def _is_sample(table: str) -> bool:
    return table.startswith(SAMPLE_PREFIX)


def _settings_given(options: argparse.Namespace) -> AuditSettings:
    """Return the settings as given, those of a sample that are not still to be filled in."""
    given, file = vars(options), options.settings
    if "target" not in given and not (_is_sample(options.table) or file is not None):
        sentence = "--target is missing; name the label's column (only a sample brings its own)"
        raise InputError("target.missing", sentence)
    known = options_of(AuditSettings)
    settings: dict[str, Any] = {
        name: tuple(dict.fromkeys(value)) if isinstance(value, list) else value
        for name, value in given.items()
        if name in known
    }
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
    spoken_for = {settings.target, settings.split_column, settings.group, settings.time}
    spoken_for.update(settings.features or (), settings.drop, settings.audit_only)
    own = {name: getattr(sample, name) for name in BY_SAMPLES}
    own["log_target"] &= settings.target in ("", sample.target)
    for role in ("drop", "audit_only"):
        own[role] = tuple(column for column in own[role] if column not in spoken_for)
    return replace(settings, **{k: v for k, v in own.items() if k not in options})
