"""What a user's own model said, from the upload to what can be taken away; at last in a browser."""

import html
import io
import json
import re

import numpy as np
import pages
import pandas as pd
import pytest
from browsing import settle
from pages import called, frame_with, give, go, known, labels, run_to_end, tab
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from walking import choose_file, go_on, open_step, press

from evencover.core.report.result import to_json
from evencover.dashboard.export.report import to_html
from evencover.dashboard.pages.heading import RUNS
from evencover.dashboard.wording import formatting
from evencover.sample_data import load_sample

N = 300
LOOKS_SAID = "These columns look like what a model of your own said of '{}': {}, to be audited {}."


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(0)
    x, region = rng.normal(size=N), rng.choice(["north", "south"], N)
    noise = np.where(region == "south", 2.0, 0.5) * rng.normal(size=N)
    frame = pd.DataFrame(
        {"x": x, "region": region, "y": x + noise, "pred": x + 0.1 * x**2, "sd": 1.0 + 0.1 * x**2}
    )
    return frame.assign(lower=x - 1.7, upper=x + 1.7)


@pytest.fixture(scope="module")
def classes(scored):
    high = 1.0 / (1.0 + np.exp(-scored["x"]))
    y = np.where(np.random.default_rng(1).random(N) < high, "High", "Low")
    frame = scored[["x", "region"]].assign(y=y, p_High=high.round(3), p_Low=1.0 - high.round(3))
    return frame.assign(
        answer=np.where(abs(high - 0.5) < 0.3, "{High, Low}", "{" + pd.Series(y) + "}")
    )


def opened(frame):
    app = pages.open_app()
    give(app, frame, "scored.csv")
    called("Column to predict", app.selectbox).set_value("y").run()
    return app


def guesses(app):
    return [b for b in app.button if b.label == "Audit them"]


def settings_of(app):
    return known(app).draft


def result_of(app):
    return known(app).run.job.snapshot().result


def test_outputs_are_taken_up_where_the_table_is_shown(scored):
    app = pages.open_app()
    give(app, scored.rename(columns={"y": "label"}), "scored.csv")
    first, _ = guesses(app)
    assert settings_of(app).target == "label"
    first.click().run()
    assert (settings_of(app).lower, settings_of(app).upper) == ("lower", "upper")
    assert "Setup" in [title.value for title in app.title]


@pytest.mark.long
def test_ready_made_intervals_with_one_click(scored):
    app = opened(scored)
    hints = [text.value for text in app.markdown if "look like what a model" in text.value]
    said = LOOKS_SAID.format("y", "lower (lower end), upper (upper end)", "as they are")
    assert hints[0] == formatting.plain(said)
    assert len(hints) == len(guesses(app)) == 2
    guesses(app)[0].click().run()
    assert guesses(app) == []
    chosen = settings_of(app)
    assert (chosen.lower, chosen.upper, chosen.drop) == ("lower", "upper", ("pred", "sd"))
    roles = frame_with(app, "what becomes of it").set_index("column")
    assert roles.loc["lower", "what becomes of it"] == "holds your model's lower end"
    assert roles["role"].to_dict() == {
        **dict.fromkeys(("lower", "upper", "pred", "sd"), "left out"),
        **dict.fromkeys(("x", "region"), "feature"),
        "y": "label",
    }
    run_to_end(app)
    result = result_of(app)
    assert (result.names, result.data.test) == (["given"], N)
    go(app, pages.FINDINGS)
    told = tab(app, "Data and notes").markdown[0].value
    assert f"{N} rows, of which {N} for test" in told
    for step in (pages.RUN, pages.SEGMENTS, pages.EXPORT):
        go(app, step)
        assert not app.exception
    assert "--lower=lower --upper=upper" in app.code[0].value
    go(app, RUNS)
    (listed,) = [text.value for text in app.markdown if "shown now" in text.value]
    figures = f"accuracy {100 * result.results[0].accuracy:.1f} %, DCV {result.results[0].dcv:.4f}"
    said = formatting.plain(f"the table's own intervals: {figures}")
    assert "seed 0** · shown now  \n" in listed
    assert listed.endswith(said)
    report = to_html(result)
    assert f"{N} rows:\n{N} for test" in report
    assert json.loads(json.dumps(to_json(result)))["settings"]["upper"] == "upper"


@pytest.mark.long
def test_predictions_with_their_spread(scored):
    app = opened(scored)
    guesses(app)[1].click().run()
    chosen = settings_of(app)
    assert (chosen.prediction, chosen.sigma, chosen.drop) == ("pred", "sd", ("lower", "upper"))
    run_to_end(app)
    assert result_of(app).names == ["base", "ifacm", "auto"]
    assert result_of(app).data.features == ["x", "region"]


@pytest.mark.long
def test_probabilities_or_sets(classes):
    app = opened(classes)
    assert len(guesses(app)) == 2
    guesses(app)[1].click().run()
    assert {*settings_of(app).probabilities} == {"p_High", "p_Low"}
    assert settings_of(app).drop == ("answer",)
    called("Probabilities", app.multiselect).set_value([]).run()
    called("Set of classes", app.selectbox).set_value("answer").run()
    run_to_end(app)
    assert result_of(app).names == ["given"]
    assert result_of(app).predictors[0].title == "the table's own sets"


def test_what_cannot_be_run_is_said_on_setup(scored):
    app = opened(scored)
    called("Lower end", app.selectbox).set_value("lower").run()
    assert "'lower end' is given without 'upper end'" in said_on(app)
    assert "Run" not in labels(app.button)
    called("Upper end", app.selectbox).set_value("upper").run()
    assert "Run" in labels(app.button)
    called("Sigma", app.selectbox).set_value("sd").run()
    assert "'sigma' is given without 'prediction'" in said_on(app)


def said_on(app):
    """All of it, as it reads: Markdown's backslashes are not shown."""
    texts = [text.value for text in [*app.caption, *app.warning, *app.error]]
    return " ".join(texts).replace("\\", "")


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"p_Low": 0.7, "p_High": 0.5}, "sum to 1.2 in row 1, not to 1; name the columns of all"),
        ({"y": ["Mid", *["High", "Low"] * (N // 2)][:N]}, "none of the columns is of class"),
    ],
)
def test_probabilities_that_are_none_are_told_on_setup(classes, columns, sentence):
    app = opened(classes.assign(**columns))
    called("Probabilities", app.multiselect).set_value(["p_High", "p_Low"]).run()
    assert sentence in said_on(app)
    assert "Run" not in labels(app.button)


def notes_of(app):
    run_to_end(app)
    assert not app.exception
    return " ".join(text.value for text in tab(app, "Data and notes").markdown).replace("\\", "")


@pytest.mark.long
def test_what_is_odd_is_counted_among_the_notes(scored, classes):
    crossed = scored.assign(upper=np.where(np.arange(N) < 3, -99.0, scored["upper"]))
    app = opened(crossed)
    for label, column in {"Lower end": "lower", "Upper end": "upper"}.items():
        called(label, app.selectbox).set_value(column).run()
    assert "end is above the upper one, which hold nothing: 3." in notes_of(app)
    app = opened(classes.assign(answer=["High, Mid", *classes["answer"][1:]]))
    called("Set of classes", app.selectbox).set_value("answer").run()
    assert "Classes in the sets of 'answer' that are no row's label (1): 'Mid'" in notes_of(app)


SCORED = 20_000


def of_a_forest(frame):
    """Sales that a forest was not fitted on, with what it says of their prices."""
    frame = frame.reset_index(drop=True)
    fitted, rest = frame.iloc[::3], frame.drop(frame.index[::3])
    features = [name for name in frame.select_dtypes("number") if name not in ("id", "price")]
    forest = RandomForestRegressor(20, min_samples_leaf=3, n_jobs=1, random_state=0)
    forest.fit(fitted[features], fitted["price"])
    return rest.assign(prediction=forest.predict(rest[features]))


def of_boosted_trees(frame):
    """Plots of land with the probabilities of their kinds of wood."""
    frame = frame.sample(SCORED + 6_000, random_state=0)
    rest, fitted = frame.head(SCORED), frame.tail(6_000)
    trees = HistGradientBoostingClassifier(max_iter=15, early_stopping=False, random_state=0)
    trees.fit(fitted.drop(columns="Cover_Type"), fitted["Cover_Type"])
    said = trees.predict_proba(rest.drop(columns="Cover_Type")).round(6)
    names = [f"p_{name}" for name in trees.classes_]
    return rest.assign(**dict(zip(names, said.T, strict=True)))


def are_of_one_width_about_the_predictions(rows, scored):
    lower, upper = rows["lower_base"].to_numpy(), rows["upper_base"].to_numpy()
    np.testing.assert_allclose((lower + upper) / 2.0, scored["prediction"], rtol=1e-9)
    np.testing.assert_allclose(upper - lower, upper[0] - lower[0], rtol=1e-9)
    held = scored["price"].between(lower, upper).to_numpy()
    np.testing.assert_array_equal(rows["correct_base"], held)


def are_the_classes_above_one_probability(rows, scored):
    sets = [{*json.loads(text)} for text in rows["set_base"]]
    member = np.array([[str(kind) in each for kind in range(1, 8)] for each in sets])
    shares = scored[[f"p_{kind}" for kind in range(1, 8)]].to_numpy()
    assert shares[member].min() >= shares[~member].max()
    held = [str(kind) in each for kind, each in zip(scored["Cover_Type"], sets, strict=True)]
    np.testing.assert_array_equal(rows["correct_base"], held)


def downloaded(page, name):
    with page.expect_download() as caught:
        press(page, name)
    return caught.value.path().read_text()


@pytest.mark.browser
@pytest.mark.long
@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize(
    ("sample", "score", "said", "are_sets_of"),
    [
        (
            "king_county",
            of_a_forest,
            ("price", "prediction", "predictions", "prediction"),
            are_of_one_width_about_the_predictions,
        ),
        (
            "covtype",
            of_boosted_trees,
            ("Cover_Type", "p_1, p_2, p_3, p_4, p_5, p_6, p_7", "probabilities", "probabilities"),
            are_the_classes_above_one_probability,
        ),
    ],
)
def test_what_a_model_said_goes_the_whole_way(visit, tmp_path, sample, score, said, are_sets_of):
    label, columns, way, option = said
    scored = score(load_sample(sample).frame)
    scored.to_csv(tmp_path / "scored.csv", index=False)
    page = visit()
    choose_file(tmp_path / "scored.csv")(page)
    page.get_by_text(
        LOOKS_SAID.format(label, f"{columns} ({option})", "before and after remedies")
    ).wait_for()
    go_on(page, "Audit them", "Setup")
    chosen = page.get_by_role("combobox", name=re.compile("Column to predict"))
    assert chosen.input_value() == label
    page.get_by_text(f"label {label}, {way} of your own model, CL = 0.9").wait_for()
    settle(page)
    go_on(page, "Run", "Run")
    page.get_by_role("button", name="See the findings", exact=True).wait_for()
    go_on(page, "See the findings", "Findings")
    page.get_by_text("What now?").first.wait_for()
    shown = page.locator("[data-testid=stMetricValue]").all_inner_texts()
    open_step(page, "Export")
    told = json.loads(downloaded(page, "Download JSON"))
    used = next((row["algorithm"] for row in told["findings"] if row["advice"] == "use"), "base")
    (of_all,) = (r for r in told["results"] if (r["segment"], r["algorithm"]) == ("test", used))
    assert f"{100 * of_all['accuracy']:.1f} %" in shown
    assert told["data"]["rows"] == len(scored)
    assert not {*told["data"]["features"]} & {*columns.split(", ")}
    rows = pd.read_csv(io.StringIO(downloaded(page, "Download rows (CSV)")))
    (base,) = (r for r in told["results"] if (r["segment"], r["algorithm"]) == ("test", "base"))
    assert base["accuracy"] == rows["correct_base"].mean()
    are_sets_of(rows, scored.iloc[rows["row"] - 1])
    report = re.sub(r"\s+", " ", html.unescape(downloaded(page, "Download report")))
    assert told["headline"][0] in report
