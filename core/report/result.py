"""The audit's one result: the command line, the dashboard and reports are views of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import pandas as pd

from ..conformal.predictor import NoLayerReason
from ..coverage.diagnosis import ProbabilityBin
from ..coverage.exchangeability import Drift
from ..events import AfterLayers, LayerAccepted
from ..messages import Sentence
from ..preparation.hints import Hint
from ..preparation.settings import AuditSettings
from ..segments.audited_rows import TestRows
from ..segments.by_audit_only import AuditOnlyRow
from ..segments.by_segment import SegmentRow
from ..segments.by_set_size import SizeStratumRow
from ..segments.changes import ALL_ROWS, ChangeRow
from ..segments.gaps import GapRow
from ..segments.search.worst_segments import WorstSegmentRow
from ..segments.under_coverage import TOO_LOW, Coverage, Group
from .figures import CoefficientRow, Comparison, DataSummary, ResultRow, Seconds, SubsetName
from .presentation import installed_presentation, needed_presentation

Topic = Literal["coverage", "remedy", "advice", "groups", "dependence", "audit-only"]
"""What it is about, in the order of reading; the first three make the headline."""

HEADLINE: tuple[Topic, ...] = ("coverage", "remedy", "advice")

Severity = Literal["problem", "good", "neutral"]


class _OfPredictor(Protocol):
    @property
    def predictor(self) -> str: ...


_Row = TypeVar("_Row", bound=_OfPredictor)


@dataclass(frozen=True)
class RepeatedClaim:
    """What audits with some of the seeds say of the predictor ``algorithm``.

    ``value`` is the group that the headline names as under-covered, in words, empty for none; an
    adjustment's effect; or a kind of advice, as :class:`Finding` has it. ``tested`` are the seeds
    that could say so: those with test rows of the group.
    """

    about: Literal["group", "effect", "advice"]
    algorithm: str
    value: str
    seeds: list[int]
    tested: list[int]


@dataclass(frozen=True)
class ImpossibleSeed:
    """A seed by which table and settings do not go together, and why."""

    seed: int
    reason: str


@dataclass(frozen=True)
class Repeats:
    """Mean and spread of every figure over audits with different seeds, and what these say.

    ``results``, ``coefficients`` and ``segments`` have a dict for each row of the table of that
    name in the JSON form: its keys, ``repeats`` (how many audits have it), and ``FIGURE_mean`` and
    ``FIGURE_sd`` (with n - 1) of every figure. ``verdict`` has, of each kind of claim, what most
    seeds say first. ``impossible`` are the seeds without an audit.
    """

    seeds: list[int]
    layers_mean: float
    layers_sd: float
    results: list[dict[str, Any]]
    coefficients: list[dict[str, Any]]
    segments: list[dict[str, Any]]
    verdict: list[RepeatedClaim] = field(default_factory=list)
    impossible: list[ImpossibleSeed] = field(default_factory=list)


@dataclass(frozen=True)
class AuditedPredictor:
    """What was audited: its name in data, its title for a reader, and what it promises.

    Without calibration rows that its sets hang on it is not audited on training rows. An
    adjustment is made from the reference, to mend it; ``adjusts`` says whether it differs from it.
    ``no_layer_reason`` says why one that comes about by layers has none, and
    ``suggested_penalty`` the C with which it would have one, where C is why.
    """

    name: str
    title: str
    guarantee: str
    is_calibrated: bool = True
    is_adjustment: bool = True
    adjusts: bool = True
    no_layer_reason: NoLayerReason = ""
    suggested_penalty: float | None = None


@dataclass(frozen=True)
class Finding:
    """One thing that the test rows say of a predictor's sets.

    ``kind`` is such as "group-low"; ``who`` the group of rows it is of, None for all of them or
    none in particular; ``figures`` what it says, by name; ``certainty`` the p- or q-value behind
    it; ``advice`` a kind of advice, empty for none.
    """

    kind: str
    topic: Topic
    predictor: str
    severity: Severity = "neutral"
    who: Group | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    certainty: float | None = None
    advice: str = ""


@dataclass(frozen=True, repr=False)
class AuditResult:
    """Everything an audit found; lists hold one entry for each row of the table they show.

    Figures are rows of one predictor each. The first predictor is the reference that the others
    adjust; nothing else is special about it. ``headline`` and ``explanations`` are ``findings`` in
    words: for whom coverage is too low, by how much, what adjustments make of it and what to do
    now, which is ``advice``; and the rest. ``changes`` and ``comparisons`` are of each adjustment
    beside the reference.
    ``hints`` are those of the notes that may have a remedy, an option of the audit.
    ``stopped`` says whether a fit, the permutations or the repeats were ended before their end.
    ``asked`` are the settings as they were asked for, ``settings`` as they were used; ``objects``
    are the test rows themselves; ``replays`` have, of each predictor that comes about by layers,
    what its sets are like with the first 0, 1, ... of them. These three are in memory alone.
    """

    settings: dict[str, Any]
    data: DataSummary
    predictors: list[AuditedPredictor]
    results: list[ResultRow]
    layers: Mapping[str, Sequence[LayerAccepted]]
    coefficients: list[CoefficientRow]
    segments: list[SegmentRow]
    drift: Drift
    seconds: Seconds
    notes: list[Sentence]
    hints: list[Hint] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    headline: list[str] = field(default_factory=list)
    advice: str = ""
    explanations: list[str] = field(default_factory=list)
    stopped: bool = False
    repeats: Repeats | None = None
    gaps: list[GapRow] = field(default_factory=list)
    size_strata: list[SizeStratumRow] = field(default_factory=list)
    worst_segments: list[WorstSegmentRow] = field(default_factory=list)
    audit_only: list[AuditOnlyRow] = field(default_factory=list)
    changes: list[ChangeRow] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    probabilities: list[ProbabilityBin] = field(default_factory=list)
    replays: Mapping[str, Sequence[AfterLayers]] = field(default_factory=dict, compare=False)
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
        return next((layers for layers in self.layers.values() if layers), ())

    @property
    def adjustments(self) -> list[str]:
        """The names of the predictors that are made from the reference."""
        return [predictor.name for predictor in self.predictors[1:] if predictor.is_adjustment]

    def to_frame(self, section: str) -> pd.DataFrame:
        """Return the rows of a section of the JSON form, such as "segments", as a table.

        Figures that JSON has no numbers for are NaN or infinite. Raises :class:`InputError` if no
        section of that name holds rows.
        """
        from .result_json import rows_of  # noqa: PLC0415 - it is made of this class

        return pd.DataFrame(rows_of(self, section))

    def report(self, path: str | Path, *, examples: int = 0) -> Path:
        """Write the report of ``evencover audit --html`` with so many test rows, and return where.

        Raises :class:`InputError` if nothing is installed that writes reports.
        """
        needed_presentation().report(self, Path(path), examples)
        return Path(path)

    def figure(self, name: str, **choice: Any) -> Any:  # noqa: ANN401 - a figure of plotly
        """Return a chart of the report.

        "coefficients", of the ``subset`` "test" or "training"; "probabilities"; or "segments", of a
        ``variable``. Raises :class:`InputError` if there is none of that name.
        """
        return needed_presentation().figure(self, name, **choice)

    def __repr__(self) -> str:
        """Return what it says in words: all of its rows would fill screens."""
        return "\n\n".join([*self.headline, *self.explanations])

    def _repr_html_(self) -> str | None:
        """Return the report's first screen for a notebook; None if nothing shows it."""
        shown = installed_presentation()
        return None if shown is None else shown.first_screen(self)

    def row(self, subset: SubsetName, predictor: str) -> ResultRow:
        """Return one predictor's figures; KeyError if it was not evaluated on that subset."""
        for row in self.results:
            if (row.subset, row.predictor) == (subset, predictor):
                return row
        raise KeyError((subset, predictor))

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

    def comparison(self, predictor: str) -> Comparison:
        """Return what an adjustment changes over all rows; KeyError if it is none."""
        for row in self.comparisons:
            if row.predictor == predictor:
                return row
        raise KeyError(predictor)
