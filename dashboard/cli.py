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
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd

from evencover.core import AuditResult, AuditSettings, InputError, audit
from evencover.core.measures import MEASURES
from evencover.core.penalties import PENALTIES
from evencover.core.profile import profile_columns
from evencover.core.roles import columns_in_use
from evencover.core.searches import SEARCHES
from evencover.core.settings import TASKS
from evencover.core.table import read_chosen
from evencover.sample_data import DATA_VARIABLE, Sample, load_sample, sample_names
from evencover.sample_data.paper import SAMPLES

from .entry import INTERRUPTED
from .exports import TABLES, to_csv_texts, to_json_text, write_whole
from .launch import launch
from .preview import preview_text
from .progress import ProgressBar
from .reproduction.command import Request, reproduce
from .reproduction.text import to_text as comparison_text
from .summary import to_text
from .texts import one_line

UNUSABLE = 2
BUG = 1
_SAMPLE_PREFIX = "sample:"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status.

    0 done; 2 the input or an option is unusable, told in one sentence; 1 a bug.
    """
    try:
        options = _parser().parse_args(arguments)
        return _run(options)
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


def _run(options: argparse.Namespace) -> int:
    match options.command:
        case "audit":
            return _audit(options)
        case "reproduce":
            return _reproduce(options)
        case _:
            return launch(port=options.port, browser=not options.no_browser)


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
    _add_reproduce(commands)
    return parser


def _add_reproduce(commands: "argparse._SubParsersAction[_Parser]") -> None:
    reproduce_ = commands.add_parser(
        "reproduce",
        help="run the paper's tables and figure again, and compare",
        description=(
            "Runs every line of the tables of Bellotti (2021) on the real data over some seeds and "
            "sets our figures beside the paper's. Finished runs are kept in DIR/runs: started "
            "again after an interruption, it goes on from there."
        ),
        allow_abbrev=False,
    )
    add = reproduce_.add_argument
    add("data", nargs="?", choices=(*SAMPLES, "all"), default="all", help="default: all")
    add("--seeds", type=int, default=5, metavar="N", help="random splits to average (default 5)")
    add(
        "--out",
        type=_folder,
        required=True,
        metavar="DIR",
        help="results.csv, JSON and page go here",
    )
    add("--penalties", action="store_true", help="also with the other forms of the penalty")
    add("--searches", action="store_true", help="also with the restarted search")
    add("--study", action="store_true", help="also DCV against training rows and predictors")
    add("--quiet", action="store_true", help="no progress bar")


def _add_audit(commands: "argparse._SubParsersAction[_Parser]") -> None:
    audit_ = commands.add_parser(
        "audit",
        help="audit a table without a browser",
        description=(
            "TABLE is a CSV, Parquet or Excel file, as it is or packed with gzip or zip, or "
            f"{_SAMPLE_PREFIX}NAME with NAME one of "
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
    add("table", metavar="TABLE", help=f"a table's file, or {_SAMPLE_PREFIX}NAME of {samples}")
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
    add(
        "--measure",
        choices=tuple(MEASURES),
        help="normalized: wider where prediction is harder (default); standard: one width; "
        "scoring: label sets, for classes",
    )
    add_columns = functools.partial(add, type=_columns, action="extend", metavar="A,B")
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
    add("--stratify", action="store_true", help="divide each class in the split's proportions")
    add("--repeats", type=int, metavar="N", help="audit N seeds, report the spread (default 1)")
    add("--seed", type=int, help="of the random split (default 0)")
    add("--json", metavar="FILE", help="write the result as JSON; - for standard output")
    add("--csv", type=Path, metavar="DIR", help="write the result's tables as CSV files")
    add("--preview", action="store_true", help="only tell what becomes of each column")
    add("--quiet", action="store_true", help="no progress bar")


def _folder(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("it is empty; name a folder")
    return Path(text)


def _reproduce(options: argparse.Namespace) -> int:
    request = Request(
        data=tuple(SAMPLES) if options.data == "all" else (options.data,),
        seeds=options.seeds,
        folder=options.out,
        penalties=options.penalties,
        searches=options.searches,
        study=options.study,
    )
    try:
        reproduction = reproduce(request, quiet=options.quiet)
    except KeyboardInterrupt:
        return _fail(
            f"interrupted; runs that were finished are kept in '{options.out}', and the same "
            "command goes on from there",
            INTERRUPTED,
        )
    _print(comparison_text(reproduction))
    for sentence in reproduction.missing.values():
        sys.stderr.write(f"evencover: {one_line(sentence)}\n")
    if not options.quiet:
        sys.stderr.write(
            f"evencover: wrote results.csv, reproduction.json and .html to {options.out}\n"
        )
    return 0


def _columns(text: str) -> tuple[str, ...]:
    """Split names at commas; a name that holds one is put in double quotes."""
    try:
        names = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        raise argparse.ArgumentTypeError(
            f"'{text}' is no list of columns; put a name that holds a line end in double quotes"
        ) from None
    return tuple(name.strip() for name in names if name.strip())


def _audit(options: argparse.Namespace) -> int:
    settings = _settings_given(options)
    _check_outputs(options)
    started = time.perf_counter()
    table, unread, settings = _read(options, settings)
    if options.preview:
        _print(preview_text(profile_columns(table, settings)))
        return 0
    read_seconds = time.perf_counter() - started
    with ProgressBar(quiet=options.quiet) as bar:
        result = audit(
            table,
            settings,
            unread=unread,
            source=options.table,
            read_seconds=read_seconds,
            on_event=bar,
        )
    _write(result, options)
    return 0


def _read(
    options: argparse.Namespace, settings: AuditSettings
) -> tuple[pd.DataFrame, list[str], AuditSettings]:
    """Return the table, the names of its columns that need not be read, and the settings."""
    if _is_sample(options.table):
        sample = load_sample(options.table.removeprefix(_SAMPLE_PREFIX))
        return sample.frame, [], _filled_in(options, settings, sample)
    # a preview tells of every column
    choose = list if options.preview else functools.partial(columns_in_use, settings=settings)
    return *read_chosen(Path(options.table), choose), settings


def _is_sample(table: str) -> bool:
    return table.startswith(_SAMPLE_PREFIX)


def _settings_given(options: argparse.Namespace) -> AuditSettings:
    """Return the settings as given, those of a sample that are not still to be filled in."""
    given = {name: value for name, value in vars(options).items() if value is not None}
    if "target" not in given and not _is_sample(options.table):
        raise InputError(
            "--target is missing; name the label's column (only a sample brings its own)"
        )
    names = {field.name for field in fields(AuditSettings)}
    settings = {name: _once(value) for name, value in given.items() if name in names}
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


def _check_outputs(options: argparse.Namespace) -> None:
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
    sys.stderr.write(f"evencover: {one_line(sentence)}\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
