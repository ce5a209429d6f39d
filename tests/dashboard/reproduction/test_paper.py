"""The paper's tables as they are kept here."""

from collections import Counter

from evencover.core.conformal.measures import MEASURES
from evencover.dashboard.reproduction.paper import (
    SAMPLES,
    VARIABLES,
    Case,
    cases,
    layers,
    lines,
    segments,
)
from evencover.sample_data import REAL


def test_lines_are_those_of_the_table():
    found = lines()
    assert [line.line for line in found] == list(range(1, 31))
    assert Counter(line.data for line in found) == {"covtype": 8, "gpu": 10, "kc": 12}
    line = found[11]
    assert (line.data, line.segment, line.algorithm, line.measure) == (
        "gpu",
        "test",
        "ifacm",
        "normalized",
    )
    assert (line.confidence_level, line.penalty) == (0.9, 0.5)
    assert (line.accuracy, line.inefficiency, line.dcv) == ("0.898", "2.23", "0.00725")


def test_each_line_belongs_to_a_case_of_a_known_sample_and_measure():
    for line in lines():
        of_line = [case for case in cases() if line.is_of(case)]
        assert len(of_line) == (1 if line.penalty is not None else len(of_line))
        assert of_line
        assert SAMPLES[line.data] in REAL
        assert line.measure in MEASURES
        assert (line.algorithm == "base") == (line.penalty is None)


def test_cases():
    assert len(cases()) == 10
    assert cases()[0] == Case("covtype", "scoring", 0.95, 0.0)
    assert Case("gpu", "normalized", 0.99, 0.5) in cases()


def test_layers_and_segments_are_of_cases_in_the_table_of_results():
    assert len(layers()) == 13
    assert len(segments()) == 10
    assert {layer.case for layer in layers()} <= set(cases())
    assert {segment.case for segment in segments()} <= set(cases())
    first = layers()[0]
    assert (first.layer, first.gamma, first.delta) == (1, "0.644", "0.00002")
    assert sum(s.n for s in segments() if s.variable == "KWG") == 40_000
    assert set(VARIABLES) == {s.variable for s in segments() if s.case.data == "covtype"}
