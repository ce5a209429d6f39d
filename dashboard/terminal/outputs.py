"""Where a command writes: looked at before the work, and written whole after it."""

import argparse
import os
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evencover.core import InputError

from ..export.writing import written_together
from . import DONE, INTERRUPTED
from .console import print_lines, print_text, say

_Make = Callable[[], str | bytes | Mapping[str, str]]

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True)
class Outputs:
    """What a command can write: texts, by option, with what they are; and CSV tables.

    A text may be standard output, but for the ``files``; where nothing else is asked for, that is
    a summary.
    """

    texts: Mapping[str, str]
    tables: Collection[str]
    files: Collection[str] = ()

    def add(self, add: Callable[..., Any]) -> None:
        """Add the options by a parser's ``add_argument``."""
        for name, what in self.texts.items():
            help_ = f"write {what}" + "; - for standard output" * (name not in self.files)
            add(f"--{name}", type=output_named, metavar="FILE", help=help_)
        if self.tables:
            help_ = "write the result's tables as CSV files"
            add("--csv", type=folder_named, metavar="DIR", help=help_)

    def asked(self, options: argparse.Namespace) -> list[str]:
        """Return the options that are given."""
        return [name for name in (*self.texts, "csv") if getattr(options, name) is not None]

    def check(
        self,
        options: argparse.Namespace,
        second_table: str | None = None,
        also: Mapping[str, Path] = MappingProxyType({}),
    ) -> None:
        """Refuse an output that cannot be written before the work is done, not after.

        ``also`` are other files that are read, by what is said of one that would be written.
        """
        printed = [f"--{name}" for name in self.texts if getattr(options, name) == "-"]
        if no_text := [name for name in self.files if f"--{name}" in printed]:
            sentence = "--{option} writes no text, which standard output is for; name a file"
            raise InputError("output.no_text", sentence, option=no_text[0])
        if len(printed) > 1:
            sentence = "{options} cannot go to standard output together; name files for all but one"
            raise InputError("output.both_standard", sentence, options=" and ".join(printed))
        folder = options.csv
        is_new = folder is not None and not is_there("--csv", folder)
        if folder is not None and not is_new and not folder.is_dir():
            raise unusable("--csv", folder, "is a file", "a folder")
        named = [(f"--{name}", getattr(options, name)) for name in self.texts]
        files = [(option, Path(file)) for option, file in named if file not in (None, "-")]
        if folder is not None:
            files += [("--csv", folder / f"{name}.csv") for name in self.tables]
        read = {
            "is the table itself": options.table,
            "is the second table": second_table,
            "is the file of --settings": options.settings,
            "is the saved predictor": getattr(options, "saved", None),
        }
        places = {what: Path(place) for what, place in read.items() if place}
        check_are_others(files, places | {**also})
        for option, path in files:
            if folder is not None and real(path) == real(folder):
                raise unusable(option, path, "is the folder of --csv")
            if not (option == "--csv" and is_new):
                check_file(option, path)
        if is_new:
            check_folder("--csv", real(folder).parent)

    def write(
        self,
        options: argparse.Namespace,
        texts: Mapping[str, Callable[[], str | bytes]],
        tables: Callable[[], Mapping[str, str]],
        summary: Callable[[], str],
    ) -> int:
        """Write what is asked for, or else print a summary; return the exit status.

        The files are there together in the end, so that a set is of one run. One that fails does
        not lose the others: what is wrong is said, or raised, in the end.
        """
        asked = {name: getattr(options, name) for name in self.asked(options)}
        made: dict[str, _Make] = {**texts, "csv": tables}
        files = {Path(place): made[name] for name, place in asked.items() if place != "-"}
        failures: list[Exception] = []
        written = _write(files, failures)
        for path in () if options.quiet else written:
            say(f"wrote {path}")
        # standard output, whose reader may go, comes last
        printed = [partial(_print, texts[name]) for name, place in asked.items() if place == "-"]
        if not {*asked} - {*self.files}:
            printed.append(partial(_print, summary, print_lines))
        return _all_printed(printed, written, failures)


def check_are_others(files: Sequence[tuple[str, Path]], read: Mapping[str, Path]) -> None:
    """Refuse a file that is one of those read, or that of another option."""
    for option, path in files:
        if is_there(option, path) and path.is_dir():
            raise unusable(option, path, "is a folder")
        for what, other in read.items():
            if is_same_file(path, other):
                raise unusable(option, path, what)
    taken: dict[Path, str] = {}
    # backwards, so that --csv, whose files have fixed names, keeps its own
    for option, path in reversed(files):
        first = taken.setdefault(real(path), option)
        if first != option:
            what = "one of the files of --csv" if first == "--csv" else f"the file of {first}, too"
            raise unusable(option, path, f"is {what}", "another file")


def _write(files: Mapping[Path, _Make], failures: list[Exception]) -> list[Path]:
    """Write texts to files, or by their names into folders; return what has been written."""
    written: list[Path] = []
    try:
        with written_together() as stage:
            for place, make in files.items():
                try:
                    made, texts = make(), dict[Path, str | bytes]()
                    if isinstance(made, str | bytes):
                        texts[place] = made
                    else:
                        texts |= {place / name: text for name, text in made.items()}
                    try:
                        stage(texts, None if place in texts else place)
                    except OSError as error:
                        raise failed(place, error) from None
                    written += texts
                except Exception as error:  # noqa: BLE001 - raised when the others are done
                    failures.append(error)
    except OSError as error:
        failures.append(failed(Path(error.filename2 or error.filename or "."), error))
        return []
    return written


def _all_printed(
    printed: Iterable[Callable[[], None]], written: Sequence[Path], failures: list[Exception]
) -> int:
    try:
        for write in printed:
            try:
                write()
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


def _print(make: Callable[[], str | bytes], write: Callable[[str], None] = print_text) -> None:
    write(str(make()))


def folder_named(text: str) -> Path:
    """Return the folder that an option names; an empty text would be the current one."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty; name a folder")
    return Path(text)


def output_named(text: str) -> str:
    """Return where an output goes: - for the file that standard output goes to.

    Written by its name it would be replaced, with what it holds and what else is printed.
    """
    try:
        place = Path(text).stat()
        is_open = stat.S_ISREG(place.st_mode) and os.path.samestat(place, os.fstat(1))
    except OSError:
        is_open = False
    return "-" if is_open else text


def unusable(option: str, path: Path, why: str, wanted: str = "another place") -> InputError:
    """Return the refusal of a place that an option names."""
    sentence = "{option} '{path}' {why}; name {wanted}"
    return InputError("output.unusable", sentence, option=option, path=path, why=why, wanted=wanted)


def failed(path: Path, error: OSError, advice: str = "") -> InputError:
    """Return the report of a place that could not be written."""
    sentence = f"'{{path}}' cannot be written: {{why}}{advice}"
    return InputError("output.failed", sentence, path=path, why=error.strerror)


def is_there(option: str, path: Path) -> bool:
    """Say whether something is at a place, a link followed.

    Raises InputError if nothing can be there: the name is too long, a link leads to itself.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise unusable(option, path, f"cannot be used: {error.strerror}") from None
    return True


def is_same_file(path: Path, other: Path) -> bool:
    """Say whether both are there, and one file."""
    try:
        return path.samefile(other)
    except OSError:
        return False


def real(path: Path) -> Path:
    """Return the place that a path leads to by its links, where nothing needs to be yet."""
    return Path(os.path.realpath(path))


def check_file(option: str, path: Path) -> None:
    """Refuse, by an InputError, a place where no file can be written."""
    there = is_there(option, path)
    # whoever may write anything all the same has not protected a file for nothing
    if there and not (os.access(path, os.W_OK) and path.stat().st_mode & _WRITABLE):
        raise unusable(option, path, "is write-protected")
    if not there or path.is_file():  # else a device or pipe, which is written to as it is
        check_folder(option, real(path).parent)


def check_folder(option: str, folder: Path) -> None:
    """Refuse, by an InputError, a folder that is not there, or that takes no new file."""
    if not (is_there(option, folder) and folder.is_dir()):
        sentence = "{option}: there is no folder '{folder}'; create it first"
        raise InputError("output.no_folder", sentence, option=option, folder=folder)
    try:
        # permissions do not say all: /proc, for one, takes no file whatever they are
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        sentence = "{option}: folder '{folder}' is not writable; choose another"
        raise InputError("output.read_only", sentence, option=option, folder=folder) from None
