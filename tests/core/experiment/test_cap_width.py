"""Ends of intervals cut at so many times the range of the training labels, and widths told."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, InputError, audit

pytestmark = pytest.mark.long  # audits of many kinds


def table(n=400):
    """Rows of which those with c = wild have labels ten times as far out as the others."""
    rng = np.random.default_rng(3)
    wild = np.arange(n) % 4 == 0
    y = rng.uniform(1.0, 2.0, n)
    part = np.array(["train", "calibration", "test"])[np.arange(n) % 3]
    y[wild & (part != "train")] *= 40.0
    return pd.DataFrame({"x": rng.normal(size=n), "part": part, "y": y})


@cache
def audited(**more):
    settings = {"target": "y", "measure": "standard", "split_column": "part", "task": "regression"}
    return audit(table(), AuditSettings(**settings | {"remedies": ("none",)} | more))


@pytest.mark.parametrize(("times", "log_target"), [(0.0, False), (1.5, True), (50.0, False)])
def test_no_end_is_farther_out_and_labels_beyond_are_missed(times, log_target):
    free, cut = (audited(cap_width=cap, log_target=log_target) for cap in (None, times))
    frame = table()
    known, test = (frame.loc[frame.part == part, "y"] for part in ("train", "test"))
    out = times * (known.max() - known.min())
    low, high = known.min() - out, known.max() + out
    before, after = (result.test_rows.sets["base"] for result in (free, cut))
    assert after.lower == pytest.approx(np.maximum(before.lower, low))
    assert after.upper == pytest.approx(np.minimum(before.upper, high))
    right = free.test_rows.outcomes["base"].correct & test.between(low, high).to_numpy()
    assert cut.test_rows.outcomes["base"].correct.tolist() == right.tolist()
    assert cut.row("test", "base").accuracy == right.mean()
    assert cut.row("test", "base").inefficiency_original_units == pytest.approx(
        (after.upper - after.lower).mean()
    )
    (note,) = [note for note in cut.notes if note.code == "sets.capped"] or [None]
    assert (note is None) == (times == 50.0 and not (before.upper > high).any())
    if note is not None:
        count = ((before.upper > high) | (before.lower < low)).sum()
        assert f"beyond these: {count} of {len(test)}. " in note
        assert f"at most 2 in {len(known) + 1} on average" in note


def test_training_labels_are_all_within():
    assert audited(cap_width=0.0).row("training", "base").accuracy == pytest.approx(0.9, abs=0.02)


def test_very_wide_intervals_are_counted():
    free = audited()
    (note,) = [note for note in free.notes if note.code == "sets.wide"]
    before = free.test_rows.sets["base"]
    rows, known = len(table().query("part == 'test'")), table().query("part == 'train'").y
    widths = before.upper - before.lower
    size = known.max() - known.min()
    count = (widths > size).sum()
    assert f"wider than the range of the training labels: {count} of {rows}, " in note
    assert f"the widest {widths.max():.4g} ({widths.max() / size:,.3g} times that range)." in note
    assert not any(note.code == "sets.wide" for note in audited(cap_width=1.0).notes)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"cap_width": -1.0}, "cap on widths is -1.0; give a number of 0 or more"),
        ({"cap_width": 2.0, "lower": "a", "upper": "b"}, "'cap on widths' has no meaning beside"),
    ],
)
def test_caps_that_cannot_be_are_refused(options, told):
    with pytest.raises(InputError, match=told):
        AuditSettings(target="y", **options)


def test_sets_of_classes_have_no_width():
    frame = table().assign(y=np.where(np.arange(400) % 2, "a", "b"))
    with pytest.raises(InputError, match="label sets have no widths to cap"):
        audit(frame, AuditSettings(target="y", cap_width=2.0))
