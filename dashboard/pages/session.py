"""What one session keeps between reruns; nothing of it is shared with another session."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from secrets import token_urlsafe
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from evencover import core
from evencover.core import AuditResult, AuditSettings, InputError
from evencover.core.experiment.compared_rows import RemedyComparison
from evencover.core.experiment.comparison import PenaltyPath
from evencover.core.preparation.roles import columns_in_use, profile_columns, unknown_columns
from evencover.core.report.audit import cohorts_replaced
from evencover.core.scoring import SavedPredictor
from evencover.core.watching.intake import Watch

from ..options import SETTINGS_PARAMETER, SharedSettings, pack, say_the_same, unpack
from ..runs.job import Job, Outcome, done_by, on_cluster
from ..runs.run import VISITOR_COOKIE, BackgroundRun, JobManager, Owner, Run, RunKind, TakenUp
from ..runs.server_settings import server_settings
from ..runs.upload import LoadedTable, Upload, Watching, begin_upload, predict_upload, read_upload
from ..wording import page_texts
from .filter import Cohorts, Filter, LookedAt

RUN_PARAMETER = "run"
"""Of the page's address: the token of the run it shows, so that a reload finds it again."""
TABLE_PARAMETER = "table"  # likewise before a run, for the same visitor alone
_MOST_IN_ADDRESS = 6000  # signs of settings: servers in between take 8 kB
_KEY = "evencover"
_WATCH_SECONDS = 20.0


@cache
def job_manager() -> JobManager:
    """Return that of all the server's runs."""
    # not in streamlit's resource cache, which any visitor can clear
    return JobManager(server_settings().max_runs)


def _presence() -> Callable[[], bool]:
    """Return a question whether this session's page is open."""
    context = get_script_run_ctx()
    session_id = context.session_id if context is not None else ""
    return lambda: not runtime.exists() or runtime.get_instance().is_active_session(session_id)


def _visitor() -> str:
    """Return the secret of whoever visits, which outlives the session; else one for it alone."""
    kept = st.context.cookies.get(VISITOR_COOKIE)
    return kept if isinstance(kept, str) and kept else token_urlsafe()


def with_settings(table: LoadedTable, settings: AuditSettings) -> LoadedTable:
    """Return the table with these settings as the choices to begin with.

    Where it lacks a column that they name, or one is given two roles: an :class:`InputError`.
    """
    missing = unknown_columns(list(table.frame.columns), settings)
    if missing:
        raise InputError(
            "settings.other_table",
            "the settings name a column '{column}', which '{table}' does not have; choose the "
            "table they are for, or make the choices anew",
            column=missing[0],
            table=table.name,
        )
    columns_in_use(list(table.frame.columns), settings)  # refuses a column with two roles
    profiles = table.profiles
    if settings.target != table.choices.target:
        profiles = profile_columns(table.table, AuditSettings(target=settings.target))
    return replace(table, profiles=profiles, choices=settings, token=uuid.uuid4().hex[:8])


@dataclass
class SessionState:
    """The session's table, choices and run.

    A run that is shown stays with its session whatever the manager lets go.
    """

    table: LoadedTable | None = None
    draft: AuditSettings | None = None  # as chosen on Setup, if that can be run
    run: Run | None = None
    comparison: BackgroundRun[RemedyComparison] | None = None
    path: BackgroundRun[PenaltyPath] | None = None
    upload: Upload | None = None  # of which the table is, or will be, or could not be
    reading: Job[LoadedTable] | None = None  # it, as long as it goes on
    upload_id: str | None = None  # of the last table, and of the last settings file:
    settings_id: str | None = None  # each is read once
    wanted: SharedSettings | None = None  # until there is a table that they go with
    settings_taken: bool = False  # the table's choices began with such
    saved: SavedPredictor | None = None  # as uploaded, and of which file
    saved_id: str | None = None
    rows: Upload | None = None  # to predict, of which file, by what, and the work at it
    rows_id: str | None = None
    rows_by: SavedPredictor | None = None
    predicting: Job[Any] | None = None
    watches: dict[str, Watching] = field(default_factory=dict)  # by the predictors' fingerprints
    problem: str | None = None  # why there is no table, or no settings for it: a Sentence, mostly
    lost: str | None = None  # why what the address names is not there, until there is another
    place: str = field(default="", repr=False)  # the token of what is taken up
    cohorts: Cohorts = ()  # of every result shown, and of the next run
    cohort_problem: str | None = None  # until shown: why those of the run are in their place
    filter: Filter = field(default_factory=Filter)
    clicks: int = 0  # taken up: part of the keys of all that can be clicked
    me: Owner = field(default_factory=lambda: Owner(_presence()))
    visitor: str = field(default_factory=token_urlsafe, repr=False)
    _looked_at: LookedAt | None = field(default=None, repr=False)
    _tables: AuditResult | None = field(default=None, repr=False)

    def use(self, table: LoadedTable, upload: Upload | None = None) -> None:
        """Take up a table, with the settings that wait for one; a run on another one ends."""
        self._read_no_more(upload)
        self.problem, self.lost, self.settings_taken = None, None, False
        if self.wanted is not None:
            try:
                table = with_settings(table, self.wanted.settings)
            except InputError as error:
                self.problem = str(error)
            else:
                self.wanted, self.settings_taken = None, True
        self._begin_with(table)
        self.end_run()

    def read(self, upload: Upload) -> None:
        """Begin to read a file; nothing else is left in its place meanwhile."""
        label = "" if self.wanted is None else self.wanted.settings.target
        self.refuse(None, upload)
        read = partial(read_upload, label=label)
        self.reading = begin_upload(read, upload, server_settings(), self.visitor)

    def take_up_what_is_read(self) -> None:
        """Use the table of a file whose reading has ended, or say why there is none."""
        if self.reading is None:
            return
        snapshot = self.reading.snapshot()
        if snapshot.result is not None:
            self.use(snapshot.result, self.upload)
        elif not snapshot.is_live:
            problem = page_texts.READING_CUT.get(snapshot.cut_short) or snapshot.error
            self.refuse(problem, self.upload)

    def predict(self, by: SavedPredictor, upload: Upload) -> None:
        """Begin to predict the rows of a file; the last such work ends."""
        if self.predicting is not None:
            self.predicting.stop()
        self.rows, self.rows_by = upload, by
        read = partial(predict_upload, by=by)
        self.predicting = begin_upload(read, upload, server_settings(), self.visitor)

    def watching(self, by: SavedPredictor) -> Watching:
        """Return what a predictor's watch has come to; InputError if it was saved without one."""
        key = Watch(by).fingerprint
        found = self.watches[key] = self.watches.get(key) or Watching.of(by, self.visitor)
        found.take_up()
        return found

    def _read_no_more(self, upload: Upload | None) -> None:
        """Stop reading, and keep this upload alone, to read it otherwise."""
        if self.reading is not None:
            self.reading.stop()
        self.upload, self.reading = upload, None
        job_manager().keep(self.place, None)
        self.place = token_urlsafe()

    def want(self, shared: SharedSettings) -> None:
        """Put settings to the table in use; if they do not go with it, to the one chosen next.

        A run ends, unless it is of the same settings; where they do not go with the table,
        nothing changes.
        """
        self.wanted = shared
        if self.table is None:
            return
        upload, reading = self.upload, shared.settings.reading
        if upload is not None:
            # of a second table that they do not name, no column is to become a feature
            second = None if shared.settings.join is None else upload.second
            if reading != upload.reading or second is not upload.second:
                self.read(replace(upload, reading=reading, second=second))
                return
        try:
            table = with_settings(self.table, shared.settings)
        except InputError as error:
            self.refuse_settings(str(error))
            return
        self.wanted, self.problem, self.settings_taken = None, None, True
        self._begin_with(table)
        if self.run is None or not say_the_same(self.settings_of(self.run), shared.settings):
            self.end_run()

    def change(self, settings: AuditSettings) -> None:
        """Make other choices for the table in use; a run and its results stay."""
        if self.table is not None:
            self._begin_with(with_settings(self.table, settings))

    def _begin_with(self, table: LoadedTable) -> None:
        self.table, self.draft, self.cohorts = table, table.choices, table.choices.all_cohorts

    def settings_of(self, run: Run) -> AuditSettings:
        """Return the settings of the run that is shown with the session's cohorts."""
        return cohorts_replaced(run.settings, self.cohorts, self._other_variables())

    def refuse_settings(self, problem: str) -> None:
        """Say why there are no new settings; the choices stay as they are."""
        self.problem, self.settings_taken = problem, False

    def refuse(self, problem: str | None, upload: Upload | None = None) -> None:
        """Say why there is nothing to use; nothing else is left in its place."""
        self._read_no_more(upload)
        self.table, self.draft, self.problem = None, None, problem
        self.end_run()

    def start(
        self,
        kind: RunKind,
        last: BackgroundRun[Outcome] | None,
        work: Callable[..., Outcome],
        table: LoadedTable,
        settings: AuditSettings,
    ) -> BackgroundRun[Outcome]:
        """Begin work on a table by settings, in place of the last of its kind; return it."""
        if last is not None:
            last.stop(self.me)
        server = server_settings()
        asked = partial(work, table.table, settings)
        todo = done_by(server.worker, asked)
        if server.scheduler and kind != "comparison":  # whose tasks go there one by one
            todo = partial(on_cluster, server.scheduler, asked)
        job = Job(todo, time_limit=60.0 * server.max_minutes)
        run = BackgroundRun(job, settings, table.name, self.me, table, self.visitor, kind)
        job_manager().submit(run)
        return run

    def audit(self, table: LoadedTable, settings: AuditSettings) -> None:
        """Begin an audit, in place of the run that is shown."""
        self.end_run()
        work = partial(core.audit, origin=table.origin)
        self.run = self.start("run", None, work, table, settings)

    def runs(self) -> list[Run]:
        """Return the audits of this visitor that are kept, the last one first."""
        return [run for run in job_manager().of_visitor(self.visitor) if run.kind == "run"]

    def take_up_comparisons(self) -> None:
        """Take up the visitor's last comparison and path, as after a reload."""
        for run in reversed(job_manager().of_visitor(self.visitor)):
            if run.kind != "run":
                setattr(self, run.kind, run)
            run.attach(self.me)

    def take_up(self, address: Mapping[str, str]) -> None:
        """Take up what the address of a new session names, or say what of it is not there."""
        try:
            if RUN_PARAMETER in address:
                self.open(job_manager().find(address[RUN_PARAMETER]))
            elif TABLE_PARAMETER in address:
                self._take_up_table(address[TABLE_PARAMETER])
        except InputError as error:
            self.lost = str(error)
        try:
            shared = unpack(address[SETTINGS_PARAMETER]) if SETTINGS_PARAMETER in address else None
            if shared is not None and self.table is None:
                self.want(shared)
            elif shared is not None and shared.settings != self.draft:
                self.change(shared.settings)
        except InputError as error:
            self.refuse_settings(str(error))

    def _take_up_table(self, token: str) -> None:
        found = job_manager().taken_up(token, self.visitor)
        self.upload, self.reading, self.problem = found.upload, found.reading, found.problem
        self.place = token
        if found.table is not None:
            self._begin_with(found.table)

    def open(self, run: Run) -> None:
        """Show a run, with its table and settings; the one shown so far goes on."""
        self.filter, self._looked_at, self._tables, self.lost = Filter(), None, None, None
        run.attach(self.me)
        self.run, self.draft, self.cohorts = run, run.settings, run.settings.all_cohorts
        if run.table is not None:
            self._begin_with(with_settings(run.table, run.settings))

    def end_run(self) -> None:
        """Forget the run, and stop it if it is this session's own."""
        if self.run is not None:
            self.run.stop(self.me)
        self.run, self.filter, self._looked_at, self._tables = None, Filter(), None, None

    def set_cohorts(self, cohorts: Cohorts) -> None:
        """Show these cohorts from now on; those of a run of one's own are found after a reload."""
        self.cohorts = cohorts
        others = self._other_variables()
        if self.draft is not None:
            self.draft = cohorts_replaced(self.draft, cohorts, others)
        if self.run is not None and self.run.owner == self.me:
            self.run.settings = cohorts_replaced(self.run.settings, cohorts, others)

    def _other_variables(self) -> list[str]:
        """Return what is not to be taken for a cohort: variables of the result, else columns."""
        if self._looked_at is not None:
            return [v.name for v in self._looked_at.test_rows.variables if not v.rule]
        return [] if self.table is None else [str(name) for name in self.table.frame.columns]

    def set_filter(self, chosen: Filter) -> None:
        """Look at other rows from now on, those of a click."""
        self.filter = chosen
        self.clicks += 1

    def look(self, result: AuditResult) -> tuple[AuditResult, LookedAt | None]:
        """Return a result with the session's cohorts, and the rows that its filter leaves.

        A result that has no rows any more is as it was last seen, with None in place of these.
        """
        if result.test_rows is None:
            if self._looked_at is not None:
                self._tables = replace(self._looked_at.result, test_rows=None)
            self.filter, self._looked_at = Filter(), None
            return self._tables or result, None
        try:
            look = LookedAt.of(result, self.cohorts, self.filter, self._looked_at)
        except InputError as error:  # the session's cohorts do not go with it
            named = result.settings["cohorts"] | result.settings["looks"]
            self.cohorts = tuple(named.items())
            self.cohort_problem = str(error)
            look = LookedAt.of(result, self.cohorts, self.filter)
        self._looked_at, self.filter = look, look.filter
        return look.result, look

    def keep_watched(self) -> None:
        """Look from whatever page how far work is: what nobody watches is given up."""
        runs = (run for run in (self.run, self.comparison, self.path) if run is not None)
        watched = (each.work for each in self.watches.values())
        for job in (*(run.job for run in runs), self.reading, self.predicting, *watched):
            if job is not None and job.snapshot().is_live:
                st.fragment(job.snapshot, run_every=_WATCH_SECONDS)()

    def keep_address(self) -> None:
        """Put into it what a reload finds all by, which going to another page takes out."""
        found = dict.fromkeys((RUN_PARAMETER, TABLE_PARAMETER, SETTINGS_PARAMETER), "")
        kept, shared = None, self.wanted
        if self.run is not None:
            found[RUN_PARAMETER] = self.run.token
        elif self.table is not None or self.upload is not None:
            kept = TakenUp(self.visitor, self.table, self.upload, self.reading, self.problem)
            found[TABLE_PARAMETER] = self.place
        job_manager().keep(self.place, kept)
        if self.table is not None and shared is None:
            shared = SharedSettings(self.draft or self.table.choices, self.table.source)
        if shared is not None:
            packed = pack(shared.settings, shared.source)
            found[SETTINGS_PARAMETER] = packed if len(packed) <= _MOST_IN_ADDRESS else ""
        for name, value in found.items():
            if not value:
                st.query_params.pop(name, None)
            elif st.query_params.get(name) != value:
                st.query_params[name] = value


@st.cache_data(max_entries=18, scope="session", show_spinner=False)
def kept_of(
    token: str,  # noqa: ARG001 - stands for a table, which takes long to hash
    what: str,  # noqa: ARG001 - tells apart what is computed
    settings: AuditSettings,  # noqa: ARG001
    _compute: Callable[[], Any],
) -> Any:  # noqa: ANN401 - whatever is computed
    """Return what is computed of a table under settings, once for the last of these."""
    return _compute()


def session() -> SessionState:
    """Return this session's state; a new one takes up the run or settings in its address."""
    if _KEY not in st.session_state:
        state = st.session_state[_KEY] = SessionState(visitor=_visitor())
        state.take_up_comparisons()
        state.take_up(st.query_params.to_dict())
    known: SessionState = st.session_state[_KEY]
    return known
