"""Which segments the result calls failing, and in what order."""

import math
from dataclasses import replace

import pytest
from rows import long, result_of, rule_pair, segment_pair

from evencover.core.findings.result import Seconds
from evencover.core.findings.result_json import side_by_side, to_json

NAN = math.nan
CALM, LOW = (0.9, 0.85, 0.95), (0.8, 0.75, 0.85)


def segment(value, n, base, after):
    """A segment with, before and after, the accuracy and the ends of its interval."""
    return segment_pair("county", value, n, base, after)


SEGMENTS = [
    # rows concerned: 50 x 0.30 = 15 before, 50 x 0.08 = 4 after
    segment("Bute", 50, (0.60, 0.46, 0.72), (0.98, 0.95, 0.99)),
    # 100 x 0.05 = 5 before, but the interval holds 0.9; 100 x 0.10 = 10 after
    segment("Devon", 100, (0.85, 0.77, 0.91), (0.80, 0.71, 0.87)),
    # 1000 x 0.04 = 40 before; none after
    segment("Avon", 1000, (0.86, 0.84, 0.88), (0.90, 0.88, 0.92)),
    # 2000 x 0.03 = 60 before, too many rather than too few; 2000 x 0.02 = 40 after
    segment("Cork", 2000, (0.93, 0.92, 0.94), (0.88, 0.865, 0.895)),
    # intervals that end at the level hold it
    segment("Essex", 9000, (0.89, 0.88, 0.90), (0.91, 0.90, 0.92)),
    segment("Fife", 0, (NAN, NAN, NAN), (NAN, NAN, NAN)),
]


def failing(name="base", cl=0.9, segments=SEGMENTS):
    result = result_of(long(*segments), settings={"cl": cl})
    return [row.value for row in result.failing_segments(name)]


def test_most_rows_concerned_before_come_first():
    assert failing() == ["Cork", "Avon", "Bute"]


def test_most_rows_concerned_after_come_first():
    assert failing("ifacm") == ["Cork", "Devon", "Bute"]


def test_the_order_is_by_rows_and_not_by_distance():
    far = segment("far", 10, (0.3, 0.1, 0.6), (0.9, 0.8, 1.0))  # 10 x 0.6 = 6
    near = segment("near", 400, (0.84, 0.80, 0.87), (0.9, 0.8, 1.0))  # 400 x 0.06 = 24
    assert failing(segments=[far, near]) == ["near", "far"]


def test_the_level_decides():
    # at 0.85 Devon lies on the level; 50 x 0.25 = 12.5, 2000 x 0.08 = 160, 9000 x 0.04 = 360
    assert failing(cl=0.85) == ["Essex", "Cork", "Bute"]


def test_no_segments_are_none_that_fail():
    assert failing(segments=[]) == failing("ifacm", segments=[]) == []


def test_figures_are_found_by_subset_and_predictor():
    result = result_of()
    assert (result.names, result.reference) == (["base", "ifacm"], "base")
    assert result.row("test", "ifacm").predictor == "ifacm"
    for subset, name in (("training", "base"), ("test", "other")):
        with pytest.raises(KeyError, match=f"'{subset}', '{name}'"):
            result.row(subset, name)


def test_the_layers_are_those_of_the_first_predictor_that_has_any():
    assert list(result_of().iterations) == []
    layered = replace(result_of(), layers={"base": [], "ifacm": [1, 2], "other": [3]})
    assert layered.iterations == [1, 2]


def test_predictors_stand_side_by_side_in_json():
    pairs = [segment("Bute", 50, LOW, CALM), segment("Avon", 100, CALM, LOW)]
    thirds = [replace(pair[0], predictor="other", accuracy=0.5) for pair in pairs]
    bute, avon = side_by_side([*long(*pairs), *thirds[:1]], ["base", "ifacm", "other"])
    assert list(bute)[:4] == ["variable", "value", "n", "accuracy_base"]
    assert (bute["value"], bute["n"], avon["value"]) == ("Bute", 50, "Avon")
    assert (bute["accuracy_base"], bute["accuracy_adjusted"]) == (0.8, 0.9)
    assert (avon["accuracy_base"], avon["accuracy_adjusted"]) == (0.9, 0.8)
    assert bute["accuracy_other"] == 0.5
    assert "accuracy_other" not in avon  # which that predictor has not
    assert not {"predictor", "n_base", "detectable_base", "kind_base"} & bute.keys()


def test_rules_name_whom_they_were_found_for():
    rules = [
        rule_pair(name, 10, CALM, LOW, found_on=found_on)
        for name, found_on in (("a", ("base",)), ("b", ("ifacm",)), ("c", ("base", "ifacm")))
    ]
    plain = to_json(result_of(worst_segments=long(*rules), seconds=Seconds(1.0, {"base": 2.0}, 3)))
    found = {row["rule"]: row["found_on"] for row in plain["worst_segments"]}
    assert found == {"a": "base", "b": "adjusted", "c": "both"}
    assert plain["seconds"] == {"read": 1.0, "base_model": 2.0, "audit": 3, "total": 6.0}
