"""Protected and audit-only columns on Findings, and many values on Segments, drawn by AppTest."""

import numpy as np
import pages
import pandas as pd
import pytest
from pages import called, chart, frame_with, give, go, known, labels, run_to_end

from evencover.core import AuditSettings
from evencover.dashboard.options.links import SETTINGS_PARAMETER, pack
from evencover.dashboard.wording import formatting, page_texts
from evencover.dashboard.wording.exploration_texts import watched_gaps
from evencover.dashboard.wording.rows import by_shortfall, watched

SITES = 22
OTHERS = ("u", "v", "w", "z")
VARIABLE = "Variable, those with the most rows missed first"


@pytest.fixture(scope="module")
def finished():
    """A page with a finished run, with five audit-only columns, one of them of many values."""
    rng = np.random.default_rng(5)
    rows = SITES * 130
    site = np.repeat([f"s{i:02d}" for i in range(SITES)], 130)
    noise = rng.normal(size=rows) * np.where(site == "s09", 5.0, 1.0)
    x = rng.normal(size=rows)
    others = {name: rng.choice(["f", "g"], size=rows) for name in OTHERS}
    frame = pd.DataFrame({"x": x, "site": site, **others, "y": x + noise})
    page = pages.open_app()
    give(page, frame.sample(frac=1.0, random_state=0))
    called("Audit only", page.multiselect).set_value(["site", *OTHERS]).run()
    run_to_end(page)
    yield page
    assert not page.exception


def result_of(app):
    return known(app).run.job.snapshot().result


@pytest.mark.long
def test_of_many_columns_one_is_chosen_and_of_many_values_the_worst_are_shown(finished):
    go(finished, pages.FINDINGS)
    result = result_of(finished)
    box = called("Column, audit-only ones first", finished.selectbox)
    assert box.options == ["site", *OTHERS]
    rows = watched(result)["site"]
    assert rows[0].value == "s09"
    drawn = chart(finished, "watched-site")
    for trace, when in zip(drawn["data"], result.names, strict=True):
        assert trace["x"] == [100.0 * one.figures[when].accuracy for one in rows[:20]]
    told = page_texts.MORE_VALUES.format(more=SITES - 20)
    assert told in [caption.value for caption in finished.caption]
    box.set_value("v").run()
    keys = [drawn.proto.id.rpartition("-watched-") for drawn in finished.get("plotly_chart")]
    assert [name for _, found, name in keys if found] == ["v"]
    gap = formatting.plain(watched_gaps(result)["v"])
    assert ("**v**", gap) in [(text.value, text.help) for text in finished.markdown]


def test_the_status_of_the_worst_group_is_beside_it(finished):
    go(finished, pages.FINDINGS)
    shown = frame_with(finished, "group")
    assert shown["group"][0] == "site = s09"
    (status,) = {r.status for r in result_of(finished).too_low("ifacm") if r.value == "s09"}
    assert shown["status"][0] == status
    assert [h.help for h in finished.subheader if h.help.startswith("*Clearly too low*")]


def test_of_many_segments_the_worst_are_shown_and_the_rest_a_click_away(finished):
    go(finished, pages.SEGMENTS)
    called(VARIABLE, finished.selectbox).set_value("site").run()
    result = result_of(finished)
    rows = by_shortfall(watched(result)["site"], result)
    assert chart(finished, "segment-chart")["data"][0]["x"] == [
        100.0 * one.first.accuracy for one in rows[:20]
    ]
    called(f"All {SITES} segments", finished.toggle).set_value(True).run()
    assert chart(finished, "segment-chart")["data"][0]["x"] == [
        100.0 * one.first.accuracy for one in rows
    ]
    called(VARIABLE, finished.selectbox).set_value("v").run()
    assert not [label for label in labels(finished.toggle) if label.startswith("All ")]


def test_looks_of_a_link_stay_looks(few):
    asked = AuditSettings(
        target="y", cohorts=(("one", "x0 > 0"),), looks=(("two", "x0 > 1"),), penalty=0.0
    )
    page = pages.open_app(**{SETTINGS_PARAMETER: pack(asked, "few.csv")})
    pages.upload(page, few, "few.csv")
    assert not page.exception
    assert not page.error
    draft = known(page).draft
    assert (draft.cohorts, draft.looks) == (asked.cohorts, asked.looks)
    told = [text.value for text in page.markdown]
    assert "Cohort **one**: " + formatting.plain("x0 > 0") in told
    assert "Look **two**: " + formatting.plain("x0 > 1") in told
