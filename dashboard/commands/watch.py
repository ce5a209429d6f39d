"""The command ``evencover watch``."""

import argparse
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd

from evencover.core.messages import InputError, as_json
from evencover.core.scoring import SavedPredictor
from evencover.core.tables.pieces import pieces_of
from evencover.core.tables.reading import told_of_file
from evencover.core.tables.table import Table
from evencover.core.watching.intake import Added, Watch
from evencover.core.watching.recalibrate import Recalibrated, recalibrated
from evencover.core.watching.report import report, to_json
from evencover.core.watching.state import WatchState
from evencover.core.watching.verdict import WatchReport

from ..export.junit import Told, to_junit
from ..export.open_metrics import to_open_metrics
from ..runs.server_settings import server_settings
from ..terminal import BROKEN, DONE
from ..terminal.console import Parser, say
from ..terminal.outputs import Outputs, is_there
from .table_and_settings import fingerprint_of

RULES: Mapping[str, tuple[str, ...]] = {
    "moved": ("watch.moved", "watch.group"),
    "all-moved": ("watch.moved",),
    "group-moved": ("watch.group",),
    "errors-grown": ("watch.scores",),
    "rows-changed": ("watch.columns",),
    "off-level": ("watch.level", "watch.moved", "watch.risen"),
}
"""What a pipeline may fail on, and the sentences, by their codes, any of which says so."""

_OUTPUTS = Outputs(
    {
        "state": "the state, after it is read from there if it is: sums of the rows that came, "
        "which the next rows are added to",
        "json": "what the watch has seen as JSON",
        "metrics": "the same in the format of OpenMetrics",
        "junit": "the rules of --fail-if as JUnit XML",
        "recalibrated": "the predictor with thresholds of the first half of ROWS, judged on the "
        "other half",
    },
    (),
    files=("state", "recalibrated"),
)


def fill(parser: Parser) -> None:
    """Add the command's arguments to its parser."""
    parser.description = (
        "Sets newer rows, with their labels, beside a saved predictor, and tells whether coverage "
        "has moved, for which of the groups that were named when it was audited, or whether the "
        "rows alone have. It may be asked as often as one likes: where nothing changes, each of "
        "four kinds of alarm (coverage, errors, any group, any column) is raised for 5 % of "
        "predictors at most, ever. ROWS is a CSV, Parquet, Excel or OpenDocument file, or a folder "
        "of Parquet files; without it the state alone is told."
    )
    parser.set_defaults(run=run_watch, csv=None, settings=None)
    add = parser.add_argument
    add("saved", metavar="SAVED", type=Path, help="what audit --save has written")
    help_ = "newer rows, or labels of rows by their keys; right behind SAVED"
    add("table", metavar="ROWS", nargs="?", help=help_)
    help_ = "the column that rows are known by, so that none counts twice and labels may come later"
    add("--key", metavar="COL", help=help_)
    help_ = "the column of dates, so that it is told since when, and good rows are no debt later"
    add("--time", metavar="COL", help=help_)
    help_ = "add another state, of rows that came elsewhere; may be repeated"
    add("--merge", metavar="FILE", type=Path, action="append", default=[], help=help_)
    _OUTPUTS.add(add)
    help_ = (
        f"fail, with exit status 3, on one of {', '.join(RULES)}; off-level is what draws of "
        "calibration rows often bring, too; may be repeated"
    )
    add("--fail-if", choices=[*RULES], action="append", default=[], metavar="WHAT", help=help_)
    add("--quiet", action="store_true", help="do not say what is written")


def run_watch(options: argparse.Namespace) -> int:
    """Add rows to the state, and write or print what has been seen."""
    _check(options)
    watch = Watch(SavedPredictor.load(options.saved), options.key, options.time)
    state, added, before = WatchState(watch.fingerprint), Added(), _content(options.state)
    if before is not None:
        state = WatchState.of_json(before, options.state)
    for path in options.merge:
        state = watch.merged(state, WatchState.load(path))
    bounds = server_settings().bounds
    if options.table is not None:
        pieces = pieces_of(Path(options.table), watch.reading(), bounds)
        tables = (piece.table for piece in pieces)
        with told_of_file(Path(options.table)):
            fingerprint = fingerprint_of(options.table)
        state, added = watch.of_pieces(tables, state, fingerprint)
    found = report(watch, state, added)
    new = None if options.recalibrated is None else _recalibrated(watch, found, options.table)
    judged = _judged(options, found)
    texts = {"state": partial(_state, state, options.state, before)}
    texts["junit"] = partial(to_junit, "evencover watch", judged, allow_unsure=False)
    status = _write(options, found, texts, new)
    broken = [each for each in judged if each.outcome == "broken"]
    for each in broken:
        say(f"'{each.rule}': {each.sentence}")
    return status or (BROKEN if broken else DONE)


def _judged(options: argparse.Namespace, found: WatchReport) -> list[Told]:
    """Return what became of each rule, with the sentences that say so."""
    told = []
    for rule in options.fail_if:
        why = " ".join(each for each in found.sentences if each.code in RULES[rule])
        told.append(Told(rule, "broken" if why else "kept", why or "Nothing says so."))
    return told


def _check(options: argparse.Namespace) -> None:
    if options.table is None and not (options.state or options.merge):
        sentence = "there is nothing to watch; give ROWS, or the state of earlier ones by --state"
        raise InputError("watch.nothing", sentence)
    if options.junit is not None and not options.fail_if:
        sentence = "--junit writes what --fail-if says; name something to fail on"
        raise InputError("output.junit_alone", sentence)
    if options.recalibrated is not None and options.table is None:
        sentence = "--recalibrated takes thresholds from ROWS; give a table of them"
        raise InputError("output.recalibrated_alone", sentence)
    if not (options.table or options.merge or is_there("--state", Path(options.state))):
        sentence = "there is no state '{file}' yet; give ROWS to begin one"
        raise InputError("watch.no_state", sentence, file=options.state)
    _OUTPUTS.check(options, also={f"is the state to merge, {path}": path for path in options.merge})


def _content(state: str | None) -> bytes | None:
    """Return what is in a state's file; None if there is none."""
    if state is None or not is_there("--state", Path(state)):
        return None
    with told_of_file(Path(state)):
        return Path(state).read_bytes()


def _state(state: WatchState, place: str, before: bytes | None) -> str:
    """Return the state as it is written; InputError if another run has changed it since."""
    if _content(place) != before:
        sentence = "'{file}' has been changed by another run since it was read; watch again"
        raise InputError("watch.changed", sentence, file=place)
    return state.to_json()


def _recalibrated(watch: Watch, found: WatchReport, path: str) -> Recalibrated | InputError:
    pieces = pieces_of(Path(path), watch.reading(), server_settings().bounds)
    table = Table.of(pd.concat([piece.table.frame for piece in pieces], ignore_index=True))
    try:
        return recalibrated(watch, table, found.since)
    except InputError as error:  # which is told when all else is written
        return error


def _write(
    options: argparse.Namespace,
    found: WatchReport,
    made: Mapping[str, Callable[[], str]],
    new: Recalibrated | InputError | None,
) -> int:
    told = new.sentence if isinstance(new, Recalibrated) else None
    plain = to_json(found) | ({"recalibrated": told} if told else {})
    texts: dict[str, Callable[[], str | bytes]] = {
        "json": lambda: as_json(plain),
        "metrics": partial(to_open_metrics, found),
        "recalibrated": partial(_to_save, new),
        **made,
    }
    said = [each for each in found.sentences if not (told and each.code == "watch.now")]
    lines = [*said, *filter(None, [told])]
    return _OUTPUTS.write(options, texts, dict, lambda: "".join(f"{line}\n" for line in lines))


def _to_save(new: Recalibrated | InputError | None) -> bytes:
    if isinstance(new, Recalibrated):
        return new.predictor.to_bytes()
    raise new or TypeError("nothing was recalibrated")
