"""An uploaded file becomes a table in a process of its own; no streamlit here.

Reading holds the interpreter for seconds, in which no page of the server would answer, and takes
memory that only the end of a process surely gives back.
"""

import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple, Self

import pandas as pd

from evencover.core import AuditSettings, InputError, parse_table
from evencover.core.events import Listener, StageStarted, StopRequest
from evencover.core.messages import told_apart
from evencover.core.preparation.guessed_outputs import guess_label
from evencover.core.preparation.roles import ColumnProfile, profile_columns, with_audit_only
from evencover.core.preparation.settings import OPTIONS
from evencover.core.scoring import SavedPredictor
from evencover.core.tables.columns import check_exists
from evencover.core.tables.formats import Bounds
from evencover.core.tables.plain_columns import predicted, reading_for
from evencover.core.tables.reading import AS_IT_IS, so_far_as_served
from evencover.core.tables.table import Origin, Table, bytes_fingerprint, joined
from evencover.core.tables.text_values import Reading
from evencover.core.watching.intake import Watch
from evencover.core.watching.recalibrate import Recalibrated, recalibrated
from evencover.core.watching.report import prospect, report
from evencover.core.watching.state import WatchState
from evencover.core.watching.verdict import WatchReport

from ..options import file_source
from .job import DaemonThreads, Job, Outcome, in_process
from .server_settings import ServerSettings, server_settings


@dataclass(frozen=True)
class LoadedTable:
    """A table in use, with what is known of its columns."""

    name: str
    table: Table
    profiles: list[ColumnProfile]  # by themselves, for the label that choices name
    choices: AuditSettings  # that the page's choices begin with
    source: str  # as the command line names the table: a file's name, or "sample:" and a sample's
    description: str | None = None  # of a sample
    fingerprint: str = ""  # of the uploaded bytes, or of a sample's rows
    # part of the widgets' keys, so that a new table gets new defaults
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def origin(self) -> Origin:
        """Where it came from."""
        return Origin(self.source, self.fingerprint)

    @property
    def frame(self) -> pd.DataFrame:
        """Its rows."""
        return self.table.frame


@dataclass(frozen=True, eq=False)
class Upload:
    """A file as it was uploaded, with how it is read.

    The columns of a ``second`` one are joined to its own by the key ``on``.
    """

    name: str
    content: bytes = field(repr=False)
    reading: Reading = AS_IT_IS
    second: "Upload | None" = None
    on: str = ""


def begin_upload(
    read: Callable[..., Outcome], upload: Upload, server: ServerSettings, visitor: str = ""
) -> Job[Outcome]:
    """Begin to read a file; the job ends with what ``read``, one of those below, makes of it.

    Of one visitor one file is read at a time, so that the others' have their turn.
    """
    work = partial(in_process, partial(read, upload, server.bounds), stops_itself=False)
    job = Job(work, time_limit=60 * server.max_minutes)
    job.start(_readers(server.max_runs), whose=visitor)
    return job


def read_upload(
    upload: Upload, bounds: Bounds, label: str = "", *, on_event: Listener, should_stop: StopRequest
) -> LoadedTable:
    """Return the table of a file's bytes, joined with a second one, and what its columns are like.

    The label is guessed where no column is called so. Whoever wants it to stop ends its process.
    Raises InputError if there is no usable table in it.
    """
    del should_stop
    name, reading, second = upload.name, upload.reading, upload.second
    given = {name: of for name, of in asdict(reading).items() if name in OPTIONS}
    asked = AuditSettings(target="", **given)  # refuses what no file can be read as
    on_event(StageStarted("read"))
    table = parse_table(upload.content, name, reading, bounds)
    choices = replace(asked, target=label if label in table else guess_label(table))
    if second is not None:
        source = file_source(second.name)
        choices = replace(choices, join=source, on=upload.on)
        other = parse_table(second.content, second.name, choices.reading_of_second, bounds)
        table = joined(table, other, upload.on, source, bounds)
        choices = with_audit_only(choices, other.names)
    for column in reading.numeric:
        check_exists(table.names, column)
    on_event(StageStarted("profile"))
    profiles = profile_columns(table, AuditSettings(target=choices.target))
    mark = bytes_fingerprint(upload.content)
    return LoadedTable(name, table, profiles, choices, source=file_source(name), fingerprint=mark)


def predict_upload(
    upload: Upload,
    bounds: Bounds,
    by: SavedPredictor,
    *,
    on_event: Listener,
    should_stop: StopRequest,
) -> tuple[pd.DataFrame, pd.DataFrame, Mapping[str, int]]:
    """Return a table, likewise, what is said of its rows, and in how many a column is new."""
    del should_stop
    on_event(StageStarted("read"))
    table = _table(upload, reading_for(by), bounds)
    found = predicted(by, table)
    names = told_apart([*table.names, *found.columns])[len(table.names) :]
    said = dict(zip(names, found.columns.values(), strict=True))
    return table.frame, pd.DataFrame(said, table.frame.index), found.new


class Looked(NamedTuple):
    """The columns of a file, the predictor's last, those of dates, and what its rows are in.

    Where coverage has fallen, ``new`` are thresholds of these rows; else, or for too few, None.
    """

    names: list[str]
    dates: list[str]
    into: tuple[WatchState, WatchReport] | None = None
    new: Recalibrated | None = None


def look_at_upload(
    upload: Upload,
    bounds: Bounds,
    by: Watch,
    state: WatchState | None,
    *,
    on_event: Listener,
    should_stop: StopRequest,
) -> Looked:
    """Return a file's columns and, if there is a state, what its rows are counted into."""
    del should_stop
    on_event(StageStarted("read"))
    table = _table(upload, by.reading(), bounds)
    names = sorted(table.names, key={*by.predictor.columns, by.predictor.label.name}.__contains__)
    found = Looked(names, [name for name in names if table[name].holds == "date"])
    if state is None:
        return found
    state, added = by.of_pieces([table], state, bytes_fingerprint(upload.content))
    seen, new = report(by, state, added), None
    if seen.needs_recalibration:
        with suppress(InputError):
            new = recalibrated(by, table, seen.since)
    return found._replace(into=(state, seen), new=new)


@dataclass
class Watching:
    """What newer rows were counted into beside a predictor, and the file that is at work."""

    watch: Watch
    state: WatchState
    report: WatchReport
    taken: set[str] = field(default_factory=set)  # files, by their ids
    rows: Upload | None = None
    looked: Looked | None = None  # of these
    new: Recalibrated | None = None  # by these
    work: Job[Looked] | None = None
    visitor: str = field(default="", repr=False)

    @classmethod
    def of(cls, by: SavedPredictor, visitor: str = "") -> Self:
        """Return one that no rows have come to, which says what can be seen."""
        watch = Watch(by)
        state = WatchState(watch.fingerprint)
        told = replace(report(watch, state), sentences=[prospect(by)])
        return cls(watch, state, told, visitor=visitor)

    def look(self, upload: Upload, by: Watch, state: WatchState | None = None) -> None:
        """Begin to look at a file, and to count its rows into a state; the last such work ends."""
        if self.work is not None:
            self.work.stop()
        self.rows, self.watch, self.looked = upload, by, self.looked if state else None
        read = partial(look_at_upload, by=by, state=state)
        self.work = begin_upload(read, upload, server_settings(), self.visitor)

    def take_up(self) -> None:
        """Go on from what a file's rows were counted into, once they are."""
        found = None if self.work is None else self.work.snapshot().result
        if found is not None:
            self.looked, self.work = found, None
            if found.into is not None:
                (self.state, self.report), self.new = found.into, found.new


def _table(upload: Upload, reading: Reading, bounds: Bounds) -> Table:
    served = so_far_as_served(reading, Path(upload.name))
    return parse_table(upload.content, upload.name, served, bounds)


@cache
def _readers(at_once: int) -> DaemonThreads:
    """Return what reads no more than so many files at a time: each takes its memory."""
    return DaemonThreads(at_once)
