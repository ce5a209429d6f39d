"""E-processes: evidence that newer rows are not like those that a predictor was made of.

Each is a ratio: how likely all that came is if something changed, over how likely it is if nothing
did. Where nothing did it reaches 1 / alpha with probability alpha at most, however often somebody
looks (Ville, 1939); so no look costs anything, and rows may be added at will.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats
from scipy.special import gammaln, logsumexp, xlogy

from ..arrays import FloatArray

ALPHA = 0.05
"""How often a family of e-processes may raise an alarm where nothing has changed."""

UNSEEN, _AT_MOST = 0.02, 1.2
"""What a kind counts beside its rows of reference; evidence is then so much at most, on average."""

A_STRETCH = 100
"""Rows after which a change may have begun anew: good rows before it are no debt then."""

_POWERS, _SIZES = np.log10([0.15, 0.2, 0.3]) / -1.0, (60.0, 40.0, 20.0)
"""Of 10 % missed 15, 20 or 30 are after a change: as p-values' powers, each worth so many rows."""

_DROPS = np.arange(0.03, 0.31, 0.03)
_NODES = 100
_PRIOR_ROWS = 10.0  # that a guess of a group's coverage is worth: Beta(9, 1) of 90 %
_TRIED, _VERY_MANY = np.arange(1, 51) / 100.0, 10.0 ** np.arange(3, 7)
"""Drops, and of how many rows any number may show one."""


class Ratio(ABC):
    """A ratio of likelihoods, change over none, of counts by K kinds of outcomes."""

    @abstractmethod
    def log(self, before: FloatArray, after: FloatArray) -> FloatArray:
        """Return the logarithm for counts before and after a change, shape (J, K) each, (J,)."""


@dataclass(frozen=True)
class DrawnAtRandom(Ratio):
    """No change: rows are exchangeable with calibration rows, whose draw set the thresholds.

    ``ranks``, shape (K,), are how many calibration rows are of each kind, from those in all of
    K - 1 nested sets to those in none, and one more of the last. Without ties the thresholds differ
    by so many ranks of n + 1 (Vovk, 2012); with them only the counts do, not the ranks asked for.
    Shares have a Dirichlet law, of one set a Beta law. A change makes p-values less, by a power.
    """

    ranks: FloatArray

    @cached_property
    def changed(self) -> FloatArray:
        """The Dirichlet laws of shares after a change, shape (M, K)."""
        beyond = np.append(np.cumsum(self.ranks[::-1])[::-1] / self.ranks.sum(), 0.0)
        return np.array(
            [-size * np.diff(beyond**by) for by, size in zip(_POWERS, _SIZES, strict=True)]
        )

    def log(self, before: FloatArray, after: FloatArray) -> FloatArray:
        changed = logsumexp([_drawn(law, after) for law in self.changed], axis=0)
        found: FloatArray = changed - math.log(len(self.changed)) + _drawn(self.ranks, before)
        return found - _drawn(self.ranks, before + after)


@dataclass(frozen=True)
class NoLower(Ratio):
    """No change: a group is held no less often than in the reference, whatever its coverage is.

    The universal ratio of Wasserman, Ramdas and Balakrishnan (2020), "Universal inference": a
    mixture over coverages and drops, over the largest likelihood of reference and newer rows.
    """

    held: float
    missed: float
    level: float

    @cached_property
    def prior(self) -> FloatArray:
        return _PRIOR_ROWS * np.array([self.level, 1.0 - self.level])

    @cached_property
    def nodes(self) -> FloatArray:
        """Coverages that are equally likely by the guess and the reference, (M, 1, 1)."""
        middles = (np.arange(_NODES) + 0.5)[:, None, None] / _NODES
        law = self.prior + np.array([self.held, self.missed])
        return np.asarray(stats.beta.ppf(middles, *law))

    def log(self, before: FloatArray, after: FloatArray) -> FloatArray:
        known = np.array([self.held, self.missed])
        now = np.maximum(self.nodes - _DROPS[:, None], 1e-9)
        change = logsumexp(_of_share(before, self.nodes) + _of_share(after, now), axis=(0, 1))
        change += _drawn(self.prior, known) - math.log(_NODES * len(_DROPS))
        new = before + after
        own = _best(known) + _best(new)
        is_lower = new[:, 0] * known.sum() < known[0] * new.sum(axis=1)
        return np.asarray(change - np.where(is_lower, _best(new + known), own))


@dataclass(frozen=True)
class SameShares(DrawnAtRandom):
    """No change: each kind has the share that it has in the reference, after one others near by.

    ``ranks`` are the reference's counts and ``UNSEEN`` each. Of numbers cut at its quantiles the
    law is that of a draw; of categories, too, evidence of none that is there is 1 at most.
    """

    @cached_property
    def changed(self) -> FloatArray:
        return np.outer(_SIZES, self.ranks / self.ranks.sum())

    def log(self, before: FloatArray, after: FloatArray) -> FloatArray:
        return super().log(before, after) - math.log(_AT_MOST)


def log_known(held: float, missed: float, level: float) -> float:
    """Return the evidence, as a logarithm, that rows are held more or less often than a level.

    A ratio of a mixture over shares, worth some rows of the level, to the level itself.
    """
    prior, counts = _PRIOR_ROWS * np.array([level, 1.0 - level]), np.array([held, missed])
    return float(_drawn(prior, counts) - _of_share(counts, np.array(level)))


def _drawn(law: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the log-probability of counts, shape (J, K), in one order, by a Dirichlet law."""
    of_kinds = gammaln(law + counts) - gammaln(law)
    whole, rows = law.sum(), counts.sum(axis=-1)
    found: FloatArray = of_kinds.sum(axis=-1) + gammaln(whole) - gammaln(whole + rows)
    return found


def _of_share(counts: FloatArray, share: FloatArray) -> FloatArray:
    """Return the log-likelihood of held and missed rows, shape (..., 2)."""
    log = xlogy(counts[..., 0], share) + xlogy(counts[..., 1], 1.0 - share)
    return np.asarray(log, dtype=np.float64)


def _best(counts: FloatArray) -> FloatArray:
    """Return the largest log-likelihood of counts, shape (..., K)."""
    rows = counts.sum(axis=-1, keepdims=True)
    found: FloatArray = xlogy(counts, counts / np.maximum(rows, 1.0)).sum(axis=-1)
    return found


def changed_since(counts: FloatArray) -> int:
    """Return the place of the period, by counts of shape (P, K), that a change began with.

    It is where shares before and after fit the counts best: an estimate, beside evidence that there
    is a change. The first, where two parts are not clearly better than one: by half the logarithm
    of the rows for each of their K - 1 shares, and for the place (Schwarz, 1978).
    """
    after = np.cumsum(counts[::-1], axis=0, dtype=np.float64)[::-1]
    if not len(after):
        return 0
    gains = _best(after[0] - after) + _best(after) - _best(after[0])
    place = int(np.argmax(gains))
    least = counts.shape[1] / 2.0 * math.log(max(after[0].sum(), 1.0))
    return place if gains[place] > least else 0


def evidence(of: Ratio, counts: FloatArray) -> float:
    """Return the evidence, as a logarithm, of periods in their order by counts, shape (P, K).

    A mixture over where the change began: at the first period, or one that at least ``A_STRETCH``
    rows came before since the last such; start j has the weight 1 / (j (j + 1)), and those to come
    have what is left.
    """
    known = np.vstack([np.zeros(counts.shape[1]), counts])
    reached: FloatArray = np.cumsum(known, axis=0)
    starts, rows = [0], reached.sum(axis=1).tolist()
    for place, so_far in enumerate(rows[:-1]):
        if so_far - rows[starts[-1]] >= A_STRETCH:
            starts.append(place)
    before, number = reached[starts], np.arange(1.0, len(starts) + 1.0)
    logs = of.log(before, reached[-1] - before) - np.log(number * (number + 1.0))
    return float(logsumexp(np.append(logs, -math.log(len(starts) + 1.0))))


def alarms(logs: Mapping[str, float] | Sequence[float]) -> list[bool]:
    """Say which of a family's e-values, as logarithms, raise an alarm.

    By e-BH of Wang and Ramdas (2022), "False discovery rate control with e-values": of the alarms
    a share of at most ``ALPHA`` is false in expectation.
    """
    values = np.array([*(logs.values() if isinstance(logs, Mapping) else logs)], dtype=np.float64)
    count = len(values)
    descending = np.sort(values)[::-1]
    enough = descending >= np.log(count / (ALPHA * np.arange(1.0, count + 1.0)))
    if not enough.any():
        return [False] * count
    bar = descending[np.flatnonzero(enough)[-1]]
    return [bool(value >= bar) for value in values]


def visible_drop(of: Ratio, level: float, family: int) -> float:
    """Return the smallest drop below a coverage that newer rows ever show; NaN if none.

    It is of rows that have dropped from the first on: too few rows of reference explain any small
    drop by themselves. Good rows before a drop are reference, too, so that less may be seen then.
    """
    now = level - _TRIED[level > _TRIED]
    if not len(now):
        return math.nan
    shares = np.column_stack([now, 1.0 - now])
    logs = np.max([of.log(np.zeros_like(shares), rows * shares) for rows in _VERY_MANY], axis=0)
    shown = logs - math.log(2.0) >= math.log(family / ALPHA)
    return float(level - now[shown.argmax()]) if shown.any() else math.nan
