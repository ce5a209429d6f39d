"""Coverage on average by weight in 48 settings, and the weight of rows whose sets are finite.

    python tests/benchmarks/weights.py [--draws 2000] [--level 0.9] [--only TEXT] [--json FILE]

Weights are lognormal, Pareto with index 1.5, of three strata (1, 5 and 20), or 1 but for one
calibration row that outweighs a third of all; 50 to 5,000 calibration rows; scores do not hang on
the weight, or heavy rows have up to twice, or half, the noise. New rows are drawn in proportion to
their weight, and their coverage is known, as noise is normal. Two standard errors are beside it.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from by_weight import SETTINGS, coverage


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--level", type=float, default=0.9)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    asked, rng, rows = parser.parse_args(), np.random.default_rng(0), []
    for setting in SETTINGS:
        name = "{}, noise {}, {} rows".format(*setting)
        if asked.only not in name:
            continue
        found = coverage(rng, setting, asked.level, max(100, asked.draws * 50 // setting[2]))
        (mean, finite), error = found.mean(axis=0), found[:, 0].std() / len(found) ** 0.5
        rows.append({"setting": name, "coverage": mean, "error": error, "finite": finite})
        print(f"{name:40} {100 * mean:6.2f} % +- {200 * error:.2f}, finite {100 * finite:5.1f} %")
    if asked.json is not None:
        asked.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
