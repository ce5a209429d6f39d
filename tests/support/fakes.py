"""Stand-ins for what is to come: a second remedy, a threshold for each group.

Each is what a real one would be: one small class, put into the list of what an audit is of.
"""

from contextlib import contextmanager
from dataclasses import dataclass, replace
from unittest import mock

import numpy as np
import pandas as pd

from evencover.core.audit import audit as module
from evencover.core.audit.predictors import Candidate, base, remedy
from evencover.core.conformal.examples import as_examples
from evencover.core.conformal.outputs import ModelOutputs
from evencover.core.conformal.rank import conformal_threshold
from evencover.core.conformal.ready_made import ReadyMade
from evencover.core.conformal.thresholds import ThresholdRule, Thresholds
from evencover.core.remedies import REMEDIES, Remedy

BASE = Candidate("base", base)


class Tilted(Remedy):
    """Adds to the scores what a straight line through the training scores takes away."""

    title = "tilting"

    def __init__(self, measure):
        self.measure = measure

    @classmethod
    def from_settings(cls, measure, settings):  # noqa: ARG003
        return cls(measure)

    def fit(self, X, y=None, *, on_event=None, should_stop=None):  # noqa: ARG002
        examples = as_examples(X, y)
        scores = self.measure.score(examples)
        design = np.column_stack([np.ones(len(examples)), examples.X])
        self.line_ = np.linalg.lstsq(design, np.clip(scores, -20, 20), rcond=None)[0][1:]
        self.n_terms_ = len(self.line_)
        return self

    def score_functions(self, X):
        examples = as_examples(X)
        return self.measure.score_functions(examples).shifted(-examples.X @ self.line_)


@dataclass(frozen=True)
class GroupThresholds(Thresholds):
    column: str
    values: dict

    def at(self, examples):
        return examples.table[self.column].map(self.values).fillna(-np.inf).to_numpy()


@dataclass(frozen=True)
class GroupRule(ThresholdRule):
    column: str

    def learn(self, scores, examples, confidence_level):
        by_group = pd.Series(scores).groupby(examples.table[self.column].to_numpy())
        found = {
            group: conformal_threshold(of_group.to_numpy(), confidence_level)
            for group, of_group in by_group
        }
        return GroupThresholds(self.column, found)


class Mondrian(Remedy):
    """The base measure with a threshold for each value of a column."""

    title = "a threshold for each group"
    guarantee = "In each group its sets hold the label with the promised probability."

    def __init__(self, measure, column):
        self.measure = measure
        self.column = column

    @property
    def threshold_rule(self):
        return GroupRule(self.column)

    @classmethod
    def of(cls, column):
        return type("Mondrian", (cls,), {"from_settings": lambda m, settings: cls(m, column)})  # noqa: ARG005

    @classmethod
    def from_settings(cls, measure, settings):
        raise NotImplementedError

    def fit(self, X, y=None, *, on_event=None, should_stop=None):  # noqa: ARG002
        return self

    def score_functions(self, X):
        return self.measure.score_functions(X)


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


ENDS = ("lower", "upper")
OWN = Candidate("own", lambda fitting: Own(fitting.data.label))


@contextmanager
def audits_of(*candidates, **remedies):
    """Let audits be of these candidates; remedies are registered, and follow, by their names."""
    found = [*candidates, *map(remedy, remedies)]
    with (
        mock.patch.dict(REMEDIES, remedies),
        mock.patch.object(module, "candidates", return_value=found),
    ):
        yield
