"""The paper's tables as they are kept here."""

from collections import Counter

from evencover.core.conformal.measures import MEASURES
from evencover.dashboard.reproduction.paper import (
    SAMPLE_NAMES,
    VARIABLES,
    Case,
    paper_cases,
    paper_layers,
    paper_lines,
    paper_segments,
)
from evencover.sample_data import REAL


def test_lines_are_those_of_the_table():
    found = paper_lines()
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
    for line in paper_lines():
        of_line = [case for case in paper_cases() if line.is_of(case)]
        assert len(of_line) == (1 if line.penalty is not None else len(of_line))
        assert of_line
        assert SAMPLE_NAMES[line.data] in REAL
        assert line.measure in MEASURES
        assert (line.algorithm == "base") == (line.penalty is None)


def test_paper_cases():
    assert len(paper_cases()) == 10
    assert paper_cases()[0] == Case("covtype", "scoring", 0.95, 0.0)
    assert Case("gpu", "normalized", 0.99, 0.5) in paper_cases()


def test_layers_and_segments_are_of_cases_in_the_table_of_results():
    assert len(paper_layers()) == 13
    assert len(paper_segments()) == 10
    assert {layer.case for layer in paper_layers()} <= set(paper_cases())
    assert {segment.case for segment in paper_segments()} <= set(paper_cases())
    first = paper_layers()[0]
    assert (first.layer, first.gamma, first.delta) == (1, "0.644", "0.00002")
    assert sum(s.n for s in paper_segments() if s.variable == "KWG") == 40_000
    assert set(VARIABLES) == {s.variable for s in paper_segments() if s.case.data == "covtype"}
