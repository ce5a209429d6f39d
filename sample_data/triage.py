"""Urgency of hospital visits, noisier by telephone and for one group: a generated table.

The features are drawn independently from row to row ([x] rounds to a whole number, N(m, s) is
normal with standard deviation s):

- ``age`` = [N(48, 20)], cut to 0 .. 99
- ``pain`` = 0 .. 10, equally likely
- ``heart_rate`` = [N(82, 15)], cut to 40 .. 180
- ``temperature`` = N(37.2, 0.8), rounded to one decimal
- ``complaint``: injury 0.30, fever 0.25, stomach 0.20, breathing 0.15, chest pain 0.10
- ``contact``: walk-in 0.55, telephone 0.25, ambulance 0.20
- ``group``: A 0.85, B 0.15, whatever the other columns say

``severity = -1.9 + 0.015 (age - 48) + 0.35 (pain - 5) + 0.03 (heart_rate - 82)
+ 0.8 (temperature - 37.2) + u(complaint) + v(contact)``, with u = 0, 0.4, 0.2, 1.5, 2.0 and
v = 0, 0.3, 1.5 in the order above. A careful judgement gives the classes self-care, routine,
urgent and emergency the weights ``exp(k severity - h)`` with k = 0, 1, 2, 3 and
h = 0, -1.5, -1.5, 0.5, divided by their sum. With probability ``w`` the label is instead one
of the four classes, equally likely:

``w = 0.03 + 0.35 [contact is telephone] + 0.25 [group is B]``

A linear model can shift its scores for telephone calls but not flatten them, and does not see
the group at all: its sets hold the label too rarely for both. An adjustment by the visible
columns can mend the former and never the latter.
"""

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

from evencover.core.arrays import BoolArray, FloatArray

from .sample import Sample

SEED = 3
ROWS = 8_000

CLASSES = ("emergency", "routine", "self-care", "urgent")
"""In alphabetical order, by which labels are coded 0 .. 3."""

STEEPNESS = {"emergency": 3.0, "routine": 1.0, "self-care": 0.0, "urgent": 2.0}
HURDLE = {"emergency": 0.5, "routine": -1.5, "self-care": 0.0, "urgent": -1.5}

COMPLAINT_SHARE = {
    "injury": 0.30,
    "fever": 0.25,
    "stomach": 0.20,
    "breathing": 0.15,
    "chest pain": 0.10,
}
COMPLAINT_SEVERITY = {
    "injury": 0.0,
    "fever": 0.4,
    "stomach": 0.2,
    "breathing": 1.5,
    "chest pain": 2.0,
}
CONTACT_SHARE = {"walk-in": 0.55, "telephone": 0.25, "ambulance": 0.20}
CONTACT_SEVERITY = {"walk-in": 0.0, "telephone": 0.3, "ambulance": 1.5}
GROUP_SHARE = {"A": 0.85, "B": 0.15}

WILD_SHARE = 0.03
WILD_SHARE_TELEPHONE = 0.35
WILD_SHARE_GROUP_B = 0.25

DESCRIPTION = (
    "Visits to a hospital, made up for this program. Each row is a patient; the urgency decided "
    "on (self-care, routine, urgent or emergency) is to be predicted. Decisions made by "
    "telephone are often arbitrary, and so are decisions about group B, a minority of 15 % to "
    "which the model is blind. Audit by contact and by group: the prediction sets fail both. "
    "IFACM mends the telephone calls, because it sees how a patient made contact. It cannot "
    "mend what depends on the group alone: no adjustment can that may not see the group, and "
    "the audit is how one finds out."
)


def sample(seed: int = SEED) -> Sample:
    """Return the sample ``triage``."""
    return Sample(
        description=DESCRIPTION,
        frame=generate(seed),
        target="urgency",
        task="classification",
        audit_only=("group",),
        penalty=0.0,
    )


def generate(seed: int = SEED, rows: int = ROWS) -> pd.DataFrame:
    """Return the table; the same seed gives the same table."""
    rng = np.random.default_rng(seed)
    frame = _features(rng, rows)
    return frame.assign(urgency=redraw(frame, rng))


def redraw(frame: pd.DataFrame, rng: np.random.Generator) -> NDArray[np.str_]:
    """Return new labels for the patients in ``frame``, drawn from the law, shape (n,)."""
    bounds = label_probabilities(frame).cumsum(axis=1)[:, :-1]
    codes = (rng.random((len(frame), 1)) >= bounds).sum(axis=1)
    labels: NDArray[np.str_] = np.array(CLASSES)[codes]
    return labels


def label_probabilities(frame: pd.DataFrame) -> FloatArray:
    """Return the exact probability of each of :data:`CLASSES`, shape (n, 4).

    The column ``group`` has to be there; labels, if there, are not looked at.
    """
    steepness = np.array([STEEPNESS[label] for label in CLASSES])
    hurdle = np.array([HURDLE[label] for label in CLASSES])
    careful = softmax(_severity(frame)[:, None] * steepness - hurdle, axis=1)
    wild = _wild_share(frame)[:, None]
    probabilities: FloatArray = (1.0 - wild) * careful + wild / len(CLASSES)
    return probabilities


def true_coverage(frame: pd.DataFrame, members: BoolArray) -> FloatArray:
    """Return the exact probability that a set holds the label, shape (n,).

    ``members`` says which of :data:`CLASSES`, in that order, are in the sets, shape (n, 4).
    """
    coverage: FloatArray = np.where(members, label_probabilities(frame), 0.0).sum(axis=1)
    return coverage


def _features(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    age = np.clip(np.rint(rng.normal(48.0, 20.0, rows)), 0, 99)
    heart_rate = np.clip(np.rint(rng.normal(82.0, 15.0, rows)), 40, 180)
    return pd.DataFrame(
        {
            "age": age.astype(np.int64),
            "pain": rng.integers(0, 11, rows),
            "heart_rate": heart_rate.astype(np.int64),
            "temperature": np.round(rng.normal(37.2, 0.8, rows), 1),
            "complaint": _choose(rng, COMPLAINT_SHARE, rows),
            "contact": _choose(rng, CONTACT_SHARE, rows),
            "group": _choose(rng, GROUP_SHARE, rows),
        }
    )


def _choose(rng: np.random.Generator, share: dict[str, float], rows: int) -> NDArray[np.str_]:
    return rng.choice(np.array(list(share)), size=rows, p=list(share.values()))


def _severity(frame: pd.DataFrame) -> FloatArray:
    severity = (
        -1.9
        + 0.015 * (frame["age"] - 48)
        + 0.35 * (frame["pain"] - 5)
        + 0.03 * (frame["heart_rate"] - 82)
        + 0.8 * (frame["temperature"] - 37.2)
        + frame["complaint"].map(COMPLAINT_SEVERITY)
        + frame["contact"].map(CONTACT_SEVERITY)
    )
    return severity.to_numpy(dtype=np.float64)


def _wild_share(frame: pd.DataFrame) -> FloatArray:
    telephone = (frame["contact"] == "telephone").to_numpy(dtype=np.float64)
    group_b = (frame["group"] == "B").to_numpy(dtype=np.float64)
    return WILD_SHARE + WILD_SHARE_TELEPHONE * telephone + WILD_SHARE_GROUP_B * group_b
