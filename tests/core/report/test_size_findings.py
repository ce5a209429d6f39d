"""What is said of the sizes that an adjustment gives the sets of protected groups."""

import numpy as np
import pandas as pd
import pytest

from evencover.core import AuditSettings, audit, judge
from evencover.core.report.size_findings import size_findings
from evencover.core.segments.group_sizes import SizeChange


def audited(errors, **options):
    """Audit one width for all, and one for each sex; F has errors so many times as large."""
    rng, n = np.random.default_rng(4), 1500
    sex, x = rng.choice(["F", "M"], n), rng.normal(size=n)
    y = x + rng.normal(size=n) * np.where(sex == "F", errors, 1.0)
    settings = {"measure": "standard", "remedies": ("mondrian:sex",), "audit_only": ("sex",)}
    settings |= {"target": "y", "use_protected": True} | options
    return audit(pd.DataFrame({"x": x, "sex": sex, "y": y}), AuditSettings(**settings))


def sizes_told(result):
    return [finding for finding in result.findings if finding.kind.startswith("sizes")]


def test_sets_that_become_more_unequal_are_a_problem_of_the_headline():
    result = audited(3.0)
    (finding,) = sizes_told(result)
    before, after = (result.test_rows.sets[name].sizes for name in result.names)
    inside = (result.test_rows.table.frame["sex"] == "F").to_numpy()
    f, m = (after[rows].mean() / before[rows].mean() for rows in (inside, ~inside))
    figures = finding.figures
    assert (finding.kind, finding.topic, finding.severity) == ("sizes-uneven", "remedy", "problem")
    assert (figures["column"], figures["group"], figures["other"]) == ("sex", "F", "M")
    assert figures["ratio_before"] == pytest.approx([1.0] * 3)
    assert figures["ratio_after"] == pytest.approx([f / m] * 3)  # widths of a group are all one
    assert finding.sentence.startswith(
        "By sex the adjustment (Mondrian by sex) makes intervals clearly more unequal "
        f"in size: those of 'F' become {100 * (f - 1):.1f} % wider ({100 * (f - 1):+.1f} to "
    )
    assert f"'M' become {100 * (1 - m):.1f} % narrower" in finding.sentence
    assert finding.who.group == ("sex", "F")
    assert any(finding.sentence in paragraph for paragraph in result.headline)
    (gate,) = judge(result, ["mondrian:sex.size-ratio(sex) > 1.1"])
    assert [gate.value, gate.low, gate.high] == pytest.approx(figures["ratio_after"])


def test_sets_that_stay_as_they_are_are_told_without_a_claim(monkeypatch):
    result = audited(1.0, seed=2)
    (finding,) = sizes_told(result)
    assert (finding.kind, finding.topic, finding.severity) == ("sizes", "groups", "neutral")
    assert "not clearly more unequal" in finding.sentence
    made = SizeChange(
        "sex", "F", "M", (1.0003, 1.0002, 1.0004), (0.9,) * 3, (1.0,) * 3, (1.1,) * 3, 1
    )
    monkeypatch.setattr("evencover.core.report.size_findings.size_change", lambda *_: made)
    (finding,) = size_findings(result)
    assert "those of 'F' stay as they are, those of 'M' become 10.0 % narrower" in finding.sentence


@pytest.mark.long
def test_nothing_is_told_without_such_a_column_or_adjustment():
    assert not sizes_told(audited(3.0, remedies=("none",)))
    assert not sizes_told(audited(3.0, audit_only=(), drop=("sex",), remedies=("quantile",)))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        # 38 calibration rows, some 19 of each sex, of which 9 are needed
        ({"split": "0.4,0.025,0.575"}, "times the smallest"),
        ({"split": "0.4,0.01,0.59"}, "those of 'F' become infinite, those of 'M' become infinite"),
        ({"remedies": ("two-sided",), "below": 0.0}, "the means have no finite ratio, where the"),
    ],
)
@pytest.mark.long
def test_sizes_without_bound_are_told_as_that(options, told):
    (finding,) = sizes_told(audited(1.5, **options))
    assert told in finding.sentence
    assert not {"inf", "nan"} & {*finding.sentence.replace("(", " ").split()}


def test_by_the_column_of_the_group_named_sizes_are_told_and_are_no_harm():
    rng, n = np.random.default_rng(4), 1500
    zone, x = rng.choice(["F", "M"], n), rng.normal(size=n)
    y = x + rng.normal(size=n) * np.where(zone == "F", 3.0, 1.0)
    asked = AuditSettings(target="y", measure="standard", remedies=("mondrian:zone",))
    result = audit(pd.DataFrame({"x": x, "zone": zone, "y": y}), asked)
    (finding,) = sizes_told(result)
    assert (finding.kind, finding.severity, finding.figures["column"]) == (
        "sizes",
        "neutral",
        "zone",
    )
    assert finding.figures["is_uneven"]
    assert not any(finding.sentence in paragraph for paragraph in result.headline)
