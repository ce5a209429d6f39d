"""The command ``evencover audit``."""

import argparse
import functools
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from evencover.core import AuditResult, AuditSettings, InputError, audit
from evencover.core.audit.gate import FailRule, overall
from evencover.core.preparation.column_profile import profile_columns
from evencover.core.preparation.date_parts import names_part
from evencover.core.preparation.hints import hints_before
from evencover.core.preparation.options import options_of
from evencover.core.preparation.roles import columns_in_use, with_audit_only
from evencover.core.preparation.settings_json import read_settings
from evencover.core.tables.columns import check_exists
from evencover.core.tables.fingerprint import file_fingerprint, folder_fingerprint
from evencover.core.tables.joining import joined
from evencover.core.tables.lazy import LazyTable
from evencover.core.tables.reading import Reading, read_chosen, read_table
from evencover.core.tables.table import Table, read_as_asked
from evencover.sample_data import DATA_VARIABLE, Sample, load_sample, sample_names

from ..options.command_line import add_options, complaining
from ..options.repeat_command import hint_line
from ..options.source import BY_SAMPLES, SAMPLE_PREFIX
from ..runs.server_settings import server_settings
from ..terminal import BROKEN, DONE, UNSURE
from ..terminal.parser import Commands, print_text, say
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
            "zip, a folder of Parquet files, of which ready-made intervals or sets are audited "
            "without reading it as a whole, "
            f"or {SAMPLE_PREFIX}NAME with NAME one of {samples}. A sample brings the options "
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
    help_ = (
        "fail, with exit status 3, where the result breaks a rule, such as 'low-segments > 0', "
        "'coverage(sex = F) < 0.88', 'gap(sex) > 0.05' or 'dcv > 2*floor', of the predictor before "
        "any adjustment unless another is named, as in 'ifacm.coverage < 0.88'; with 4 where too "
        "few rows can say; may be repeated"
    )
    rule = complaining(FailRule.parse)
    add("--fail-if", type=rule, action="append", default=[], metavar="RULE", help=help_)
    add("--allow-unsure", action="store_true", help="pass where too few rows can say of a rule")
    add("--preview", action="store_true", help="only say what becomes of each column")
    add("--quiet", action="store_true", help="no progress bar")


def run_audit(options: argparse.Namespace) -> int:
    """Audit the table, and write or print what is asked for."""
    settings = _settings_given(options)
    check_outputs(options, settings.join)
    started = time.perf_counter()
    table, settings, unread = _read(options, settings)
    if options.preview:
        print_text(_preview(table.head() if isinstance(table, LazyTable) else table, settings))
        return DONE
    usable = [name for name in table.names if name not in settings.drop]
    for rule in options.fail_if:
        for column in rule.columns:
            if not names_part(column, usable):
                check_exists(usable, column)
    fingerprint = None if _is_sample(options.table) else _fingerprint(Path(options.table))
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
    # an output that fails, or is interrupted, outdoes a rule that is broken
    return write_outputs(result, options) or _judged(result, options)


def _fingerprint(path: Path) -> str:
    return folder_fingerprint(path) if _is_folder(path) else file_fingerprint(path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # nothing can be there, as reading it says
        return False


def _preview(table: Table, settings: AuditSettings) -> str:
    table, notes = read_as_asked(table, settings.numeric, settings.categorical)
    profiles = profile_columns(table, settings)
    hints = map(hint_line, hints_before(table, settings, profiles))
    lines = (f"\n{one_line(line)}\n" for line in (*table.notes, *notes, *hints))
    return preview_text(profiles) + "".join(lines)


def _judged(result: AuditResult, options: argparse.Namespace) -> int:
    """Say what became of the rules of --fail-if, and return the exit status by it."""
    verdicts = [rule.judge(result) for rule in options.fail_if]
    for verdict in verdicts:
        say(verdict.sentence)
    outcome = overall(verdicts)
    if outcome == "unsure":
        return DONE if options.allow_unsure else UNSURE
    return BROKEN if outcome == "broken" else DONE


def _read(
    options: argparse.Namespace, settings: AuditSettings
) -> tuple[Table | LazyTable, AuditSettings, list[str]]:
    """Return the table, the settings, and the names of columns that need not be read."""
    if _is_sample(options.table):
        if settings.reading != Reading(numeric=settings.numeric):
            sentence = (
                "'{table}' is no file; leave out its encoding, sheet and words for missing values"
            )
            raise InputError("file.unserved", sentence, table=options.table)
        sample = load_sample(options.table.removeprefix(SAMPLE_PREFIX))
        if options.settings is None:
            settings = _filled_in(options, settings, sample)
        return *_joined(Table.of(sample.frame), settings), []
    bounds = server_settings().bounds
    if _is_folder(Path(options.table)):
        return LazyTable.of_folder(Path(options.table), bounds), settings, []
    # a preview is of every column, and settings name columns of a second table, too
    whole = options.preview or settings.join is not None
    choose = list if whole else functools.partial(columns_in_use, settings=settings)
    table, unread = read_chosen(Path(options.table), choose, settings.reading, bounds)
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
