"""The audit of ready-made sets of a table that is not in memory.

What looks at single rows, as DCV, p(x) and the search for worst segments do, looks at a sample;
coverage, widths and segments are counted over all rows by their engine, and go the same way from
there as those of rows in memory.
"""

from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any, Self

import narwhals as nw

from ..conformal.rank import CoverageLaw
from ..coverage.exchangeability import BAND
from ..messages import InputError, Sentence
from ..preparation.outputs import odd_notes
from ..preparation.prepare import IDLE, LeftOut, PreparedData, row_notes
from ..preparation.roles import columns_in_use
from ..preparation.settings import OPTIONS, AuditSettings
from ..scoring.columns import LARGEST
from ..segments import grouping
from ..segments.by_segment import gap_rows, rows_of_counts
from ..segments.out_of_core import LazyIntervals, LazyLabelSets, LazyOutcomes, LazySegments
from ..tables.lazy import LazyTable
from ..tables.table import Table
from .result import Examination

_SAMPLED = (
    "Coverage, widths or sizes and segments are of all {rows:,} rows. What looks at single rows is "
    "of {sample:,} of them, drawn at random with seed {seed}: DCV and all by it, worst segments, "
    "coverage by size of set, the notes' other counts, and where bands of numbers end."
)
_UNSERVED = (
    *("numeric", "set_columns", "log_target", "split_column", "group", "time", "horizon", "weight"),
    *("join", "missing", "missing_in", "header"),
)
_COUNTED_ANEW = (
    grouping.SMALL_VALUES,
    grouping.EMPTY_COHORT,
    f"{IDLE}.sample",
    *(f"outputs.{kind}" for kind in ("infinite", "crossed", "zero_width")),
)
"""Codes of the sample's notes that all rows have their own of."""


@dataclass(frozen=True, eq=False)
class AllRows:
    """The ``n`` rows with a label and a set of a table that an engine has, and those without."""

    table: LazyTable
    n: int
    unlabelled: int
    without_outputs: int
    settings: AuditSettings

    @classmethod
    def of(cls, table: LazyTable, settings: AuditSettings) -> Self:
        """Count the rows; InputError if table and settings do not go together."""
        _check_served(table, settings)
        used = table.of(columns_in_use(table.names, settings))
        outputs = [name for name in settings.output_columns if name != settings.label_set]
        unlabelled, *lacking = map(used.missing, (settings.target, *outputs))
        left_out = reduce(or_, lacking, unlabelled)
        counts = used.count(
            unlabelled=unlabelled.cast(nw.Int64).sum(), left_out=left_out.cast(nw.Int64).sum()
        )
        n, without, both = (int(counts[name]) for name in ("n", "unlabelled", "left_out"))
        return cls(used.where(~left_out), n - both, without, both - without, settings)

    def sample(self) -> Table:
        """Return the rows that are drawn."""
        return self.table.sample(self.n, self.settings.sample, self.settings.seed)

    def counted(
        self, result: Examination, data: PreparedData, divided: grouping.SegmentVariables
    ) -> Examination:
        """Return the result of the sample with all that is counted over all rows instead."""
        outcomes, odd, scale = self._outcomes(data)
        assert result.test_rows is not None  # noqa: S101 - those of the sample
        everywhere = LazySegments(self.table, outcomes, data.table, divided)
        counted = [*everywhere]
        variables, whole = [variable for variable, _ in counted], counted[0][1]
        law, drawn = CoverageLaw(self.settings.confidence_level), len(data.test)
        of_sample, segments = {row.group: row for row in result.segments}, []
        for row in rows_of_counts(result.reference, counted, law.level):
            own = of_sample.get(row.group, row)
            segments.append(replace(row, explained_by=own.explained_by, overlaps=own.overlaps))
        accuracy, size = (float(each.sum()) / self.n for each in (whole.hits, whole.size))
        about = {"rows": self.n, "sample": drawn, "seed": self.settings.seed}
        figures: dict[str, Any] = {"accuracy": accuracy, "inefficiency": size}
        figures["inefficiency_original_units"] = size * scale
        low, high = law.band(self.n, BAND)
        band: dict[str, Any] = {"accuracy": accuracy, "accuracy_low": low, "accuracy_high": high}
        is_part = drawn < self.n
        return replace(
            result,
            results=[replace(result.results[0], **figures)],
            segments=segments,
            gaps=gap_rows(segments, law, grouping.compared_with(variables, self.settings)),
            drift=replace(result.drift, **band, rows_effective=self.n),
            data=replace(
                result.data,
                rows=self.n + self.unlabelled + self.without_outputs,
                rows_without_label=self.unlabelled,
                rows_without_output=self.without_outputs,
                test=self.n,
                sample=drawn if is_part else None,
            ),
            test_rows=replace(result.test_rows, everywhere=everywhere if is_part else None),
            notes=[
                *self.table.notes,
                *[Sentence("rows.sampled", _SAMPLED, **about)] * is_part,
                *row_notes(LeftOut(self.unlabelled, self.without_outputs)),
                *odd_notes(odd),
                *(note for note in result.notes if note.code not in _COUNTED_ANEW),
                *grouping.small_value_notes(variables),
                *grouping.cohort_notes(variables),
            ],
        )

    def _outcomes(self, data: PreparedData) -> tuple[LazyOutcomes, dict[str, int], float]:
        """Return what became of the sets, how many intervals are odd, and the label's scale."""
        settings, table = self.settings, self.table
        if settings.label_set is not None:
            kinds = data.table.kinds
            sets = LazyLabelSets(table, settings.target, settings.label_set, kinds)
            return sets, {}, 1.0
        ends = settings.lower or "", settings.upper or ""
        intervals = LazyIntervals(table, settings.target, *ends)
        label = table.number(settings.target)
        too_large = (~(label.abs() <= LARGEST)).cast(nw.Int64).sum()
        odd = table.count(**intervals.odd, too_large=too_large, scale=label.std(ddof=0))
        if odd.pop("too_large"):
            sentence = (
                "label '{column}' holds values that are infinite, or too large to compute with; "
                "mend them, or leave these rows out"
            )
            raise InputError("lazy.too_large", sentence, column=settings.target)
        scale = odd.pop("scale")
        counts = {name: int(odd[name]) for name in intervals.odd}
        return replace(intervals, scale=scale), counts, scale


def is_served(settings: AuditSettings) -> bool:
    """Say whether an audit by the settings can be one of rows that are not in memory."""
    others = (getattr(settings, field) == OPTIONS[field].default for field in _UNSERVED)
    return settings.is_ready_made and all(others)


def _check_served(table: LazyTable, settings: AuditSettings) -> None:
    about = {"file": table.name}
    if not settings.is_ready_made:
        sentence = (
            "'{file}' is not read as a whole, so that nothing can be fitted on it: name the "
            "columns of ready-made intervals or sets, or audit one file of it"
        )
        raise InputError("lazy.not_ready_made", sentence, **about)
    for field in _UNSERVED:
        option = OPTIONS[field]
        if getattr(settings, field) != option.default:
            sentence = (
                "'{option}' is not served for '{file}', which is not read as a whole; leave it "
                "out, or audit one file of it"
            )
            raise InputError("lazy.unserved", sentence, option=option.name, **about)
