"""An experiment: predictors by seeds, those of a seed fitted and examined on the same rows."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.parallel import get_active_backend

from ..conformal.predictor import Predictor
from ..events import Listener, RepeatStarted, StepDone, StopRequest, ignore, never
from ..messages import InputError, Passage, check_whole
from ..preparation.prepare import PreparedData, prepare
from ..preparation.settings import AuditSettings
from ..remedies.names import title_of
from ..tables.table import Origin, Table
from ..threads import single_blas_thread
from .better_model import better_model
from .cluster import cluster
from .compared_rows import size_gap
from .examination import examine
from .keeping import saved_predictors
from .out_of_core import AllRows
from .predictors import Candidate, Fitting, OwnAlgorithms
from .result import Examination

_Key = TypeVar("_Key", int, tuple[int, str])
_Outcome = TypeVar("_Outcome")


@dataclass
class _Seed:
    """A seed under way: what its predictors are fitted from, and those fitted, with the seconds."""

    fitting: Fitting
    read: float
    fits: dict[str, tuple[Predictor, float]]


@dataclass(kw_only=True)
class Experiment:
    """Predictors by seeds: :meth:`run` fills in ``examinations`` by seed, and ``refusals``.

    The first candidate is the reference that the others adjust. Refusals are by candidate and seed;
    one of the reference is of all of its seed.

    As an audit, an experiment goes on here, seed after seed, and ``on_event`` hears all of it; a
    candidate that is refused takes its seed with it; where ``should_stop`` says so, the first seed
    is taken as far as it came, and its test rows are kept. ``rows`` are those that the table is a
    sample of, if it is. Otherwise ``on_event`` hears of whole steps, which joblib does at once.
    """

    table: Table
    settings: AuditSettings
    candidates: Sequence[Candidate]
    seeds: Sequence[int]
    origin: Origin
    is_audit: bool
    own: OwnAlgorithms = field(default_factory=OwnAlgorithms)
    unread: Sequence[str] = ()
    rows: AllRows | None = None
    with_replay: bool = False
    on_event: Listener = ignore
    should_stop: StopRequest = never
    examinations: dict[int, Examination] = field(default_factory=dict)
    refusals: dict[tuple[str, int], InputError] = field(default_factory=dict)
    _steps: int = 0

    @property
    def reference(self) -> str:
        """The name of the first candidate."""
        return self.candidates[0].name

    @property
    def refused_seeds(self) -> dict[int, InputError]:
        """Why seeds came to nothing."""
        return {seed: why for (name, seed), why in self.refusals.items() if name == self.reference}

    def run(self) -> None:
        """Do all seeds, as many together as tasks are done at once, until it is to stop."""
        at_once = 1 if self.is_audit else int(effective_n_jobs(None))
        fitting_of = partial(
            Fitting,
            on_event=self.on_event if self.is_audit else ignore,
            # in other processes nobody can be asked
            should_stop=self.should_stop if at_once == 1 else never,
            with_replay=self.with_replay,
            own=self.own,
        )
        for first in range(0, len(self.seeds), at_once):
            if self.is_audit:
                self.on_event(RepeatStarted(first + 1, len(self.seeds)))
            seeds = self._prepare(self.seeds[first : first + at_once], fitting_of)
            self._fit(seeds)
            if self._drops or not self._examine(seeds):
                return

    @property
    def _takes_a_part(self) -> bool:
        """Whether a seed is wanted as far as it came."""
        return self.is_audit and not self.examinations

    @property
    def _drops(self) -> bool:
        """Whether it is to stop, and nobody wants a part of what is under way."""
        return self.should_stop() and not self._takes_a_part

    def _prepare(
        self, numbers: Sequence[int], fitting_of: Callable[[PreparedData, AuditSettings], Fitting]
    ) -> dict[int, _Seed]:
        """Return the seeds that are possible, with the reference fitted."""
        shared = self.table, self.unread, self.origin.read_seconds, self.candidates[0], fitting_of
        of_seed = {number: replace(self.settings, seed=number) for number in numbers}
        tasks = {number: partial(_prepared, *shared, own) for number, own in of_seed.items()}
        seeds = {}
        for number, seed in self._done(tasks, lambda _: "base model"):
            if isinstance(seed, InputError):
                self.refusals[self.reference, number] = seed
                self._steps += len(self.candidates)
            else:
                seeds[number] = seed
        return seeds

    def _fit(self, seeds: dict[int, _Seed]) -> None:
        """Fit the other candidates of each seed; an audit lets go of a seed that refuses one."""
        tasks = {
            (number, each.name): partial(each.fitted, seed.fitting)
            for number, seed in seeds.items()
            for each in self.candidates[1:]
        }
        for (number, name), fit in self._done(tasks, lambda key: title_of(key[1])):
            if not isinstance(fit, InputError):
                seeds[number].fits[name] = fit
            elif self.is_audit:
                self.refusals[self.reference, number] = fit
                del seeds[number]
                return
            else:
                self.refusals[name, number] = fit

    def _examine(self, seeds: Mapping[int, _Seed]) -> bool:
        """Examine all predictors of each seed; say whether that was not stopped."""
        shared = [each.name for each in self.candidates], self.origin, self.rows
        # the rows of one seed are enough to look at, and may be many
        one = partial(_examined, keeps_rows=self._takes_a_part, is_compared=not self.is_audit)
        tasks = {number: partial(one, seed, *shared) for number, seed in seeds.items()}
        for number, found in self._done(tasks, lambda _: "test rows"):
            if found.stopped and not self._takes_a_part:
                return False
            self.examinations[number] = found
        return not self.should_stop()

    def _done(
        self, tasks: Mapping[_Key, Callable[[], _Outcome]], title: Callable[[_Key], str]
    ) -> Iterator[tuple[_Key, _Outcome]]:
        """Yield what tasks come to, telling of each; none more once it is to stop."""
        asked = len(self.seeds) * (len(self.candidates) + 1)
        here = ((key, task()) for key, task in tasks.items())
        for key, outcome in here if self.is_audit else _outcomes(tasks):
            self._steps += 1
            if not self.is_audit:
                self.on_event(StepDone(self._steps, asked, title(key)))
            yield key, outcome
            if self._drops:
                return


def _prepared(
    table: Table,
    unread: Sequence[str],
    read_seconds: float,
    reference: Candidate,
    fitting_of: Callable[[PreparedData, AuditSettings], Fitting],
    settings: AuditSettings,
) -> _Seed | InputError:
    began = time.perf_counter()
    try:
        with single_blas_thread():
            fitting = fitting_of(prepare(table, settings, unread), settings)
            _ = fitting.divisions  # refuses what cannot be divided by before anything is fitted
    except InputError as error:
        return error
    read = read_seconds + time.perf_counter() - began
    fit = reference.fitted(fitting)
    return fit if isinstance(fit, InputError) else _Seed(fitting, read, {reference.name: fit})


def _examined(
    seed: _Seed,
    names: Sequence[str],
    origin: Origin,
    rows: AllRows | None,
    *,
    keeps_rows: bool,
    is_compared: bool,
) -> Examination:
    fits = [seed.fits[name] for name in names if name in seed.fits]
    with single_blas_thread():
        found = examine(seed.fitting, fits, origin, seed.read)
        if rows is not None:
            found = rows.counted(found, seed.fitting.data, seed.fitting.divisions)
        more = [*better_model(seed.fitting)] if keeps_rows and not found.stopped else []
    notes = [*found.notes, *(hint.sentence for hint in more)]
    found = replace(found, hints=[*found.hints, *more], notes=notes)
    gaps = {name: size_gap(found, name) for name in found.names if is_compared}
    found = replace(found, size_gaps=gaps)
    if not keeps_rows:
        return replace(found, test_rows=None).judged()
    found, predictors = found.judged(), {predictor.name: predictor for predictor, _ in fits}
    return replace(found, saved=saved_predictors(found, predictors, seed.fitting.data))


@dataclass(frozen=True)
class Workers:
    """How many tasks go on at once, and where: by joblib's backend of that name.

    Such are "loky", "threading", and "dask" or "ray" of a cluster. With neither both are those of
    a ``joblib.parallel_config`` around the call, or one task follows the other. A ``scheduler``
    of Dask, by its address, goes before both.
    """

    count: int | None = None
    backend: str | None = None
    scheduler: str | None = None

    def at_work(self) -> AbstractContextManager[Any]:
        """Return the context of the tasks; InputError if there is no such backend."""
        if self.count is not None:
            check_whole("workers", self.count, 1)
        if self.scheduler is not None or self.backend == "dask":
            return cluster(self.scheduler, self.count)
        if self.backend is None:
            return nullcontext() if self.count is None else parallel_config(n_jobs=self.count)
        try:
            if self.backend == "ray":  # which joblib does not look for by itself
                import_module("ray.util.joblib").register_ray()
            chosen: AbstractContextManager[Any] = parallel_config(self.backend, n_jobs=self.count)
        except (ImportError, ValueError) as error:
            sentence = "the backend '{backend}' cannot be used: {why}"
            why = Passage(str(error).partition("\n")[0].rstrip("."))
            raise InputError("workers.backend", sentence, backend=self.backend, why=why) from None
        return chosen


def _outcomes(tasks: Mapping[_Key, Callable[[], _Outcome]]) -> Iterator[tuple[_Key, _Outcome]]:
    """Yield what tasks come to, as they end where the backend tells."""
    client = getattr(get_active_backend()[0], "client", None)
    if client is not None:  # of Dask: joblib would give all together
        keys: dict[Any, _Key] = {client.submit(of, pure=False): key for key, of in tasks.items()}
        done = import_module("distributed").as_completed([*keys], loop=client.loop)
        yield from ((keys.pop(future), future.result()) for future in done)
        return
    # copies of large arrays that are written to are the worker's own
    how: dict[str, Any] = {"mmap_mode": "c", "batch_size": 1}
    try:
        parallel = Parallel(return_as="generator_unordered", **how)
    except ValueError:  # the backend gives all together
        parallel = Parallel(**how)
    yield from parallel(delayed(_keyed)(key, task) for key, task in tasks.items())


def _keyed(key: _Key, task: Callable[[], _Outcome]) -> tuple[_Key, _Outcome]:
    return key, task()
