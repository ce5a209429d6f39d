"""Where the command ``evencover audit`` writes its result."""

import argparse
import os
from pathlib import Path

from evencover.core import AuditResult, InputError

from .exports import TABLES, to_csv_texts, to_json_text, write_whole
from .report import check_examples, to_html
from .summary import to_text
from .terminal import print_text, say

_TEXTS = ("json", "html")
"""Outputs that are one text each, and may be standard output."""


def check_outputs(options: argparse.Namespace) -> None:
    """Refuse an output that cannot be written before the work is done, not after."""
    _check_go_together(options)
    if options.csv is not None and options.csv.exists() and not options.csv.is_dir():
        raise InputError(f"--csv '{options.csv}' is a file; name a folder")
    files = _files(options)
    for option, path in files:
        if path.is_dir():
            raise InputError(f"{option} '{path}' is a folder; name another place")
        if path.exists() and Path(options.table).exists() and path.samefile(options.table):
            raise InputError(f"{option} '{path}' is the table itself; name another place")
    _check_told_apart(files)
    for option, path in files:
        if option != "--csv":
            _check_folder(option, path.resolve().parent)
    if options.csv is not None:
        _check_folder(
            "--csv", options.csv if options.csv.exists() else options.csv.absolute().parent
        )


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
        other = taken.setdefault(path.resolve(), option)
        if other != option:
            what = "one of the files of --csv" if other == "--csv" else f"the file of {other}, too"
            raise InputError(f"{option} '{path}' is {what}; name another file")


def _check_folder(option: str, folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{option}: there is no folder '{folder}'; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{option}: folder '{folder}' is not writable; choose another")


def write_outputs(result: AuditResult, options: argparse.Namespace) -> None:
    """Write what is asked for, or else print a summary."""
    for name, place in ((name, getattr(options, name)) for name in _TEXTS):
        if place == "-":
            print_text(_text(name, result, options))
        elif place is not None:
            _write_file(Path(place), _text(name, result, options), options)
    if options.csv is not None:
        options.csv.mkdir(exist_ok=True)
        for name, text in to_csv_texts(result).items():
            _write_file(options.csv / name, text, options)
    if options.json is None and options.html is None and options.csv is None:
        print_text(to_text(result))


def _text(name: str, result: AuditResult, options: argparse.Namespace) -> str:
    return to_json_text(result) if name == "json" else to_html(result, options.html_examples)


def _write_file(path: Path, text: str, options: argparse.Namespace) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror}") from None
    if not options.quiet:
        say(f"wrote {path}")
