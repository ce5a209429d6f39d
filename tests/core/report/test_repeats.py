"""Repeats over seeds: mean and spread of the very audits they stand for."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rows import by_name

from evencover.core import AuditSettings, InputError, audit
from evencover.core.events import LayerTried, RepeatStarted
from evencover.core.report.repeats import repeat_sentences, summarise
from evencover.core.report.result import Finding, RepeatedClaim, Repeats

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 400))
    y = x + rng.normal(size=400) * np.exp(0.5 * z)
    return pd.DataFrame({"x": x, "z": z, "k": rng.choice(["a", "b"], 400), "y": y})


BOTH = ("ifacm", "auto")


def asked(**options):
    """Settings of a quick search: repeats know nothing of it."""
    return AuditSettings(target="y", search="paper", remedies=("ifacm",), **options)


def test_figures_are_the_mean_and_spread_of_single_audits(table):
    repeated = audit(table, asked(seed=5, repeats=3))
    singles = [audit(table, asked(seed=5 + i)) for i in range(3)]
    assert singles[0].repeats is None
    assert repeated.repeats.seeds == [5, 6, 7]
    assert repeated.results == singles[0].results
    assert repeated.repeats.layers_mean == np.mean([len(s.iterations) for s in singles])
    for row in repeated.repeats.results:
        dcvs = [single.row(row["segment"], row["algorithm"]).dcv for single in singles]
        assert row["dcv_mean"] == pytest.approx(np.mean(dcvs), rel=1e-12)
        assert row["dcv_sd"] == pytest.approx(np.std(dcvs, ddof=1), rel=1e-12)
        assert row["repeats"] == 3
    level = next(r for r in repeated.repeats.segments if (r["variable"], r["value"]) == ("k", "a"))
    for name, ending in (("base", "base"), ("ifacm", "adjusted")):
        hits = [next(s for s in by_name(r.segments, name) if s.value == "a") for r in singles]
        expected = np.mean([s.accuracy for s in hits])
        assert level[f"accuracy_{ending}_mean"] == pytest.approx(expected)
    assert level["n_mean"] == pytest.approx(np.mean([s.n for s in hits]))


@pytest.fixture(scope="module")
def uneven():
    """A table of which one place, and the largest numbers of x, have far wider noise."""
    rng = np.random.default_rng(1)
    place = rng.choice(["Ayr", "Bude", "Cobh"], 900)
    noise = np.where(place == "Cobh", 6.0, 1.0) * rng.normal(size=900)
    return pd.DataFrame({"x": rng.normal(size=900), "place": place, "y": noise})


def test_verdict_counts_the_seeds_that_name_a_group(uneven):
    settings = AuditSettings(target="y", measure="standard", repeats=3, remedies=("none",))
    found = audit(uneven, settings).repeats.verdict
    singles = [audit(uneven, replace(settings, seed=seed, repeats=1)) for seed in range(3)]
    assert all("place = Cobh" in single.headline[0] for single in singles)
    groups = [claim for claim in found if claim.about == "group"]
    assert groups == [RepeatedClaim("group", "base", "place = Cobh", [0, 1, 2], [0, 1, 2])]


def with_findings(results, findings):
    """Results with such findings in place of their own."""
    return [replace(r, findings=own) for r, own in zip(results, findings, strict=True)]


def test_verdict_has_what_most_seeds_say_first(table):
    results = [audit(table, replace(asked(seed=s), remedies=BOTH)) for s in range(3)]
    effects = [
        Finding("effect", "remedy", "ifacm", sentence="", figures={"effect": effect})
        for effect in ("unclear", "helps", "helps")
    ]
    advice = [
        Finding("advice", "advice", "ifacm", sentence="", advice=kind)
        for kind in ("keep-base", "more-rows", "keep-base")
    ]
    verdict = summarise(with_findings(results, zip(effects, advice, strict=True))).verdict
    assert verdict == [
        RepeatedClaim("group", "base", "", [0, 1, 2], [0, 1, 2]),
        RepeatedClaim("choice", "auto", "none", [0, 1, 2], [0, 1, 2]),
        RepeatedClaim("effect", "ifacm", "helps", [1, 2], [0, 1, 2]),
        RepeatedClaim("effect", "ifacm", "unclear", [0], [0, 1, 2]),
        RepeatedClaim("advice", "ifacm", "keep-base", [0, 2], [0, 1, 2]),
        RepeatedClaim("advice", "ifacm", "more-rows", [1], [0, 1, 2]),
    ]


def test_a_band_is_the_same_whatever_its_bounds(table):
    results = [audit(table, replace(asked(seed=s), remedies=BOTH)) for s in range(2)]
    rows = [[s for s in by_name(r.segments, "base") if s.variable == "z"] for r in results]
    assert rows[0][-1].value != rows[1][-1].value  # the upper quartile of other training rows
    low = {"status": "low", "accuracy": 0.5, "high": 0.6, "q_value": 0.001}
    for r, bands in zip(results, rows, strict=True):
        r.findings.clear()
        r.segments[:] = [replace(s, **low) if s is bands[-1] else s for s in r.segments]
    claim, _ = summarise(results).verdict  # and what auto chose
    assert claim.seeds == [0, 1]
    assert claim.value == f"z {rows[0][-1].value}"


def test_a_stop_ends_the_repeats_with_those_done_whole(table):
    result = audit(table, asked(repeats=4), should_stop=lambda: True)
    assert result.repeats.seeds == [0]
    assert np.isnan(result.repeats.results[0]["dcv_sd"])
    assert result.stopped
    assert result.notes[0] == "The audit was stopped: of 4 repeats, 1 are there."
    seen = []

    def stop():
        repeat = sum(isinstance(event, RepeatStarted) for event in seen)
        return repeat == 3 and isinstance(seen[-1], LayerTried)

    settings = asked(repeats=4)
    stopped = audit(table, settings, on_event=seen.append, should_stop=stop)
    two = audit(table, asked(repeats=2))
    assert stopped.repeats.seeds == [0, 1]
    for rows in ("results", "coefficients", "segments"):
        expected = pd.DataFrame(getattr(two.repeats, rows))
        pd.testing.assert_frame_equal(pd.DataFrame(getattr(stopped.repeats, rows)), expected)
    assert (stopped.stopped, two.stopped) == (True, False)
    assert stopped.notes == ["The audit was stopped: of 4 repeats, 2 are there.", *two.notes]


@pytest.fixture
def few_groups():
    """A table of two large groups and two tiny ones: many a seed leaves a set of it empty."""
    rng = np.random.default_rng(3)
    group = np.repeat(["a", "b", "c", "d"], [130, 130, 20, 20])
    return pd.DataFrame({"g": group, "x": rng.normal(size=300), "y": rng.normal(size=300)})


def test_a_seed_that_cannot_be_split_is_told_and_the_others_go_on(few_groups):
    def single(seed):
        try:
            return audit(few_groups, asked(group="g", seed=seed))
        except InputError as error:
            return str(error)

    by_seed = {seed: single(seed) for seed in range(6)}
    reasons = {seed: found for seed, found in by_seed.items() if isinstance(found, str)}
    done = [seed for seed in by_seed if seed not in reasons]
    assert reasons
    assert done
    repeated = audit(few_groups, asked(group="g", repeats=6))
    assert repeated.repeats.seeds == done
    assert {one.seed: one.reason for one in repeated.repeats.impossible} == reasons
    # by their texts, as a slab of few rows has NaN, which equals nothing
    assert repr(repeated.results) == repr(by_seed[done[0]].results)
    assert not repeated.stopped
    assert repeated.settings["seed"] == repeated.asked.seed == 0
    told = repeat_sentences(repeated.repeats)[-len(reasons) :]
    assert told == [f"Seed {seed} is not possible: {why}." for seed, why in reasons.items()]


def test_repeats_of_which_none_is_possible_are_refused(few_groups):
    one = few_groups.assign(g="all")
    with pytest.raises(InputError, match="so few, large groups"):
        audit(one, asked(group="g", repeats=3))


def sentences(seeds, *claims):
    return repeat_sentences(Repeats(list(range(seeds)), 0.0, 0.0, [], [], [], list(claims)))


def group(name, *seeds, tested=range(5)):
    return RepeatedClaim("group", "base", name, list(seeds), list(tested))


def test_a_group_that_some_seeds_do_not_test_is_told():
    (told,) = sentences(3, group("owner = big", 1, tested=[1]), group("", 0, 2))
    assert told.startswith(
        "Over 3 seeds: owner = big is named as under-covered in 1, no group in 2"
    )
    assert told.endswith("; owner = big has test rows in 1 of 3 seeds only.")


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ([group("", 0, 1, 2, 3, 4)], "no group is named as under-covered in 5."),
        (
            [group("a = b", 0, 2, 4), group("", 1, 3)],
            "a = b is named as under-covered in 3, no group in 2.",
        ),
        (
            [group("a = b", 0, 1), group("c", 2), group("d", 3), group("e", 4)],
            "a = b is named as under-covered in 2, c in 1, d in 1, another group in 1.",
        ),
    ],
)
def test_groups_are_counted(groups, told):
    assert sentences(5) == []
    assert sentences(5, *groups) == [f"Over 5 seeds: {told}"]


def test_choices_effects_and_advice_are_counted():
    claims = [
        RepeatedClaim("choice", "auto", "quantile", [0, 2], [0, 1, 2]),
        RepeatedClaim("choice", "auto", "none", [1], [0, 1, 2]),
        RepeatedClaim("effect", "ifacm", "helps", [0, 1], [0, 1, 2]),
        RepeatedClaim("effect", "ifacm", "unclear", [2], [0, 1, 2]),
        RepeatedClaim("advice", "ifacm", "keep", [2], [0, 1, 2]),
        RepeatedClaim("advice", "ifacm", "try-c", [0], [0, 1, 2]),
    ]
    assert sentences(3, *claims) == [
        "Over 3 seeds auto chooses quantile in 2, none in 1.",
        "Over 3 seeds the adjustment helps in 2, makes no clear difference on the whole in 1.",
        (
            "Over 3 seeds the advice is to keep the predictor as it was before in 1, to try a "
            "smaller C in 1."
        ),
    ]


def test_adjustments_are_named_where_there_are_several():
    claims = [
        RepeatedClaim("effect", name, "harms", [0], [0, 1, 2]) for name in ("ifacm", "quantile")
    ]
    assert sentences(1, *claims) == [
        "Over 1 seed the adjustment ifacm does harm in 1.",
        "Over 1 seed the adjustment quantile does harm in 1.",
    ]
