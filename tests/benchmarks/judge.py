"""The judge by trees: how often it rejects without any fault, and finds a pair of features.

``python tests/benchmarks/judge.py [--worlds 1000]``. Rows have eight normal features; coverage is
drawn by the law of 500 calibration rows and is one for all, or 20 points lower where the first two
features are both high, in 5 % of the rows. A test may reject in as many worlds as its level says,
and one in a hundred more.
"""

import argparse

import numpy as np

from evencover.core.coverage.evenness import dependence
from evencover.core.rows.outcomes import Outcomes

CALIBRATION, FEATURES, HIGH, DROP = 500, 8, 0.76, 0.2
LEVELS = (0.05, 0.01, 0.005)
KINDS = {  # rows, CL, what they are like
    "2,000 rows": (2_000, 0.9, ""),
    "few misses": (1_000, 0.95, ""),
    "clusters": (2_000, 0.9, "clusters"),
    "weights": (2_000, 0.9, "weights"),
    "a pair": (5_000, 0.9, "pair"),
}


def world(number, n, level, like):
    """Objects, and the outcomes of a predictor that is even but for what is planted."""
    rng = np.random.default_rng([number, n])
    X = rng.normal(size=(n, FEATURES))
    p = np.full(n, rng.beta(level * (CALIBRATION + 1), (1.0 - level) * (CALIBRATION + 1)))
    weights = clusters = None
    luck = rng.random(n)
    if like == "clusters":  # five rows each, alike in features and half of the time in luck
        clusters = np.repeat(np.arange(n // 5), 5)
        X, alike = X[clusters], rng.random(n) < 0.5
        luck = np.where(alike, rng.random(n // 5)[clusters], luck)
    elif like == "weights":
        weights = 1.0 + rng.pareto(2.5, n)
        weights /= weights.mean()
    elif like == "pair":
        p -= DROP * (X[:, :2] > HIGH).all(axis=1)
    return X, Outcomes(luck < p, np.ones(n), weights=weights, clusters=clusters)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=1_000)
    worlds = parser.parse_args().worlds
    for name, (n, level, like) in KINDS.items():
        p_values = []
        for number in range(worlds):
            X, outcomes = world(number, n, level, like)
            p_values.append(dependence(X, outcomes))
        shares = [float(np.mean(np.array(p_values) <= size)) for size in LEVELS]
        kept = shares[0] >= 0.9 if like == "pair" else shares[0] <= LEVELS[0] + 0.01
        told = ", ".join(
            f"{share:.1%} at {size:g}" for share, size in zip(shares, LEVELS, strict=True)
        )
        print(f"{name}: rejects in {told}: {'as asked' if kept else 'NOT as asked'}", flush=True)


if __name__ == "__main__":
    main()
