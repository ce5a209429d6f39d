"""Which groups the result calls too low, in what order, and how it is written as JSON."""

import functools
from dataclasses import replace

import pytest
from rows import PREDICTORS, changed, drift_of, long, result_of, result_row, rule_pair, segment_pair

from evencover.core import Fit, to_json
from evencover.core.experiment.result import Seconds
from evencover.core.report.result import side_by_side

CALM, LOW = (0.9, 0.85, 0.95), (0.8, 0.75, 0.85)
segment = functools.partial(segment_pair, "county")
SEGMENTS = [
    # rows missed: 50 x 0.30 = 15 before, 50 x 0.2 = 10 after
    changed(segment("Bute", 50, [0.6], [0.7]), {"status": "low"}, {"status": "unchanged"}),
    # 100 x 0.05 = 5; 100 x 0.04 = 4
    changed(segment("Devon", 100, [0.85], [0.86]), {"status": "low"}, {"status": "better"}),
    # 1000 x 0.04 = 40; none, though as far above
    changed(segment("Avon", 1000, [0.86], [0.94]), {"status": "low"}, {"status": "mended"}),
    # 2000 x 0.03 = 60; nobody judged it to be low
    segment("Cork", 2000, [0.87], [0.87]),
    # none; 300 x 0.1 = 30
    changed(segment("Essex", 300, [0.9], [0.8]), {"status": "fine"}, {"status": "new"}),
]


def test_groups_too_low_go_by_their_statuses_and_rows_missed():
    result = result_of(long(*SEGMENTS))
    low = {name: [row.value for row in result.too_low(name)] for name in result.names}
    assert low == {"base": ["Avon", "Bute", "Devon"], "ifacm": ["Essex", "Bute", "Devon"]}
    # at 0.95: 50 x 0.35 = 17.5, 100 x 0.1 = 10 and 1000 x 0.09 = 90
    result = result_of(long(*SEGMENTS), settings={"cl": 0.95})
    assert [row.value for row in result.too_low("base")] == ["Avon", "Bute", "Devon"]
    assert result_of().too_low("base") == []


def test_rules_too_low_are_in_the_search_s_order():
    rules = [
        rule_pair(name, 50, LOW, CALM, status=(status, "fine"), rank=rank)
        for name, status, rank in (("a", "low", 3), ("b", "fine", 1), ("c", "low", 2))
    ]
    result = result_of(worst_segments=long(*rules))
    assert [row.rule for row in result.rules_too_low("base")] == ["c", "a"]
    assert result.rules_too_low("ifacm") == []


def test_segments_that_are_judged_are_those_of_objects_with_rows_enough():
    kinds = [
        segment(kind, 20, LOW, CALM, kind=kind)
        for kind in ("column", "group", "pair", "cohort", "label", "look")
    ]
    few, outside = segment("few", 19, LOW, CALM), segment("outside", 99, LOW, CALM, kind="cohort")
    result = result_of(long(*kinds, few, outside))
    judged = [row.value for row in result.object_segments("base")]
    assert judged == ["column", "pair", "cohort"]


def test_coverage_is_that_of_all_rows_beside_what_chance_explains():
    rows = [result_row(name, accuracy=share) for name, share in (("base", 0.91), ("ifacm", 0.86))]
    result = result_of(rows=rows, drift=drift_of(0.91, 0.87, 0.93, n=400))
    found = result.coverage("ifacm")
    assert (found.level, found.share, found.effective) == (0.9, 0.86, 400)
    assert (found.least, found.most, found.is_low) == (0.87, 0.93, True)
    assert not result.coverage("base").is_low


def test_figures_are_found_by_name():
    result = result_of()
    assert (result.names, result.reference) == (["base", "ifacm"], "base")
    assert result.row("test", "ifacm").predictor == "ifacm"
    assert result.change("ifacm").group == ("(all)", "(all)")
    assert result.comparison("ifacm").predictor == "ifacm"
    for find, *missing in (
        (result.row, "training", "base"),
        (result.row, "test", "other"),
        (result.change, "ifacm", ("a", "b")),
        (result.comparison, "base"),
    ):
        with pytest.raises(KeyError):
            find(*missing)


def test_the_layers_are_those_of_the_first_predictor_that_has_any():
    result = result_of()
    assert list(result.iterations) == []
    base, ifacm = result.predictors
    with_layers = [replace(ifacm, fit=Fit(layers=layers)) for layers in ([1, 2], [3])]
    layered = replace(result, predictors=[base, *with_layers])
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


def test_a_segment_s_status_is_what_became_of_it_by_the_first_adjustment():
    statuses = [row["status"] for row in to_json(result_of(long(*SEGMENTS)))["segments"]]
    assert statuses == ["unchanged", "better", "mended", None, "new"]
    alone = result_of([pair[0] for pair in SEGMENTS], predictors=PREDICTORS[:1])
    assert [row["status"] for row in to_json(alone)["segments"]] == [*["low"] * 3, None, "fine"]
