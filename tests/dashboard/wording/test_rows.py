"""Which rows of a result are shown where, and what they are called."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from reading import Reading
from rows import segment_pair

from evencover.core import AuditSettings, audit
from evencover.core.messages import Sentence
from evencover.dashboard.export.report import to_html
from evencover.dashboard.export.terminal_summary import to_text
from evencover.dashboard.pages.filter import Filter, LookedAt
from evencover.dashboard.wording import rows as wording
from evencover.dashboard.wording.figure_words import gap_in_words, watched_gaps
from evencover.dashboard.wording.formatting import of_names

BOTH = of_names(["base", "ifacm"])
SITES = 25
BAD = "s07"


@pytest.fixture(scope="module")
def sites():
    """Sites that the model may not see, the labels of one of them far noisier, and ages."""
    rng = np.random.default_rng(3)
    rows = SITES * 200
    site = np.repeat([f"s{i:02d}" for i in range(SITES)], 200)
    noise = rng.normal(size=rows) * np.where(site == BAD, 4.0, 1.0)
    x = rng.normal(size=rows)
    frame = pd.DataFrame({"x": x, "age": rng.integers(20, 80, rows), "site": site, "y": x + noise})
    asked = AuditSettings(target="y", measure="standard", audit_only=("site",), remedies=("ifacm",))
    return audit(frame.sample(frac=1.0, random_state=0, ignore_index=True), asked)


def test_notes_on_a_remedy_are_its_own(sites):
    names = ["ifacm-floor", "ifacm-smooth"]
    notes = [Sentence("any", "{remedy} ended.", remedy=name) for name in names]
    noted = replace(sites, notes=[*sites.notes, *notes])
    for name in names:
        assert wording.notes_on(noted, name) == f"{name} ended."
    assert wording.notes_on(noted, "quantile") == ""


def test_categories_come_by_what_is_missed_and_bands_of_a_number_in_their_order(sites):
    # audit-only columns first, then what may be protected
    assert list(wording.watched(sites)) == ["site", "age"]
    spared = replace(sites, settings=sites.settings | {"not_protected": ["age"]})
    assert list(wording.watched(spared)) == ["site"]
    assert {one.value for one in wording.watched(sites)["site"]} == set(
        sites.test_rows.table.frame["site"]
    )
    assert wording.watched(sites)["site"][0].value == BAD
    of_site, of_age = wording.watched(sites)["site"], wording.watched(sites)["age"]
    missed = [one.n * (0.9 - one.first.accuracy) for one in of_site]
    assert len(missed) == SITES > wording.SEGMENTS_SHOWN
    assert missed == sorted(missed, reverse=True)
    # bands from the lowest to the highest, though others miss more
    starts = [float(one.value.split()[1 if one.value[0] in "<>" else 0]) for one in of_age]
    assert starts == sorted(starts)
    assert len(of_age) > 2
    missed = [one.n * (0.9 - one.first.accuracy) for one in of_age]
    assert missed != sorted(missed, reverse=True)
    # of bands that are too many the worst, in their order, and the others behind them
    worst = sorted(sorted(range(len(missed)), key=lambda i: -missed[i])[:2])
    two = wording.in_order(of_age, sites, most=2)
    assert two[:2] == [of_age[place] for place in worst]
    assert len(two) == len(of_age)


def test_what_is_not_clearly_low_is_not_called_fine(sites):
    data = [one.status for one in wording.segments(sites)]
    assert "fine" in data
    page, text = Reading(to_html(sites)), to_text(sites)
    shown = [row["status"] for row in page.rows("segments")]
    assert shown.count(wording.NOT_LOW) == data.count("fine")
    assert "fine" not in {*shown, *text.split()}


def test_the_largest_gap_is_told_in_points_with_its_interval(sites):
    told = watched_gaps(sites)["site"]
    base, after = (
        next(row for row in sites.of(sites.gaps, name) if row.variable == "site")
        for name in ("base", "ifacm")
    )
    assert base.gap_segment == after.gap_segment == BAD
    assert base.lowest_segment == after.lowest_segment == BAD
    one, two = (
        f"{100 * row.gap:+.1f} points {when} (95 % interval {100 * row.gap_low:+.1f} to "
        f"{100 * row.gap_high:+.1f})"
        for row, when in ((base, "before"), (after, "after"))
    )
    lowest = f"{100 * base.lowest:.1f} % before, {100 * after.lowest:.1f} % after"
    assert told == (
        f'lowest "{BAD}" {lowest}; largest of 24 gaps to "{base.reference}": "{BAD}" {one}, {two}'
    )
    assert f"\nsite: {told}\n" in to_text(sites)


def test_another_group_after_and_groups_too_small_are_told(sites):
    row = sites.gaps[0]
    gap = {
        by.name: replace(
            row,
            reference="a",
            left_out=3,
            lowest_segment=group,
            lowest=0.9 + size,
            gap_segment=group,
            gap=size,
            gap_low=size - 0.05,
            gap_high=0.0,
        )
        for by, group, size in zip(BOTH, ("< 4", "c"), (-0.2, -0.1), strict=True)
    }
    assert gap_in_words(gap, BOTH) == (
        'lowest "< 4" 70.0 % before; "c" 80.0 % after; largest of 3 gaps to "a": "< 4" -20.0 '
        'points before (95 % interval -25.0 to +0.0); "c" -10.0 points after (95 % interval '
        "-15.0 to +0.0); too small to compare: 3"
    )
    long_name = gap | {"base": replace(gap["base"], reference="v" * 300)}
    assert f'"{"v" * 99}…": "< 4"' in gap_in_words(long_name, BOTH)
    none = gap | {"base": replace(gap["base"], gap_segment=None)}
    assert gap_in_words(none, BOTH) == "too few groups of 20 test rows or more to compare"


def test_the_report_has_these_charts_and_the_advice_apart(sites):
    page = Reading(to_html(sites))
    one, two = page.charts["watched-1"], page.charts["watched-2"]
    ticks = one["layout"]["yaxis"]["ticktext"]
    assert len(ticks) == wording.SEGMENTS_SHOWN
    worst = wording.watched(sites)["site"][0]
    assert ticks[0].startswith(f"{BAD}<br>")
    assert f"n = {worst.n}, <b>{worst.status}</b>" in ticks[0]
    assert [tick for tick in ticks if worst.status in tick] == ticks[:1]
    assert len(two["data"][0]["x"]) == len(wording.watched(sites)["age"])
    for name, gap in watched_gaps(sites).items():
        assert f"{name}: {gap}" in page.texts["watched"]
    assert "The other variable with the largest shortfall" in page.texts["segments"]
    assert page.texts["steps"].startswith("What now? ")
    assert page.rows("too_low")[0]["group"] == f"site = {BAD}"
    assert page.rows("segments")[0]["segment"] == BAD


def test_what_is_not_judged_or_of_too_few_rows_has_no_status_and_a_remark(sites):
    looks = LookedAt.of(sites, (("young", "age < 30"),), Filter()).result
    rows = {one.first.group: one for one in wording.segments(looks)}
    look = rows["cohort: young", "inside"]
    assert (look.status, look.fields["remark"], look.group) == (
        None,
        wording.LOOK,
        "cohort: young (a look)",
    )
    label = [one for one in rows.values() if one.variable == "label: y"]
    assert {one.status for one in label} == {None}
    assert all(one.fields["remark"] for one in label)
    assert rows["site", BAD].status in ("better", "mended", "unchanged")
    marks = {row["variable"]: row["remark"] for row in wording.gaps(looks)}
    assert marks["cohort: young"] == wording.LOOK
    assert [name for name, mark in marks.items() if mark] == ["cohort: young"]
    few = segment_pair("site", "tiny", 5, (0.5, 0.1, 0.9), (0.5, 0.1, 0.9), kind="column")
    (row,) = wording.segments(replace(sites, segments=few))
    assert (row.status, row.fields["remark"]) == (None, "too few rows to say")
    dependent = [replace(one, n=406, n_effective=11) for one in few]
    of_few = replace(sites, segments=dependent)
    assert [row.fields["remark"] for row in wording.segments(of_few)] == [
        "too few independent rows to say"
    ]
    single = [replace(one, kind="group") for one in few]
    (row,) = wording.segments(replace(sites, segments=single))
    assert row.fields["remark"] == "a single value: not judged"
