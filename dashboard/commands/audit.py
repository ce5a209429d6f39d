"""The command ``evencover audit``."""

import argparse
import functools
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pandas as pd

from evencover.core import AuditSettings, InputError, audit
from evencover.core.conformal.measures import MEASURES
from evencover.core.preparation.column_profile import profile_columns
from evencover.core.preparation.roles import columns_in_use
from evencover.core.preparation.settings import TASKS
from evencover.core.preparation.settings_json import read_settings
from evencover.core.remedies.ifacm.penalties import PENALTIES
from evencover.core.remedies.ifacm.searches import SEARCHES
from evencover.core.tables.fingerprint import file_fingerprint
from evencover.core.tables.reading import read_chosen
from evencover.sample_data import DATA_VARIABLE, Sample, load_sample, sample_names

from ..options.audit_options import add_estimators
from ..options.column_lists import parse_columns
from ..options.parser import option_type
from ..options.segment_options import add_segment_options
from ..options.source import SAMPLE_PREFIX
from ..terminal.output_paths import folder_named, output_named
from ..terminal.parser import Commands, print_text
from ..terminal.progress_bar import ProgressBar
from ..wording.column_preview import preview_text
from .audit_outputs import check_outputs, write_outputs


def add_audit(commands: Commands) -> None:
    """Add the command to a parser."""
    audit_ = commands.add_parser(
        "audit",
        help="audit a table without a browser",
        description=(
            "TABLE is a CSV, Parquet, Excel or OpenDocument file, as it is or packed with gzip or "
            "zip, or "
            f"{SAMPLE_PREFIX}NAME with NAME one of "
            f"{', '.join(sample_names())}. A sample brings the options marked * with it where "
            "they are not given. The last three are published data: they are read from the "
            f"folder that {DATA_VARIABLE} names, or else downloaded once and kept in "
            "scikit-learn's cache."
        ),
        allow_abbrev=False,
    )
    add = audit_.add_argument
    # a setting that is not given is None, and dest is its name in AuditSettings
    samples = ", ".join(sample_names())
    add("table", metavar="TABLE", help=f"a table's file, or {SAMPLE_PREFIX}NAME of {samples}")
    add("--target", metavar="COL", help="the label's column; needed unless TABLE is a sample *")
    add("--task", choices=TASKS)
    add(
        "--cl",
        type=float,
        dest="confidence_level",
        metavar="CL",
        help="confidence level, 0 < CL < 1 (default 0.9) *",
    )
    add(
        "--c",
        type=float,
        dest="penalty",
        metavar="C",
        help="penalty C >= 0 on wider intervals or larger sets: 0 counts coverage alone, 5 accepts "
        "hardly any widening (default 0.5) *",
    )
    add(
        "--penalty",
        choices=tuple(PENALTIES),
        dest="penalty_form",
        help="what an increase counts: linear, as the paper prints it (default); squared; "
        "per-label: divided by the number of classes",
    )
    add(
        "--search",
        choices=tuple(SEARCHES),
        help="restarted: goes on from other starts where the paper's stalls (default); paper: "
        "Nelder-Mead from (-5, -5) alone",
    )
    add_estimators(add)
    add(
        "--measure",
        choices=tuple(MEASURES),
        help="normalized: wider where prediction is harder (default); standard: one width; "
        "scoring: label sets, for classes",
    )
    add_columns = functools.partial(
        add, type=option_type(parse_columns), action="extend", metavar="A,B"
    )
    add_columns("--features", help="default: every usable column")
    add_columns("--drop", help="columns to leave out; '' for none *")
    add_columns("--audit-only", help="for segment tables only *")
    add_columns("--categorical", help="numbers that are codes")
    add_columns("--numeric", help="text to read as numbers, as missing where it is none")
    add(
        "--log-target",
        action=argparse.BooleanOptionalAction,
        help="model the logarithm of the label, or do not (default) *",
    )
    add("--split", help="training,calibration,test: shares or counts (default 0.4,0.3,0.3) *")
    add("--split-column", metavar="COL", help="a column holding train / calibration / test")
    add("--group", metavar="COL", help="keep all rows of one value in one set")
    add("--time", metavar="COL", help="train on the earliest rows, test on the latest")
    stratify = "divide each class in the split's proportions"
    add("--stratify", action="store_true", default=None, help=stratify)
    add("--repeats", type=int, metavar="N", help="audit N seeds, report the spread (default 1)")
    add("--seed", type=int, help="of the random split (default 0)")
    add_segment_options(add)
    add(
        "--settings",
        type=Path,
        metavar="FILE",
        help="options from a file of settings, or from a JSON result, instead of a sample's own; "
        "those given beside it win",
    )
    add(
        "--json",
        type=output_named,
        metavar="FILE",
        help="write the result as JSON; - for standard output",
    )
    add(
        "--html",
        type=output_named,
        metavar="FILE",
        help="write a report to mail, one page; - for standard output",
    )
    add(
        "--html-examples",
        type=int,
        default=0,
        metavar="N",
        help="test rows shown in the report (default 0: it holds no row of the table)",
    )
    add("--csv", type=folder_named, metavar="DIR", help="write the result's tables as CSV files")
    add("--preview", action="store_true", help="only tell what becomes of each column")
    add("--quiet", action="store_true", help="no progress bar")


def run_audit(options: argparse.Namespace) -> int:
    """Audit the table, and write or print what is asked for."""
    settings = _settings_given(options)
    check_outputs(options)
    started = time.perf_counter()
    table, unread, settings = _read(options, settings)
    if options.preview:
        print_text(preview_text(profile_columns(table, settings)))
        return 0
    named = options.table
    fingerprint = None if _is_sample(named) else file_fingerprint(Path(named))
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
    write_outputs(result, options)
    return 0


def _read(
    options: argparse.Namespace, settings: AuditSettings
) -> tuple[pd.DataFrame, list[str], AuditSettings]:
    """Return the table, the names of its columns that need not be read, and the settings."""
    if _is_sample(options.table):
        sample = load_sample(options.table.removeprefix(SAMPLE_PREFIX))
        own = options.settings is None
        return sample.frame, [], _filled_in(options, settings, sample) if own else settings
    # a preview tells of every column
    choose = list if options.preview else functools.partial(columns_in_use, settings=settings)
    return *read_chosen(Path(options.table), choose), settings


def _is_sample(table: str) -> bool:
    return table.startswith(SAMPLE_PREFIX)


def _settings_given(options: argparse.Namespace) -> AuditSettings:
    """Return the settings as given, those of a sample that are not still to be filled in."""
    given = {name: value for name, value in vars(options).items() if value is not None}
    if "target" not in given and not (_is_sample(options.table) or "settings" in given):
        raise InputError(
            "--target is missing; name the label's column (only a sample brings its own)"
        )
    names = {field.name for field in fields(AuditSettings)}
    settings = {name: _once(value) for name, value in given.items() if name in names}
    if "settings" in given:
        return replace(read_settings(options.settings), **settings)
    return AuditSettings(**{"target": ""} | settings)


def _once(value: Any) -> Any:  # noqa: ANN401 - a list of columns, or any other option
    return tuple(dict.fromkeys(value)) if isinstance(value, list) else value


def _filled_in(
    options: argparse.Namespace, settings: AuditSettings, sample: Sample
) -> AuditSettings:
    """Return the settings with the sample's own in place of options that are not given.

    What suits the sample's label is not carried over to another one, and a column that is
    given one role loses the one it has in the sample.
    """
    spoken_for = {settings.target, settings.split_column, settings.group, settings.time}
    spoken_for.update(settings.features or (), settings.drop, settings.audit_only)

    def unless_spoken_for(columns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(column for column in columns if column not in spoken_for)

    own: dict[str, Any] = {
        "target": sample.target,
        "log_target": sample.log_target and settings.target in ("", sample.target),
        "drop": unless_spoken_for(sample.drop),
        "audit_only": unless_spoken_for(sample.audit_only),
        "confidence_level": sample.confidence_level,
        "penalty": sample.penalty,
        "split": sample.split,
    }
    return replace(settings, **{k: v for k, v in own.items() if getattr(options, k) is None})
