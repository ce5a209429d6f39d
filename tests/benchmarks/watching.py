"""How often watching raises an alarm where nothing has changed, and how soon where it has.

    python tests/benchmarks/watching.py [--streams 400] [--seed 0] [--only null,groups]

Calibration and reference rows are drawn anew for each stream, and there is a look after every row.
To be reached. Without a change, in 20,000 rows: an alarm in at most 5 % of streams, of coverage, of
scores, of any of 10 columns, and of any of 50 groups, whose true coverages are between .7 and .99.
With one, and 1,000 calibration rows, at the median: 90 to 80 % in 110 rows, 90 to 85 % in 700; 90
to 80 % after 5,000 good rows in 350; one of 50 groups, with 500 rows of reference, 90 to 75 % in
200 of its own. Of a column that has moved, where coverage has not: told as such in 90 %.

MAPIE's risk monitor sees the same rows, with tolerance 0 and 3,000 rows of reference of its own;
as it is slow, those of every fourth stream. It, too, may raise a false alarm in 5 %.

Tied scores are rounded to halves of a standard deviation. "Not missed by" is the share of streams
where no alarm was there in time.
"""

import argparse
import math
import time
from collections.abc import Mapping

import numpy as np
from mapie.exchangeability_testing import RiskMonitoring
from scipy.special import gammaln, xlogy
from scipy.stats import norm

from evencover.core.watching import evidence as watched
from evencover.core.watching.evidence import (
    ALPHA,
    UNSEEN,
    DrawnAtRandom,
    NoLower,
    SameShares,
    alarms,
    evidence,
)

LEVEL, ROWS, GROUPS, COLUMNS, KINDS = 0.9, 20_000, 50, 10, 5
LEVELS = (0.5, 0.75, 0.9, 0.95, 0.975)
BAR = -math.log(ALPHA)
CHECKED = (1, 99, 100, 101, 250, 1234)
"""Looks where the fast way here is set beside that of core, in the first stream of each kind."""


def grown(kinds, number):
    """Return how many rows of each kind came before each look, from none on."""
    return np.vstack([np.zeros(number, dtype=int), np.cumsum(np.eye(number, dtype=int)[kinds], 0)])


def mixed(rows, of_start):
    """Return the evidence at all looks, of the ratio, not as a logarithm, from each start on."""
    starts = range(0, rows, watched.A_STRETCH)
    looks = np.arange(1.0, rows + 1.0)
    whole = 1.0 / (np.ceil(looks / watched.A_STRETCH) + 1.0)
    with np.errstate(over="ignore"):
        for j, start in enumerate(starts, 1):
            whole[start:] += of_start(start) / (j * (j + 1.0))
        return np.log(whole)


def drawn(law, counts):
    """Return the log-probability of counts, shape (T, K), by a Dirichlet law, from tables."""
    top = np.arange(len(counts) + 1.0)
    of_kinds = sum(
        (gammaln(a + top) - gammaln(a)).take(c) for a, c in zip(law, counts.T, strict=True)
    )
    whole = float(np.sum(law))
    return of_kinds - (gammaln(whole + top) - gammaln(whole))[: len(counts)]


def of_draw(of, kinds):
    """Return the evidence at all looks by ``DrawnAtRandom`` and ``SameShares``."""
    counts = grown(kinds, len(of.ranks))
    before, top = drawn(of.ranks, counts), np.arange(len(counts) + 1.0)
    tables = [([gammaln(a + top) - gammaln(a) for a in law], law.sum()) for law in of.changed]
    totals = [(gammaln(whole + top) - gammaln(whole)) for _, whole in tables]
    columns = np.ascontiguousarray(counts.T)

    def of_start(start):
        after = [column[start + 1 :] - column[start] for column in columns]
        null = before[start] - before[start + 1 :]
        found = 0.0
        for (parts, _), total in zip(tables, totals, strict=True):
            log = null - total[1 : len(null) + 1]
            for part, count in zip(parts, after, strict=True):
                log += part.take(count)
            found = found + np.exp(log, out=log)
        return found / (len(tables) * (watched._AT_MOST if isinstance(of, SameShares) else 1.0))

    return mixed(len(kinds), of_start)


def drawn_one(law, counts):
    """Return the log-probability of counts, shape (K,), by a Dirichlet law."""
    law, every = np.array(law), np.array(law) + counts
    whole = gammaln(law.sum()) - gammaln(every.sum())
    return (gammaln(every) - gammaln(law)).sum() + whole


def of_group(of, kinds):
    """Return the evidence at all looks by ``NoLower``."""
    counts = grown(kinds, 2)
    nodes = of.nodes.ravel()
    now = np.maximum(nodes[:, None] - watched._DROPS, 1e-9)
    slopes = np.log([now.ravel(), 1.0 - now.ravel()])
    at_nodes, guess = np.log([nodes, 1.0 - nodes]), drawn_one(of.prior, [of.held, of.missed])
    known = np.array([of.held, of.missed])
    new = counts[1:]

    def best(some):
        return xlogy(some, some / np.maximum(some.sum(axis=-1, keepdims=True), 1)).sum(axis=-1)

    lower = new[:, 0] * known.sum() < known[0] * new.sum(axis=1)
    least = np.where(lower, best(new + known), best(new) + best(known))
    size, part = watched._NODES * len(watched._DROPS), np.empty((50, slopes.shape[1]))

    def of_start(start):
        base = np.repeat(counts[start] @ at_nodes + guess, len(watched._DROPS))
        after, found = (counts[start + 1 :] - counts[start]).astype(float), []
        for at in range(0, len(after), len(part)):
            log = part[: len(after) - at]
            np.matmul(after[at : at + len(part)], slopes, out=log)
            log += base
            log -= least[start + at : start + at + len(part), None]
            found.append(np.exp(log, out=log).sum(axis=1))
        return np.concatenate(found) / size

    return mixed(len(kinds), of_start)


def looked(of, kinds, checked=()):
    """Return the evidence after every row; at some looks it has to equal that of core."""
    found = of_group(of, kinds) if isinstance(of, NoLower) else of_draw(of, kinds)
    rows = np.eye(2 if isinstance(of, NoLower) else len(of.ranks))[kinds]
    for look in (*checked, len(kinds)) if checked else ():
        if look <= len(kinds):
            assert math.isclose(found[look - 1], evidence(of, rows[:look]), abs_tol=1e-6)
    return found


def delay(logs, bar=BAR):
    """Return after how many rows evidence reaches a bar first: infinity if never."""
    over = np.flatnonzero(logs >= bar)
    return over[0] + 1 if len(over) else math.inf


# --------------------------------------------------------------------------------- what is watched


def thresholds(scores, levels):
    """Return conformal thresholds that differ, and how many ranks the rows of each kind take.

    These are the calibration rows of each kind, and one more in no set. Where scores are tied they
    are not the ranks of the thresholds: of those, a law is known that tied rows do not have.
    """
    ordered, n = np.sort(scores), len(scores)
    places = [n + 1 - math.floor((1.0 - level) * (n + 1) + 1e-9) for level in levels]
    cuts = np.unique(ordered[np.array(places) - 1])
    counts = np.bincount(np.searchsorted(cuts, scores), minlength=len(cuts) + 1)
    return cuts, counts + np.eye(len(cuts) + 1)[-1]


def tied(scores):
    return np.round(2.0 * scores) / 2.0


def both(scores, news, checked=()):
    """Return the evidence on coverage and on scores, of news by calibration scores."""
    found = []
    for levels in ((LEVEL,), LEVELS):
        cuts, ranks = thresholds(scores, levels)
        found.append(looked(DrawnAtRandom(ranks), np.searchsorted(cuts, news), checked))
    return found


def nothing(rng, streams, out):
    """Print how often coverage and scores raise an alarm where nothing has changed."""
    out(f"{'no change, ' + format(ROWS, ',') + ' rows':<34}{'coverage':>9}{'scores':>8}{'any':>8}")
    for n in (200, 1000, 5000):
        for name, shape in (("", np.asarray), (", tied", tied)):
            found = []
            for stream in range(streams):
                scores, news = (shape(np.abs(rng.normal(size=size))) for size in (n, ROWS))
                logs = both(scores, news, CHECKED if stream == 0 else ())
                found.append([each.max() >= BAR for each in logs])
            shares = 100.0 * np.mean(found, axis=0)
            either = 100.0 * np.mean(np.any(found, axis=1))
            out(f"  {format(n, ',') + name:<32}{shares[0]:>8.2f}%{shares[1]:>7.2f}%{either:>7.2f}%")


def over_time(logs, times, rows):
    """Return how many members of a family ever raise an alarm, by e-BH at each row of all."""
    high = [i for i, log in enumerate(logs) if len(log) and log.max() >= BAR]
    if not high:
        return 0
    at = np.zeros((len(logs), rows))
    for i in high:
        at[i, times[i]] = 1
        at[i] = np.concatenate([[-math.inf], logs[i]])[np.cumsum(at[i]).astype(int)]
    at[[i for i in range(len(logs)) if i not in high]] = -math.inf
    ever, looks = np.zeros(len(logs), dtype=bool), np.flatnonzero(at.max(axis=0) >= BAR)
    for look in looks[np.append(True, np.diff(at[:, looks]).any(axis=0))]:
        ever |= alarms(at[:, look])
    return int(ever.sum())


def groups(rng, streams, out):
    """Print how often any of the groups raises an alarm where nothing has changed."""
    out(f"{'no change, 50 groups of reference':<34}{'any':>9}{'false ones a stream':>21}")
    for m in (100, 500, 2000):
        found = []
        for stream in range(streams):
            truth, group = rng.uniform(0.7, 0.99, GROUPS), rng.integers(GROUPS, size=ROWS)
            missed = (rng.random(ROWS) >= truth[group]).astype(int)
            logs, times = [], [np.flatnonzero(group == g) for g in range(GROUPS)]
            for share, at in zip(truth, times, strict=True):
                held = int(rng.binomial(m, share))
                checked = CHECKED if stream == len(logs) == 0 else ()
                logs.append(looked(NoLower(held, m - held, LEVEL), missed[at], checked))
            found.append(over_time(logs, times, ROWS))
        out(f"  {m:<32,}{100.0 * np.mean(np.array(found) > 0):>8.2f}%{np.mean(found):>21.4f}")


def columns(rng, rows, reference, shift=0.0):
    """Return the evidence of columns, half cut at the reference's own fifths, half of categories.

    The first, which is a number, may have moved.
    """
    logs = []
    for column in range(COLUMNS):
        old, new = rng.normal(size=reference), rng.normal(size=rows) + shift * (column == 0)
        shares = rng.dirichlet(np.full(KINDS, 3.0)).cumsum()[:-1]
        even = column % 2 == 0
        cuts = np.quantile(old, np.arange(1, KINDS) / KINDS) if even else norm.ppf(shares)
        counts = np.bincount(np.searchsorted(cuts, old), minlength=KINDS)
        logs.append((SameShares(counts + UNSEEN), np.searchsorted(cuts, new)))
    return [
        looked(of, kinds, CHECKED[:4]) if i == 0 else looked(of, kinds)
        for i, (of, kinds) in enumerate(logs)
    ]


def features(rng, streams, out):
    """Print how often any column raises an alarm where nothing has changed, and where one has."""
    whole = [np.arange(ROWS)] * COLUMNS
    found = [over_time(columns(rng, ROWS, 2000), whole, ROWS) for _ in range(streams)]
    out(f"{'no change, 10 columns':<34}{100.0 * np.mean(np.array(found) > 0):>8.2f}%")
    heads = f"{'told so':>9}{'of coverage':>12}{'at median':>10}"
    out(f"{'a column moves, coverage does not':<34}{heads}")
    for shift, rows in ((0.5, 2000), (0.25, 10_000)):
        told, moved, when = [], [], []
        for _ in range(streams):
            logs = columns(rng, rows, 2000, shift)
            scores, news = (np.abs(rng.normal(size=size)) for size in (1000, rows))
            cuts, ranks = thresholds(scores, (LEVEL,))
            moved.append(looked(DrawnAtRandom(ranks), np.searchsorted(cuts, news)).max() >= BAR)
            when.append(delay(logs[0], BAR + math.log(COLUMNS)))
            told.append(alarms([log[-1] for log in logs])[0] and not moved[-1])
        out(
            f"  {f'{shift} sd, {rows:,} rows':<32}{100.0 * np.mean(told):>8.2f}%"
            f"{100.0 * np.mean(moved):>11.2f}%{np.median(when):>10,.0f}"
        )


# ------------------------------------------------------------------------------------- how soon


def monitored(rng, cut, missed, good):
    """Return the delay of MAPIE's monitor, with a reference of its own."""
    monitor = RiskMonitoring("accuracy", tolerance=0.0, warn=False)
    reference = (np.abs(rng.normal(size=3000)) <= cut).astype(int)
    monitor.compute_threshold(np.ones_like(reference), reference)
    monitor.update(np.ones_like(missed), 1 - missed)
    bounds = monitor.online_risk_lower_bound_sequence_history[good:]
    over = np.flatnonzero(bounds > monitor.threshold)
    return over[0] + 1 if len(over) else math.inf


def told(delays, asked=""):
    found = np.array(delays)
    return f"{np.median(found):>9,.0f}{100.0 * np.mean(np.isfinite(found)):>7.0f}%{asked:>8}"


def soon(rng, streams, out):
    """Print after how many rows a change is found, and in how many streams at all."""
    out(f"{'calibration rows, change, rows':<36}{'':<10}{'median':>9}{'found':>8}{'asked':>8}")
    for n, to, good, rows, asked in (
        (1000, 0.8, 0, 3000, "110"),
        (1000, 0.85, 0, 5000, "700"),
        (1000, 0.8, 5000, 3000, "350"),
        (1000, 0.97, 0, 5000, ""),
        (200, 0.85, 0, 5000, ""),
        (5000, 0.85, 0, 5000, ""),
    ):
        found = {"coverage": [], "scores": [], "MAPIE": []}
        factor = norm.ppf(0.5 + LEVEL / 2.0) / norm.ppf(0.5 + to / 2.0)
        for stream in range(streams):
            scores, news = (np.abs(rng.normal(size=size)) for size in (n, good + rows))
            news[good:] *= factor
            for name, logs in zip(found, both(scores, news), strict=False):
                # an alarm before the change is one after it, too, as it stands
                found[name].append(delay(logs[good:]) if logs[:good].max(initial=0.0) < BAR else 0)
            if asked and stream % 4 == 0:
                cut = thresholds(scores, (LEVEL,))[0][0]
                missed = (news > cut).astype(int)
                found["MAPIE"].append(monitored(rng, cut, missed, good))
        what = f"{n:,}, 90 to {100 * to:.0f} %, {rows:,}" + f" after {good:,}" * (good > 0)
        for name, delays in found.items():
            if not delays:
                continue
            out(f"  {what:<34}{name:<10}{told(delays, asked if name == 'coverage' else '')}")
            what = ""


def one_group(rng, streams, out):
    """Print after how many of its own rows a group's change is found beside 49 others."""
    out(f"{'reference rows, change, rows':<36}{'':<10}{'median':>9}{'found':>8}{'asked':>8}")
    bar = BAR + math.log(GROUPS)
    for m, to, good, asked in (
        (500, 0.75, 0, "200"),
        (500, 0.75, 500, ""),
        (500, 0.8, 0, ""),
        (2000, 0.8, 0, ""),
        (100, 0.75, 0, ""),
    ):
        delays = []
        for _ in range(streams):
            held = int(rng.binomial(m, LEVEL))
            missed = np.concatenate([rng.random(good) >= LEVEL, rng.random(2000) >= to])
            logs = looked(NoLower(held, m - held, LEVEL), missed.astype(int))
            delays.append(delay(logs[good:], bar))
        what = f"{m:,}, 90 to {100 * to:.0f} %, 2,000" + f" after {good:,}" * (good > 0)
        out(f"  {what:<34}{'e-BH':<10}{told(delays, asked)}")


PARTS: Mapping = {
    "soon": soon,
    "one group": one_group,
    "features": features,
    "null": nothing,
    "groups": groups,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", type=int, default=400, metavar="N")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--only", default=",".join(PARTS), metavar="A,B")
    options = parser.parse_args()
    for part in options.only.split(","):
        began = time.perf_counter()
        PARTS[part](np.random.default_rng(options.seed), options.streams, print)
        print(f"{'':>4}({part}: {time.perf_counter() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
