"""Reference values for the field's other measures, by covmetrics and MAPIE.

    python tests/benchmarks/reference_values.py

writes ``tests/core/reference_values.json``, which ``tests/core/test_reference_values.py`` reads.
It needs covmetrics 0.1.2 (the reference implementation of arXiv 2512.11779; it pulls in torch, any
CPU build of 2.0 or later will do) and MAPIE 1.6.0, in an environment of their own: neither the
tests nor Evencover depend on covmetrics, and this script imports nothing of Evencover. The data are
those of ``tests/support/reference_data.py``.

Where a package is wrong, its value is kept under a name with ``as_published`` and the right one is
made from it by a corrected call:

- covmetrics' log-loss has the wrong sign for torch tensors: a gain appears as a loss (and half of
  it is in single precision). For numpy arrays it is right, so those are used.
- covmetrics looks for the worst slab and judges it on the same rows, which is too low even for a
  faultless predictor (and so does MAPIE, which calls it). Here its search is given one half of the
  rows, and its slab judged on the other.
- The slab it returns ends one row too early: ``b`` is the value of the last row but one. The next
  value along the direction is taken. Its coverage is that of the whole run, so it is right.
- It ends slabs between rows of the same value, where no plane can pass, so that with ties it
  reports coverage of sets that are no slabs. Only continuous features are compared; the values for
  features with ties are kept to show that they are too low.

MAPIE has no worst slab or ERT of its own. TorchCP's, known for swapped arguments, is not used.
"""

import importlib.metadata
import json
import sys
import warnings
from pathlib import Path

import numpy as np
import torch
from covmetrics import ERT, FSC, SSC, CovGap
from covmetrics.ERT import evaluate_with_predictions
from covmetrics.losses import (
    L1_miscoverage,
    L1_miscoverage_over,
    L1_miscoverage_under,
    brier_score,
    logloss,
)
from covmetrics.slab_metrics import wsc_all_numpy
from mapie.metrics.classification import classification_ssc
from mapie.metrics.regression import regression_ssc

sys.path.append(str(Path(__file__).parents[1] / "support"))
import reference_data as data

FILE = Path(__file__).parents[1] / "core" / "coverage" / "reference_values.json"
ALPHA = round(1.0 - data.LEVEL, 12)


class Given:
    """A classifier that predicts what its first column says, so that no estimator matters."""

    def predict_proba(self, X):
        return np.column_stack([1.0 - X[:, 0], X[:, 0]])

    def fit(self, X, y):
        pass


def excess_risks():
    _, correct = data.judged_rows()
    predicted, cover = data.predictions(), correct.astype(float)
    losses = {
        "l1": L1_miscoverage,
        "over": L1_miscoverage_over,
        "under": L1_miscoverage_under,
        "l2": brier_score,
        "log": logloss,
    }
    values = {
        name: evaluate_with_predictions(predicted, cover, ALPHA, loss)
        for name, loss in losses.items()
    }
    values["log_of_torch_as_published"] = evaluate_with_predictions(
        torch.tensor(predicted), torch.tensor(cover), ALPHA, logloss
    )
    # five folds of equal size: the mean over folds is the mean over rows
    folded = ERT(Given).evaluate(predicted[:, None], cover, ALPHA, n_splits=5)
    return values | {"l1_by_folds": folded}


def worst_slabs():
    X, correct = data.judged_rows()
    V = data.slab_directions()
    lowest, low, high = wsc_all_numpy(X, correct.astype(float), data.SLAB_SHARE, V)
    tied, tied_correct = data.tied_rows()
    tied_lowest, _, _ = wsc_all_numpy(tied, tied_correct.astype(float), data.SLAB_SHARE, V)
    return {
        "lowest": lowest.tolist(),
        "low": low.tolist(),
        "high": [end(X @ v, b) for v, b in zip(V, high, strict=True)],
        "high_as_published": high.tolist(),
        "tied_lowest_as_published": tied_lowest.tolist(),
        **judged_on_the_other_half(X, correct, V),
    }


def end(along, published):
    """The value of the last row of a slab, which is the next one after the published."""
    return float(along[along > published].min())


def judged_on_the_other_half(X, correct, V):
    found, low, high = wsc_all_numpy(X[::2], correct[::2].astype(float), data.SLAB_SHARE, V)
    worst = int(found.argmin())
    along = X[1::2] @ V[worst]
    last = end(X[::2] @ V[worst], high[worst])
    inside = (low[worst] <= along) & (along <= last)
    return {
        "lowest_of_half": float(found[worst]),
        "direction_of_half": worst,
        "judged_on_other_half": float(correct[1::2][inside].mean()),
    }


def group_coverages():
    _, correct = data.judged_rows()
    cover, groups = correct.astype(float), data.groups()
    gap = CovGap(ALPHA)
    return {
        "coverage_gap": gap.evaluate(groups, cover),
        "weighted_coverage_gap": gap.evaluate(groups, cover, weighted=True),
        "lowest": FSC().evaluate(groups, cover),
    }


def size_stratified():
    y, sets = data.label_sets()
    sizes, cover = sets.sum(axis=1), sets[np.arange(len(y)), y].astype(float)
    labels, bounds = data.intervals()
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        by_size = classification_ssc(y, sets)[0]  # of no label first: there is no such set
    return {
        "label_sets": by_size[1:].tolist(),
        "label_sets_lowest": SSC(ALPHA).evaluate_FSC(sizes, cover),
        "label_sets_coverage_gap": SSC(ALPHA).evaluate_CovGap(sizes, cover),
        "intervals_by_quarter": regression_ssc(labels, bounds, num_bins=4)[0].tolist(),
    }


def main():
    versions = {name: importlib.metadata.version(name) for name in ("covmetrics", "mapie")}
    values = {
        "packages": versions,
        "ert": excess_risks(),
        "worst_slab": worst_slabs(),
        "groups": group_coverages(),
        "size_stratified": size_stratified(),
    }
    FILE.write_text(json.dumps(values, indent=1, default=float) + "\n")
    print(f"written to {FILE}")


if __name__ == "__main__":
    main()
