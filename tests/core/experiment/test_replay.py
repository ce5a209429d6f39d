"""What a replay says of each layer, beside what the audit finds, and beside plain counting."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, audit
from evencover.core.events import LayerAccepted, LayerMeasured
from evencover.core.experiment.result import ChangedRows, ReplayStep
from evencover.core.report.wording import layer_sentence, segment_in_words
from evencover.core.segments.tally import PartOfSegment


@pytest.fixture(scope="module")
def table(regression):
    X, y = regression(1500, seed=3)
    frame = pd.DataFrame(X, columns=list("abcd")).round(3)
    return frame.assign(place=np.where(X[:, 0] > 0.5, "Ayr", "Bude"), y=y.round(3))


@pytest.fixture(scope="module")
def told(table):
    """The result, and all that was told of the run."""
    events = []
    asked = AuditSettings(target="y", penalty=0.0, remedies=("ifacm",))
    found = audit(table, asked, on_event=events.append)
    assert len(found.iterations) >= 2
    return found, events


def stopped_after_a_layer(table, name):
    events = []
    settings = AuditSettings(target="y", penalty=0.0, remedies=(name,))

    def stop():
        return any(isinstance(event, LayerAccepted) for event in events)

    return audit(table, settings, on_event=events.append, should_stop=stop)


@pytest.mark.long
def test_each_layer_is_told_of_as_soon_as_it_is_there_with_what_the_search_went_by(told):
    found, events = told
    steps = found.replays["ifacm"]
    assert [event.step for event in events if isinstance(event, LayerMeasured)] == steps
    assert [step.layers for step in steps] == list(range(len(found.iterations) + 1))
    places = [i for i, event in enumerate(events) if isinstance(event, LayerAccepted)]
    assert all(isinstance(events[place + 1], LayerMeasured) for place in places)
    base, *steps = steps
    for step, layer in zip(steps, found.iterations, strict=True):
        assert step.training_dcv == pytest.approx(layer.dcv, rel=1e-8)
        assert step.training_inefficiency == layer.inefficiency
        assert (step.gamma, step.delta) == (layer.gamma, layer.delta)
        assert len(step.tried) == layer.evaluations
        assert min(one.objective for one in step.tried) == layer.objective
    assert base.training_dcv == pytest.approx(found.row("training", "base").dcv, rel=1e-8)
    assert base.tried == ()


@pytest.mark.long
@pytest.mark.parametrize("name", ["ifacm", "ifacm-smooth"])
@pytest.mark.parametrize("cl", [0.8, 0.9])
def test_the_first_step_is_before_and_the_last_after(table, name, cl):
    settings = AuditSettings(
        target="y", penalty=0.0, confidence_level=cl, remedies=(name,), audit_only=("place",)
    )
    found = audit(table, settings)
    steps = found.replays[name]
    assert len(steps) == len(found.predictors[1].fit.layers) + 1 > 1
    for step, predictor in ((steps[0], "base"), (steps[-1], name)):
        row = found.row("test", predictor)
        assert step.dcv == pytest.approx(row.dcv, rel=1e-7)
        assert (step.coverage, step.inefficiency) == (row.accuracy, row.inefficiency)
        assert step.training_dcv == pytest.approx(found.row("training", predictor).dcv, rel=1e-7)
        assert np.array_equal(step.held, found.test_rows.outcomes[predictor].correct)
        assert sum(step.probabilities) == found.data.test
        p = found.test_rows.probabilities[predictor]
        counted = np.bincount(np.minimum((p * 200).astype(int), 199), minlength=200)
        assert np.abs(counted - step.probabilities).sum() <= 2  # on an edge, by rounding


@pytest.mark.long
def test_the_worst_group_is_the_one_whose_interval_ends_lowest(told):
    found, _ = told
    steps = found.replays["ifacm"]
    for step, predictor in ((steps[0], "base"), (steps[-1], "ifacm")):
        of_one = found.of(found.segments, predictor)
        rows = [row for row in of_one if row.kind == "column" and row.n >= 20]
        lowest = min(rows, key=lambda row: row.high)
        assert step.worst.name == segment_in_words(lowest)
        assert (step.worst.n, step.worst.coverage) == (lowest.n, lowest.accuracy)
        assert (step.worst.low, step.worst.high) == (lowest.low, lowest.high)


@pytest.mark.long
def test_a_layer_changes_the_rows_that_counting_finds(table):
    found = stopped_after_a_layer(table, "ifacm")
    _, step = found.replays["ifacm"]
    before, after = (found.test_rows.outcomes[name].sizes for name in ("base", "ifacm"))
    table = found.test_rows.table.frame
    for changed, rows in ((step.wider, after > before), (step.narrower, after < before)):
        assert changed.n == rows.sum()
        if not changed.n:
            assert changed.change is None
            continue
        by = after[rows].mean() / before[rows].mean() - 1.0
        assert changed.change == pytest.approx(by)
        if changed.among is not None and changed.among.name.startswith("place = "):
            inside = table["place"] == changed.among.name.removeprefix("place = ")
            assert (changed.among.n, changed.among.size) == (inside[rows].sum(), inside.sum())
            assert inside[rows].mean() - inside.mean() >= 0.1
    assert step.wider.n + step.narrower.n > 100
    assert found.stopped


@pytest.mark.long
def test_nobody_waits_for_a_replay_that_is_not_asked_for_or_has_no_layers(table, told):
    assert audit(table, AuditSettings(target="y", remedies=("quantile",))).replays == {}
    settings, events = AuditSettings(target="y", penalty=0.0, remedies=("ifacm",)), []
    found = audit(table, settings, with_replay=False, on_event=events.append)
    assert found.replays == {}
    assert not [event for event in events if isinstance(event, LayerMeasured)]
    assert found.results == told[0].results


@pytest.mark.long
def test_of_classes_labels_are_counted(classification):
    X, y = classification(900, seed=1)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.array(list("wxyz"))[y])
    found = audit(
        frame,
        AuditSettings(
            target="kind", penalty=0.0, confidence_level=0.8, search="paper", remedies=("ifacm",)
        ),
    )
    steps = found.replays["ifacm"]
    assert len(steps) > 1
    assert not steps[0].are_intervals
    assert steps[-1].inefficiency == found.row("test", "ifacm").inefficiency
    assert "gave " in layer_sentence(steps[:2])
    assert "%" not in layer_sentence(steps[:2]).partition(";")[0].replace(" % ", "")


def step_of(layers, dcv, wider=None, narrower=None):
    changed = {"wider": wider, "narrower": narrower, "held": np.ones(0, bool)}
    return ReplayStep("ifacm", layers, dcv, 1.0, 0.1, 1.0, 0.9, (), None, True, **changed)


@pytest.mark.parametrize(
    ("wider", "narrower", "said"),
    [
        (
            ChangedRows(312, 0.12, PartOfSegment("county = Devon", 150, 160)),
            ChangedRows(0, None, None),
            "widened 312 test rows by 12 % (among them 150 of the 160 of county = Devon)",
        ),
        (
            ChangedRows(1, 0.004, None),
            ChangedRows(2000, -0.5, PartOfSegment("age < 30", 1500, 1600)),
            (
                "widened 1 test row by 0.4 %, and narrowed 2,000 test rows by 50 % "
                "(among them 1,500 of the 1,600 of age < 30)"
            ),
        ),
        (ChangedRows(9, None, None), None, "widened 9 test rows"),
        (ChangedRows(0, None, None), None, "changed no set of the test rows"),
    ],
)
def test_a_sentence_says_who_was_widened_and_by_how_much(wider, narrower, said):
    steps = [step_of(1, 0.029), step_of(2, 0.0188, wider, narrower)]
    assert layer_sentence(steps) == f"Layer 2 {said}; training DCV 0.0290 to 0.0188."


def test_a_long_name_is_cut_and_a_tiny_dcv_is_not_written_as_zero():
    young = PartOfSegment(f"{'v' * 300} < 30", 150, 160)
    steps = [step_of(1, 0.029), step_of(2, 0.0000049, ChangedRows(312, 0.12, young))]
    said = layer_sentence(steps)
    assert f"of the 160 of {'v' * 99}…)" in said
    assert said.endswith("training DCV 0.0290 to below 0.0001.")
