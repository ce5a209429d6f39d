"""What a comparison of remedies found."""

from dataclasses import dataclass
from typing import Any

from ...messages import Sentence
from ...segments.statistics import Status
from ..figures import SubsetName

BASE = "base"


@dataclass(frozen=True, kw_only=True)
class ComparedRow:
    """Figures of one remedy with one seed on one set; those of test rows are None on training rows.

    ``accuracy`` to ``worst_slab_coverage`` are those of :class:`ResultRow`.
    ``worst_segment_coverage`` is the lowest accuracy of those segments that are judged, which is
    below CL by chance alone, and ``worst_segment`` names it; ``low_segments`` counts segments and
    rules with clearly too little coverage. ``size_gap`` is the largest difference in mean width or
    set size between the groups of one audit-only or protected column, that of ``size_gap_of``; None
    where there is no such column: even coverage can be bought with uneven sizes.

    ``problem`` says why the remedy could not be applied, of which there are no figures then.
    """

    remedy: str
    title: str
    seed: int
    segment: SubsetName
    guarantee: str
    accuracy: float | None = None
    inefficiency: float | None = None
    inefficiency_original_units: float | None = None
    dcv: float | None = None
    dcv_floor: float | None = None
    dcv_corrected: float | None = None
    dcv_corrected_low: float | None = None
    dcv_corrected_high: float | None = None
    dcv_crossfitted: float | None = None
    p_value: float | None = None
    ert_l1: float | None = None
    ert_l2: float | None = None
    worst_slab_coverage: float | None = None
    worst_segment_coverage: float | None = None
    worst_segment: str | None = None
    low_segments: int | None = None
    size_gap: float | None = None
    size_gap_of: str | None = None
    fit_seconds: float | None = None
    problem: str | None = None


@dataclass(frozen=True, kw_only=True)
class GroupRow:
    """Coverage by one remedy with one seed of a group that was clearly too low by the base once."""

    remedy: str
    seed: int
    variable: str
    value: str
    n: int
    accuracy: float
    status: Status | None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A test figure by a remedy less that ``against`` another, on average over the same seeds.

    ``low`` and ``high`` are a 95 % interval, ``p_value`` two-sided, by Student's t with the
    variance of Nadeau and Bengio (2003), "Inference for the generalization error": splits of one
    table share rows, so that seeds are no independent samples. None with one seed.
    """

    remedy: str
    against: str
    figure: str
    seeds: int
    mean: float
    standard_deviation: float | None
    low: float | None
    high: float | None
    p_value: float | None


@dataclass(frozen=True)
class RemedyComparison:
    """Remedies on the same splits: ``rows`` by seed, then by remedy, the base first.

    ``verdict`` says which remedy is clearly better than the default one, if one is; ``stopped``
    that seeds are missing as the work was ended.
    """

    settings: dict[str, Any]
    fingerprint: str
    seeds: list[int]
    remedies: list[str]
    rows: list[ComparedRow]
    groups: list[GroupRow]
    differences: list[Difference]
    verdict: list[Sentence]
    notes: list[Sentence]
    seconds: float
    stopped: bool = False

    def test_rows(self, remedy: str) -> list[ComparedRow]:
        """Return a remedy's figures on test rows, of the seeds that have any."""
        of_one = (row for row in self.rows if (row.remedy, row.segment) == (remedy, "test"))
        return [row for row in of_one if row.problem is None]

    def problem(self, remedy: str) -> str | None:
        """Return why a remedy has no figures by some seed; None where it has them by all."""
        return next((r.problem for r in self.rows if r.remedy == remedy and r.problem), None)
