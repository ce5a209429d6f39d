"""The verdict's sentences, worked out by hand."""

from dataclasses import replace

import pytest
from rows import segment_row

from evencover.core.findings.result import AuditResult
from evencover.dashboard.wording.verdict import verdict

CALM = (0.9, 0.85, 0.95)
NAN = float("nan")

LOOKS = (
    "; allowing for so many looks, {} and {} of them differ from the overall coverage (q up to "
    "0.05)."
)
NONE = LOOKS.format(0, 0)
LARGEST = "Largest shortfall or excess, counted in rows,"


def segment(variable, value, n, before=CALM, after=CALM):
    """A segment with, before and after, the accuracy and the ends of its interval."""
    (a, low, high), (b, low_after, high_after) = before, after
    return segment_row(variable, value, n, a, b, low, high, low_after, high_after)


LOW, HIGH = (0.8, 0.75, 0.85), (0.98, 0.96, 0.99)
KENT = segment("county", "Kent", 1500, LOW, (0.85, 0.82, 0.88))  # 150 rows before, 75 after
DEVON = segment("county", "Devon", 200, HIGH)  # 16 rows before, none after
ESSEX = segment("county", "Essex", 900, CALM, HIGH)  # none before, 72 rows after
OLD = segment("age", "old", 100, LOW, LOW)  # 10 rows before and after
YOUNG = segment("age", "young", 400, CALM, LOW)  # none before, 40 rows after
EMPTY = segment("county", "Rutland", 0, (NAN, NAN, NAN), (NAN, NAN, NAN))


def said(*segments, total=20, cl=0.9, audit_only=()):
    """The verdict on these segments, among so many with test rows and one without."""
    with_rows = sum(row.n > 0 for row in segments)
    calm = [segment("x", str(number), 50) for number in range(total - with_rows)]
    settings = {"cl": cl, "audit_only": list(audit_only)}
    return verdict(
        AuditResult(settings, None, [], [], [], [*segments, *calm, EMPTY], None, None, [])
    )


def test_nothing_is_off():
    assert said() == (
        "The 95 % interval of coverage excludes 90 % in **0 of 20 segments before, 0 after** IFACM "
        f"(by chance alone in about 1){NONE}"
    )


def test_those_that_are_more_than_one_look_of_many_are_counted():
    segments = [
        replace(OLD, q_value_base=0.05, q_value_adjusted=0.051),
        replace(KENT, q_value_base=0.001, q_value_adjusted=0.0),
        replace(YOUNG, q_value_base=0.0, q_value_adjusted=0.2),  # not off before
    ]
    assert LOOKS.format(2, 1) in said(*segments)


def test_segments_off_before_alone():
    assert said(DEVON, total=41) == (
        "The 95 % interval of coverage excludes 90 % in **1 of 41 segments before, 0 after** IFACM "
        f"(by chance alone in about 2){NONE} {LARGEST} before: **county = Devon** "
        "(200 test rows), 98.0 % before and 90.0 % after."
    )


def test_the_same_segment_before_and_after():
    assert said(OLD, DEVON, KENT) == (
        "The 95 % interval of coverage excludes 90 % in **3 of 20 segments before, 2 after** IFACM "
        f"(by chance alone in about 1){NONE} {LARGEST} before: **county = Kent** "
        "(1,500 test rows), 80.0 % before and 85.0 % after. After it is largest there, too."
    )


def test_another_segment_after():
    assert said(DEVON, OLD, ESSEX) == (
        "The 95 % interval of coverage excludes 90 % in **2 of 20 segments before, 2 after** IFACM "
        f"(by chance alone in about 1){NONE} {LARGEST} before: **county = Devon** "
        f"(200 test rows), 98.0 % before and 90.0 % after. {LARGEST} after: "
        "**county = Essex** (900 test rows), 90.0 % before and 98.0 % after."
    )


def test_segments_off_after_alone():
    assert said(ESSEX) == (
        "The 95 % interval of coverage excludes 90 % in **0 of 20 segments before, 1 after** IFACM "
        f"(by chance alone in about 1){NONE} {LARGEST} after: **county = Essex** "
        "(900 test rows), 90.0 % before and 98.0 % after."
    )


def test_of_audit_only_columns_the_one_with_most_rows_concerned_after_is_told():
    told = said(OLD, KENT, YOUNG, audit_only=["age"])
    assert told.startswith(
        "The 95 % interval of coverage excludes 90 % in **2 of 20 segments before, 3 after** IFACM"
    )
    assert told.endswith(
        "After it is largest there, too. Of the audit-only columns: "
        "**age = young** (400 test rows), 90.0 % before and 80.0 % after."
    )


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
    assert said(*segments, audit_only=audit_only) == said(*segments)


def test_an_audit_only_column_named_before_is_not_repeated_for_after():
    # most rows concerned: OLD before, ESSEX after; OLD is still off
    told = said(OLD, ESSEX, audit_only=["age"])
    assert "audit-only" not in told
    assert told.count("age = old") == 1


def test_an_audit_only_column_off_before_alone_has_no_sentence():
    mended = segment("age", "mid", 300, LOW)
    assert "audit-only" not in said(KENT, mended, audit_only=["age"])


@pytest.mark.parametrize(("level", "shown"), [(0.95, "95 %"), (0.999, "99.9 %"), (0.8, "80 %")])
def test_the_level_is_told_in_percent(level, shown):
    assert said(cl=level).startswith(f"The 95 % interval of coverage excludes {shown} in ")


def test_names_and_values_are_escaped():
    odd = segment("*a*", "$b$ <i>", 200, LOW)
    assert r'**\*a\* = "\$b\$ \<i\>"** (200 test rows)' in said(odd)
