"""Whatever predictors an audit is of, every view of it is of these and no other."""

import csv
import io
import json
import math
import pickle
import re

import numpy as np
import pages
import pytest
from fakes import IFACM, OWN, SEVERAL, audits_of, houses_with_intervals
from pages import called, chart, give, go, known, labels, run_to_end
from reading import Reading

from evencover.core import AuditSettings, audit
from evencover.core.report.result import SECTIONS, suffix, to_json
from evencover.dashboard.export.files import ROW_TYPES, to_csv_texts, to_json_text, to_rows_csv
from evencover.dashboard.export.report import to_html
from evencover.dashboard.export.terminal_summary import to_text
from evencover.dashboard.wording.formatting import predictors
from evencover.dashboard.wording.tables import COEFFICIENTS, OVERVIEW, SEGMENTS

pytestmark = pytest.mark.long

NAMES = ["base", "ifacm", "own", "quantile", "mondrian:county"]
COMPARING = re.compile(r"\b(before|after|IFACM|adjust\w*|layers?)\b", re.IGNORECASE)
NOT_OF_IT = ("table-settings", "repeat", "words")  # what is said only where predictors are compared
PAGES = (pages.RUN, pages.FINDINGS, pages.SEGMENTS, pages.EXPORT)


@pytest.fixture(scope="module")
def houses():
    houses = houses_with_intervals(900)
    return houses.rename(columns={"age_years": "built"})  # whose name calls for no advice


def opened(houses):
    """The pages with houses."""
    page = pages.open_app()
    give(page, houses, "houses.csv")
    called("Column to predict", page.selectbox).set_value("price").run()
    return page


@pytest.fixture(scope="module")
def several(houses):
    page = opened(houses)
    called("Left out", page.multiselect).set_value(["lower", "upper"]).run()
    with audits_of(*SEVERAL):
        run_to_end(page)
    yield page
    assert not page.exception


@pytest.fixture(scope="module")
def alone(houses):
    page = opened(houses)
    for end in ("lower", "upper"):
        called(f"{end.capitalize()} end", page.selectbox).set_value(end).run()
    run_to_end(page)
    yield page
    assert not page.exception


@pytest.fixture(params=["several", "alone"])
def app(request):
    return request.getfixturevalue(request.param)


def result_of(app):
    return known(app).run.job.snapshot().result


def said(app):
    """All that a page sends but what terms mean, the tables' cells, and these."""
    tables = [frame.value.to_string() for frame in app.dataframe]
    terms = [text.value for popover in app.get("popover") for text in popover.markdown]
    elements = [each for each in app.main if each.type != "markdown" or each.value not in terms]
    sent = "\n".join(str(element.proto) for element in elements).replace("\\", "")
    sent = sent.replace('"layer":"below"', "")  # of a shape in a chart
    return "\n".join([sent, *tables])


def titles(result):
    return [by.title for by in predictors(result)]


def test_the_predictors_are_those_of_the_run(several, alone):
    assert result_of(several).names == NAMES
    assert len(set(titles(result_of(several)))) == len(NAMES)
    assert result_of(alone).names == ["given"]
    assert titles(result_of(alone)) == ["the table's own intervals"]


def test_json_has_the_figures_of_each(app):
    result = result_of(app)
    plain = json.loads(to_json_text(result), parse_constant=pytest.fail)
    assert plain == json.loads(json.dumps(to_json(result)))
    assert [predictor["name"] for predictor in plain["predictors"]] == result.names
    figures = {(row["segment"], row["algorithm"]): row["accuracy"] for row in plain["results"]}
    assert figures == {(row.subset, row.predictor): row.accuracy for row in result.results}
    for place, name in enumerate(result.names):
        accuracies = [row[f"accuracy_{suffix(place, name)}"] for row in plain["segments"]]
        assert accuracies == [
            None if math.isnan(row.accuracy) else row.accuracy
            for row in result.of(result.segments, name)
        ]
    of_another = {"_base", "_adjusted", "_quantile"} - {
        f"_{suffix(place, name)}" for place, name in enumerate(result.names)
    }
    assert not [key for key in plain["segments"][0] if key.endswith(tuple(of_another))]


def test_csv_tables_have_the_rows_of_each(app):
    result = result_of(app)
    texts = to_csv_texts(result)
    assert list(texts) == [f"{name}.csv" for name in ROW_TYPES]
    for name in ROW_TYPES:
        read = list(csv.DictReader(io.StringIO(texts[f"{name}.csv"])))
        rows = SECTIONS[name](result)
        assert len(read) == len(rows)
        assert not rows or list(read[0]) == list(rows[0])
        if rows and "algorithm" in rows[0]:
            assert {row["algorithm"] for row in read} == set(result.names)


def test_test_rows_have_the_intervals_of_each(app):
    result = result_of(app)
    rows = list(csv.DictReader(io.StringIO(to_rows_csv(result))))
    order = np.argsort(result.test_rows.rows)
    for place, name in enumerate(result.names):
        sets, ending = result.test_rows.sets[name], suffix(place, name)
        p = result.test_rows.probabilities[name]
        for key, values in {"lower": sets.lower, "upper": sets.upper, "probability": p}.items():
            shown = [float(row[f"{key}_{ending}"]) for row in rows]
            assert shown == values[order].tolist()
    known_endings = {suffix(place, name) for place, name in enumerate(result.names)}
    endings = {key.removeprefix("lower_") for key in rows[0] if key.startswith("lower_")}
    assert endings == known_endings
    layers = [key for key in rows[0] if key.startswith("layer_")]
    assert len(layers) == len(result.iterations)


def test_a_result_survives_pickling(app):
    result = result_of(app)
    again = pickle.loads(pickle.dumps(result))  # noqa: S301 - our own
    assert to_json_text(again) == to_json_text(result)
    # by their texts, as a small segment's figures are NaN, which equals nothing
    assert list(map(repr, again.findings)) == list(map(repr, result.findings))
    assert again.predictors == result.predictors
    assert list(map(type, again.notes)) == list(map(type, result.notes))
    codes = [[getattr(note, "code", None) for note in one.notes] for one in (again, result)]
    assert codes[0] == codes[1]


def test_the_terminal_names_each(several, alone):
    text = to_text(result_of(several))
    for name in NAMES:
        assert re.search(rf"^ *test +{name} ", text, re.MULTILINE), name
    for by in predictors(result_of(several)):
        assert by.when in text
        assert f"accuracy_{by.suffix}" in text
    assert not COMPARING.findall(to_text(result_of(alone)))


def test_the_report_names_each(several):
    result = result_of(several)
    page = Reading(to_html(result, examples=3))
    expected = [
        ("test" if row.subset == "test" else "training", titles(result)[NAMES.index(row.predictor)])
        for row in result.results
    ]
    assert [(row["rows"], row["predictor"]) for row in page.rows("overview")] == expected
    for by in predictors(result):
        assert {by.when, f"q, {by.when}", f"from, {by.when}"} <= set(page.rows("segments")[0])
        assert f"set {by.when}" in page.rows("examples")[0]
        assert by.title in {row["predictor"] for row in page.rows("other_measures")}
    for name in ("histogram", "segments-1", "coefficients-test"):
        assert named(page.charts[name]) == titles(result)
    on_training = named(page.charts["coefficients-training"])
    assert on_training == [title for title in titles(result) if "own" not in title]
    assert len(page.charts["path"]["data"][0]["y"]) == len(result.iterations) + 1


def test_a_report_of_one_compares_it_with_nothing(alone):
    result = result_of(alone)
    page = Reading(to_html(result, examples=3))
    words = [text for name, text in page.texts.items() if name not in NOT_OF_IT]
    assert not COMPARING.findall(" ".join([*words, *page.titles]))
    (title,) = titles(result)
    assert [(row["rows"], row["predictor"]) for row in page.rows("overview")] == [("test", title)]
    assert {row["rows"] for row in page.rows("coefficients")} == {"test"}
    charts = {name for name in page.charts if not name.startswith("segments-")}
    assert charts == {"histogram", "coefficients-test"}
    assert "layers" not in page.texts
    assert "iterations" not in page.tables


def test_layers_without_training_figures_of_the_first_have_a_table_and_a_path(houses):
    with audits_of(OWN, IFACM):
        result = audit(houses, AuditSettings(target="price", drop=("lower", "upper"), penalty=0.0))
    assert result.names == ["own", "ifacm"]
    page = Reading(to_html(result))
    assert len(page.rows("iterations")) == len(result.iterations) > 0
    assert len(page.charts["path"]["data"][0]["y"]) == len(result.iterations) + 1
    assert f"{len(result.iterations)} IFACM layers" in to_text(result)


def named(drawn):
    """The predictors in a chart."""
    names = [trace["name"] for trace in drawn["data"]]
    return [name for name in names if name != "beyond the axis"]


def test_the_pages_name_each_in_charts_and_tables(several):
    result = result_of(several)
    go(several, pages.FINDINGS)
    for key in ("probabilities", "shrinkage-test"):
        assert named(chart(several, key)) == titles(result)
    tables = [shown.value for shown in several.dataframe]
    of_tables = [set(frame["algorithm"]) for frame in tables if "algorithm" in frame]
    assert len(of_tables) >= 3
    assert all(found == set(titles(result)) for found in of_tables)
    go(several, pages.SEGMENTS)
    assert [trace["name"] for trace in chart(several, "segment-chart")["data"]] == titles(result)
    choices = called("Coverage", several.radio)
    assert choices.options == [by.when for by in predictors(result)]
    for by in predictors(result):
        called("Coverage", several.radio).set_value(by).run()
        accuracies = [point[1] for point in chart(several, "heat")["data"][-1]["customdata"]]
        assert accuracies
        assert any(f"accuracy_{by.suffix}" in shown.value for shown in several.dataframe)
    pages.open_tab(several, "Rows")
    assert all(f"set {by.when}" in said(several) for by in predictors(result))


@pytest.mark.parametrize("step", PAGES, ids=lambda step: step.title)
def test_a_page_of_one_compares_it_with_nothing(alone, step):
    go(alone, step)
    assert not alone.exception
    shown = said(alone)
    assert [shown[m.start() - 60 : m.end() + 60] for m in COMPARING.finditer(shown)] == []


def test_pages_of_one_have_what_there_is(alone):
    result = result_of(alone)
    go(alone, pages.RUN)
    assert not alone.get("plotly_chart")
    go(alone, pages.FINDINGS)
    assert labels(alone.tabs) == ["Coefficients", "Figures", "Data and notes"]
    keys = [element.proto.id.rsplit("-", 2)[-2:] for element in alone.get("plotly_chart")]
    assert ["shrinkage", "test"] in keys
    assert not [key for key in keys if "training" in key]
    assert [trace["name"] for trace in chart(alone, "probabilities")["data"]] == titles(result)
    go(alone, pages.SEGMENTS)
    assert not alone.radio
    assert [trace["name"] for trace in chart(alone, "segment-chart")["data"]] == titles(result)
    go(alone, pages.EXPORT)
    assert "Download rows (CSV)" in labels(alone.get("download_button"))


@pytest.mark.parametrize("spec", [OVERVIEW, SEGMENTS, COEFFICIENTS], ids=lambda spec: spec.name)
def test_tables_have_no_row_or_column_of_what_was_not_evaluated(app, spec):
    result = result_of(app)
    rows, given = spec.rows(result), predictors(result)
    assert all(column.key in row for column in spec.shown(rows, given) for row in rows)
    on_training = {
        row["algorithm"] for row in rows if row.get("segment") == "training" and "algorithm" in row
    }
    assert on_training in (set(), set(result.names) - {"own"})
