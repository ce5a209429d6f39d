"""Where the command ``evencover audit`` writes its result."""

import argparse
import os
from pathlib import Path

from evencover.core import AuditResult, InputError

from .exports import TABLES, to_csv_texts, to_json_text, write_whole
from .summary import to_text
from .terminal import print_text, say


def check_outputs(options: argparse.Namespace) -> None:
    """Refuse an output that cannot be written before the work is done, not after."""
    if options.preview and (options.json is not None or options.csv is not None):
        raise InputError(
            "--preview only tells what becomes of the columns; leave out --json and --csv"
        )
    if options.csv is not None and options.csv.exists() and not options.csv.is_dir():
        raise InputError(f"--csv '{options.csv}' is a file; name a folder")
    files = _files(options)
    for option, path in files:
        if path.is_dir():
            raise InputError(f"{option} '{path}' is a folder; name another place")
        if path.exists() and Path(options.table).exists() and path.samefile(options.table):
            raise InputError(f"{option} '{path}' is the table itself; name another place")
    if len({path.resolve() for _, path in files}) < len(files):
        raise InputError(f"--json '{options.json}' is one of the files of --csv; name another file")
    if options.json not in (None, "-"):
        _check_folder("--json", Path(options.json).resolve().parent)
    if options.csv is not None:
        _check_folder(
            "--csv", options.csv if options.csv.exists() else options.csv.absolute().parent
        )


def _files(options: argparse.Namespace) -> list[tuple[str, Path]]:
    files = [] if options.json in (None, "-") else [("--json", Path(options.json))]
    if options.csv is not None:
        files += [("--csv", options.csv / f"{name}.csv") for name in TABLES]
    return files


def _check_folder(option: str, folder: Path) -> None:
    if not folder.is_dir():
        raise InputError(f"{option}: there is no folder '{folder}'; create it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{option}: folder '{folder}' is not writable; choose another")


def write_outputs(result: AuditResult, options: argparse.Namespace) -> None:
    """Write what is asked for, or else print a summary."""
    if options.json == "-":
        print_text(to_json_text(result))
    elif options.json is not None:
        _write_file(Path(options.json), to_json_text(result), options)
    if options.csv is not None:
        options.csv.mkdir(exist_ok=True)
        for name, text in to_csv_texts(result).items():
            _write_file(options.csv / name, text, options)
    if options.json is None and options.csv is None:
        print_text(to_text(result))


def _write_file(path: Path, text: str, options: argparse.Namespace) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror}") from None
    if not options.quiet:
        say(f"wrote {path}")
