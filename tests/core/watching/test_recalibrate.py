"""New thresholds from newer rows: the rank of their scores, and judged on rows of their own."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from watched import of_classes, predictor, ranks, rows

from evencover.core import InputError
from evencover.core.scoring import SavedPredictor
from evencover.core.scoring.reference import Reference
from evencover.core.scoring.thresholds import OneForAll
from evencover.core.tables.table import Table
from evencover.core.watching.intake import Watch
from evencover.core.watching.recalibrate import recalibrated, scores_of
from evencover.core.watching.report import report
from evencover.core.watching.state import WatchState

GROWN = 1.5 / np.log(10.0)


def test_scores_are_the_largest_thresholds_that_hold():
    watch, frame = Watch(predictor()), rows(200)
    found = watch.found(Table.of(frame))
    scores = scores_of(watch, found)
    np.testing.assert_allclose(scores, -np.log(abs(frame["y"] - frame["x"])), atol=1e-12)
    for of, holds in ((scores, True), (np.nextafter(scores, np.inf), False)):
        lower, upper = found.sets_for(of[:, None])
        assert (((lower <= frame["y"]) & (frame["y"] <= upper)) == holds).all()


def test_thresholds_have_the_rank_of_the_first_half():
    frame = rows(399, 0, GROWN)
    frame.loc[5, "y"] = np.nan
    new = recalibrated(Watch(predictor(), "id", "day"), Table.of(frame))
    errors = np.sort(abs(frame["y"] - frame["x"]).drop(5)[:199])[::-1]
    (threshold,) = vars(new.predictor.thresholds)["values"]
    assert np.exp(-threshold) == pytest.approx(errors[19])  # the 20th of 200 ranks, 10 %
    assert new.predictor.reference.ranks == (5, 5, 10, 30, 50, 100)
    second = abs(frame["y"] - frame["x"])[200:] <= errors[19]
    assert (new.predictor.reference.held, new.predictor.reference.missed) == (
        second.sum(),
        (~second).sum(),
    )
    assert new.predictor.about["coverage"]["test"] == second.mean()
    assert new.predictor.about["history"] == [predictor().about]
    assert SavedPredictor.of_bytes(new.predictor.to_bytes(), "new").reference == (
        new.predictor.reference
    )
    again = recalibrated(Watch(new.predictor, "id", "day"), Table.of(rows(300, 2)))
    assert len(again.predictor.about["history"]) == 2


def test_it_is_enough_where_errors_grew_alike():
    enough = [
        recalibrated(Watch(predictor()), Table.of(rows(400, seed, GROWN))).is_enough
        for seed in range(10)
    ]
    assert sum(enough) >= 9  # all but 2.5 % are to be


def test_it_is_not_where_a_group_alone_fell():
    frame = rows(3000)
    frame.loc[frame["sex"] == "F", "y"] += 1.5
    new = recalibrated(Watch(predictor()), Table.of(frame))
    assert not new.is_enough
    assert "sex = F" in new.sentence


def test_rows_of_before_are_left_out():
    old, new = rows(500), rows(300, 1, GROWN).assign(day=np.datetime64("2027-01-01"))
    whole = Table.of(pd.concat([new, old]))
    watch = Watch(predictor(), "id", "day")
    alone = recalibrated(watch, Table.of(new))
    assert recalibrated(watch, whole, "2027-01-01").sentence == alone.sentence


def test_groups_have_their_own():
    frame = rows(400).assign(k=["a"] * 390 + ["b"] * 10)
    frame = frame.sample(frac=1.0, random_state=0, ignore_index=True)
    new = recalibrated(Watch(predictor(by_group=True)), Table.of(frame)).predictor
    first = frame[:200]
    errors = np.sort(abs(first["y"] - first["x"])[first["k"] == "a"])[::-1]
    wanted = errors[int(0.1 * (len(errors) + 1)) - 1]
    assert np.exp(-vars(new.thresholds)["values"][:, 0]) == pytest.approx([wanted, 2.0, 4.0])
    assert new.reference.ranks == ()


def test_of_classes_the_rarest_that_is_held():
    rng, n = np.random.default_rng(0), 300
    p = rng.dirichlet([3.0, 2.0, 1.0], n)
    frame = rows(n).assign(pa=p[:, 0], pb=p[:, 1], pc=1.0 - p[:, 0] - p[:, 1])
    frame["y"] = np.array(["a", "b", "c"])[(rng.random(n)[:, None] > p.cumsum(1)[:, :2]).sum(1)]
    new = recalibrated(Watch(of_classes()), Table.of(frame)).predictor
    of = np.select([frame["y"] == c for c in "abc"], [frame["pa"], frame["pb"], frame["pc"]])[:150]
    assert np.exp(vars(new.thresholds)["values"][0]) == pytest.approx(np.sort(of)[14])
    assert sum(new.reference.ranks) == 151
    assert sum(ranks(999)) == 1000


def test_what_cannot_be_learned_anew_is_refused():
    two = replace(
        predictor(), thresholds=OneForAll(np.zeros(2)), reference=Reference((), (), 9, 1, (), ())
    )
    with pytest.raises(InputError, match="several thresholds"):
        recalibrated(Watch(two), Table.of(rows(100)))
    weighed = replace(predictor(), about={"settings": {"weight": "w"}})
    with pytest.raises(InputError, match="by weights"):
        recalibrated(Watch(weighed), Table.of(rows(100)))


def test_a_key_counts_once_and_small_groups_keep_their_reference():
    frame = rows(100, 1, GROWN).assign(sex="M")
    frame.loc[[3, 60, 90], "sex"] = "F"
    many = pd.concat([frame] * 3).sort_values("day")
    once = recalibrated(Watch(predictor(), "id", "day"), Table.of(frame)).predictor
    again = recalibrated(Watch(predictor(), "id", "day"), Table.of(many)).predictor
    assert again.about == once.about
    assert once.reference.groups == predictor().reference.groups
    report(Watch(once), WatchState(Watch(once).fingerprint))  # which can be watched, too


@pytest.mark.parametrize("count", [10, 38])
def test_few_rows_are_refused(count):
    with pytest.raises(InputError, match="needs 40"):
        recalibrated(Watch(predictor()), Table.of(rows(count)))
