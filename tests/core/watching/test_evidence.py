"""Evidence of a change: equal to the formulas written out, and never too much on average."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from evencover.core.watching import evidence as watched
from evencover.core.watching.evidence import (
    ALPHA,
    UNSEEN,
    DrawnAtRandom,
    NoLower,
    SameShares,
    alarms,
    evidence,
    visible_drop,
)

OF_CHANGE = [(51.0, 9.0), (32.0, 8.0), (14.0, 6.0)]
DROPS = [0.03 * (place + 1) for place in range(10)]
PERIODS = np.array([[40, 3], [45, 9], [0, 0], [2, 1], [130, 20], [99, 0], [1, 0], [70, 25], [9, 9]])


def log_beta(*law):
    return sum(math.lgamma(part) for part in law) - math.lgamma(sum(law))


def drawn(law, counts):
    """The chance of counts in one order, by a Dirichlet law, as a logarithm."""
    return log_beta(*(part + count for part, count in zip(law, counts, strict=True))) - log_beta(
        *law
    )


def added(logs):
    most = max(logs)
    return most + math.log(sum(math.exp(log - most) for log in logs))


def by_definition(of_start, periods):
    """Evidence and the likeliest start: a mixture over all starts, written out."""
    starts, waiting = [0], 0
    for place in range(1, len(periods)):
        waiting += sum(periods[place - 1])
        if waiting >= watched.A_STRETCH:
            starts.append(place)
            waiting = 0
    terms = []
    for j, start in enumerate(starts, 1):
        before = [sum(period[k] for period in periods[:start]) for k in range(len(periods[0]))]
        after = [sum(period[k] for period in periods[start:]) for k in range(len(periods[0]))]
        terms.append(of_start(before, after) - math.log(j) - math.log(j + 1))
    return added([*terms, -math.log(len(starts) + 1)]), starts[terms.index(max(terms))]


def drawn_at_random(law, changed):
    def of_start(before, after):
        mean = added([drawn(each, after) for each in changed]) - math.log(len(changed))
        every = [x + y for x, y in zip(before, after, strict=True)]
        return mean + drawn(law, before) - drawn(law, every)

    return of_start


def same_shares(counts):
    of = drawn_at_random(counts, [[z * x / sum(counts) for x in counts] for z in (60, 40, 20)])
    return lambda before, after: of(before, after) - math.log(1.2)


def logs(of, before, after):
    return float(of.log(np.atleast_2d(before).astype(float), np.atleast_2d(after).astype(float))[0])


@pytest.mark.parametrize(("held", "missed"), [(0, 0), (1, 0), (0, 1), (170, 30), (20_000, 2_100)])
def test_coverage_is_watched_by_the_formula(held, missed):
    a, b = 900.0, 100.0
    mean = added([log_beta(u + held, v + missed) - log_beta(u, v) for u, v in OF_CHANGE])
    null = log_beta(a + held, b + missed) - log_beta(a, b)
    of = DrawnAtRandom(np.array([a, b]))
    found = logs(of, [0, 0], [held, missed])
    assert found == pytest.approx(mean - math.log(3) - null, abs=1e-7)


def test_of_several_sets_p_values_are_powered():
    of = DrawnAtRandom(np.array([50.0, 40.0, 10.0]))
    for law, share, size in zip(of.changed, (0.15, 0.2, 0.3), (60, 40, 20), strict=True):
        half = 0.5 ** (math.log(share) / math.log(0.1))
        assert law == pytest.approx([size * (1 - half), size * (half - share), size * share])


def test_starts_are_mixed_as_written_out():
    law, three = [901.0, 100.0], [500.0, 400.0, 101.0]
    periods = PERIODS.tolist()
    of = DrawnAtRandom(np.array(law))
    expected = by_definition(drawn_at_random(law, of.changed.tolist()), periods)
    assert evidence(of, PERIODS) == pytest.approx(expected)
    assert expected[1] == 7  # 330 good rows, then 34 of 113 missed
    finer = np.insert(PERIODS, 1, 7, axis=1)
    of = DrawnAtRandom(np.array(three))
    expected = by_definition(drawn_at_random(three, of.changed.tolist()), finer.tolist())
    assert evidence(of, finer) == pytest.approx(expected)
    of = SameShares(np.array([300, 20, 0]) + UNSEEN)
    expected = by_definition(same_shares([300.02, 20.02, 0.02]), finer.tolist())
    assert evidence(of, finer) == pytest.approx(expected)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 250), st.integers(0, 60)), min_size=1, max_size=12))
def test_any_periods_as_written_out(periods):
    of = SameShares(np.array([90.0, 10.0]))
    assert evidence(of, np.array(periods)).log == pytest.approx(
        by_definition(same_shares([90, 10]), periods)[0], abs=1e-9
    )


def test_good_rows_are_no_debt():
    of = DrawnAtRandom(np.array([901.0, 100.0]))
    good, bad = np.tile([90, 10], (50, 1)), np.array([[240, 60]])
    found = evidence(of, np.vstack([good, bad]))
    assert found.since == 50
    assert found.log > -math.log(ALPHA)
    assert logs(of, [0, 0], good.sum(axis=0) + bad[0]) < 0.0


def test_nothing_seen_is_no_evidence():
    of = DrawnAtRandom(np.array([90.0, 11.0]))
    for none in (np.zeros((0, 2)), np.zeros((3, 2))):
        assert evidence(of, none) == pytest.approx((0.0, 0))
        assert -math.log(2.0) < evidence(NoLower(90, 10, 0.9), none).log <= 0.0


def test_evidence_is_the_same_of_integers_and_of_floats():
    for of in (
        DrawnAtRandom(np.array([901.0, 100.0])),
        NoLower(450, 50, 0.9),
        SameShares(np.array([900.0, 100.0])),
    ):
        small = evidence(of, PERIODS.astype(np.uint8))
        assert small == evidence(of, PERIODS.astype(float)) == evidence(of, PERIODS)


@pytest.mark.parametrize("stretch", [1, 3, 100])
def test_evidence_is_one_on_average_where_rows_are_drawn_at_random(stretch, monkeypatch):
    monkeypatch.setattr(watched, "A_STRETCH", stretch)
    for law, length in (([18.0, 3.0], 8), ([5.0, 4.0, 2.0], 4)):
        of, kinds = DrawnAtRandom(np.array(law)), np.eye(len(law))
        whole = 0.0
        for rows in itertools.product(range(len(law)), repeat=length):
            counts = kinds[list(rows)]
            chance = math.exp(drawn(law, counts.sum(axis=0)))
            whole += chance * math.exp(evidence(of, counts).log)
        assert whole == pytest.approx(1.0, rel=1e-9)


def test_of_a_group_evidence_is_at_most_one_on_average():
    m, n = 30, 40
    held = np.arange(n + 1)
    after = np.stack([held, n - held], axis=1).astype(float)
    ratios = np.exp([NoLower(k, m - k, 0.9).log(np.zeros((1, 2)), after) for k in range(m + 1)])

    def mean(reference, newer):
        law = stats.binom.pmf(np.arange(m + 1), m, reference), stats.binom.pmf(held, n, newer)
        return float(law[0] @ ratios @ law[1])

    for share in (0.5, 0.7, 0.8, 0.9, 0.95, 0.99):
        assert mean(share, share) <= 1.0
        assert mean(share, (1.0 + share) / 2.0) <= mean(share, share)
    assert mean(0.9, 0.9) > 0.2  # else it would show little
    assert mean(0.97, 0.6) > 20.0


def test_of_shares_evidence_is_at_most_one_on_average():
    m = n = 200
    of_first = np.arange(n + 1)
    after = np.stack([of_first, n - of_first], axis=1).astype(float)
    ratios = np.exp(
        [SameShares(np.array([k, m - k]) + UNSEEN).log(np.zeros((1, 2)), after) for k in of_first]
    )

    def mean(reference, newer):
        laws = (stats.binom.pmf(of_first, n, share) for share in (reference, newer))
        return float(next(laws) @ ratios @ next(laws))

    for share in (0.05, 0.1, 0.3, 0.5):
        assert 0.97 < 1.2 * mean(share, share) <= 1.0
    for share in (0.0, 1e-4, 1e-3, 0.005, 0.02):
        assert mean(share, share) <= 1.0
    assert mean(0.3, 0.45) > 200.0


def test_a_group_by_hand():
    # of Beta(9, 1): E q = 9/10, E q^2 = 9/11, E q^3 = 9/12; drops have the mean .165
    first, second, third = 9 / 10, 9 / 11, 9 / 12
    held_then_missed = 4 * (first * 1.165 - second)  # below its reference: 1/2 for both
    assert logs(NoLower(1, 0, 0.9), [0, 0], [0, 1]) == pytest.approx(
        math.log(held_then_missed), abs=2e-3
    )
    above = 4 * (second - third - 0.165 * (first - second))  # 1/2 of reference, all of newer rows
    assert logs(NoLower(1, 1, 0.9), [0, 0], [1, 0]) == pytest.approx(math.log(above), abs=5e-3)


@pytest.mark.parametrize(
    ("reference", "before", "after"),
    [
        ((450, 50), (0, 0), (100, 40)),
        ((450, 50), (95, 5), (30, 30)),
        ((80, 20), (10, 0), (85, 15)),  # higher than in the reference: own shares are the likeliest
        ((1900, 100), (0, 0), (170, 30)),
    ],
)
def test_a_group_by_integration(reference, before, after):
    (k, m), (s, f) = np.add(reference, before), after
    shift = k * math.log(k / (k + m)) + m * math.log(m / (k + m)) + s * math.log(s / (s + f))
    shift += f * math.log(f / (s + f))

    def weight(q):
        log = k * math.log(q) + m * math.log(1 - q) - shift
        change = [s * math.log(q - d) + f * math.log(1 - q + d) for d in DROPS if q > d]
        return sum(math.exp(log + each) for each in change) / 10 * stats.beta.pdf(q, 9, 1)

    whole = integrate.quad(weight, 0.4, 0.9999, limit=200, points=[k / (k + m)])[0]
    shares = np.linspace(0.0005, 0.9995, 1000)
    old, new = shares[:, None], shares
    both = reference[0] * np.log(old) + reference[1] * np.log(1 - old)
    both = both + (before[0] + s) * np.log(new) + (before[1] + f) * np.log(1 - new)
    best = both[new >= old].max()
    of = NoLower(*reference, 0.9)
    assert logs(of, before, after) == pytest.approx(math.log(whole) + shift - best, abs=0.02)


def test_shares_by_hand():
    of = SameShares(np.array([1.0, 1.0]))  # after a change (30, 30), (20, 20) or (10, 10)
    assert logs(of, [0, 0], [1, 0]) == pytest.approx(-math.log(1.2))
    mean = (30 * 31 / (60 * 61) + 20 * 21 / (40 * 41) + 10 * 11 / (20 * 21)) / 3
    assert logs(of, [0, 0], [2, 0]) == pytest.approx(math.log(mean / (1 / 3) / 1.2))
    assert logs(of, [1, 0], [2, 0]) == pytest.approx(math.log(mean / (1 / 2) / 1.2))


def test_alarms_by_hand():
    # 4 values: one alarm takes 80, two 40 each, three 26.7, four 20
    assert alarms(np.log([80.0, 1.0, 1.0, 1.0])) == [True, False, False, False]
    assert alarms(np.log([79.0, 39.0, 1.0, 1.0])) == [False] * 4
    assert alarms({"a": math.log(41.0), "b": 0.0, "c": math.log(41.0), "d": 0.0}) == [
        True,
        False,
        True,
        False,
    ]
    assert alarms([]) == []


@given(st.lists(st.floats(-5.0, 12.0), max_size=8))
def test_alarms_as_defined(values):
    count, found = len(values), [False] * len(values)
    for number in range(1, count + 1):
        over = [math.exp(value) * ALPHA * number >= count * (1 - 1e-12) for value in values]
        if sum(over) >= number:
            found = over
    assert alarms(values) == found


@pytest.mark.parametrize(
    ("of", "family"),
    [
        (NoLower(270, 30, 0.9), 50),
        (NoLower(1800, 200, 0.9), 50),
        (DrawnAtRandom(np.array([901.0, 100.0])), 1),
        (DrawnAtRandom(np.array([181.0, 20.0])), 1),
    ],
)
def test_the_drop_that_can_be_shown_is_the_first_that_some_number_of_rows_shows(of, family):
    drop = visible_drop(of, 0.9, family)

    def strongest(by):
        rows = (10.0**power for power in np.arange(2.5, 6.5, 0.25))
        return max(evidence(of, np.array([[0.9 - by, 0.1 + by]]) * n).log for n in rows)

    bar = math.log(family / ALPHA)
    assert strongest(drop) > bar - 0.1
    assert strongest(drop - 0.01) < bar + 0.1


def test_the_drop_that_can_be_shown_is_the_smaller_the_more_rows_it_is_beside():
    drops = [visible_drop(NoLower(9 * m, m, 0.9), 0.9, 50) for m in (10, 20, 50, 200)]
    assert drops == sorted(drops, reverse=True)
    assert math.isnan(visible_drop(NoLower(4, 1, 0.9), 0.9, 50))
