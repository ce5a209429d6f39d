"""DCV against inefficiency over the penalties C of IFACM, and the C at the knee."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from ..conformal.predictor import Predictor
from ..coverage.dcv import noise_floor
from ..events import Listener, StepDone, StopRequest, ignore, never
from ..preparation.output_ways import check_takes_remedies
from ..preparation.prepare import prepare
from ..preparation.settings import AuditSettings
from ..remedies.base import RemedyPredictor
from ..remedies.ifacm.ifacm import IFACM
from ..remedies.names import DEFAULT, asked_for
from ..tables.fingerprint import UNNAMED, Origin
from ..tables.table import Table
from ..threads import single_blas_thread
from .evaluation import Evaluator
from .figures import SubsetName
from .predictors import Fitting, base

PENALTIES = (5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.0)
"""The values of C that are tried, beside that of the settings."""

_BEND = 0.2
"""Of the range: a path that bends by less is a straight line, whose corner would be chance."""


@dataclass(frozen=True, kw_only=True)
class PenaltyRow:
    """Figures of the adjustment with one penalty on one set; None as penalty is the base.

    ``layers`` counts those accepted; ``cost`` is the unevenness that fitting them to so few
    training rows brings about, see :class:`AdjustmentRow`, 0 where it is not known.
    """

    penalty: float | None
    segment: SubsetName
    accuracy: float
    inefficiency: float
    dcv: float
    dcv_floor: float | None
    layers: int
    cost: float

    @property
    def reached(self) -> float:
        """The DCV, or the cost where it is lower: training rows cannot tell what is below."""
        return max(self.dcv, self.cost)


@dataclass(frozen=True)
class PenaltyPath:
    """What each C comes to, the largest first, after the base.

    ``knee`` is the C beyond which a lower DCV costs most, by the training rows alone, so that the
    figures on test rows stay those of rows that nothing was chosen by; None where no C is worth
    its cost. ``stopped`` says that smaller ones are missing.
    """

    settings: dict[str, Any]
    remedy: str
    title: str
    rows: list[PenaltyRow]
    knee: float | None
    seconds: float
    stopped: bool = False

    def of(self, segment: SubsetName) -> list[PenaltyRow]:
        """Return the figures on one set."""
        return [row for row in self.rows if row.segment == segment]


def penalty_path(
    table: pd.DataFrame | Table,
    settings: AuditSettings,
    penalties: Sequence[float] = PENALTIES,
    *,
    origin: Origin = UNNAMED,
    on_event: Listener = ignore,
    should_stop: StopRequest = never,
) -> PenaltyPath:
    """Fit IFACM, or the first of its kin that the settings name, with each penalty.

    Every penalty is that of an audit by itself, on the same split; searches share their fits.
    Raises :class:`InputError` as an audit does.
    """
    began = time.perf_counter()
    check_takes_remedies(settings.outputs)
    name = _remedy_of(settings)
    settings = replace(settings, remedies=(name,), repeats=1)
    typed = Table.of(table)
    origin = origin.of(typed.frame)
    with single_blas_thread():
        data = prepare(typed, settings)
        fitting = Fitting(data, settings, on_event, should_stop)
        chosen = settings.penalty_for(data.label.task)
        tried = sorted({*penalties, chosen}, reverse=True)
        evaluator, steps = fitting.evaluator, len(tried) + 1
        rows = _rows(evaluator, base(fitting), None)
        on_event(StepDone(1, steps, "base model"))
        remedy = fitting.remedy(name)
        assert isinstance(remedy, IFACM)  # noqa: S101 - see below
        fits = remedy.path(data.train, data.train.y, tried, should_stop=should_stop)
        for place, (penalty, fit) in enumerate(zip(tried, fits, strict=True), 2):
            if fit.fit_.stopped:
                break
            rows += _rows(evaluator, RemedyPredictor(name, fit, settings.confidence_level), penalty)
            on_event(StepDone(place, steps, f"C = {penalty:g}"))
    return PenaltyPath(
        settings={"table": origin.name, "cl": settings.confidence_level, "c": chosen}
        | {"task": data.label.task},
        remedy=name,
        title=remedy.title,
        rows=rows,
        knee=knee([row for row in rows if row.segment == "training"]),
        seconds=time.perf_counter() - began,
        stopped=len(rows) < 2 * steps,
    )


def knee(rows: Sequence[PenaltyRow]) -> float | None:
    """Return the penalty at the knee of DCV against inefficiency; None where it is the base.

    Of the rows that no other outdoes in both, it is the farthest below the straight line from the
    one with the smallest sets to that with the lowest DCV, both figures taken as shares of their
    range: Satopää, Albrecht, Irwin and Raghavan (2011), "Finding a 'kneedle' in a haystack". Where
    none is clearly below, that with the lowest DCV. Of equal ones the largest penalty.
    """
    front: list[PenaltyRow] = []
    for row in sorted(rows, key=lambda row: (row.inefficiency, row.reached)):
        if not front or row.reached < front[-1].reached:
            front.append(row)
    first, last = front[0], front[-1]
    wide, high = last.inefficiency - first.inefficiency, first.reached - last.reached

    def below(row: PenaltyRow) -> float:
        along = (row.inefficiency - first.inefficiency) / wide
        return (1.0 - along) - (row.reached - last.reached) / high

    best = max(front[1:], key=below, default=last)
    return best.penalty if len(front) > 1 and below(best) > _BEND else last.penalty


def _remedy_of(settings: AuditSettings) -> str:
    named = (
        asked.name for asked in asked_for(settings.remedies) if issubclass(asked.remedy, IFACM)
    )
    return next(named, DEFAULT)


def _rows(evaluator: Evaluator, predictor: Predictor, penalty: float | None) -> list[PenaltyRow]:
    data, level = evaluator.data, evaluator.settings.confidence_level
    terms = predictor.fit_.terms
    cost = noise_floor(terms, data.train.effective, level) if terms else 0.0
    return [
        PenaltyRow(
            penalty=penalty,
            segment=row.subset,
            accuracy=row.accuracy,
            inefficiency=row.inefficiency,
            dcv=row.dcv,
            dcv_floor=row.dcv_floor,
            layers=len(predictor.fit_.layers),
            cost=cost,
        )
        for row in map(evaluator.row, evaluator.evaluate(predictor).values())
    ]
