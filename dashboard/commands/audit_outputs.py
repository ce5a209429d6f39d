"""Where the command ``evencover audit`` writes its result."""

import argparse
import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from evencover.core import AuditResult, InputError

from ..export.files import TABLES, to_csv_texts, to_json_text, to_rows_csv, write_together
from ..export.report import check_examples, to_html
from ..export.terminal_summary import to_text
from ..terminal import DONE, INTERRUPTED
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

Writer: TypeAlias = Callable[[], list[Path] | None]
"""It returns the files it has written."""


def add_outputs(add: Callable[..., Any]) -> None:
    """Add the options by a parser's ``add_argument``."""
    for name, what in _TEXTS.items():
        help_ = f"write {what}; - for standard output"
        add(f"--{name}", type=places.output_named, metavar="FILE", help=help_)
    help_ = "test rows shown in the report (default 0: it holds no row of the table)"
    add("--html-examples", type=int, default=0, metavar="N", help=help_)
    help_ = "write the result's tables as CSV files"
    add("--csv", type=places.folder_named, metavar="DIR", help=help_)


def check_outputs(options: argparse.Namespace, second_table: str | None = None) -> None:
    """Refuse an output that cannot be written before the work is done, not after."""
    _check_go_together(options)
    folder = options.csv
    is_new = folder is not None and not places.is_there("--csv", folder)
    if folder is not None and not is_new and not folder.is_dir():
        raise unusable("--csv", folder, "is a file", "a folder")
    files = _files(options)
    for option, path in files:
        _check_is_no_other(option, path, options)
        if second_table is not None and places.is_same_file(path, Path(second_table)):
            raise unusable(option, path, "is the second table")
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


def write_outputs(result: AuditResult, options: argparse.Namespace) -> int:
    """Write what is asked for, or else print a summary; return the exit status.

    One output that fails does not lose the others: what is wrong is said, or raised, in the end.
    """
    written: list[Path] = []
    failures: list[Exception] = []
    try:
        for write in _writers(result, options):
            try:
                written += write() or []
            except Exception as error:  # noqa: BLE001 - raised when the others are done
                failures.append(error)
    except KeyboardInterrupt:
        if not written:
            raise
        say(f"interrupted; what has been written is {', '.join(map(str, written))}")
        return INTERRUPTED
    # a defect is raised rather than what is told in a sentence
    failures.sort(key=lambda error: not isinstance(error, InputError))
    for failure in failures[:-1]:
        say(str(failure))
    if failures:
        raise failures[-1]
    return DONE


def _writers(result: AuditResult, options: argparse.Namespace) -> Iterator[Writer]:
    """Yield what writes each output; standard output, whose reader may have gone, comes last."""
    places_of = {name: getattr(options, name) for name in _TEXTS if getattr(options, name)}
    for name, place in places_of.items():
        if place != "-":
            yield partial(_write_text, name, Path(place), result, options)
    if options.csv is not None:
        yield partial(_write_tables, result, options)
    elif not places_of:
        yield lambda: print_text(to_text(result))
    for name, place in places_of.items():
        if place == "-":
            yield partial(_print, name, result, options)


def _text(name: str, result: AuditResult, options: argparse.Namespace) -> str:
    if name == "html":
        return to_html(result, options.html_examples)
    return to_json_text(result) if name == "json" else to_rows_csv(result)


def _print(name: str, result: AuditResult, options: argparse.Namespace) -> None:
    print_text(_text(name, result, options))


def _write_text(
    name: str, path: Path, result: AuditResult, options: argparse.Namespace
) -> list[Path]:
    return _write({path: _text(name, result, options)}, path, options)


def _write_tables(result: AuditResult, options: argparse.Namespace) -> list[Path]:
    folder: Path = options.csv
    texts = {folder / name: text for name, text in to_csv_texts(result).items()}
    is_new = not folder.exists()
    _make_folder(folder)
    try:
        return _write(texts, folder, options)
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):
                places.real(folder).rmdir()
        raise


def _make_folder(folder: Path) -> None:
    try:
        places.real(folder).mkdir(exist_ok=True)
    except OSError as error:
        raise places.failed(folder, "made", error) from None


def _write(texts: dict[Path, str], place: Path, options: argparse.Namespace) -> list[Path]:
    try:
        write_together(texts)
    except OSError as error:
        raise places.failed(place, "written", error) from None
    if not options.quiet:
        for path in texts:
            say(f"wrote {path}")
    return [*texts]
