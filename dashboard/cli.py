"""The command ``evencover``."""

import argparse
import csv
import functools
import importlib.metadata
import io
import os
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import pandas as pd

from evencover.core import AuditResult, AuditSettings, InputError, audit, read_table
from evencover.core.measures import MEASURES
from evencover.core.settings import TASKS
from evencover.sample_data import GENERATED, REAL, load_sample

from .exports import TABLES, to_csv_texts, to_json_text, write_whole
from .launch import launch
from .progress import ProgressBar
from .summary import to_text

UNUSABLE = 2
BUG = 1
INTERRUPTED = 130
_SAMPLE_PREFIX = "sample:"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0 done; 2 the input or an option is unusable, told in one sentence; 1 a bug.
    """
    try:
        options = _parser().parse_args(arguments)
        if options.command == "audit":
            return _audit(options)
        return launch(port=options.port, browser=not options.no_browser)
    except InputError as error:
        return _fail(str(error), UNUSABLE)
    except KeyboardInterrupt:
        return _fail("interrupted, nothing written", INTERRUPTED)
    except BrokenPipeError:
        # whoever read standard output has gone; without this Python complains at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BUG
    except Exception as error:  # noqa: BLE001 - a person is told of a bug in one line
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        return _fail(
            f"this is a bug in evencover ({type(error).__name__} at {where}: {error}); "
            "please report it",
            BUG,
        )


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see '{self.prog} --help'")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="evencover",
        description="Shows for whom prediction intervals fail, and mends them.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"evencover {importlib.metadata.version('evencover')}",
    )
    parser.set_defaults(command="dashboard", port=None, no_browser=False)
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND")
    dashboard = commands.add_parser(
        "dashboard", help="start the dashboard in the browser (the default)", allow_abbrev=False
    )
    dashboard.add_argument("--port", type=int, help="port to serve on (default: the first free)")
    dashboard.add_argument("--no-browser", action="store_true", help="do not open a browser")
    _add_audit(commands)
    return parser


def _add_audit(commands: "argparse._SubParsersAction[_Parser]") -> None:
    audit_ = commands.add_parser(
        "audit", help="audit a table without a browser", allow_abbrev=False
    )
    add = audit_.add_argument
    samples = ", ".join((*GENERATED, *REAL))
    add("table", metavar="TABLE", help=f"CSV or Parquet file, or sample:NAME of {samples}")
    add("--target", required=True, metavar="COL", help="the label's column")
    add("--task", choices=TASKS, default="auto")
    add("--cl", type=float, default=0.9, help="confidence level, 0 < CL < 1 (default 0.9)")
    add(
        "--c",
        type=float,
        default=0.5,
        help="penalty C >= 0 on wider intervals or larger sets: 0 counts coverage alone, 5 accepts "
        "hardly any widening (default 0.5)",
    )
    add(
        "--measure",
        choices=tuple(MEASURES),
        help="normalized: wider where prediction is harder (default); standard: one width; "
        "scoring: label sets, for classes",
    )
    add_columns = functools.partial(add, type=_columns, action="extend", metavar="A,B")
    add_columns("--features", help="default: every usable column")
    add_columns("--drop", default=[], help="columns to leave out")
    add_columns("--audit-only", default=[], help="for segment tables only")
    add_columns("--categorical", default=[], help="numbers that are codes")
    add("--log-target", action="store_true", help="model the logarithm of the label")
    add("--split", default="0.4,0.3,0.3", help="shares or counts (default 0.4,0.3,0.3)")
    add("--split-column", metavar="COL", help="a column holding train / calibration / test")
    add("--group", metavar="COL", help="keep all rows of one value in one set")
    add("--time", metavar="COL", help="train on the earliest rows, test on the latest")
    add("--stratify", action="store_true", help="divide each class in the split's proportions")
    add("--repeats", type=int, default=1, metavar="N", help="audit N seeds, report the spread")
    add("--seed", type=int, default=0, help="of the random split (default 0)")
    add("--json", metavar="FILE", help="write the result as JSON; - for standard output")
    add("--csv", type=Path, metavar="DIR", help="write the result's tables as CSV files")
    add("--quiet", action="store_true", help="no progress bar")


def _columns(text: str) -> tuple[str, ...]:
    """Split names at commas; a name that holds one is put in double quotes."""
    names = next(csv.reader([text], skipinitialspace=True), [])
    return tuple(name.strip() for name in names if name.strip())


def _once(columns: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(columns))


def _audit(options: argparse.Namespace) -> int:
    settings = AuditSettings(
        target=options.target,
        task=options.task,
        confidence_level=options.cl,
        penalty=options.c,
        measure=options.measure,
        features=None if options.features is None else _once(options.features),
        drop=_once(options.drop),
        audit_only=_once(options.audit_only),
        categorical=_once(options.categorical),
        log_target=options.log_target,
        split=options.split,
        split_column=options.split_column,
        stratify=options.stratify,
        group=options.group,
        time=options.time,
        seed=options.seed,
        repeats=options.repeats,
    )
    _check_outputs(options)
    started = time.perf_counter()
    table = _read(options.table)
    read_seconds = time.perf_counter() - started
    with ProgressBar(quiet=options.quiet) as bar:
        result = audit(
            table, settings, source=options.table, read_seconds=read_seconds, on_event=bar
        )
    _write(result, options)
    return 0


def _read(table: str) -> pd.DataFrame:
    if table.startswith(_SAMPLE_PREFIX):
        return load_sample(table.removeprefix(_SAMPLE_PREFIX)).frame
    return read_table(Path(table))


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse an output that cannot be written before the work is done, not after."""
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


def _write(result: AuditResult, options: argparse.Namespace) -> None:
    if options.json == "-":
        _print(to_json_text(result))
    elif options.json is not None:
        _write_file(Path(options.json), to_json_text(result), options)
    if options.csv is not None:
        options.csv.mkdir(exist_ok=True)
        for name, text in to_csv_texts(result).items():
            _write_file(options.csv / name, text, options)
    if options.json is None and options.csv is None:
        _print(to_text(result))


def _write_file(path: Path, text: str, options: argparse.Namespace) -> None:
    try:
        write_whole(path, text)
    except OSError as error:
        raise InputError(f"'{path}' cannot be written: {error.strerror}") from None
    if not options.quiet:
        sys.stderr.write(f"evencover: wrote {path}\n")


def _print(text: str) -> None:
    """Print in UTF-8 whatever the terminal's encoding is: JSON is to be read by programs."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"standard output cannot be written: {error.strerror}") from None


def _fail(sentence: str, status: int) -> int:
    one_line = " ".join(sentence.splitlines())  # a name or value in it may hold line ends
    sys.stderr.write(f"evencover: {one_line}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
