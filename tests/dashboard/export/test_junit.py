"""Verdicts on rules as JUnit XML."""

from xml.etree import ElementTree as ET

import pytest

from evencover.dashboard.export.junit import Told, to_junit

RULES = [
    Told("coverage < 0.8", "kept", "'coverage < 0.8': kept; coverage is 90.1 %"),
    Told("gap(sex) > 0.05", "broken", "'gap(sex) > 0.05': broken"),
    Told("width > 10", "broken", "'width > 10': broken"),
    Told("dcv > 0.1", "unsure", "'dcv > 0.1': too few rows"),
]


def suite_of(text):
    root = ET.fromstring(text)  # noqa: S314 - our own
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert all(each.tag == "testcase" for each in suite)
    return suite


@pytest.mark.parametrize(
    ("allow_unsure", "kind", "errors", "skipped"),
    [(False, "error", "1", "0"), (True, "skipped", "0", "1")],
)
def test_each_rule_is_a_test_by_the_measure_of_the_exit_status(allow_unsure, kind, errors, skipped):
    suite = suite_of(to_junit("night", RULES, allow_unsure=allow_unsure))
    assert suite.attrib == {
        "name": "night",
        "tests": "4",
        "failures": "2",
        "errors": errors,
        "skipped": skipped,
    }
    assert [test.get("name") for test in suite] == [each.rule for each in RULES]
    found = [[(one.tag, one.get("message"), one.get("type"), one.text) for one in t] for t in suite]
    said = [each.sentence for each in RULES]
    assert found == [
        [("system-out", None, None, said[0])],
        [("failure", said[1], "broken", said[1])],
        [("failure", said[2], "broken", said[2])],
        [(kind, said[3], "unsure", said[3])],
    ]


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ('<a href="&x;">]]>', '<a href="&x;">]]>'),
        ("a\nb\x00\x1b[31m\x9b\x7f", "a b␀␛[31m\\x9b␡"),
        ("\ufffe\uffff\ud800", r"\ufffe\uffff\ud800"),
        ("Ä 語 🏠 'q'", "Ä 語 🏠 'q'"),
    ],
)
def test_names_may_hold_anything(hostile, shown):
    text = to_junit(hostile, [Told(hostile, "broken", hostile)], allow_unsure=False)
    (test,) = suite = suite_of(text.encode())
    assert (suite.get("name"), test.get("name"), test.get("classname")) == (shown,) * 3
    assert (test[0].get("message"), test[0].text) == (shown, shown)


def test_without_rules_it_is_a_suite_of_none():
    assert suite_of(to_junit("none", [], allow_unsure=False)).get("tests") == "0"
