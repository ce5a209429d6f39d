"""A saved predictor that says x, give or take 1, with what newer rows are set beside; and rows."""

import numpy as np
import pandas as pd

from evencover.core.scoring.columns import AsRead, Design, EncodedNumber
from evencover.core.scoring.forms import IntervalForm, LabelForm
from evencover.core.scoring.functions import Linear
from evencover.core.scoring.groups import ByBand, ByRule, ByValue, OneOfTexts
from evencover.core.scoring.outputs import OutputProbabilities
from evencover.core.scoring.predictor import ClassesLabel, NumberLabel
from evencover.core.scoring.reference import Reference, WatchedColumn, WatchedGroup
from evencover.core.scoring.thresholds import OfGroups, OneForAll
from evencover.core.tables.predicting import FramePredictor

HALVES = (2.0, 1.0, 0.5)  # half widths of nested intervals, of which the second is the own


def ranks(calibration):
    """By how many ranks the thresholds of 5, 10 and 50 % differ, and the last from all."""
    of = [int(share * (calibration + 1)) for share in (0.05, 0.1, 0.5)]
    return (*np.diff([0, *of, calibration + 1]).tolist(),)


def reference(calibration=999, held=900, missed=100, groups=(450, 50), columns=(500, 500)):
    members = ByRule(
        "sex = F", ("inside", "outside"), (OneOfTexts("sex", "category", ("F",), False),)
    )
    bands = ByBand("x", (0, 1, None), "x", "number", np.array([0.0]))
    return Reference(
        levels=(*(-np.log(half) for half in HALVES),),
        ranks=ranks(calibration),
        held=held,
        missed=missed,
        groups=(WatchedGroup(members, *groups),),
        columns=(WatchedColumn(bands, (*columns, 0, 0)),),
    )


def predictor(*, by_group=False, beside=None):
    design = Design(
        (EncodedNumber("x", means=np.array([0.0]), has_missing=False, low=-9.0, high=9.0),),
        kept=np.array([0], dtype=np.int32),
        mean=np.zeros(1),
        scale=np.ones(1),
    )
    one = OneForAll(np.array([0.0]))
    groups = OfGroups(ByValue("k", ("a", "b"), "k", None), -np.log([[1.0], [2.0], [4.0]]))
    beside = reference() if beside is None else beside
    if by_group:
        beside = Reference((), (), beside.held, beside.missed, beside.groups, beside.columns)
    return FramePredictor(
        name="own",
        title="Own",
        guarantee="none",
        confidence_level=0.9,
        label=NumberLabel("y", 0.0, 1.0, logarithmic=False, low=None, high=None),
        read=AsRead(),
        design=design,
        scores=IntervalForm((), Linear(np.array([1.0]), 0.0), None),
        thresholds=groups if by_group else one,
        about={"rows": {"training": 10, "calibration": 999, "test": 1000}},
        reference=beside,
    )


def of_classes():
    """One of a, b and c, whose probabilities are given; held from .2 on, and from .5 and .05."""
    said = OutputProbabilities(("pa", "pb", "pc"), np.arange(3, dtype=np.int32), 3)
    levels = (*np.log([0.05, 0.2, 0.5]).tolist(),)
    return FramePredictor(
        name="own",
        title="Own",
        guarantee="none",
        confidence_level=0.9,
        label=ClassesLabel("y", ("a", "b", "c")),
        read=AsRead(),
        design=Design.without_columns(),
        scores=LabelForm((), said, adaptive=False, never_empty=False),
        thresholds=OneForAll(np.log([0.2])),
        about={},
        reference=Reference(levels, ranks(999), 900, 100, (), ()),
    )


EXPECTED = 1.0 / np.log(10.0)  # spread of errors of which 1 in 10 is larger than 1


def rows(n, seed=0, spread=EXPECTED):
    """Rows, ten a day, whose errors have an exponential law."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"id": [f"{seed}-{i}" for i in range(n)]})
    frame["day"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(n) // 10, unit="D")
    frame["x"] = rng.normal(size=n)
    frame["sex"] = rng.choice(["F", "M"], n)
    frame["k"] = rng.choice(["a", "b"], n)
    frame["y"] = frame["x"] + rng.choice([-1.0, 1.0], n) * rng.exponential(spread, n)
    return frame
