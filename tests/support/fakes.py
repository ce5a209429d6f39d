"""Ready-made intervals beside other predictors, and audits of any list of predictors."""

from contextlib import contextmanager
from dataclasses import replace
from unittest import mock

import numpy as np

from evencover.core.conformal.predictor import ReadyMade
from evencover.core.experiment.predictors import Candidate, base, remedy
from evencover.core.remedies.base import Remedy
from evencover.core.remedies.names import REMEDIES
from evencover.core.report import audit as module
from evencover.core.rows.examples import ModelOutputs
from evencover.sample_data import load_sample

BASE, IFACM, QUANTILE = Candidate("base", base), remedy("ifacm"), remedy("quantile")


class Own(ReadyMade):
    """Ready-made intervals beside predictors that are fitted, which settings do not ask for."""

    name = "own"

    def __init__(self, label):
        super().__init__("the table's own intervals")
        self.label = label

    def predict(self, examples, calibration):
        lower, upper = (self.label.coded(examples.table[c].to_numpy(float)) for c in ENDS)
        outputs = ModelOutputs(lower=lower, upper=upper)
        return super().predict(replace(examples, outputs=outputs), calibration)


class Idle(Remedy):
    """Somebody's own remedy, which changes nothing."""

    title = "idling"

    def __init__(self, base=None):
        self.base = base

    def fit(self, X, y=None, *, on_event=None, should_stop=None):  # noqa: ARG002
        self.base_ = self.base
        return self


ENDS = ("lower", "upper")
OWN = Candidate("own", lambda fitting: Own(fitting.data.label))
SEVERAL = (BASE, IFACM, OWN, QUANTILE, remedy("mondrian:county"))


def houses_with_intervals(rows):
    """Houses with intervals of a predictor of their own: wide, but blind to Devon."""
    frame = load_sample("houses").frame.head(rows).reset_index(drop=True)
    about = frame["price"] * np.random.default_rng(0).normal(1.0, 0.2, rows)
    half = np.where(frame["county"] == "Devon", 0.1, 0.5) * about
    return frame.assign(lower=about - half, upper=about + half)


@contextmanager
def audits_of(*candidates, **remedies):
    """Let audits be of these candidates; remedies are registered, and follow, by their names."""
    with mock.patch.dict(REMEDIES, remedies):
        found = [*candidates, *map(remedy, remedies)]
        with mock.patch.object(module, "candidates", return_value=found):
            yield
