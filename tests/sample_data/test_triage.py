import numpy as np
import pandas as pd
import pytest

from evencover.sample_data import triage

PATIENT = {
    "age": 68,
    "pain": 7,
    "heart_rate": 92,
    "temperature": 38.2,
    "complaint": "fever",
    "contact": "telephone",
    "group": "B",
}


def test_the_table_of_the_fixed_seed():
    frame = triage.generate()
    assert frame.shape == (8_000, 8)
    assert frame["urgency"].value_counts().to_dict() == {
        "self-care": 2768,
        "routine": 2438,
        "urgent": 1887,
        "emergency": 907,
    }
    assert frame.loc[0, ["age", "contact", "urgency"]].tolist() == [
        np.int64(89),
        "walk-in",
        "routine",
    ]


def test_classes_are_in_alphabetical_order():
    assert list(triage.CLASSES) == sorted(triage.CLASSES)


def test_the_group_is_for_the_audit_only():
    assert triage.sample().audit_only == ("group",)


def test_label_probabilities_of_one_patient_worked_out_by_hand():
    severity = -1.9 + 0.3 + 0.7 + 0.3 + 0.8 + 0.4 + 0.3
    weight = np.exp([3 * severity - 0.5, severity + 1.5, 0.0, 2 * severity + 1.5])
    expected = 0.37 * weight / weight.sum() + 0.63 / 4
    got = triage.label_probabilities(pd.DataFrame([PATIENT]))[0]
    assert got.tolist() == pytest.approx(expected.tolist(), rel=1e-10)


def test_true_coverage_is_the_sum_of_the_members_probabilities():
    frame = pd.DataFrame([PATIENT] * 3)
    emergency, routine, _, _ = triage.label_probabilities(frame)[0]
    members = np.array([[1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)
    got = triage.true_coverage(frame, members)
    assert got.tolist() == pytest.approx([emergency + routine, 0.0, 1.0], rel=1e-12)


@pytest.mark.long
def test_true_coverage_agrees_with_redrawn_labels(agrees_with_redraws):
    frame = triage.generate(seed=6, rows=300)
    codes = pd.Index(triage.CLASSES).get_indexer(frame["urgency"])
    members = np.eye(4, dtype=bool)[codes] | np.eye(4, dtype=bool)[(codes + 1) % 4]
    claimed = triage.true_coverage(frame, members)

    def held(rng, times):
        redrawn = triage.redraw(pd.concat([frame] * times), rng)
        redrawn = pd.Index(triage.CLASSES).get_indexer(redrawn).reshape(times, -1)
        return members[np.arange(len(frame)), redrawn]

    agrees_with_redraws(claimed, held)
