"""Verdicts on rules as JUnit XML, which systems of continuous integration show."""

from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree as ET

from evencover.core.messages import one_line
from evencover.core.report.result import GateOutcome

_NO_XML = {0xFFFE: r"\ufffe", 0xFFFF: r"\uffff"}
"""What XML cannot hold, beside control characters."""


class Told(NamedTuple):
    """A rule, what became of it, and one line that says so."""

    rule: str
    outcome: GateOutcome
    sentence: str


def to_junit(suite: str, rules: Iterable[Told], *, allow_unsure: bool) -> str:
    """Return a suite with a test for each rule, by the same measure as an exit status.

    Where a rule on which too few rows can say fails a pipeline it is an error, which is shown in
    red, apart from failures; where it is let pass it is skipped.
    """
    kinds = {"kept": "system-out", "broken": "failure"}
    kinds["unsure"] = "skipped" if allow_unsure else "error"
    rules = [*rules]
    found = [kinds[each.outcome] for each in rules]
    plural = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {many: str(found.count(one)) for many, one in plural.items()}
    root, name = ET.Element("testsuites"), _text(suite)
    about = {"name": name, "tests": str(len(rules)), **counts}
    tests = ET.SubElement(root, "testsuite", about)
    for (rule, outcome, sentence), kind in zip(rules, found, strict=True):
        test = ET.SubElement(tests, "testcase", classname=name, name=_text(rule))
        about = {} if outcome == "kept" else {"message": _text(sentence), "type": outcome}
        ET.SubElement(test, kind, about).text = _text(sentence)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode") + "\n"


def _text(text: str) -> str:
    return one_line(text).translate(_NO_XML)
