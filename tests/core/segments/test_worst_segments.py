"""Worst segments: found where they are, judged without flattery, and nothing made of nothing."""

import math

import numpy as np
import pandas as pd
import pytest
from planted import KINDS, N, draw_coverage, draw_rows, planted
from scipy.stats import false_discovery_control, hypergeom

from evencover.core.segments.search.worst_segments import _one_half, worst_segments
from evencover.core.tables.table import Table
from evencover.core.threads import single_blas_thread


@pytest.fixture(autouse=True)
def one_thread():
    """As in an audit: many small products are slow with threads that wait for each other."""
    with single_blas_thread():
        yield


def draw(kind, seed, n=N, columns=None):
    rng = np.random.default_rng(seed)
    frame = draw_rows(rng, n)
    inside = planted(frame, kind) if kind else np.zeros(n, dtype=bool)
    return frame.iloc[:, :columns], *draw_coverage(rng, inside)


def found_in(frame, base, adjusted):
    return worst_segments(Table.of(frame), base, adjusted)


def flagged(rows, when):
    return [row for row in rows if getattr(row, f"q_value_{when}") <= 0.05]


@pytest.mark.parametrize("kind", KINDS)
def test_a_planted_segment_is_found_with_its_variables(kind):
    frame, base, adjusted = draw(kind, 1)
    rows = found_in(frame, base, adjusted)
    assert sorted(rows[0].variables) == sorted(KINDS[kind])
    assert rows[0].q_value_base < 1e-4
    for accuracy, truth in ((rows[0].accuracy_base, 0.75), (rows[0].accuracy_adjusted, 0.9)):
        assert abs(accuracy - truth) < 4.0 * math.sqrt(truth * (1.0 - truth) / rows[0].n)
    assert rows[0].found_on == "base"
    assert flagged(rows, "adjusted") == []


def test_a_rule_names_the_planted_values():
    frame, base, adjusted = draw("category x category", 1)
    first = found_in(frame, base, adjusted)[0]
    assert set(first.rule.split(" and ")) == {"district = district 1", "heating = heating 1"}
    assert first.n_test == planted(frame, "category x category").sum()


def test_clean_rows_are_hardly_ever_flagged():
    # at most 5 % for both predictors by Benjamini and Hochberg; 4 of 12 has probability 0.002
    clean = [found_in(*draw(None, seed, 2000, 4)) for seed in range(12)]
    assert sum(bool(flagged(rows, "base") or flagged(rows, "adjusted")) for rows in clean) < 4


def test_judged_without_flattery():
    """On clean rows the accuracies of the rules are those of all rows on average."""
    gaps = []
    for seed in range(12):
        frame, base, adjusted = draw(None, seed, 2000, 4)
        rows = found_in(frame, base, adjusted)
        hits = sum(row.accuracy_base * row.n for row in rows)
        gaps.append(hits / sum(row.n for row in rows) - 0.9)
    assert abs(np.mean(gaps)) < 3.5 * np.std(gaps, ddof=1) / math.sqrt(len(gaps))


def test_figures_are_those_of_the_judging_half():
    frame = pd.DataFrame({"a": np.tile(["p", "q", "r", "s"], 500)})
    rng = np.random.default_rng(0)
    base = rng.random(2000) < np.where(frame["a"] == "q", 0.7, 0.9)
    adjusted = rng.random(2000) < 0.9
    judging = ~_one_half(np.arange(2000))
    assert judging.sum() == 1000
    rows = found_in(frame, base, adjusted)
    row = next(row for row in rows if row.rule == "a = q")
    inside = judging & (frame["a"] == "q").to_numpy()
    assert (row.n, row.n_test) == (inside.sum(), 500)
    assert row.accuracy_base == base[inside].mean()
    assert row.accuracy_adjusted == adjusted[inside].mean()
    law = hypergeom(1000, base[judging].sum(), row.n)
    expected = 2 * min(law.cdf(base[inside].sum()), law.sf(base[inside].sum() - 1))
    assert row.p_value_base == pytest.approx(expected, rel=1e-9)
    for when in ("base", "adjusted"):
        p = [getattr(row, f"p_value_{when}") for row in rows]
        q = [getattr(row, f"q_value_{when}") for row in rows]
        np.testing.assert_allclose(q, false_discovery_control(p), rtol=1e-12)


def test_both_halves_play_their_own_part():
    """Outcomes of the judging half change the figures and never the rules."""
    frame, base, adjusted = draw("numeric x numeric", 2, 4000)
    searched = _one_half(np.arange(4000))
    other = np.where(searched, base, True)
    rules = {row.rule for row in found_in(frame, base, adjusted)}
    told = found_in(frame, other, adjusted)
    assert {row.rule for row in told} == rules
    assert {row.accuracy_base for row in told} == {1.0}


def test_groups_stay_in_one_half():
    groups = np.random.default_rng(0).integers(0, 300, 2000)
    half = _one_half(groups)
    assert all(len(set(half[groups == group])) == 1 for group in np.unique(groups))
    assert 0.45 < half.mean() < 0.55


def test_what_is_left_is_found_after_an_adjustment_too():
    frame, base, adjusted = draw("category x category", 3)
    left = (frame["brand"] == "brand 3").to_numpy()
    adjusted &= ~(left & (np.random.default_rng(0).random(N) < 0.15))
    rows = found_in(frame, base, adjusted)
    row = next(row for row in rows if row.rule == "brand = brand 3")
    assert row.found_on in ("adjusted", "both")
    assert row.q_value_adjusted < 1e-6
    assert row.accuracy_adjusted == pytest.approx(0.765, abs=0.03)


def test_the_same_rows_give_the_same():
    frame, base, adjusted = draw("numeric x numeric", 4, 2000)
    assert found_in(frame, base, adjusted) == found_in(frame, base, adjusted)


def test_too_few_rows_or_equal_outcomes_have_no_rules():
    frame, base, adjusted = draw(None, 5, 1000)
    assert found_in(frame.head(199), base[:199], adjusted[:199]) == []
    assert found_in(frame, np.ones(1000, dtype=bool), np.ones(1000, dtype=bool)) == []
