"""An experiment: predictors by seeds, those of a seed fitted and examined on the same rows."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar

from ..conformal.predictor import Predictor
from ..errors import InputError
from ..events import (
    Listener,
    RepeatStarted,
    Stage,
    StageStarted,
    StepDone,
    StopRequest,
    ignore,
    never,
)
from ..preparation.prepare import prepare
from ..preparation.settings import AuditSettings
from ..remedies.names import title_of
from ..tables.fingerprint import Origin
from ..tables.table import Table
from ..threads import single_blas_thread
from .examination import examine
from .figures import Seconds
from .out_of_core import AllRows
from .predictors import Candidate, Fitting, fitted
from .result import Examination
from .workers import done_at_once, in_turn, outcomes

_Task = TypeVar("_Task")
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
        at_once = 1 if self.is_audit else done_at_once()
        for first in range(0, len(self.seeds), at_once):
            if self.is_audit:
                self.on_event(RepeatStarted(first + 1, len(self.seeds)))
            seeds = self._prepare(self.seeds[first : first + at_once])
            if at_once == 1:  # elsewhere nobody can be asked
                for seed in seeds.values():
                    seed.fitting.should_stop = self.should_stop
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

    def _prepare(self, numbers: Sequence[int]) -> dict[int, _Seed]:
        """Return the seeds that are possible, with the reference fitted."""
        tasks = [self._preparation(number) for number in numbers]
        seeds = {}
        for place, seed in self._done(_prepared, tasks, ["base model"] * len(tasks)):
            if isinstance(seed, InputError):
                self.refusals[self.reference, numbers[place]] = seed
                self._steps += len(self.candidates)
            else:
                seeds[numbers[place]] = seed
        return seeds

    def _preparation(self, number: int) -> "_Preparation":
        heard = (self.on_event, self.should_stop) if self.is_audit else (ignore, never)
        settings = replace(self.settings, seed=number)
        read, reference = self.origin.read_seconds, self.candidates[0]
        return _Preparation(
            self.table, settings, self.unread, read, reference, *heard, self.with_replay
        )

    def _fit(self, seeds: dict[int, _Seed]) -> None:
        """Fit the other candidates of each seed; an audit lets go of a seed that refuses one."""
        wanted = [(number, each) for number in seeds for each in self.candidates[1:]]
        tasks = [(seeds[number].fitting, each) for number, each in wanted]
        for place, fit in self._done(_fitted, tasks, [title_of(each.name) for _, each in wanted]):
            number, name = wanted[place][0], wanted[place][1].name
            if not isinstance(fit, InputError):
                seeds[number].fits[name] = fit
            elif self.is_audit:
                self.refusals[self.reference, number] = fit
                del seeds[number]
                return
            else:
                self.refusals[name, number] = fit

    def _examine(self, seeds: dict[int, _Seed]) -> bool:
        """Examine all predictors of each seed; say whether that was not stopped."""
        numbers, names = list(seeds), [each.name for each in self.candidates]
        keeps_rows = self._takes_a_part
        tasks = [(seed, names, self.origin, self.rows, keeps_rows) for seed in seeds.values()]
        for place, found in self._done(_examined, tasks, ["test rows"] * len(tasks)):
            if found.stopped and not self._takes_a_part:
                return False
            self.examinations[numbers[place]] = found
        return not self.should_stop()

    def _done(
        self, function: Callable[[_Task], _Outcome], tasks: Sequence[_Task], titles: Sequence[str]
    ) -> Iterator[tuple[int, _Outcome]]:
        """Yield what tasks come to, telling of each; none more once it is to stop."""
        asked = len(self.seeds) * (len(self.candidates) + 1)
        for place, outcome in (in_turn if self.is_audit else outcomes)(function, tasks):
            self._steps += 1
            if not self.is_audit:
                self.on_event(StepDone(self._steps, asked, titles[place]))
            yield place, outcome
            if self._drops:
                return


class _Preparation(NamedTuple):
    """What a seed is prepared from, and who hears of its fits."""

    table: Table
    settings: AuditSettings
    unread: Sequence[str]
    read: float
    reference: Candidate
    on_event: Listener
    should_stop: StopRequest
    with_replay: bool


def _prepared(task: _Preparation) -> _Seed | InputError:
    began = time.perf_counter()
    try:
        with single_blas_thread():
            data = prepare(task.table, task.settings, task.unread)
            heard = task.on_event, task.should_stop
            fitting = Fitting(data, task.settings, *heard, task.with_replay)
            _ = fitting.divisions  # refuses what cannot be divided by before anything is fitted
    except InputError as error:
        return error
    read = task.read + time.perf_counter() - began
    fit = _fitted((fitting, task.reference))
    return fit if isinstance(fit, InputError) else _Seed(fitting, read, {task.reference.name: fit})


def _fitted(task: tuple[Fitting, Candidate]) -> tuple[Predictor, float] | InputError:
    fitting, candidate = task
    stage: Stage = "base_model" if candidate.is_reference else "remedy"
    fitting.on_event(StageStarted(stage, candidate.name))
    try:
        with single_blas_thread():
            return fitted(candidate, fitting)
    except InputError as error:
        return error


def _examined(task: tuple[_Seed, Sequence[str], Origin, AllRows | None, bool]) -> Examination:
    seed, names, origin, rows, keeps_rows = task
    fits = {name: seed.fits[name] for name in names if name in seed.fits}
    seconds = Seconds(seed.read, {p.name: taken for p, taken in fits.values()}, 0.0)
    with single_blas_thread():
        found = examine(seed.fitting, [p for p, _ in fits.values()], origin, seconds)
        if rows is not None:
            found = rows.counted(found, seed.fitting.data, seed.fitting.divisions).judged()
    # the rows of one seed are enough to look at, and may be many
    return found if keeps_rows else replace(found, test_rows=None)
