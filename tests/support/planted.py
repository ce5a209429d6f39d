"""Test rows with a segment in which coverage is low, or with none."""

import numpy as np
import pandas as pd

N = 20_000
SHARE = 0.04
KINDS = {
    "numeric x numeric": ("income", "x0"),
    "category x numeric": ("district", "income"),
    "category x category": ("district", "heating"),
}


def draw_rows(rng, n=N, states=0):
    """Fifteen variables: ten numbers, of which one is whole and one skewed, and five categories.

    A sixteenth is a category of so many ``states``.
    """
    frame = pd.DataFrame(rng.normal(size=(n, 8)), columns=[f"x{i}" for i in range(8)])
    frame["income"] = np.round(rng.lognormal(10.0, 0.7, n))
    frame["rooms"] = rng.integers(1, 9, n)
    for name, values in (("district", 5), ("heating", 5), ("owner", 2), ("brand", 10), ("kind", 3)):
        frame[name] = rng.choice([f"{name} {i}" for i in range(values)], n)
    if states:
        frame["state"] = rng.choice([f"state {i}" for i in range(states)], n)
    return frame


def planted(frame, kind):
    """Say which rows are in the segment: a fifth of them by each of its two variables."""
    return inside_of(frame, KINDS[kind])


def inside_of(frame, names, top=0.2):
    """Say which rows are among the ``top`` share of numbers, and of the value 1 of categories."""
    inside = np.ones(len(frame), dtype=bool)
    for name in names:
        column = frame[name]
        if column.dtype.kind == "f":
            inside &= (column >= column.quantile(1.0 - top)).to_numpy()
        else:
            inside &= (column == f"{name} 1").to_numpy()
    return inside


def draw_coverage(rng, inside, bad=0.75, good=0.9):
    """Which sets are right before, and after an adjustment that mends the segment."""
    base = rng.random(len(inside)) < np.where(inside, bad, good)
    mended = rng.random(len(inside)) < (good - bad) / (1.0 - bad)
    return base, base | (inside & mended)
