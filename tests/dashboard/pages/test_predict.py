"""The page Predict, drawn by AppTest."""

import json
import re
from dataclasses import replace

import pages
import pandas as pd
import pytest
from pages import called, choose, give, go, known, labels, press, run_to_end

from evencover.core import InputError, parse_table
from evencover.core.events import ignore, never
from evencover.core.scoring.columns import AsRead
from evencover.core.tables.reading import BOUNDS
from evencover.dashboard.pages.heading import PREDICT
from evencover.dashboard.runs.server_settings import server_settings
from evencover.dashboard.runs.upload import Upload, predict_upload
from evencover.dashboard.wording import page_texts
from evencover.dashboard.wording.formatting import plain

ROW = "Predict this row"


@pytest.fixture(scope="module")
def finished(few):
    """The page with a finished run of the table, at which tests only look."""
    page = pages.open_app()
    give(page, few)
    choose(page, {"penalty": 0.0, "remedies": ("ifacm",)})
    run_to_end(page)
    yield page
    assert not page.exception


@pytest.fixture
def saved(finished):
    return known(finished).run.job.snapshot().result.saved


def send(app, label, name, content):
    with pages.reading_here():
        called(label, app.file_uploader).set_value((name, content, "text/csv")).run()
        if known(app).predicting is not None:
            known(app).predicting.wait(pages.PATIENCE)
            app.run()
    return app


def texts(app):
    return [text.value.replace("\\", "") for text in app.markdown]


def test_without_a_predictor_the_page_says_where_one_comes_from(app):
    go(app, PREDICT)
    assert [info.value for info in app.info] == [page_texts.NO_PREDICTOR]
    send(app, "Saved predictor", "mine.evencover", b"PK\x03\x04")
    (error,) = app.error
    assert error.value.replace("\\", "").startswith("'mine.evencover' cannot be read as a saved")
    assert [info.value for info in app.info] == [page_texts.NO_PREDICTOR]


def test_a_table_comes_back_with_what_the_runs_predictor_says(finished, saved, few):
    go(finished, PREDICT)
    choice = called("Predictor", finished.selectbox)
    assert choice.options == ["before (base)", "after (IFACM)"]
    choice.set_value("after (IFACM)").run()
    rows = few.head(40).assign(new="as it was")
    rows.loc[[2, 5], "x1"] = 99.0
    rows.loc[5, "place"] = "Dover"
    send(finished, "Rows to predict", "rows.csv", pages.content_of(rows))
    line = "rows.csv: 40 rows, 2 with something new to the predictor: "
    (told,) = (text.replace("**", "") for text in texts(finished) if "rows.csv" in text)
    assert told.startswith(line)
    assert {*told.removeprefix(line)[:-1].split(" and ")} == {"x1 (2)", "place (1)"}
    own = saved["ifacm"].predict(rows)
    shown = pages.frame_with(finished, "prediction")
    assert [*shown][:5] == ["prediction", "lower", "upper", "threshold", "new (2)"]
    given, said, _ = known(finished).predicting.snapshot().result
    found = given.join(said)
    assert [*found] == [*rows, *[*shown][:5]]
    for name in ("prediction", "lower", "upper"):
        assert found[name].tolist() == own[name].tolist()
    assert found["new (2)"].tolist() == own["new (2)"].tolist() == [0, 0, 1, 0, 0, 2] + [0] * 34
    assert found["new"].tolist() == ["as it was"] * 40
    assert shown["lower"].tolist() == own["lower"].tolist()[:20]


def test_another_predictor_predicts_the_same_rows(finished, saved, few):
    go(finished, PREDICT)
    send(finished, "Rows to predict", "few.csv", pages.content_of(few.head(3)))
    for title, name in (("before (base)", "base"), ("after (IFACM)", "ifacm")):
        with pages.reading_here():
            called("Predictor", finished.selectbox).set_value(title).run()
            known(finished).predicting.wait(pages.PATIENCE)
            finished.run()
        own = saved[name].predict(few.head(3))
        assert pages.frame_with(finished, "upper")["upper"].tolist() == own["upper"].tolist()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rows_may_be_in_another_format_than_the_table_was(saved, few, kind, tmp_path):
    """Sheet, encoding and line of names are those of the table that it was made of."""
    how = AsRead(encoding="cp1252", sheet="sold")
    by, rows = replace(saved["ifacm"], read=how), few.head(3)
    path = tmp_path / f"rows.{kind}"
    getattr(rows, f"to_{kind}")(path, index=False)
    upload = Upload(path.name, path.read_bytes())
    own, said, _ = predict_upload(upload, BOUNDS, by, on_event=ignore, should_stop=never)
    assert [*own] == [*rows]
    assert said["upper"].tolist() == saved["ifacm"].predict(rows)["upper"].tolist()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"x0,x1\n1,2\n3,4\n", "there is no column 'x2', which the predictor takes; add it"),
        (b"\x89PNG\r\n\x1a\n" * 9, "'odd.csv' "),
    ],
    ids=["lacks a column", "no table"],
)
def test_what_does_not_fit_is_one_sentence(finished, content, sentence):
    go(finished, PREDICT)
    send(finished, "Rows to predict", "odd.csv", content)
    (error,) = finished.error
    assert error.value.replace("\\", "").startswith(sentence)
    assert "Download predictions" not in labels(finished.get("download_button"))


def test_a_table_beyond_the_bounds_is_refused_as_on_data(app, saved, monkeypatch, few):
    monkeypatch.setenv("EVENCOVER_MAX_CELLS", "50")
    go(app, PREDICT)
    send(app, "Saved predictor", "mine.evencover", saved["ifacm"].to_bytes())
    send(app, "Rows to predict", "few.csv", pages.content_of(few))
    with pytest.raises(InputError) as refused:
        parse_table(pages.content_of(few), "few.csv", bounds=server_settings().bounds)
    assert [error.value for error in app.error] == [plain(str(refused.value))]


def test_a_row_is_predicted_before_and_after_with_reasons_and_rows_like_it(finished, saved):
    go(finished, PREDICT)
    called("Predictor", finished.selectbox).set_value("after (IFACM)").run()
    assert called("place", finished.selectbox).options[0] == "Ayr"
    called("x0", finished.number_input).set_value(2.5)
    press(finished, ROW)
    values = {f"x{i}": called(f"x{i}", finished.number_input).value for i in range(5)}
    row = pd.DataFrame([values | {"place": called("place", finished.selectbox).value}])
    assert values["x0"] == 2.5
    shown = pages.frame_with(finished, "predictor")
    assert shown["predictor"].tolist() == ["before (base)", "after (IFACM)"]
    own = [saved[name].predict(row) for name in ("base", "ifacm")]
    assert shown["upper"].tolist() == [told["upper"][0] for told in own]
    widths = (shown["upper"] - shown["lower"]).tolist()
    parts = pages.frame_with(finished, "times as wide")
    assert parts["part"].tolist()[:3] == ["before", "threshold", "layer 1"]
    assert parts["width"].tolist()[:: len(parts) - 1] == pytest.approx(widths)
    assert parts["times as wide"][1:].prod() == pytest.approx(widths[1] / widths[0])
    assert (parts["times as wide"][2:].sub(1.0).abs() > 0.01).any()
    (alike,) = (text for text in texts(finished) if "most like it" in text)
    assert re.search(
        r"most like it: 20 test rows · coverage \d+\.\d % \(.+\) before, .+ after", alike
    )
    assert alike.endswith("no promise for this one.")


def test_an_uploaded_predictor_is_used_alone_and_stays_in_its_session(app, finished, saved, few):
    go(app, PREDICT)
    send(app, "Saved predictor", "mine.evencover", saved["ifacm"].to_bytes())
    assert called("Predictor", app.selectbox).options == ["uploaded: IFACM"]
    called("x1", app.number_input).set_value(99.0)
    press(app, ROW)
    assert pages.frame_with(app, "predictor")["predictor"].tolist() == ["IFACM"]
    (warning,) = app.warning
    assert warning.value == page_texts.NEW.format("x1")
    assert not any("most like it" in text for text in texts(app))
    assert "before" not in pages.frame_with(app, "part")["part"].tolist()
    send(app, "Rows to predict", "few.csv", pages.content_of(few.head(3)))
    own = saved["ifacm"].predict(few.head(3))
    assert pages.frame_with(app, "lower")["lower"].tolist() == own["lower"].tolist()
    go(app, pages.DATA)
    go(app, PREDICT)
    assert pages.frame_with(app, "lower")["lower"].tolist() == own["lower"].tolist()
    assert known(finished).saved is None
    send(app, "Saved predictor", "broken.evencover", b"no archive")
    assert [error.value for error in app.error] != []
    assert page_texts.NO_PREDICTOR in [info.value for info in app.info]  # the last one is not used


@pytest.mark.long
def test_sets_say_how_probable_labels_are_and_have_to_be(app, classes):
    give(app, classes)
    choose(app, {"penalty": 0.0, "remedies": ("ifacm",)})
    run_to_end(app)
    go(app, PREDICT)
    called("Predictor", app.selectbox).set_value("after (IFACM)").run()
    press(app, ROW)
    shares = pages.frame_with(app, "probability").set_index("label")
    assert [*shares][1:4] == ["before", "threshold", "layer 1"]
    assert shares["probability"].sum() == pytest.approx(1.0)
    for told, needed in zip(pages.frame_with(app, "set")["set"], ("before", -1), strict=True):
        least = shares["before"] if needed == "before" else shares.iloc[:, -1]
        assert json.loads(told) == shares.index[shares["probability"] >= least].tolist()
    assert page_texts.WHY_LABELS in [text.value for text in app.markdown]
