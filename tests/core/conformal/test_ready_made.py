"""Sets that stand in the table are taken as they are, and missed where there are none."""

import math

import numpy as np
import pytest

from evencover.core.conformal.predictor import ReadyMade
from evencover.core.rows.examples import Examples, ModelOutputs, as_examples


def predicted(y, **said):
    bare = as_examples(np.zeros((3, 1)))
    outputs = ModelOutputs(**said)
    examples = Examples(bare.X, np.array(y), bare.frame, bare.rows, outputs=outputs)
    return ReadyMade("theirs").predict(examples, examples)


def test_intervals_by_hand():
    found = predicted([0.0, 5.0, 1.0], lower=np.array([-1.0, 0.0, 1.0]), upper=np.full(3, 2.0))
    assert found.outcomes.correct.tolist() == [True, False, True]
    assert found.outcomes.sizes.tolist() == [3.0, 2.0, 1.0]
    assert found.outcomes.largest == math.inf


def test_sets_of_labels_by_hand():
    members = np.array([[True, False], [True, True], [False, False]])
    found = predicted([1, 1, 0], members=members)
    assert found.outcomes.correct.tolist() == [False, True, False]
    assert found.outcomes.sizes.tolist() == [1.0, 2.0, 0.0]
    assert found.outcomes.largest == 2.0


@pytest.mark.parametrize("said", [{}, {"lower": np.zeros(3)}, {"upper": np.zeros(3)}])
def test_sets_that_are_not_there_are_missed(said):
    with pytest.raises(ValueError, match="neither intervals nor sets"):
        predicted([0.0, 0.0, 0.0], **said)
