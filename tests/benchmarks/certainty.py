"""Whether p-values, intervals and q-values hold what they promise, by simulation.

    python tests/benchmarks/certainty.py [--repetitions 1000] [--json FILE]

Objects are normal; coverage is 0.9 for all, or its log-odds rise with the first feature. Each line
is one n, d and effect: how often p is at most 0.05 and 0.01 (to be 0.05 and 0.01 without an effect,
and to rise with n with one), how often the 95 % interval of the corrected DCV is given, and holds
the DCV of the population where it is, the root mean square of the corrected DCV, and the false
discovery rate at q <= 0.05 of ten segments: all alike without an effect, else one with coverage
0.84 and one with 0.96.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import numpy as np
from scipy.special import expit, logit

from evencover.core.coverage.dcv_inference import evidence
from evencover.core.coverage.estimators import LogisticEstimator
from evencover.core.segments.statistics import p_values, q_values
from evencover.core.threads import single_blas_thread

sys.path.append(str(Path(__file__).parents[1] / "support"))
from rows import held

LEVEL = 0.9
SIZES = ((500, 5), (500, 20), (2000, 5), (2000, 20), (10_000, 20))
EFFECTS = (0.0, 0.15, 0.4)
SEGMENTS = 10
OFF = 0.06  # by which two segments are off, to either side, so that the others are as all rows


def true_dcv(effect):
    z = np.random.default_rng(99).normal(size=1_000_000)
    return math.sqrt(np.mean((expit(logit(LEVEL) + effect * z) - LEVEL) ** 2))


def one(rng, n, d, effect):
    X = rng.normal(size=(n, d))
    correct = rng.random(n) < expit(logit(LEVEL) + effect * X[:, 0])
    return evidence(X, held(correct), LogisticEstimator().fit(X, correct), LEVEL)


def false_discoveries(rng, n, effect):
    """The share of good segments among those with q <= 0.05; 0 if there are none."""
    segment = rng.integers(0, SEGMENTS, n)
    off = OFF if effect > 0.0 else 0.0
    correct = rng.random(n) < LEVEL + off * np.select([segment == 0, segment == 1], [-1.0, 1.0])
    sizes = np.bincount(segment, minlength=SEGMENTS)
    hits = np.bincount(segment[correct], minlength=SEGMENTS)
    flagged = q_values(p_values(hits, sizes, int(correct.sum()), n)) <= 0.05
    good = flagged[2:].sum() if effect > 0.0 else flagged.sum()
    return good / max(1, flagged.sum())


def mean(values):
    return float(np.mean(values)) if values else math.nan


def measure(n, d, effect, repetitions):
    rng = np.random.default_rng([n, d, int(1000 * effect)])
    found = [one(rng, n, d, effect) for _ in range(repetitions)]
    truth, p = true_dcv(effect), np.array([e.p_value for e in found])
    given = [e for e in found if e.dcv_formula == "good"]
    inside = [e.dcv_corrected_low <= truth <= e.dcv_corrected_high for e in given]
    return {
        "n": n,
        "d": d,
        "effect": effect,
        "p <= 0.05": float(np.mean(p <= 0.05)),
        "p <= 0.01": float(np.mean(p <= 0.01)),
        "given": len(given) / len(found),
        "interval holds": mean(inside),
        "corrected": math.sqrt(mean([e.dcv_corrected**2 for e in given])),
        "true DCV": truth,
        "false discoveries": float(
            np.mean([false_discoveries(rng, n, effect) for _ in range(repetitions)])
        ),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=1000, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    rows = []
    with single_blas_thread():
        for n, d in SIZES:
            for effect in EFFECTS:
                rows.append(measure(n, d, effect, options.repetitions))
                if len(rows) == 1:
                    print("  ".join(f"{name:>9}" for name in rows[0]))
                shown = (f"{v:{max(9, len(k))}.4g}" for k, v in rows[-1].items())
                print("  ".join(shown), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
