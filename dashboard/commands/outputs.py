"""Where a command writes its result: looked at before the work, written whole after it."""

import argparse
import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from evencover.core import InputError

from ..export.files import write_together
from ..terminal import DONE, INTERRUPTED
from ..terminal import output_paths as places
from ..terminal.output_paths import unusable
from ..terminal.parser import print_text, say

Writer: TypeAlias = Callable[[], list[Path] | None]
"""It returns the files it has written."""


@dataclass(frozen=True)
class Made:
    """What a command has to write: each made when it is written."""

    texts: Mapping[str, Callable[[], str]]
    tables: Callable[[], Mapping[str, str]]
    summary: Callable[[], str]


@dataclass(frozen=True)
class Outputs:
    """What a command can write: texts, by option, with what they are; and CSV tables.

    A text may be standard output; where nothing is asked for, that is a summary.
    """

    texts: Mapping[str, str]
    tables: Collection[str]

    def add(self, add: Callable[..., Any]) -> None:
        """Add the options by a parser's ``add_argument``."""
        for name, what in self.texts.items():
            help_ = f"write {what}; - for standard output"
            add(f"--{name}", type=places.output_named, metavar="FILE", help=help_)
        help_ = "write the result's tables as CSV files"
        add("--csv", type=places.folder_named, metavar="DIR", help=help_)

    def asked(self, options: argparse.Namespace) -> list[str]:
        """Return the options that are given."""
        return [name for name in (*self.texts, "csv") if getattr(options, name) is not None]

    def check(self, options: argparse.Namespace, second_table: str | None = None) -> None:
        """Refuse an output that cannot be written before the work is done, not after."""
        printed = [f"--{name}" for name in self.texts if getattr(options, name) == "-"]
        if len(printed) > 1:
            sentence = "{options} cannot go to standard output together; name files for all but one"
            raise InputError("output.both_standard", sentence, options=" and ".join(printed))
        folder = options.csv
        is_new = folder is not None and not places.is_there("--csv", folder)
        if folder is not None and not is_new and not folder.is_dir():
            raise unusable("--csv", folder, "is a file", "a folder")
        files = self._files(options)
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

    def write(self, made: Made, options: argparse.Namespace) -> int:
        """Write what is asked for, or else print a summary; return the exit status.

        One output that fails does not lose the others: what is wrong is said, or raised, in the
        end.
        """
        written: list[Path] = []
        failures: list[Exception] = []
        try:
            for write in self._writers(made, options):
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

    def _writers(self, made: Made, options: argparse.Namespace) -> Iterator[Writer]:
        """Yield what writes each output; standard output, whose reader may go, comes last."""
        places_of = {name: getattr(options, name) for name in self.texts if getattr(options, name)}
        for name, place in places_of.items():
            if place != "-":
                yield partial(_write_text, made.texts[name], Path(place), options)
        if options.csv is not None:
            yield partial(_write_tables, made.tables, options)
        elif not places_of:
            yield lambda: print_text(made.summary())
        for name, place in places_of.items():
            if place == "-":
                yield partial(_print, made.texts[name])

    def _files(self, options: argparse.Namespace) -> list[tuple[str, Path]]:
        named = [(name, getattr(options, name)) for name in self.texts]
        files = [(f"--{name}", Path(file)) for name, file in named if file not in (None, "-")]
        if options.csv is not None:
            files += [("--csv", options.csv / f"{name}.csv") for name in self.tables]
        return files


def _check_is_no_other(option: str, path: Path, options: argparse.Namespace) -> None:
    if places.is_there(option, path) and path.is_dir():
        raise unusable(option, path, "is a folder")
    if places.is_same_file(path, Path(options.table)):
        raise unusable(option, path, "is the table itself")
    if options.settings is not None and places.is_same_file(path, options.settings):
        raise unusable(option, path, "is the file of --settings")


def _check_are_different(files: Iterable[tuple[str, Path]]) -> None:
    taken: dict[Path, str] = {}
    # backwards, so that --csv, whose files have fixed names, keeps its own
    for option, path in reversed([*files]):
        other = taken.setdefault(places.real(path), option)
        if other != option:
            what = "one of the files of --csv" if other == "--csv" else f"the file of {other}, too"
            raise unusable(option, path, f"is {what}", "another file")


def _print(make: Callable[[], str]) -> None:
    print_text(make())


def _write_text(make: Callable[[], str], path: Path, options: argparse.Namespace) -> list[Path]:
    return _write({path: make()}, path, options)


def _write_tables(make: Callable[[], Mapping[str, str]], options: argparse.Namespace) -> list[Path]:
    folder: Path = options.csv
    texts = {folder / name: text for name, text in make().items()}
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
