"""The one specification of tables, for any number of predictors."""

import math
from dataclasses import replace

import pandas as pd
import pytest
from reading import Reading

from evencover.core.coverage.diagnosis import ProbabilityBin
from evencover.core.experiment.result import AuditedPredictor
from evencover.core.exploration.groups import coverage_along
from evencover.core.report.groups import named_group
from evencover.core.report.result import Finding
from evencover.dashboard.export.report import make_table, to_html
from evencover.dashboard.export.terminal_summary import to_text
from evencover.dashboard.figures.probability import probability_figure, shrinkage_figure
from evencover.dashboard.figures.segments import segment_figure
from evencover.dashboard.pages.widgets import drawn
from evencover.dashboard.wording import tables
from evencover.dashboard.wording.figure_words import key_figures
from evencover.dashboard.wording.formatting import of_names, predictors
from evencover.dashboard.wording.rows import rules_counted, segments


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        ("%.4f", -0.00001, "0.0000"),
        ("%.4f", -0.00006, "-0.0001"),
        ("%d", 0, "0"),
        ("percent", -0.0004, "0.0 %"),
        ("percent", -0.0006, "-0.1 %"),
        ("count", 21613, "21,613"),
        ("count", math.nan, ""),
        ("q", 0.5, "0.50"),
        ("q", 1.0, "1.0"),
        ("q", 0.00333, "0.0033"),
        ("q", 1e-9, "< 0.001"),
        ("points", -0.2134, "-21.3 points"),
        ("points", -0.0004, "+0.0 points"),
        ("number", 0.01234567, "0.01235"),
        ("number", 490616.764, "490,617"),
        ("number", 4.90616764e29, "4.906e+29"),
        ("number", math.inf, "infinite"),
        ("", "a", "a"),
    ],
)
def test_a_figure_is_written_in_one_way_and_sorted_by_a_page_as_a_number(form, value, text):
    assert tables.cell_text(value, form) == text
    spec = tables.TableSpec("one", lambda _: [], ((tables.ShownColumn("it", "it", form),),))
    table = drawn(spec, [{"it": value}, {"it": value and 1.0}], [])["data"]
    assert table.data["it"].tolist()[0] == pytest.approx(value, nan_ok=True)
    assert table.hide(axis="index").to_string(delimiter=";").splitlines()[1] == text


def test_a_value_is_written_as_it_is_and_fields_of_several_are_not_in_a_table_of_a_page():
    assert tables.cell_text(-0.0, "") == "-0.0"
    spec = tables.TableSpec("one", lambda _: [], ((tables.ShownColumn("it", "it"),),))
    rows = [{"it": "a", "list": None, "many": (1, 2)}, {"it": "b", "list": [], "many": ()}]
    assert list(drawn(spec, rows, [])["data"].columns) == ["it"]


THREE = of_names(["base", "ifacm", "mondrian"])


@pytest.fixture(scope="module")
def three(result):
    """A result with the figures of a third predictor, those of the second."""

    def with_third(rows):
        return [*rows, *(replace(row, predictor="mondrian") for row in result.of(rows, "ifacm"))]

    sections = {
        name: with_third(getattr(result, name)) for name in ("results", "segments", "coefficients")
    }
    kept = ("sets", "outcomes", "probabilities")
    of_each = {name: getattr(result.test_rows, name) for name in kept}
    of_three = {name: each | {"mondrian": each["ifacm"]} for name, each in of_each.items()}
    return replace(
        result,
        predictors=[*result.predictors, AuditedPredictor("mondrian", "mondrian", "")],
        test_rows=replace(result.test_rows, **of_three),
        **sections,
    )


@pytest.fixture(scope="module")
def rows(three):
    return tables.SEGMENTS.rows(three)


def test_predictors_have_words_and_suffixes_by_their_places(three):
    assert predictors(three) == THREE
    assert [by.suffix for by in THREE] == ["base", "adjusted", "mondrian"]
    assert [by.when for by in THREE] == ["before", "after IFACM", "after mondrian"]
    assert [by.title for by in THREE] == ["before (base)", "after (IFACM)", "after (mondrian)"]


def test_columns_are_there_for_each_predictor_and_stay_together(rows):
    titles = [column.title for column in tables.SEGMENTS.shown(rows, THREE)]
    assert titles == [
        *("variable", "segment", "status", "remark", "n"),
        *("before", "after IFACM", "after mondrian"),
        *("q, before", "q, after IFACM", "q, after mondrian", "detectable"),
        *("from, before", "to, before", "from, after IFACM", "to, after IFACM"),
        *("from, after mondrian", "to, after mondrian"),
        *("size, before", "size, after IFACM", "size, after mondrian"),
    ]
    assert [column.key for column in tables.SEGMENTS.shown(rows, THREE, "n")][-1] == "n"
    # those of one predictor alone do not name it
    titles = [column.title for column in tables.SEGMENTS.shown(rows, THREE[:1])]
    assert titles[4:] == ["n", "coverage", "q", "detectable", "from", "to", "size"]
    # and those without a value are left out
    empty = [row | {"detectable": float("nan"), "n": None} for row in rows]
    keys = {column.key for column in tables.SEGMENTS.shown(empty, THREE)}
    assert {"n", "detectable"} & keys == set()
    assert "accuracy_mondrian" in keys


def test_every_column_is_a_field_and_every_last_column_is_one(regression):
    for spec in tables.TABLES:
        shown = spec.rows(regression)
        assert all(
            column.key in row for row in shown for column in spec.shown(shown[:1], THREE[:2])
        )
        keys = {column.key for block in spec.columns for column in block}
        assert {spec.page_to, spec.terminal_to} - {""} <= keys
    for spec in (tables.GAPS, tables.WORST, tables.OVERVIEW, tables.SEGMENTS):
        last = spec.shown(spec.rows(regression), THREE[:2], spec.terminal_to)[-1]
        assert last.key.removesuffix("_adjusted") == spec.terminal_to


def test_figures_over_seeds_have_columns_for_each_predictor(classification):
    result = classification
    first, given = result.repeats.segments[0], predictors(result)
    (row, *_), shown = tables.REPEATED_SEGMENTS.rows(result), {}
    for column in tables.REPEATED_SEGMENTS.shown(tables.REPEATED_SEGMENTS.rows(result), given):
        shown[column.title] = row[column.key]
    assert shown == {
        "variable": first["variable"],
        "segment": first["value"],
        "audits": first["repeats"],
        "n": first["n_mean"],
        "before": first["accuracy_base_mean"],
        "after": first["accuracy_adjusted_mean"],
        "± before": first["accuracy_base_sd"],
        "± after": first["accuracy_adjusted_sd"],
        "size, before": first["inefficiency_base_mean"],
        "size, after": first["inefficiency_adjusted_mean"],
        "± size, before": first["inefficiency_base_sd"],
        "± size, after": first["inefficiency_adjusted_sd"],
    }
    keys = {
        column.key for column in tables.REPEATED_COEFFICIENTS.shown(result.repeats.coefficients, [])
    }
    assert {"coefficient_mean", "coefficient_sd"} < keys < {*result.repeats.coefficients[0]}


def test_a_table_and_the_key_figures_have_the_third_predictor(three):
    shown = make_table(tables.OVERVIEW, three)
    assert [row[1].text for row in shown.rows][-2:] == ["after (mondrian)"] * 2
    after, base = three.row("test", "ifacm"), three.row("test", "base")
    used = [Finding("advice", "advice", "ifacm", "Use it.", advice="use")]
    worst, coverage, _ = key_figures(replace(three, findings=used))
    assert coverage.value == f"{100 * after.accuracy:.1f} %"
    assert coverage.detail == f"before {100 * base.accuracy:.1f} %"
    group = named_group(three)
    shares = [
        row.accuracy
        for name in ("ifacm", "base")
        for row in (*three.segments, *three.worst_segments)
        if (row.predictor, row.group) == (name, group.group)
    ]
    assert (worst.value, worst.detail) == (
        f"{100 * shares[0]:.1f} %",
        f"before {100 * shares[1]:.1f} %",
    )
    # where nothing is to be used, nothing but what there is before
    kept = key_figures(replace(three, findings=[]))
    assert kept[1].value == f"{100 * base.accuracy:.1f} %"
    assert {figure.detail for figure in kept} == {""}
    low = [len(three.rules_too_low(name)) for name in three.names]
    rules = len(three.of(three.worst_segments, "base"))
    assert rules_counted(three) == (
        f"Coverage is clearly low under {low[0]} of {rules} rules before, {low[1]} after IFACM, "
        f"{low[2]} after mondrian."
    )


def test_charts_tell_three_predictors_apart(three):
    bins = [ProbabilityBin(by.name, 0.1, 0.2, 3) for by in THREE]
    of_one = [one for one in segments(three) if one.variable == "place"]
    charts = [
        segment_figure(of_one, THREE, 0.9),
        segment_figure(coverage_along(three.test_rows, "place").bands, THREE, 0.9),
        shrinkage_figure(three.coefficients, ["x0"], "test", THREE),
        probability_figure(bins, THREE, three.row("test", three.reference), 0.9),
    ]
    for figure in charts:
        assert [trace.name for trace in figure.data] == [by.title for by in THREE]
        assert len({trace.marker.color for trace in figure.data}) == 3
    for figure in charts[:2]:
        assert len({trace.marker.symbol for trace in figure.data}) == 3
    first = [trace.y[0] for trace in charts[0].data]
    assert first == pytest.approx([-0.3, 0.0, 0.3])


def test_figures_of_training_rows_that_are_not_there_are_left_out(result):
    on_test = [row for row in result.coefficients if row.subset == "test"]
    rows = [row for row in result.results if row.subset == "test"]
    without = replace(result, results=rows, coefficients=on_test)
    page = Reading(to_html(without))
    assert "coefficients-training" not in page.charts
    assert len(page.charts["coefficients-test"]["data"]) == 2
    assert {row["rows"] for row in page.rows("overview")} == {"test"}
    assert predictors(without) == predictors(result)


def test_numbers_that_a_browser_does_not_hold_are_text_in_the_first_rows():
    large = pd.array([2**53 + 1, None, 3], dtype="Int64")
    frame = pd.DataFrame({"a": large, "b": [1, 2, 3], "c": ["x", None, "y"], "d": [2**60] * 3})
    shown = tables.first_rows(frame, 2)
    assert shown["a"].tolist()[0] == "9007199254740993"
    assert shown.isna().to_numpy().tolist() == [[False] * 4, [True, False, True, False]]
    assert shown["b"].tolist() == [1, 2]
    assert shown["d"].tolist() == ["1152921504606846976"] * 2


def test_an_infinite_excess_risk_is_explained_in_the_terminal(result):
    told = "ert_log is -infinite: the estimate was sure"
    assert told not in to_text(result)
    odd = [replace(row, ert_log=-math.inf) for row in result.results]
    assert told in to_text(replace(result, results=odd))
