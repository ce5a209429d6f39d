"""A saved predictor whose every number is known, and what it says, worked out by plain Python."""

import datetime as dt
import math

import numpy as np

from evencover.core.scoring.columns import AsRead, Design, EncodedCategory, EncodedNumber
from evencover.core.scoring.forms import IntervalForm
from evencover.core.scoring.functions import Linear
from evencover.core.scoring.groups import ByValue
from evencover.core.scoring.predictor import NumberLabel
from evencover.core.scoring.thresholds import OfGroups
from evencover.core.tables.predicting import FramePredictor

MEAN = 5.0  # of x, where it is missing
HALVES = {"a": 1.0, "b": 2.0}  # widths' halves by k, those of others are 4


def predictor(**read):
    """x + 10 (k is b) + 100 (k is neither a nor b) + days since 1970 / 100, by x, k and day."""
    others = np.zeros(3)  # parts of dates that are not kept
    design = Design(
        (
            EncodedNumber("x", means=np.array([MEAN]), has_missing=True, low=0.0, high=100.0),
            EncodedCategory("k", ("a", "b", "(rare)"), ("a", "b", "1"), whole(0, 1, 2), 2),
            EncodedNumber("day", parts=4, means=np.array([0.0, *others]), low=0.0, high=5e4),
        ),
        kept=whole(0, 2, 3, 4),
        mean=np.zeros(4),
        scale=np.ones(4),
    )
    thresholds = -np.log([[HALVES["a"]], [HALVES["b"]], [4.0]])
    return FramePredictor(
        name="groups",
        title="Groups",
        guarantee="none",
        confidence_level=0.9,
        label=NumberLabel("y", 0.0, 1.0, logarithmic=False, low=None, high=None),
        read=AsRead(**read),
        design=design,
        scores=IntervalForm((), Linear(np.array([1.0, 10.0, 100.0, 0.01]), 0.0), None),
        thresholds=OfGroups(ByValue("k", ("a", "b"), "k", None), thresholds),
        about={},
    )


def whole(*numbers):
    return np.array(numbers, dtype=np.int32)


def said(x, k, day):
    """Return prediction, ends and the number of new values for a row of Python's own values."""
    days = (dt.date.fromisoformat(day) - dt.date(1970, 1, 1)).days
    beside = {"a": 0.0, "b": 10.0}.get(k, 100.0)
    center = (MEAN if x is None or math.isnan(x) else x) + beside + days / 100
    half = HALVES.get(k, 4.0)
    is_new = x is not None and not 0.0 <= x <= 100.0, k not in HALVES
    return center, center - half, center + half, sum(is_new)


def assert_says(found, rows):
    """Compare columns, by name, with what is said of rows of x, k and day."""
    wanted = np.array([said(*row) for row in rows])
    names = ("prediction", "lower", "upper", "new")
    own = np.column_stack([np.asarray(found[name], dtype=float) for name in names])
    np.testing.assert_allclose(own, wanted, rtol=1e-12)
