"""Where the command ``evencover audit`` writes its result."""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from evencover.core import AuditResult, InputError

from ..export.files import TABLES, to_csv_texts, to_json_text, to_rows_csv, write_whole
from ..export.report import check_examples, to_html
from ..export.terminal_summary import to_text
from ..terminal import output_paths as places
from ..terminal.output_paths import unusable
from ..terminal.parser import print_text, say

_TEXTS = {
    "json": "the result as JSON",
    "html": "a report to mail, one page",
    "rows": "the test rows one by one as CSV: each with its columns, its set before and after, "
    "whether that holds the label, and the estimated probability of it",
}
"""Outputs that are one text each, and may be standard output, with what they are."""


def add_outputs(add: Callable[..., Any]) -> None:
    """Add the options by a parser's ``add_argument``."""
    for name, what in _TEXTS.items():
        help_ = f"write {what}; - for standard output"
        add(f"--{name}", type=places.output_named, metavar="FILE", help=help_)
    help_ = "test rows shown in the report (default 0: it holds no row of the table)"
    add("--html-examples", type=int, default=0, metavar="N", help=help_)
    help_ = "write the result's tables as CSV files"
    add("--csv", type=places.folder_named, metavar="DIR", help=help_)


def check_outputs(options: argparse.Namespace) -> None:
    """Refuse an output that cannot be written before the work is done, not after."""
    _check_go_together(options)
    folder = options.csv
    is_new = folder is not None and not places.is_there("--csv", folder)
    if folder is not None and not is_new and not folder.is_dir():
        raise unusable("--csv", folder, "is a file", "a folder")
    files = _files(options)
    for option, path in files:
        _check_is_no_other(option, path, options)
    _check_are_different(files)
    for option, path in files:
        if folder is not None and places.real(path) == places.real(folder):
            raise unusable(option, path, "is the folder of --csv")
    for option, path in files:
        if not (option == "--csv" and is_new):
            places.check_file(option, path)
    if is_new:
        places.check_folder("--csv", places.real(folder).parent)


def _check_is_no_other(option: str, path: Path, options: argparse.Namespace) -> None:
    if places.is_there(option, path) and path.is_dir():
        raise unusable(option, path, "is a folder")
    if places.is_same_file(path, Path(options.table)):
        raise unusable(option, path, "is the table itself")
    if options.settings is not None and places.is_same_file(path, options.settings):
        raise unusable(option, path, "is the file of --settings")


def _check_go_together(options: argparse.Namespace) -> None:
    asked = [name for name in (*_TEXTS, "csv") if getattr(options, name) is not None]
    if options.preview and asked:
        raise InputError(
            "output.of_preview",
            "--preview only tells what becomes of the columns; leave out --json, --html, --rows "
            "and --csv",
        )
    check_examples(options.html_examples)
    if options.html_examples and options.html is None:
        sentence = "--html-examples shows rows in the report; say where with --html"
        raise InputError("output.examples_alone", sentence)
    printed = [f"--{name}" for name in _TEXTS if getattr(options, name) == "-"]
    if len(printed) > 1:
        sentence = "{options} cannot go to standard output together; name files for all but one"
        raise InputError("output.both_standard", sentence, options=" and ".join(printed))


def _files(options: argparse.Namespace) -> list[tuple[str, Path]]:
    named = [(name, getattr(options, name)) for name in _TEXTS]
    files = [(f"--{name}", Path(file)) for name, file in named if file not in (None, "-")]
    if options.csv is not None:
        files += [("--csv", options.csv / f"{name}.csv") for name in TABLES]
    return files


def _check_are_different(files: Iterable[tuple[str, Path]]) -> None:
    taken: dict[Path, str] = {}
    # backwards, so that --csv, whose files have fixed names, keeps its own
    for option, path in reversed([*files]):
        other = taken.setdefault(places.real(path), option)
        if other != option:
            what = "one of the files of --csv" if other == "--csv" else f"the file of {other}, too"
            raise unusable(option, path, f"is {what}", "another file")


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
    if all(getattr(options, name) is None for name in (*_TEXTS, "csv")):
        print_text(to_text(result))


def _text(name: str, result: AuditResult, options: argparse.Namespace) -> str:
    if name == "html":
        return to_html(result, options.html_examples)
    return to_json_text(result) if name == "json" else to_rows_csv(result)


def _make_folder(folder: Path) -> None:
    try:
        places.real(folder).mkdir(exist_ok=True)
    except OSError as error:
        raise places.failed(folder, "made", error) from None


def _write_file(path: Path, text: str, options: argparse.Namespace) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise places.failed(path, "written", error) from None
    if not options.quiet:
        say(f"wrote {path}")
