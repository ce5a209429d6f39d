"""Stand-ins for what is to come, ready-made intervals, and audits of any list of predictors."""

from contextlib import contextmanager
from unittest import mock

from evencover.core.audit import audit as module
from evencover.core.audit.predictors import Candidate, base, remedy
from evencover.core.conformal.prediction_sets import IntervalSets, Outcomes
from evencover.core.conformal.predictor import Prediction, Predictor
from evencover.core.remedies import REMEDIES

BASE, IFACM, QUANTILE = Candidate("base", base), remedy("ifacm"), remedy("quantile")


class ReadyMade(Predictor):
    """Intervals that stand in two columns of the table, in the label's units."""

    name, title = "own", "the table's own intervals"
    guarantee = "Whatever their maker promises."
    is_calibrated = False

    def __init__(self, label, lower="lower", upper="upper"):
        self.label, self.lower, self.upper = label, lower, upper

    def predict(self, examples, calibration):  # noqa: ARG002
        ends = [examples.table[name].to_numpy(float) for name in (self.lower, self.upper)]
        sets = IntervalSets(*((end - self.label.mean) / self.label.scale for end in ends))
        outcomes = Outcomes(sets.contain(examples.labels), sets.sizes)
        return Prediction(sets, outcomes, float(sets.sizes.mean()))


OWN = Candidate("own", lambda fitting: ReadyMade(fitting.data.label))


@contextmanager
def audits_of(*candidates, **remedies):
    """Let audits be of these candidates; remedies are registered, and follow, by their names."""
    with mock.patch.dict(REMEDIES, remedies):
        found = [*candidates, *map(remedy, remedies)]
        with mock.patch.object(module, "candidates", return_value=found):
            yield
