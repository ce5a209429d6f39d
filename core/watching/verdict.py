"""What a watch has seen: whether coverage has moved, for whom, or the rows alone have."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..arrays import IndexArray
from ..conformal.rank import CoverageLaw
from ..messages import Sentence
from ..segments.statistics import LEVEL, exact_interval, shortfall_p_values
from .evidence import (
    ALPHA,
    UNSEEN,
    DrawnAtRandom,
    NoLower,
    Ratio,
    SameShares,
    alarms,
    changed_since,
    evidence,
    log_known,
    visible_drop,
)
from .intake import Added, Watch
from .state import WatchState

Status = Literal["moved", "risen", "scores", "steady", "no rows"]
"""Of all rows: coverage has fallen, or risen; scores alone have fallen; none of these."""

About = Literal["coverage", "scores", "group", "column"]

_MOST_PERIODS, _MOST_LOOKS, _EXACT = 60, 200, 20_000
_BAR = -math.log(ALPHA)


@dataclass(frozen=True, kw_only=True)
class WatchRow:
    """What one e-process says, of rows with labels, or of all rows where it is about a column.

    ``evidence`` is the logarithm of its e-value; ``moved`` says whether it is an alarm: in each
    family, coverage, scores, groups and columns, a share of at most 5 % of the alarms is false in
    expectation, and of predictors for which nothing changes 5 % at most have one, ever. If
    anything has changed it was most likely at ``since``, empty if from the first row on, or with no
    times. ``share`` of the ``n`` rows were held, of the ``n_since`` since then ``share_since``, of
    ``n_before`` rows of reference ``share_before``; NaN where there are none, or none are meant. Of
    scores it is the mean share of nested sets that hold a label. An alarm on coverage or scores
    stays: where evidence was strongest earlier, ``until`` is the last day of that, ``n_since`` are
    rows up to it, and ``share_after`` is of those after it.
    ``visible`` is the smallest drop that it shows where rows have dropped from the first one on, by
    its reference; NaN if none.
    """

    about: About
    name: str
    n: int
    share: float = math.nan
    since: str
    n_since: int
    share_since: float = math.nan
    n_before: int
    share_before: float = math.nan
    evidence: float
    moved: bool = False
    visible: float = math.nan
    until: str = ""
    share_after: float = math.nan


@dataclass(frozen=True, kw_only=True)
class PeriodRow:
    """Coverage of the n rows of a period with labels, and the band that chance allows them.

    By chance, of the rows and of the calibration draw, one period in 20 lies outside.
    """

    period: str
    n: int
    share: float
    band_low: float
    band_high: float


@dataclass(frozen=True, kw_only=True)
class WatchReport:
    """What a watch has seen of a predictor: one result, of which all else is a view.

    Of ``n`` rows with labels sets ``held`` so many; ``low`` and ``high`` are an exact 95 % interval
    for the share. From ``level_low`` to ``level_high`` coverage was to be expected when it was
    saved: calibration rows drawn by chance bring it in 95 of 100 cases; without a single threshold
    it is the interval of test rows. ``is_off`` says whether the share is not the level promised,
    which may be due to that draw; ``low_before`` are watched groups that were clearly below it when
    it was saved, one falsely in 5 % of cases. Rows without labels are ``waiting``; ``since`` is the
    day that rows are like the latest from on, empty where all are.
    """

    predictor: str
    confidence_level: float
    status: Status
    n: int
    held: int
    low: float
    high: float
    level_low: float
    level_high: float
    is_off: bool
    low_before: tuple[str, ...]
    waiting: int
    since: str
    checks: list[WatchRow]
    periods: list[PeriodRow]
    added: Added = field(default_factory=Added)
    sentences: list[Sentence] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of rows with labels that were held; NaN without such."""
        return self.held / self.n if self.n else math.nan

    def of(self, about: About) -> list[WatchRow]:
        """Return the checks of something."""
        return [row for row in self.checks if row.about == about]

    @property
    def needs_recalibration(self) -> bool:
        """Whether coverage has fallen, of all rows or of a group."""
        return bool(self.moved("coverage") or self.moved("group"))

    def moved(self, about: About) -> list[WatchRow]:
        """Return the alarms about something."""
        return [row for row in self.of(about) if row.moved]


def _none(counts: NDArray[Any]) -> float:  # noqa: ARG001
    return math.nan


def _share(counts: NDArray[Any]) -> float:
    held, missed = _pair(counts)
    return held / (held + missed) if held + missed else math.nan


def _share_of_sets(counts: NDArray[Any]) -> float:
    """Return the mean share of nested sets that hold the labels."""
    return (
        1.0 - float(np.average(np.linspace(0.0, 1.0, len(counts)), weights=counts))
        if counts.sum()
        else math.nan
    )


@dataclass(frozen=True, eq=False)
class Judge:
    """Finds what a state of a watch says."""

    watch: Watch
    state: WatchState

    @cached_property
    def names(self) -> list[str]:
        """The periods, in their order."""
        return self.state.in_order

    @cached_property
    def counts(self) -> IndexArray:
        """The counts of all periods, shape (P, kinds)."""
        rows = [self.state.periods[name] for name in self.names]
        return np.array(rows, dtype=np.intp).reshape(len(rows), self.watch.kinds.count)

    @cached_property
    def places(self) -> list[slice]:
        """Where counts have what."""
        return self.watch.kinds.places

    @property
    def level(self) -> float:
        """The share that is promised."""
        return self.watch.predictor.confidence_level

    @cached_property
    def held(self) -> IndexArray:
        """The rows held and missed of each period, shape (P, 2)."""
        sets = self.counts[:, self.places[0]]
        first = self.watch.kinds.most_missing(self.watch.predictor) + 1
        return np.column_stack([sets[:, :first].sum(axis=1), sets[:, first:].sum(axis=1)])

    @cached_property
    def law(self) -> CoverageLaw:
        """That of the coverage by which new rows are held."""
        ranks = self.watch.kinds.reference.ranks
        if not ranks:
            return CoverageLaw(self._share_before)
        missed = sum(ranks[: len(ranks) - 1 - self.watch.kinds.most_missing(self.watch.predictor)])
        return CoverageLaw(self.level, self.worth * (sum(ranks) - missed), self.worth * missed)

    @property
    def worth(self) -> float:
        """How much of an independent row one says."""
        return self.watch.kinds.reference.worth

    @property
    def _share_before(self) -> float:
        reference = self.watch.kinds.reference
        return reference.held / max(reference.held + reference.missed, 1)

    def report(self) -> WatchReport:
        """Return all figures, without words."""
        held, missed = _pair(self.held.sum(axis=0))
        n, known, worth = held + missed, self.watch.kinds.reference, self.worth
        low, high = self._interval(held, n) if n else (math.nan, math.nan)
        of_test = self._interval(known.held, max(known.held + known.missed, 1))
        expected = self.law.interval(LEVEL) if known.ranks else of_test
        checks = [*self._all_rows(), *self._groups(), *self._columns()]
        latest = self._evidence(self._of_coverage, self.held)
        since = changed_since(self.held.astype(np.float64)) if latest >= _BAR else 0
        return WatchReport(
            predictor=self.watch.predictor.title,
            confidence_level=self.level,
            status=self._status(checks, latest),
            n=n,
            held=held,
            low=low,
            high=high,
            level_low=expected[0],
            level_high=expected[1],
            is_off=n > 0 and log_known(worth * held, worth * missed, self.level) >= _BAR,
            low_before=(*self._low_before(),),
            waiting=len(self.state.waiting),
            since=self.names[since] if since else "",
            checks=checks,
            periods=[*self._periods()],
        )

    def _interval(self, held: int, n: int) -> tuple[float, float]:
        low, high = exact_interval(np.array(self.worth * held), np.array(self.worth * n))
        return float(low), float(high)

    def _status(self, checks: Sequence[WatchRow], latest: float) -> Status:
        coverage, *scores = (row for row in checks if row.about in ("coverage", "scores"))
        if coverage.n == 0:
            return "no rows"
        if coverage.moved or latest >= _BAR:
            return "moved" if coverage.moved else "risen"
        return "scores" if any(row.moved for row in scores) else "steady"

    @cached_property
    def _of_coverage(self) -> Ratio:
        known, law = self.watch.kinds.reference, self.law
        if known.ranks:
            return DrawnAtRandom(np.array([law.hits, law.misses]))
        return self._no_lower(np.array([known.held, known.missed]))

    def _no_lower(self, before: IndexArray) -> NoLower:
        held, missed = (self.worth * before).tolist()
        return NoLower(held, missed, self.level)

    def _all_rows(self) -> Iterator[WatchRow]:
        """Yield the checks of coverage and, where calibration scores are known, of scores."""
        known = self.watch.kinds.reference
        before = np.array([known.held, known.missed])
        row = self._lasting("coverage", self._of_coverage, self.held, before, _share)
        yield replace(row, visible=visible_drop(self._of_coverage, self.level, 1))
        if len(known.ranks) > 2:  # noqa: PLR2004 - else it would be the same again
            ranks, counts = np.array(known.ranks[::-1]), self.counts[:, self.places[0]]
            of_all = DrawnAtRandom(self.worth * ranks)
            ranks[-1] -= 1  # which is of a newer row
            yield self._lasting("scores", of_all, counts, ranks, _share_of_sets)

    def _lasting(
        self,
        about: About,
        of: Ratio,
        counts: IndexArray,
        before: NDArray[Any],
        share: Callable[[NDArray[Any]], float],
    ) -> WatchRow:
        """Return a check that keeps the strongest fall of any look at the end of a period."""
        ends = range(len(counts), 0, -max(1, len(counts) // _MOST_LOOKS))
        rows = [self._check(about, "all rows", of, counts[:end], before, share) for end in ends]
        latest = rows[0] if rows else self._check(about, "all rows", of, counts, before, share)
        bound = self.level if about == "coverage" else latest.share_before
        fallen = [row.evidence >= _BAR and row.share_since < bound for row in rows]
        if not any(fallen):
            return latest
        if fallen[0]:  # it lasts, so that the latest figures tell it
            return replace(latest, moved=True)
        first = max(np.flatnonzero(fallen).tolist(), key=lambda place: rows[place].evidence)
        end = ends[first]
        return replace(
            rows[first],
            moved=True,
            n=latest.n,
            share=latest.share,
            until=self.names[end - 1],
            share_after=share(counts[end:].sum(axis=0)),
        )

    def _groups(self) -> list[WatchRow]:
        groups, rows = self.watch.kinds.reference.groups, []
        for of, place in zip(groups, self.places[1 : len(groups) + 1], strict=True):
            before = np.array([of.held, of.missed])
            ratio, counts = self._no_lower(before), self.counts[:, place]
            row = self._check("group", of.by.name, ratio, counts, before, _share)
            drop = visible_drop(ratio, row.share_before, len(groups))
            rows.append(replace(row, visible=drop))
        return _as_family(rows)

    def _low_before(self) -> Iterator[str]:
        groups = self.watch.kinds.reference.groups
        for of in groups:
            held, n = np.array([of.held]), np.array([of.held + of.missed])
            if shortfall_p_values(held, n, self.level)[0] * len(groups) <= ALPHA:
                yield of.by.name

    def _columns(self) -> list[WatchRow]:
        columns = self.watch.kinds.reference.columns
        places = self.places[len(self.places) - len(columns) :]
        rows = []
        for of, place in zip(columns, places, strict=True):
            before, counts = np.array(of.counts), self.counts[:, place]
            seen = before > 0  # of others what came is one kind
            kinds = np.append(self.worth * before[seen], 0.0) + UNSEEN
            others = counts[:, ~seen].sum(axis=1, keepdims=True)
            counts = np.hstack([counts[:, seen], others])
            rows.append(self._check("column", of.by.name, SameShares(kinds), counts, before))
        return _as_family(rows)

    def _check(
        self,
        about: About,
        name: str,
        of: Ratio,
        counts: IndexArray,
        before: NDArray[Any],
        share: Callable[[NDArray[Any]], float] = _none,
    ) -> WatchRow:
        found = self._evidence(of, counts)
        since = changed_since(counts.astype(np.float64)) if found > 0.0 else 0
        return WatchRow(
            about=about,
            name=name,
            n=int(counts.sum()),
            share=share(counts.sum(axis=0)),
            share_since=share(counts[since:].sum(axis=0)),
            share_before=share(before),
            since=self.names[since] if since else "",
            n_since=int(counts[since:].sum()),
            n_before=int(before.sum()),
            evidence=found,
        )

    def _evidence(self, of: Ratio, counts: IndexArray) -> float:
        return evidence(of, np.asarray(self.worth * counts, dtype=np.float64))

    def _periods(self) -> Iterator[PeriodRow]:
        """Yield days with labels, or months or years where they are many."""
        named = {size: [name[:size] for name in self.names] for size in (10, 7, 4)}
        short = next((of for of in named.values() if len({*of}) <= _MOST_PERIODS), named[4])
        for name in dict.fromkeys(short):
            held, missed = self.held[[each == name for each in short]].sum(axis=0).tolist()
            if n := held + missed:
                worth = max(1, round(self.worth * min(n, _EXACT)))  # of more it hangs on the draw
                low, high = self.law.band(worth, LEVEL)
                ends = {"band_low": low, "band_high": high}
                yield PeriodRow(period=name, n=n, share=held / n, **ends)


def _as_family(rows: Sequence[WatchRow]) -> list[WatchRow]:
    are = alarms([row.evidence for row in rows])
    return [replace(row, moved=moved) for row, moved in zip(rows, are, strict=True)]


def _pair(counts: IndexArray) -> tuple[int, int]:
    held, missed = counts.tolist()
    return held, missed
