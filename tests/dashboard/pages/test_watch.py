"""The page Watch, drawn by AppTest, of a predictor that says x, give or take 1."""

import json

import numpy as np
import pages
import pandas as pd
import pytest
import watched
from pages import called, choose, give, go, known, labels, press, run_to_end

from evencover.core.scoring import SavedPredictor
from evencover.core.watching.report import to_json
from evencover.core.watching.state import WatchState
from evencover.dashboard.pages.heading import DATA, PREDICT, WATCH
from evencover.dashboard.wording import page_texts

ADD = "Add these rows"


@pytest.fixture
def watching(app):
    """The page with the predictor uploaded."""
    go(app, WATCH)
    send(app, "Saved predictor", "own.evencover", watched.predictor().to_bytes())
    return app


def send(app, label, name, content):
    with pages.reading_here():
        called(label, app.file_uploader).set_value((name, content, "text/csv")).run()
        wait(app)


def wait(app):
    for each in known(app).watches.values():
        if each.work is not None:
            each.work.wait(pages.PATIENCE)
            app.run()


def add(app, rows, name="rows.csv", **columns):
    """Upload rows, choose columns, and have them added."""
    send(app, "Newer rows", name, pages.content_of(rows))
    for what, column in columns.items():
        called(f"Column of {what}s", app.selectbox).set_value(column).run()
    with pages.reading_here():
        press(app, ADD)
        wait(app)


def said(app):
    (box,) = (*app.info, *app.error)  # red where there is an alarm
    return box.value.replace("\\", "").split("\n\n")


def held(rows):
    return float((np.abs(rows["y"] - rows["x"]) <= 1.0).mean())


def state_of(app):
    (each,) = known(app).watches.values()
    return each.state


def test_before_any_rows_it_tells_which_fall_can_be_seen(watching):
    (told,) = said(watching)
    assert told.startswith("**")
    assert "a fall of" in told
    groups = pages.frame_with(watching, "visible")
    assert groups["name"].tolist()[0] == "sex = F"
    assert groups["share_before"].tolist()[0] == 0.9
    assert "evidence" not in groups
    assert ADD not in labels(watching.button)


def test_without_a_predictor_it_says_where_one_comes_from(app):
    go(app, WATCH)
    assert [info.value for info in app.info] == [page_texts.NO_PREDICTOR]


def test_a_predictor_that_keeps_no_reference_is_refused_in_a_sentence(app):
    go(app, WATCH)
    old = watched.predictor()
    object.__setattr__(old, "reference", None)
    send(app, "Saved predictor", "old.evencover", old.to_bytes())
    (error,) = app.error
    assert error.value.startswith("'Own' was saved without")
    assert labels(app.file_uploader) == ["Saved predictor"]


@pytest.mark.long
def test_rows_as_before_move_nothing_and_are_counted_once(watching):
    rows = watched.rows(600)
    add(watching, rows, key="id")
    assert called("Column of times", watching.selectbox).value == "day"  # the one of dates
    first, second, *others = said(watching)
    assert first == "What came: 600 added."
    assert second.startswith(f"Sets held {100 * held(rows):.1f} % of 600 rows with labels")
    assert others[0].startswith("**Coverage has not moved")
    groups = pages.frame_with(watching, "share")
    assert groups["share"].tolist() == [held(rows[rows["sex"] == "F"])]
    assert groups["n"].tolist() == [(rows["sex"] == "F").sum()]
    assert groups["alarm"].tolist() == ["no alarm"]
    with pages.reading_here():
        press(watching, ADD)
        wait(watching)
    assert said(watching)[0] == "What came: 600 counted already."
    assert said(watching)[1:] == [second, *others]


@pytest.mark.long
def test_a_fall_is_told_with_its_group_and_drawn_by_day(watching):
    good, bad = watched.rows(600), watched.rows(600, seed=1, spread=1.0)
    bad["day"] += pd.Timedelta(60, "D")
    bad["x"] += 3.0
    every = pd.concat([good, bad])
    add(watching, every, key="id")
    told = said(watching)
    assert "**Coverage has fallen: sets held" in told[2]
    assert "since 2026-03-0" in told[2]
    assert any("The rows themselves have changed, in x (since 2026-03-02)" in one for one in told)
    assert any(one.startswith("**Recalibrated on") for one in [m.value for m in watching.markdown])
    assert any(one.startswith("**For sex = F coverage has fallen") for one in told)
    chart = pages.chart(watching, "over-time")
    low, high, line = chart["data"]
    assert line["x"] == ["2026-01", "2026-02", "2026-03", "2026-04"]  # of so many days months
    assert line["y"][2] == pytest.approx(100.0 * held(every[every["day"].dt.month == 3]))
    assert low["x"] == high["x"] == line["x"]
    assert low["y"][2] > line["y"][2]
    for shown in (one.value for one in watching.dataframe):
        assert shown["alarm"].tolist() == ["alarm"]
        assert "2026-02-28" <= shown["since"][0] <= "2026-03-06"


@pytest.mark.long
def test_labels_may_come_later_by_keys_alone(watching):
    rows = watched.rows(200)
    add(watching, rows.drop(columns="y"), "early.csv", key="id")
    assert said(watching)[0] == "What came: 200 added, 200 without a label."
    assert "No row has come with its label yet" in said(watching)[1]
    add(watching, rows[["id", "y"]].sample(frac=1.0, random_state=0), "late.csv", key="id")
    assert called("Column of keys", watching.selectbox).value == "id"
    assert any(f"{100 * held(rows):.1f} % of 200 rows" in one for one in said(watching))
    assert state_of(watching).waiting == {}


@pytest.mark.long
def test_a_state_is_gone_on_from_in_another_session(watching):
    rows = watched.rows(400)
    add(watching, rows.head(250), "one.csv", key="id")
    kept = state_of(watching).to_json()
    other = pages.open_app()
    go(other, WATCH)
    send(other, "Saved predictor", "own.evencover", watched.predictor().to_bytes())
    assert other.session_state["evencover"].watches.keys() == known(watching).watches.keys()
    assert state_of(other).keys.size == 0  # nothing is shared
    send(other, "State of last time, if any", "watch.json", kept.encode())
    assert "of 250 rows with labels" in said(other)[0]
    add(other, rows, "all.csv", key="id")
    assert said(other)[0] == "What came: 150 added, 250 counted already."
    add(watching, rows.tail(150), "two.csv", key="id")
    assert state_of(other).to_json() == state_of(watching).to_json()
    go(other, DATA)
    go(other, WATCH)
    assert "of 400 rows with labels" in said(other)[1]
    assert not other.exception


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{}", "'watch.json' is no state of a watch"),
        (WatchState("0" * 64).to_json().encode(), "the state is of another predictor"),
    ],
)
def test_what_is_no_state_of_it_is_refused(watching, content, sentence):
    send(watching, "State of last time, if any", "watch.json", content)
    (error,) = watching.error
    assert error.value.replace("\\", "").startswith(sentence)


@pytest.mark.long
def test_rows_that_do_not_fit_are_refused_and_counts_stay(watching):
    rows = watched.rows(50)
    add(watching, rows, key="id")
    before = state_of(watching).to_json()
    add(watching, rows.assign(id=None), "odd.csv", key="id")
    (error,) = watching.error
    assert "has no key in row 1" in error.value
    assert state_of(watching).to_json() == before
    add(watching, rows.assign(x="tall"), "odd.csv", key="id")
    (error,) = watching.error
    assert "tall" in error.value
    assert state_of(watching).to_json() == before


@pytest.mark.long
def test_a_predictor_of_the_run_is_watched(app, few):
    give(app, few)
    choose(app, {"penalty": 0.0, "remedies": ("ifacm",)})
    run_to_end(app)
    go(app, WATCH)
    add(app, few.head(40))
    assert said(app)[0] == "What came: 40 added."
    for title in ("after (IFACM)", "before (base)"):  # each is watched by itself
        with pages.reading_here():
            called("Predictor", app.selectbox).set_value(title).run()
            wait(app)
        assert "a fall" in said(app)[0] or title.startswith("before")
    assert said(app)[0] == "What came: 40 added."
    with pages.reading_here():
        press(app, ADD)
        wait(app)
    (error,) = app.error
    assert "counted already" in error.value
    assert isinstance(known(app).run.job.snapshot().result.saved["base"], SavedPredictor)
    go(app, PREDICT)
    assert "Predict this row" in labels(app.button)


def test_a_report_is_there_to_be_kept(watching):
    add(watching, watched.rows(30), key="id")
    (each,) = known(watching).watches.values()
    text = json.dumps(to_json(each.report), allow_nan=False)
    assert json.loads(text)["n"] == 30
    buttons = labels(watching.get("download_button"))
    assert buttons == ["Download state", "Download report", "Download metrics"]
