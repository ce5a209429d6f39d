"""What models of the published data said, from the upload to the report, in a browser."""

import html
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from browsing import settle
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestRegressor
from walking import choose_file, go_on, open_step, press

from evencover.sample_data import load_sample

pytestmark = [pytest.mark.browser, pytest.mark.long]

SCORED = 20_000
LOOKS_SAID = "These columns look like what a model of your own said: {}, to be audited {}."


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
    page.get_by_role("button", name="Next: Setup", exact=True).wait_for()
    go_on(page, "Next: Setup", "Setup")
    chosen = page.get_by_role("combobox", name=re.compile("Column to predict"))
    assert chosen.input_value() == label
    page.get_by_text(
        LOOKS_SAID.format(f"{columns} ({option})", "before and after remedies")
    ).wait_for()
    press(page, "Audit them")
    page.get_by_text(f"label {label}, {way} of your own model, CL = 0.9").wait_for()
    settle(page)
    go_on(page, "Run", "Run")
    page.get_by_role("button", name="See the findings", exact=True).wait_for()
    go_on(page, "See the findings", "Findings")
    lead = re.sub(r"\s+", " ", page.locator("[data-testid=stAlert]").first.inner_text()).strip()
    open_step(page, "Export")
    told = json.loads(downloaded(page, "Download JSON"))
    assert lead
    assert " ".join(told["headline"]).startswith(lead)
    assert told["data"]["rows"] == len(scored)
    assert not {*told["data"]["features"]} & {*columns.split(", ")}
    rows = pd.read_csv(io.StringIO(downloaded(page, "Download rows (CSV)")))
    (base,) = (r for r in told["results"] if (r["segment"], r["algorithm"]) == ("test", "base"))
    assert base["accuracy"] == rows["correct_base"].mean()
    are_sets_of(rows, scored.iloc[rows["row"] - 1])
    report = re.sub(r"\s+", " ", html.unescape(downloaded(page, "Download report")))
    assert told["headline"][0] in report
