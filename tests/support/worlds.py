"""Tables without any fault, on which a predictor is valid for every x, and tables with one."""

import numpy as np
import pandas as pd
from scipy.signal import lfilter
from scipy.stats import norm

from evencover.core import AuditSettings

KINDS = (
    *("plain", "pairs", "groups", "copies", "time", "weights", "intervals", "sets"),
    *("named", "pareto", "uneven", "numbered"),
)
FAULTS = ("value", "pair", "bend", "named", "nested")
LEVELS = (0.8, 0.9, 0.99)
_NAMED = {"audit_only": ("b", "z"), "pairs": (("a", "v"),), "cuts": (("w", (-1.0, 1.0)),)}
_OPTIONS = {
    "pairs": {"pairs": (("a", "b"),)},
    "named": _NAMED | {"cohorts": (("far", "x > 1"), ("both", "u > 1 and v < 0"))},
    "numbered": {"drop": ("record_id",)},
}


def features(rng, n, values=None):
    """Draw five numbers, one of them skewed, and two categories of 2 to 60 values."""
    frame = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("uvwxz"))
    frame["u"] = np.exp(frame["u"])
    for name in ("a", "b"):
        many = values or int(rng.integers(2, 61))
        share = rng.dirichlet(np.full(many, 2.0))
        frame[name] = [f"{name}{i}" for i in rng.choice(many, size=n, p=share)]
    return frame


def null_model(kind, number, most=20_000):
    """Return a table of 300 to so many rows without a fault, and its settings."""
    rng = np.random.default_rng([number, KINDS.index(kind)])
    n = int(np.exp(rng.uniform(np.log(300), np.log(most))))
    level = LEVELS[number % len(LEVELS)]
    options = {"confidence_level": level, "seed": number} | _OPTIONS.get(kind, {})
    if kind not in ("intervals", "sets"):
        options["measure"] = "standard"
    are_copies = kind in ("copies", "numbered")
    frame = features(rng, n // 3 if are_copies else n)
    if kind in ("groups", "uneven"):
        many = max(10, n // 10)
        share = np.arange(1.0, many + 1.0) ** (-0.8 if kind == "uneven" else 0.0)
        owner = np.unique(rng.choice(many, n, p=share / share.sum()), return_inverse=True)[1]
        frame[["v", "w"]] = rng.normal(size=(owner.max() + 1, 2))[owner]
        frame["owner"] = [f"o{i}" for i in owner]
        options["group"] = "owner"
    noise = rng.normal(size=len(frame))
    if kind == "time":
        frame["x"], noise = (autocorrelated(values) for values in (frame["x"].to_numpy(), noise))
        frame["hour"] = np.arange(len(frame))
        options["time"] = "hour"
    mean = frame["x"] - 0.5 * frame["v"]
    frame["y"] = mean + noise
    if kind in ("weights", "pareto"):
        heavy = kind == "pareto"
        frame["weight"] = 1.0 + rng.pareto(2.0, n) if heavy else np.exp(0.8 * rng.normal(size=n))
        options["weight"] = "weight"
    if kind == "intervals":
        reach = norm.ppf((1.0 + level) / 2.0)
        frame["low"], frame["high"] = mean - reach, mean + reach
        options |= {"lower": "low", "upper": "high", "audit_only": ("b",)}
    if kind == "sets":
        members = rng.random((n, 5)) < 0.3
        label = rng.integers(0, 5, size=n)
        members[np.arange(n), label] = rng.random(n) < level
        frame["y"] = [f"class {i}" for i in label]
        frame["set"] = ["; ".join(f"class {i}" for i in np.flatnonzero(row)) for row in members]
        options["label_set"] = "set"
    if are_copies:
        frame = pd.concat([frame] * 3, ignore_index=True)
    if kind == "numbered":
        frame["record_id"] = np.arange(len(frame))
    return frame, AuditSettings(target="y", **options)


def autocorrelated(shocks, by=0.8):
    """Return a sequence of normal values, each like the one before it."""
    values = lfilter([1.0], [1.0, -by], shocks * np.sqrt(1.0 - by**2))
    values += by ** np.arange(1, len(shocks) + 1) * shocks[0]
    return values


def faulty(fault, number, sizes=(3_000, 10_000, 20_000)):
    """Return a table with more noise in one group, the columns that name it, and the noise.

    The group is one value of 50, a pair of values at some 5 % of the rows, or the middle third of a
    feature; or an audit-only value at some 20 %, which a feature nearly tells, or which holds a
    pair of values that has more noise still. Noise of other rows is 1.
    """
    more = {}
    rng = np.random.default_rng([number, 100 + FAULTS.index(fault)])
    n = int(rng.choice(sizes))
    frame = features(rng, n, 50 if fault == "value" else 5)
    if fault == "value":
        columns = {"a"}
        inside = frame["a"] == frame["a"].value_counts().index[int(rng.integers(0, 40))]
    elif fault == "pair":
        columns = {"a", "b"}
        first, second = (frame.groupby(["a", "b"]).size() / n - 0.05).abs().idxmin()
        inside = (frame["a"] == first) & (frame["b"] == second)
    elif fault == "bend":
        columns = {"x"}
        inside = frame["x"].abs() < 0.43
    else:
        columns, more = {"b"}, {"audit_only": ("b",)}
        inside = frame["b"] == frame["b"].mode()[0]
        frame.loc[inside, "x"] += 1.5 if fault == "named" else 0.0
    noise = np.where(inside, rng.uniform(1.5, 4.0), 1.0)
    if fault == "nested":
        noise *= np.where(inside & (frame["a"] == frame["a"].mode()[0]), 2.0, 1.0)
    frame["y"] = frame["w"] + noise * rng.normal(size=n)
    settings = AuditSettings(
        target="y", confidence_level=LEVELS[number % 2], measure="standard", seed=number, **more
    )
    return frame, settings, columns, noise
