"""Remedies side by side: the same audit on the same splits, over seeds; one over its penalties.

>>> rows = pd.DataFrame({"x": [i % 50 for i in range(400)]})
>>> rows["y"] = rows["x"] * [1.0 + i % 7 for i in range(400)]
>>> found = compare(rows, AuditSettings(target="y"), ["quantile"], seeds=2)
>>> found.seeds, [row.remedy for row in found.rows if row.segment == "test"]
([0, 1], ['base', 'quantile', 'base', 'quantile'])
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..conformal.measures import ConformityMeasure, Task
from ..conformal.predictor import MeasurePredictor, Predictor
from ..events import Listener, StepDone, StopRequest, ignore, never
from ..messages import InputError, Passage, Sentence, check_whole, in_quotes
from ..preparation.options import OUTPUT_FIELDS, check_takes_remedies
from ..preparation.prepare import plan, prepare
from ..preparation.settings import OPTIONS, AuditSettings
from ..preparation.settings_json import settings_to_json
from ..remedies.base import Remedy
from ..remedies.ifacm.ifacm import IFACM
from ..remedies.names import DEFAULT, NONE, asked_for, parse_remedy, title_of
from ..tables.table import UNNAMED, Origin, Table
from ..threads import single_blas_thread
from .compared_rows import (
    BASE,
    ComparedRow,
    RemedyComparison,
    by_rows,
    compared_rows,
    differences,
    few_seeds,
    group_rows,
    lowest_told,
    ranked,
    verdict,
    with_titles_over_seeds,
)
from .evaluation import Evaluator
from .experiment import Experiment, Workers
from .own_models import OwnModels
from .predictors import Fitting, OwnAlgorithms, base, candidates
from .result import ResultRow, SubsetName

SEEDS = 3
COMPARED_REMEDIES = ("ifacm", "quantile", "auto")
"""So many seeds, and these remedies, unless others are asked for."""

PENALTIES = (5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.0)
"""The values of C that are tried, beside that of the settings."""

_BEND = 0.2
"""Of the range: a path that bends by less is a straight line, whose corner would be chance."""

_SEEDS_ALIKE = "the split is fixed, so that {given} seeds would all be the same; choose 1 seed"
_ALONE = "there is nothing to compare the base with; name a remedy, such as quantile"
_TWO_WAYS = "models are compared as they are; leave out remedies and measure, or the models"
_READINGS = ("numeric", "categorical", "missing_in")
_KEY = (
    "a key, here {key}, brings the models' rows of one object together; name the model column, "
    "too, which says of which model a row is"
)
_STOPPED = "The comparison was stopped: of {asked} seeds, {done} are there."


def compare(  # noqa: PLR0913 - each is named
    table: pd.DataFrame | Table,
    settings: AuditSettings,
    remedies: Sequence[str | Remedy] | None = None,
    *,
    measure: ConformityMeasure | None = None,
    models: Sequence[str] = (),
    model_column: str | None = None,
    key: str | Sequence[str] | None = None,
    seeds: int | None = None,
    workers: Workers | None = None,
    origin: Origin = UNNAMED,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> RemedyComparison:
    """Compare remedies with the base and each other on the same splits.

    Where a remedy cannot be applied, or a seed does not go with table and settings, rows say why.
    Raises :class:`InputError` if an option is unusable, or nothing can be done by any seed.

    Parameters
    ----------
    table, settings
        As of an audit; its repeats do not count.
    remedies, measure
        Names or objects, and an object, in place of those that the settings name, as of an audit;
        the base is always there.
    models, model_column, key
        In place of remedies, models of one's own on the same rows, the first as the base: columns
        of outputs that the settings name are each model's with its name before or behind, "lower"
        for "a_lower" and "b_lower". Or a column says which model a row is of, and rows go together
        by the key's columns, else by all others. The base is the first of ``models``, or by name.
    seeds
        How many splits, from the seed of the settings up; one where it is fixed or all is ready.
    workers, origin, on_event, should_stop
        As of an audit; a stop leaves those seeds that are whole.
    """
    began, table = time.perf_counter(), Table.of(table)
    keys = _keys(key, model_column)
    if models or model_column is not None:
        if not (remedies is None and measure is None):
            raise InputError("compare.two_ways", _TWO_WAYS)
        asked = _of_models(table, settings, models, model_column, keys, seeds, origin)
    else:
        asked = _of_remedies(table, settings, _asked(settings, remedies, measure), seeds, origin)
    experiment, names, record = asked
    experiment.on_event, experiment.should_stop = on_event, should_stop
    with (workers or Workers()).at_work():
        experiment.run()
    return _summary(experiment, names, record, time.perf_counter() - began)


def _keys(key: str | Sequence[str] | None, model_column: str | None) -> tuple[str, ...]:
    keys = (key,) if isinstance(key, str) else tuple(key or ())
    if keys and model_column is None:
        raise InputError("compare.key", _KEY, key=in_quotes(keys))
    return keys


def _asked(
    settings: AuditSettings,
    remedies: Sequence[str | Remedy] | None,
    measure: ConformityMeasure | None,
) -> OwnAlgorithms:
    """Return what is to be compared with the base, each once."""
    check_takes_remedies(settings.outputs)
    own = OwnAlgorithms.of(measure, settings.remedies if remedies is None else remedies)
    given = dict.fromkeys((own.remedies or {}).values())
    asked = [each for each in given if each not in (BASE, NONE)]
    if not asked:
        raise InputError("compare.alone", _ALONE)
    asked_for(each for each in asked if isinstance(each, str))  # refuses what is no remedy
    return OwnAlgorithms.of(measure, asked)


_Asked = tuple[Experiment, list[str], dict[str, Any]]
"""An experiment, all that is compared by it, and what was asked for, for the record."""


def _of_models(
    table: Table,
    settings: AuditSettings,
    models: Sequence[str],
    model_column: str | None,
    key: Sequence[str],
    seeds: int | None,
    origin: Origin,
) -> _Asked:
    made = OwnModels.of(table, replace(settings, remedies=(NONE,)), models, model_column, key)
    names = [*made.settings]
    first = replace(made.settings[names[0]], repeats=1)
    experiment = Experiment(
        table=made.table,
        settings=first,
        candidates=made.candidates(),
        seeds=range(first.seed, first.seed + seeds_or_default(first, seeds)),
        origin=origin.of(table.frame),
        is_audit=False,
    )
    record = _record(settings) | {"models": names, "model_column": model_column, "key": [*key]}
    return experiment, names, record


def _record(settings: AuditSettings) -> dict[str, Any]:
    """Return options as they are given, where those of a comparison are made of them."""
    said = settings_to_json(settings)
    return {OPTIONS[f].key: said[OPTIONS[f].key] for f in (*OUTPUT_FIELDS, "drop", *_READINGS)}


def _of_remedies(
    table: Table, settings: AuditSettings, own: OwnAlgorithms, seeds: int | None, origin: Origin
) -> _Asked:
    """Return the experiment, with the refusals that hang on no seed; raise what refuses all."""
    names = [BASE, *(own.remedies or {})]
    settings = own.settings(settings)
    numbers = range(settings.seed, settings.seed + seeds_or_default(settings, seeds))
    settings = replace(settings, repeats=1)
    plan(table, replace(settings, remedies=(NONE,)))  # refuses what no remedy helps
    possible, refusals = {}, {}
    for name, asked in (own.remedies or {}).items():
        alone = replace(own, remedies={name: asked})
        try:
            alone.check_task(plan(table, alone.settings(settings)).label.task)
            possible[name] = asked
        except InputError as error:
            refusals.update({(name, seed): error for seed in numbers})
    if not possible:
        (name, _), why = next(iter(refusals.items()))
        raise _nothing(name, why)
    own = replace(own, remedies=possible)
    settings = own.settings(settings)
    experiment = Experiment(
        table=table,
        settings=settings,
        candidates=candidates(settings, own),
        seeds=numbers,
        origin=origin.of(table.frame),
        is_audit=False,
        own=own,
        refusals=refusals,
    )
    return experiment, names, {"remedy": names[1:]}


def seeds_or_default(settings: AuditSettings, seeds: int | None) -> int:
    """Return how many seeds to compare by: one where the split is fixed.

    Raises :class:`InputError` if none are asked for, or several that would all be the same.
    """
    is_fixed = settings.fixed_split_column is not None or settings.is_ready_made
    if seeds is None:
        return 1 if is_fixed else SEEDS
    check_whole("seeds", seeds, 1, OPTIONS["repeats"].most)
    if is_fixed and seeds > 1:
        raise InputError("seeds.alike", _SEEDS_ALIKE, given=seeds)
    return seeds


def _nothing(name: str, why: InputError) -> InputError:
    problem = Passage(why.sentence.without_cells())
    return InputError("compare.nothing", "{name}: {problem}", name=title_of(name), problem=problem)


def _summary(
    experiment: Experiment, names: Sequence[str], record: dict[str, Any], seconds: float
) -> RemedyComparison:
    """Return what the work came to; raise what no seed got over."""
    done, refused = dict(sorted(experiment.examinations.items())), experiment.refused_seeds
    counts = {"asked": len(experiment.seeds), "done": len(done)}
    if not done:
        problems = [error.sentence.without_cells() for error in refused.values()]
        text = Passage(problems[0] if problems else _STOPPED.format(**counts))
        raise InputError("compare.nothing", "{problem}", problem=text)
    stopped = len(done) + len(refused) < len(experiment.seeds)
    seeds = sorted([*done, *refused])
    rows = with_titles_over_seeds(
        [row for seed in seeds for row in _rows_of_seed(experiment, names, seed)]
    )
    if {row.remedy for row in rows if row.problem is None} == {names[0]}:
        name, seed = next(key for key in experiment.refusals if key[1] in done)
        raise _nothing(name, experiment.refusals[name, seed])
    first = done[min(done)]
    data = first.data
    share = data.test / max(data.train + data.calibration, 1)
    ranking, tied = ranked(rows, names, share)
    size_word = "mean width" if first.settings["task"] == "regression" else "mean size"
    return RemedyComparison(
        settings=first.settings | {"seed": experiment.settings.seed} | record,
        fingerprint=data.fingerprint,
        seeds=seeds,
        remedies=list(names),
        rows=rows,
        groups=group_rows(done),
        differences=differences(rows, names, share) if len(done) > 1 else by_rows(first, rows),
        verdict=list(verdict(rows, names, share, size_word)),
        notes=[
            *[Sentence("compare.stopped", _STOPPED, **counts)] * stopped,
            *lowest_told(rows, names, share, "remedies" if names[0] == BASE else "models"),
            *few_seeds(len(done), share),
            *dict.fromkeys(note for found in done.values() for note in found.notes),
        ],
        seconds=seconds,
        stopped=stopped,
        ranking=ranking,
        tied=tied,
    )


def _rows_of_seed(experiment: Experiment, names: Sequence[str], seed: int) -> list[ComparedRow]:
    """Return the rows of one seed in the order of the names, those of test rows first."""
    done, refusals = experiment.examinations, experiment.refusals
    found = compared_rows(done[seed], seed) if seed in done else []
    rows = []
    for name in names:
        error = refusals.get((name, seed)) or refusals.get((experiment.reference, seed))
        if error is None:
            rows += [row for row in found if row.remedy == name]
            continue
        title = title_of(name)  # that of its own where it is no remedy's, as "base" is
        rows.append(
            ComparedRow(
                remedy=name,
                title=title,
                seed=seed,
                segment="test",
                guarantee="" if title == name else parse_remedy(name).remedy.guarantee,
                problem=error.sentence.without_cells(),
            )
        )
    return rows


@dataclass(frozen=True)
class PenaltyRow:
    """Figures of the adjustment with one penalty on one set; None as penalty is the base.

    ``cost`` is the unevenness that fitting to so few training rows brings about, see
    :class:`AdjustmentRow`, 0 where it is not known.
    """

    penalty: float | None
    figures: ResultRow
    cost: float

    @property
    def reached(self) -> float:
        """The DCV, or the cost where it is lower: training rows cannot tell what is below."""
        return max(self.figures.dcv, self.cost)


@dataclass(frozen=True)
class PenaltyPath:
    """What each C comes to, the largest first, after the base.

    ``chosen`` is the C of the settings. ``knee`` is the C beyond which a lower DCV costs most, by
    the training rows alone, so that the figures on test rows stay those of rows that nothing was
    chosen by; None where no C is worth its cost. ``stopped`` says that smaller ones are missing.
    """

    title: str
    task: Task
    chosen: float
    rows: list[PenaltyRow]
    knee: float | None
    stopped: bool

    def of(self, subset: SubsetName) -> list[PenaltyRow]:
        """Return the figures on one set."""
        return [row for row in self.rows if row.figures.subset == subset]


def penalty_path(
    table: pd.DataFrame | Table,
    settings: AuditSettings,
    penalties: Sequence[float] = PENALTIES,
    *,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> PenaltyPath:
    """Fit IFACM, or the first of its kin that the settings name, with each penalty.

    Every penalty is that of an audit by itself, on the same split; searches share their fits.
    Raises :class:`InputError` as an audit does.
    """
    check_takes_remedies(settings.outputs)
    kin = (each.name for each in asked_for(settings.remedies) if issubclass(each.remedy, IFACM))
    name = next(kin, DEFAULT)
    settings = replace(settings, remedies=(name,), repeats=1)
    with single_blas_thread():
        data = prepare(Table.of(table), settings)
        fitting = Fitting(data, settings, on_event, should_stop)
        chosen = settings.penalty_for(data.label.task)
        tried = sorted({*penalties, chosen}, reverse=True)
        remedy, steps = fitting.remedy(name), len(tried) + 1
        assert isinstance(remedy, IFACM)  # noqa: S101 - see above
        rows = _rows(fitting.evaluator, base(fitting), None)
        on_event(StepDone(1, steps, "base model"))
        fits = remedy.path(data.train, data.train.y, tried, should_stop=should_stop)
        for place, (penalty, fit) in enumerate(zip(tried, fits, strict=True), 2):
            if fit.fit_.stopped:
                break
            by = MeasurePredictor(name, fit.title, fit, settings.confidence_level)
            rows += _rows(fitting.evaluator, by, penalty)
            on_event(StepDone(place, steps, f"C = {penalty:g}"))
    at = knee([row for row in rows if row.figures.subset == "training"])
    stopped = len(rows) < 2 * steps
    return PenaltyPath(remedy.title, data.label.task, chosen, rows, at, stopped)


def _rows(evaluator: Evaluator, predictor: Predictor, penalty: float | None) -> list[PenaltyRow]:
    cost = evaluator.cost(predictor) or 0.0
    evaluations = evaluator.evaluate(predictor).values()
    return [PenaltyRow(penalty, evaluator.row(each), cost) for each in evaluations]


def knee(rows: Sequence[PenaltyRow]) -> float | None:
    """Return the penalty at the knee of DCV against inefficiency; None where it is the base.

    Of the rows that no other outdoes in both, it is the farthest below the straight line from the
    one with the smallest sets to that with the lowest DCV, both figures taken as shares of their
    range: Satopää, Albrecht, Irwin and Raghavan (2011), "Finding a 'kneedle' in a haystack". Where
    none is clearly below, that with the lowest DCV. Of equal ones the largest penalty.
    """
    front: list[PenaltyRow] = []
    for row in sorted(rows, key=lambda row: (row.figures.inefficiency, row.reached)):
        if not front or row.reached < front[-1].reached:
            front.append(row)
    first, last = front[0], front[-1]
    wide = last.figures.inefficiency - first.figures.inefficiency
    high = first.reached - last.reached

    def below(row: PenaltyRow) -> float:
        along = (row.figures.inefficiency - first.figures.inefficiency) / wide
        return (1.0 - along) - (row.reached - last.reached) / high

    best = max(front[1:], key=below, default=last)
    return best.penalty if len(front) > 1 and below(best) > _BEND else last.penalty
