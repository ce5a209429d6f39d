"""How many segments' intervals exclude the level, and of which most rows are concerned."""

import pytest
from rows import changed, long, result_of, segment_pair

from evencover.core.findings.dependence_findings import dependence_findings

CALM, NAN = (0.9, 0.85, 0.95), float("nan")
LOW, HIGH = (0.8, 0.75, 0.85), (0.98, 0.96, 0.99)


def segment(variable, value, n, before=CALM, after=CALM):
    """A segment with, before and after, the accuracy and the ends of its interval."""
    return segment_pair(variable, value, n, before, after)


KENT = segment("county", "Kent", 1500, LOW, (0.85, 0.82, 0.88))  # 150 rows before, 75 after
DEVON = segment("county", "Devon", 200, HIGH)  # 16 rows before, none after
ESSEX = segment("county", "Essex", 900, CALM, HIGH)  # none before, 72 rows after
OLD = segment("age", "old", 100, LOW, LOW)  # 10 rows before and after
YOUNG = segment("age", "young", 400, CALM, LOW)  # none before, 40 rows after
EMPTY = segment("county", "Rutland", 0, (NAN, NAN, NAN), (NAN, NAN, NAN))


def found(*segments, total=20, cl=0.9, audit_only=()):
    """The findings on these segments, among so many with test rows and one without."""
    with_rows = sum(pair[0].n > 0 for pair in segments)
    calm = [segment("x", str(number), 50) for number in range(total - with_rows)]
    settings = {"cl": cl, "audit_only": list(audit_only)}
    result = result_of(long(*segments, *calm, EMPTY), settings=settings)
    return [f for f in dependence_findings(result) if f.topic == "intervals"]


def counted(*segments, **options):
    return found(*segments, **options)[0].figures


def named(*segments, **options):
    """What kind of finding names which segment, and for whom it is the largest."""
    findings = found(*segments, **options)[1:]
    return [(f.kind, f.who.value, f.figures["largest"]) for f in findings]


def test_nothing_is_off():
    (only,) = found()
    assert (only.kind, only.severity) == ("intervals-counted", "neutral")
    none = {"base": 0, "ifacm": 0}
    assert only.figures == {"segments": 20, "failing": none, "sure": none}


def test_those_that_are_more_than_one_look_of_many_are_counted():
    segments = [
        changed(OLD, {"q_value": 0.05}, {"q_value": 0.051}),
        changed(KENT, {"q_value": 0.001}, {"q_value": 0.0}),
        changed(YOUNG, {"q_value": 0.0}, {"q_value": 0.2}),  # not off before
    ]
    assert counted(*segments)["sure"] == {"base": 2, "ifacm": 1}
    assert counted(*segments)["failing"] == {"base": 2, "ifacm": 3}


def test_segments_off_before_alone():
    assert counted(DEVON, total=41) == {
        "segments": 41,
        "failing": {"base": 1, "ifacm": 0},
        "sure": {"base": 0, "ifacm": 0},
    }
    (_, largest) = found(DEVON)
    assert (largest.kind, largest.who, largest.predictor) == (
        "largest-departure",
        DEVON[0],
        "base",
    )
    assert largest.figures == {"accuracy": {"base": 0.98, "ifacm": 0.9}, "largest": ["base"]}


def test_the_same_segment_before_and_after():
    segments = (OLD, DEVON, KENT)
    assert counted(*segments)["failing"] == {"base": 3, "ifacm": 2}
    assert named(*segments) == [("largest-departure", "Kent", ["base", "ifacm"])]
    assert found(*segments)[1].figures["accuracy"] == {"base": 0.8, "ifacm": 0.85}


def test_another_segment_after():
    segments = (DEVON, OLD, ESSEX)
    assert counted(*segments)["failing"] == {"base": 2, "ifacm": 2}
    assert named(*segments) == [
        ("largest-departure", "Devon", ["base"]),
        ("largest-departure", "Essex", ["ifacm"]),
    ]


def test_segments_off_after_alone():
    assert counted(ESSEX)["failing"] == {"base": 0, "ifacm": 1}
    assert named(ESSEX) == [("largest-departure", "Essex", ["ifacm"])]


def test_of_audit_only_columns_the_one_with_most_rows_concerned_after_is_told():
    segments = (OLD, KENT, YOUNG)
    assert counted(*segments, audit_only=["age"])["failing"] == {"base": 2, "ifacm": 3}
    assert named(*segments, audit_only=["age"]) == [
        ("largest-departure", "Kent", ["base", "ifacm"]),
        ("largest-audit-only", "young", ["ifacm"]),
    ]
    hidden = found(*segments, audit_only=["age"])[-1]
    assert hidden.figures["accuracy"] == {"base": 0.9, "ifacm": 0.8}


@pytest.mark.parametrize(
    ("segments", "audit_only"),
    [
        ((KENT, OLD), ["county"]),  # named already, before and after
        ((DEVON, ESSEX, OLD), ["county"]),  # named already, after
        ((DEVON, KENT), ["age"]),  # has no segment that is off
        ((KENT, DEVON), ["nothing"]),
        ((KENT, OLD), []),
        ((OLD, YOUNG), ["age"]),  # OLD is named before, YOUNG after
    ],
)
def test_audit_only_columns_are_not_named_twice_nor_without_cause(segments, audit_only):
    assert named(*segments, audit_only=audit_only) == named(*segments)


def test_an_audit_only_column_named_before_is_not_repeated_for_after():
    # most rows concerned: OLD before, ESSEX after; OLD is still off
    assert named(OLD, ESSEX, audit_only=["age"]) == [
        ("largest-departure", "old", ["base"]),
        ("largest-departure", "Essex", ["ifacm"]),
    ]


def test_an_audit_only_column_off_before_alone_has_no_sentence():
    mended = segment("age", "mid", 300, LOW)
    kinds = [kind for kind, *_ in named(KENT, mended, audit_only=["age"])]
    assert "largest-audit-only" not in kinds


def test_without_segments_nothing_is_counted():
    assert found(total=0) == []
