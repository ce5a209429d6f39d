"""Remedies side by side: the same audit on the same splits, over seeds."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import pandas as pd

from ...conformal.predictor import Predictor
from ...errors import InputError
from ...events import Listener, StepDone, StopRequest, ignore, never
from ...messages import Passage, Sentence
from ...preparation.options import check_whole
from ...preparation.output_ways import check_takes_remedies
from ...preparation.prepare import plan, prepare
from ...preparation.settings import OPTIONS, AuditSettings
from ...remedies.names import NONE, title_of
from ...tables.fingerprint import UNNAMED, Origin
from ...tables.table import Table
from ...threads import single_blas_thread
from ..examination import examine
from ..figures import Seconds
from ..predictors import Candidate, Fitting, base, fitted, remedy
from ..result import Examination
from .differences import differences, few_seeds, verdict
from .figures import compared_rows, group_rows, refused_row
from .result import BASE, ComparedRow, RemedyComparison
from .workers import Workers, done_at_once, outcomes

SEEDS = 3
REMEDIES = ("ifacm", "quantile", "guarded:ifacm", "guarded:quantile")
"""So many seeds, and these remedies, unless others are asked for."""

_SEEDS_ALIKE = "the split is fixed, so that {given} seeds would all be the same; choose 1 seed"
_ALONE = "there is nothing to compare the base with; name a remedy, such as quantile"
_STOPPED = "The comparison was stopped: of {asked} seeds, {done} are there."

_Task = TypeVar("_Task")
_Outcome = TypeVar("_Outcome")


def compare(
    table: pd.DataFrame | Table,
    settings: AuditSettings,
    remedies: Sequence[str],
    *,
    seeds: int | None = None,
    workers: Workers | None = None,
    origin: Origin = UNNAMED,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> RemedyComparison:
    """Compare remedies, by their names, with the base and each other on the same splits.

    Each of ``seeds``, from that of the settings up, is one audit of all of them: the base model is
    fitted once and shared. ``workers`` say how many fits go on at once, and where. A remedy that
    cannot be applied, or a seed by which table and settings do not go together, has rows that say
    why. ``origin`` is the table's, for the record.
    ``on_event`` hears of each step; where ``should_stop`` says so, the seeds that are whole are
    returned.

    Raises :class:`InputError` if an option is unusable, or nothing can be done by any seed.
    """
    began = time.perf_counter()
    check_takes_remedies(settings.outputs)
    names = tuple(name for name in dict.fromkeys(remedies) if name not in (BASE, NONE))
    if not names:
        raise InputError("compare.alone", _ALONE)
    wanted = seeds_or_default(settings, seeds)
    settings = replace(settings, remedies=names, repeats=wanted)  # refuses what it can
    settings = replace(settings, repeats=1)
    typed = Table.of(table)
    origin = origin.of(typed.frame)
    impossible = _impossible(typed, settings, names)
    possible = tuple(name for name in names if name not in impossible)
    if not possible:
        raise _nothing(impossible)
    settings = replace(settings, remedies=possible)
    with (workers or Workers()).at_work():
        work = _Comparison(typed, settings, possible, origin, on_event, should_stop, wanted)
        work.run()
    return _summary(work, [BASE, *names], impossible, time.perf_counter() - began)


def seeds_or_default(settings: AuditSettings, seeds: int | None) -> int:
    """Return how many seeds to compare by: one where the split is fixed.

    Raises :class:`InputError` if none are asked for, or several that would all be the same.
    """
    is_fixed = settings.fixed_split_column is not None
    if seeds is None:
        return 1 if is_fixed else SEEDS
    check_whole("seeds", seeds, 1, OPTIONS["repeats"].most)
    if is_fixed and seeds > 1:
        raise InputError("seeds.alike", _SEEDS_ALIKE, given=seeds)
    return seeds


def _nothing(problems: Mapping[str, str]) -> InputError:
    """Return the refusal of a comparison of which no remedy is left, for the first reason."""
    name, problem = next(iter(problems.items()))
    whole = Passage(problem)
    return InputError("compare.nothing", "{name}: {problem}", name=title_of(name), problem=whole)


def _impossible(table: Table, settings: AuditSettings, names: Sequence[str]) -> dict[str, str]:
    """Return why remedies cannot be applied to the table, whatever the seed."""
    plan(table, replace(settings, remedies=(NONE,)))
    found = {}
    for name in names:
        try:
            plan(table, replace(settings, remedies=(name,)))
        except InputError as error:
            found[name] = error.sentence.without_cells()
    return found


@dataclass(frozen=True)
class _Seed:
    """The data of one seed and the base fitted to them, in so many seconds each."""

    fitting: Fitting
    predictor: Predictor
    preparation: float
    fit: float


@dataclass
class _Comparison:
    """The work, some seeds at a time: as many as are done at once."""

    table: Table
    settings: AuditSettings
    remedies: Sequence[str]
    origin: Origin
    on_event: Listener
    should_stop: StopRequest
    seeds: int
    results: dict[int, Examination] = field(default_factory=dict)
    problems: dict[tuple[str, int], str] = field(default_factory=dict)
    _steps: int = 0

    def run(self) -> None:
        """Fill in ``results`` by seed, and ``problems`` by remedy and seed; the base's are all."""
        at_once = done_at_once()
        numbers = range(self.settings.seed, self.settings.seed + self.seeds)
        for first in range(0, self.seeds, at_once):
            some = numbers[first : first + at_once]
            tasks = [(self.table, replace(self.settings, seed=s)) for s in some]
            prepared: dict[int, _Seed] = {}
            for place, found in self._done(_prepared, tasks, "base model"):
                if isinstance(found, InputError):
                    self.problems[BASE, some[place]] = found.sentence.without_cells()
                    self._steps += len(self.remedies) + 1
                else:
                    prepared[some[place]] = found
            if not self._examine(prepared, is_here=at_once == 1):
                return

    def _examine(self, prepared: dict[int, _Seed], *, is_here: bool) -> bool:
        """Fit the remedies of these seeds and examine them; say whether that was not stopped."""
        if is_here:  # elsewhere nobody can be asked
            for seed in prepared.values():
                seed.fitting.should_stop = self.should_stop
        fits = [(seed, name) for seed in prepared for name in self.remedies]
        found = dict[tuple[int, str], tuple[Predictor, float]]()
        tasks = [(prepared[seed].fitting, name) for seed, name in fits]
        titles = [title_of(name) for _, name in fits]
        for place, outcome in self._done(_fitted, tasks, *titles):
            number, name = fits[place]
            if isinstance(outcome, InputError):
                self.problems[name, number] = outcome.sentence.without_cells()
            else:
                found[number, name] = outcome
        if self.should_stop():
            return False
        seeds = list(prepared)
        whole = [
            (
                prepared[seed],
                [found[seed, name] for name in self.remedies if (seed, name) in found],
                self.origin,
            )
            for seed in seeds
        ]
        for place, result in self._done(_examined, whole, "test rows"):
            if not result.stopped:
                self.results[seeds[place]] = result
        return not self.should_stop()

    def _done(
        self, function: Callable[[_Task], _Outcome], tasks: Sequence[_Task], *titles: str
    ) -> Iterator[tuple[int, _Outcome]]:
        """Yield what tasks come to, telling of each; none more once it is to stop."""
        asked = self.seeds * (len(self.remedies) + 2)
        for place, outcome in outcomes(function, tasks):
            self._steps += 1
            title = titles[place] if len(titles) > 1 else titles[0]
            self.on_event(StepDone(self._steps, asked, title))
            yield place, outcome
            if self.should_stop():
                return


def _prepared(task: tuple[Table, AuditSettings]) -> _Seed | InputError:
    table, settings = task
    began = time.perf_counter()
    try:
        with single_blas_thread():
            data = prepare(table, settings)
            fitting = Fitting(data, settings, ignore, never, with_replay=False)
            _ = fitting.divisions  # refuses what cannot be divided by before anything is fitted
            preparation = time.perf_counter() - began
            predictor, seconds = fitted(Candidate(BASE, base), fitting)
            return _Seed(fitting, predictor, preparation, seconds)
    except InputError as error:
        return error


def _fitted(task: tuple[Fitting, str]) -> tuple[Predictor, float] | InputError:
    fitting, name = task
    try:
        with single_blas_thread():
            return fitted(remedy(name), fitting)
    except InputError as error:
        return error


def _examined(task: tuple[_Seed, list[tuple[Predictor, float]], Origin]) -> Examination:
    seed, remedies, origin = task
    predictors = [seed.predictor, *(predictor for predictor, _ in remedies)]
    fits = {seed.predictor.name: seed.fit} | {p.name: seconds for p, seconds in remedies}
    seconds = Seconds(seed.preparation, fits, 0.0)
    with single_blas_thread():
        result = examine(seed.fitting, predictors, origin, seconds)
    return replace(result, test_rows=None)  # the rows are not compared, and may be many


def _summary(
    work: _Comparison, names: Sequence[str], impossible: dict[str, str], seconds: float
) -> RemedyComparison:
    """Return what the work came to; raise what no seed got over."""
    done = len(work.results)
    refused = [seed for name, seed in work.problems if name == BASE]
    if not done:
        problems = [text for (name, _), text in work.problems.items() if name == BASE]
        text = problems[0] if problems else _STOPPED.format(asked=work.seeds, done=0)
        raise InputError("compare.nothing", "{problem}", problem=Passage(text))
    stopped = done + len(refused) < work.seeds
    seeds = sorted([*work.results, *refused])
    rows = [row for s in seeds for row in _rows_of_seed(work, names, impossible, s)]
    fitted_ones = {row.remedy for row in rows if row.problem is None} - {BASE}
    if not fitted_ones:
        raise _nothing({row.remedy: row.problem for row in rows if row.problem is not None})
    first = work.results[min(work.results)]
    data = first.data
    share = data.test / (data.train + data.calibration)
    is_regression = first.settings["task"] == "regression"
    stops = [Sentence("compare.stopped", _STOPPED, asked=work.seeds, done=done)] * stopped
    return RemedyComparison(
        settings=first.settings | {"seed": work.settings.seed, "remedy": list(names[1:])},
        fingerprint=data.fingerprint,
        seeds=seeds,
        remedies=list(names),
        rows=rows,
        groups=group_rows(work.results),
        differences=differences(rows, names, share),
        verdict=list(verdict(rows, names, share, "mean width" if is_regression else "mean size")),
        notes=[
            *stops,
            *few_seeds(len(work.results), share),
            *dict.fromkeys(n for r in work.results.values() for n in r.notes),
        ],
        seconds=seconds,
        stopped=stopped,
    )


def _rows_of_seed(
    work: _Comparison, names: Sequence[str], impossible: dict[str, str], seed: int
) -> list[ComparedRow]:
    """Return the rows of one seed in the order of the names, those of test rows first."""
    result = work.results.get(seed)
    found = [] if result is None else compared_rows(result, seed)
    rows = []
    for name in names:
        own = [row for row in found if row.remedy == name]
        whole = work.problems.get((BASE, seed), "")
        problem = impossible.get(name) or work.problems.get((name, seed)) or whole
        rows += own or [refused_row(name, seed, problem)]
    return rows
