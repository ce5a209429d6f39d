"""Where the command ``evencover audit`` writes its result."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evencover.core import AuditResult, InputError

from ..export.files import TABLES, to_csv_texts, to_json_text, write_whole
from ..export.report import check_examples, to_html
from ..export.terminal_summary import to_text
from ..terminal.output_paths import (
    check_file,
    check_folder,
    folder_named,
    is_same_file,
    is_there,
    output_named,
    real,
)
from ..terminal.parser import print_text, say

_TEXTS = ("json", "html")
"""Outputs that are one text each, and may be standard output."""


def add_outputs(add: Callable[..., Any]) -> None:
    """Add the options by a parser's ``add_argument``."""
    for flag, what in (("--json", "the result as JSON"), ("--html", "a report to mail, one page")):
        help_ = f"write {what}; - for standard output"
        add(flag, type=output_named, metavar="FILE", help=help_)
    add(
        "--html-examples",
        type=int,
        default=0,
        metavar="N",
        help="test rows shown in the report (default 0: it holds no row of the table)",
    )
    add("--csv", type=folder_named, metavar="DIR", help="write the result's tables as CSV files")


def check_outputs(options: argparse.Namespace) -> None:
    """Refuse an output that cannot be written before the work is done, not after."""
    _check_go_together(options)
    is_new = options.csv is not None and not is_there("--csv", options.csv)
    if options.csv is not None and not is_new and not options.csv.is_dir():
        raise InputError(f"--csv '{options.csv}' is a file; name a folder")
    files = _files(options)
    for option, path in files:
        _check_is_no_other(option, path, options)
    _check_told_apart(files)
    _check_is_no_folder_to_be(files, options)
    for option, path in files:
        if not (option == "--csv" and is_new):
            check_file(option, path)
    if is_new:
        check_folder("--csv", real(options.csv).parent)


def _check_is_no_other(option: str, path: Path, options: argparse.Namespace) -> None:
    if is_there(option, path) and path.is_dir():
        raise InputError(f"{option} '{path}' is a folder; name another place")
    if is_same_file(path, Path(options.table)):
        raise InputError(f"{option} '{path}' is the table itself; name another place")
    if options.settings is not None and is_same_file(path, options.settings):
        raise InputError(f"{option} '{path}' is the file of --settings; name another place")


def _check_go_together(options: argparse.Namespace) -> None:
    asked = [name for name in (*_TEXTS, "csv") if getattr(options, name) is not None]
    if options.preview and asked:
        raise InputError(
            "--preview only tells what becomes of the columns; leave out --json, --html and --csv"
        )
    check_examples(options.html_examples)
    if options.html_examples and options.html is None:
        raise InputError("--html-examples shows rows in the report; say where with --html")
    if options.json == options.html == "-":
        raise InputError(
            "--json and --html cannot both go to standard output; name a file for one of them"
        )


def _files(options: argparse.Namespace) -> list[tuple[str, Path]]:
    named = [(name, getattr(options, name)) for name in _TEXTS]
    files = [(f"--{name}", Path(file)) for name, file in named if file not in (None, "-")]
    if options.csv is not None:
        files += [("--csv", options.csv / f"{name}.csv") for name in TABLES]
    return files


def _check_told_apart(files: list[tuple[str, Path]]) -> None:
    taken: dict[Path, str] = {}
    # backwards, so that --csv, whose files have fixed names, keeps its own
    for option, path in reversed(files):
        other = taken.setdefault(real(path), option)
        if other != option:
            what = "one of the files of --csv" if other == "--csv" else f"the file of {other}, too"
            raise InputError(f"{option} '{path}' is {what}; name another file")


def _check_is_no_folder_to_be(files: list[tuple[str, Path]], options: argparse.Namespace) -> None:
    for option, path in files:
        if options.csv is not None and real(path) == real(options.csv):
            raise InputError(f"{option} '{path}' is the folder of --csv; name another place")


def write_outputs(result: AuditResult, options: argparse.Namespace) -> None:
    """Write what is asked for, or else print a summary."""
    for name, place in ((name, getattr(options, name)) for name in _TEXTS):
        if place == "-":
            print_text(_text(name, result, options))
        elif place is not None:
            _write_file(Path(place), _text(name, result, options), options)
    if options.csv is not None:
        _make_folder(options.csv)
        for name, text in to_csv_texts(result).items():
            _write_file(options.csv / name, text, options)
    if options.json is None and options.html is None and options.csv is None:
        print_text(to_text(result))


def _text(name: str, result: AuditResult, options: argparse.Namespace) -> str:
    return to_json_text(result) if name == "json" else to_html(result, options.html_examples)


def _make_folder(folder: Path) -> None:
    try:
        real(folder).mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"'{folder}' cannot be made: {error.strerror}") from None


def _write_file(path: Path, text: str, options: argparse.Namespace) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror}") from None
    if not options.quiet:
        say(f"wrote {path}")
