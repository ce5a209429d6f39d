"""What an experiment found: figures of predictors on the same rows, judged once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Self, TypeVar

from .. import levels
from ..conformal.measures import Fit
from ..coverage.diagnosis import ProbabilityBin
from ..coverage.exchangeability import Drift
from ..events import LayerAccepted
from ..messages import Sentence
from ..preparation.hints import Hint
from ..preparation.settings import AuditSettings
from ..segments.audited_rows import TestRows
from ..segments.by_audit_only import AuditOnlyRow
from ..segments.by_segment import GapRow, SegmentRow, SizeStratumRow
from ..segments.under_coverage import ALL_ROWS, TOO_LOW, ChangeRow, Coverage, with_statuses
from ..segments.worst_segments import WorstSegmentRow
from .figures import (
    AdjustmentRow,
    CoefficientRow,
    DataSummary,
    ReplayStep,
    ResultRow,
    Seconds,
    SubsetName,
)


class _OfPredictor(Protocol):
    @property
    def predictor(self) -> str: ...


_Row = TypeVar("_Row", bound=_OfPredictor)


@dataclass(frozen=True)
class AuditedPredictor:
    """What was audited: its name in data, its title for a reader, and what it promises.

    Without calibration rows that its sets hang on it is not audited on training rows. An
    adjustment is made from the reference, to mend it; ``adjusts`` says whether it differs from it,
    and ``fit`` what its fit did.
    """

    name: str
    title: str
    guarantee: str
    is_calibrated: bool = True
    is_adjustment: bool = True
    adjusts: bool = True
    fit: Fit = field(default_factory=Fit)


@dataclass(frozen=True)
class Examination:
    """What the same rows say of predictors; lists hold one entry for each row of a table.

    Figures are rows of one predictor each. The first predictor is the reference that the others
    adjust; nothing else is special about it. ``changes`` and ``comparisons`` are of each adjustment
    beside the reference.
    ``hints`` are those of the notes that may have a remedy, an option of the audit.
    ``stopped`` says whether a fit, the permutations or the repeats were ended before their end.
    ``asked`` are the settings as they were asked for, ``settings`` as they were used; ``test_rows``
    are the test rows themselves; ``replays`` have, of each predictor that comes about by layers,
    what its sets are like with the first 0, 1, ... of them. These three are in memory alone.
    """

    settings: dict[str, Any]
    data: DataSummary
    predictors: list[AuditedPredictor]
    results: list[ResultRow]
    coefficients: list[CoefficientRow]
    segments: list[SegmentRow]
    drift: Drift
    seconds: Seconds
    notes: list[Sentence]
    hints: list[Hint] = field(default_factory=list)
    stopped: bool = False
    gaps: list[GapRow] = field(default_factory=list)
    size_strata: list[SizeStratumRow] = field(default_factory=list)
    worst_segments: list[WorstSegmentRow] = field(default_factory=list)
    audit_only: list[AuditOnlyRow] = field(default_factory=list)
    changes: list[ChangeRow] = field(default_factory=list)
    comparisons: list[AdjustmentRow] = field(default_factory=list)
    probabilities: list[ProbabilityBin] = field(default_factory=list)
    replays: Mapping[str, Sequence[ReplayStep]] = field(default_factory=dict, compare=False)
    asked: AuditSettings | None = field(default=None, compare=False)
    test_rows: TestRows | None = field(default=None, compare=False)

    @property
    def names(self) -> list[str]:
        """The predictors' names, the reference first."""
        return [predictor.name for predictor in self.predictors]

    @property
    def reference(self) -> str:
        """The name of the predictor that the others adjust."""
        return self.predictors[0].name

    @property
    def iterations(self) -> Sequence[LayerAccepted]:
        """The layers of the first predictor that has any."""
        return next((by.fit.layers for by in self.predictors if by.fit.layers), ())

    @property
    def adjustments(self) -> list[str]:
        """The names of the predictors that are made from the reference."""
        return [predictor.name for predictor in self.predictors[1:] if predictor.is_adjustment]

    def row(self, subset: SubsetName, predictor: str) -> ResultRow:
        """Return one predictor's figures; KeyError if it was not evaluated on that subset."""
        return {(row.subset, row.predictor): row for row in self.results}[subset, predictor]

    def of(self, rows: Iterable[_Row], predictor: str) -> list[_Row]:
        """Return those of the rows that are of one predictor."""
        return [row for row in rows if row.predictor == predictor]

    def object_segments(self, predictor: str) -> list[SegmentRow]:
        """Return the segments that are judged: by columns, groups or cohorts, with rows enough.

        Those by the label are left out: a prediction sees the object alone, so that even where
        coverage is CL for every object it is not CL for every label.
        """
        return [row for row in self.of(self.segments, predictor) if row.family == "objects"]

    def coverage(self, predictor: str) -> Coverage:
        """Return a predictor's coverage of all test rows, beside what was promised."""
        drift = self.drift
        return Coverage(
            level=self.settings["cl"],
            n=self.data.test,
            share=self.row("test", predictor).accuracy,
            least=drift.accuracy_low,
            most=drift.accuracy_high,
            effective=drift.rows_effective,
        )

    def too_low(self, predictor: str) -> list[SegmentRow]:
        """Return the segments that are clearly under-covered, most rows missed first."""
        level: float = self.settings["cl"]
        low = [row for row in self.of(self.segments, predictor) if row.status in TOO_LOW]
        return sorted(low, key=lambda row: row.counted * (level - row.accuracy), reverse=True)

    def rules_too_low(self, predictor: str) -> list[WorstSegmentRow]:
        """Return the rules under which rows are clearly under-covered, in the search's order."""
        low = (row for row in self.of(self.worst_segments, predictor) if row.status in TOO_LOW)
        return sorted(low, key=lambda row: row.rank)

    def change(self, predictor: str, group: tuple[str, str] = (ALL_ROWS, ALL_ROWS)) -> ChangeRow:
        """Return what an adjustment changes in a group; KeyError if it is not known."""
        return self._changes[predictor, group]

    @cached_property
    def _changes(self) -> dict[tuple[str, tuple[str, str]], ChangeRow]:
        return {(row.predictor, row.group): row for row in self.changes}

    def comparison(self, predictor: str) -> AdjustmentRow:
        """Return what an adjustment changes over all rows; KeyError if it is none."""
        return {row.predictor: row for row in self.comparisons}[predictor]

    def judged(self) -> Self:
        """Return the same with the statuses of its groups."""
        coverage = {name: self.coverage(name) for name in self.names}
        segments, rules, changes = self.segments, self.worst_segments, self.changes
        return replace(
            self,
            segments=with_statuses(segments, coverage, changes, levels.SEGMENTS),
            worst_segments=with_statuses(rules, coverage, changes, levels.SEARCH),
        )
