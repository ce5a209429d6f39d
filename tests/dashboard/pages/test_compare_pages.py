"""The pages Compare and Runs, drawn by AppTest."""

from datetime import UTC, datetime
from types import SimpleNamespace

import pages
import pandas as pd
import pytest
import streamlit as st
from pages import called, give, go, known, press, run_to_end

from evencover.core import AuditSettings
from evencover.core.experiment.comparison import compare
from evencover.core.report.in_short import in_short
from evencover.dashboard.pages import session as state
from evencover.dashboard.pages.compare import take_penalty
from evencover.dashboard.pages.heading import COMPARE, RUNS, SETUP
from evencover.dashboard.pages.runs import name_of
from evencover.dashboard.runs.job import Job
from evencover.dashboard.runs.run import Owner, Run
from evencover.dashboard.wording import page_texts
from evencover.dashboard.wording.formatting import plain


@pytest.fixture
def app():
    state.job_manager.cache_clear()
    opened = pages.open_app()
    yield opened
    assert not opened.exception
    state.job_manager.cache_clear()


def compared(app, remedies, seeds=2):
    go(app, COMPARE)
    called("Remedies", app.multiselect).set_value(remedies.split(", "))
    called("Seeds", app.number_input).set_value(seeds)
    press(app, "Compare")
    known(app).comparison.job.wait(pages.PATIENCE)
    return app.run()


@pytest.mark.long
def test_the_page_shows_the_figures_of_the_core(app, few):
    give(app, few)
    settings = known(app).draft
    compared(app, "quantile, label")
    own = compare(few, settings, ("quantile", "label"), seeds=2)
    table = pages.frame_with(app, "fit_seconds")
    assert list(table["remedy"]) == ["base", "quantile adjustment"]
    for name, dcv in zip(("base", "quantile"), table["dcv"], strict=True):
        assert dcv == pytest.approx(sum(row.dcv for row in own.test_rows(name)) / 2)
    assert any("needs classes" in warning.value for warning in app.warning)
    assert any("ERT by trees than the base" in told.value for told in (*app.info, *app.success))
    widths = [own.test_rows(name) for name in ("base", "quantile")]
    assert list(table["inefficiency_original_units"]) == pytest.approx(
        [sum(row.inefficiency_original_units for row in rows) / 2 for rows in widths]
    )
    points = pages.chart(app, "comparison")["data"]
    assert [point["y"][0] for point in points] == pytest.approx(list(table["dcv"]))
    (promise,) = (line.value for line in app.markdown if "promised probability" in line.value)
    assert promise.startswith("- **base, quantile adjustment**: ")
    changes = next(t.value for t in app.dataframe if "fit_seconds" not in t.value)
    mean = 100.0 * (
        sum(row.accuracy for row in own.test_rows("quantile"))
        - sum(row.accuracy for row in own.test_rows("base"))
    )
    assert float(changes["accuracy"][0].split()[0]) == pytest.approx(mean / 2, abs=0.05)


def test_a_remedy_that_does_not_exist_is_told_and_cannot_be_compared(app, few):
    give(app, few)
    go(app, COMPARE)
    called("Remedies", app.multiselect).set_value(["cqr"]).run()
    assert any("there is no remedy 'cqr'" in e.value.replace("\\", "") for e in app.error)
    assert called("Compare", app.button).disabled


def test_groups_of_columns_named_or_protected_are_in_the_list(app, few):
    give(app, few.assign(sex="f", side=1))
    known(app).change(AuditSettings(target="y", audit_only=("place",)))
    go(app, COMPARE)
    offered = called("Remedies", app.multiselect).options
    assert [name for name in offered if ":" in name] == [
        *("groups:place", "groups:sex", "groups:place+sex")
    ]
    assert {"ifacm", "quantile-trees", "auto"} < set(offered)
    assert "label" not in offered  # which is of classes
    known(app).change(AuditSettings(target="place"))
    go(app, SETUP)
    go(app, COMPARE)
    assert "label" in called("Remedies", app.multiselect).options


def test_without_a_table_the_page_leads_back(app):
    go(app, COMPARE)
    assert called("Go to Data", app.button)


@pytest.mark.long
def test_a_click_on_the_path_takes_its_penalty_to_setup(app, few):
    give(app, few)
    go(app, COMPARE)
    press(app, "Try values of C")
    job = known(app).path.job
    path = job.wait(pages.PATIENCE).result
    app.run()
    shown = pages.chart(app, "penalties")["data"][0]
    rows = path.of("test")
    assert shown["y"] == [row.figures.dcv for row in rows]
    place = next(i for i, row in enumerate(rows) if row.penalty == 0.05)
    state_of_app = known(app)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.session_state", {})
        take_penalty(state_of_app, {"selection": {"points": [{"point_index": place}]}}, rows)
    go(app, SETUP)
    assert called("Penalty (C)", app.number_input).value == 0.05


@pytest.mark.long
def test_runs_are_listed_opened_again_and_set_side_by_side(app, few):
    give(app, few)
    run_to_end(app)
    first = known(app).run
    go(app, SETUP)
    called("Penalty (C)", app.number_input).set_value(0.0)
    run_to_end(app)
    second = known(app).run
    go(app, RUNS)
    assert known(app).runs() == [second, first]
    assert any("the same 90 test rows" in info.value for info in app.info)
    assert any(" by the same rows)" in info.value for info in app.info)
    told = [text.value for text in app.markdown]
    assert any(text.endswith(f"- {plain('penalty C: not given, then 0')}") for text in told)
    for run in (first, second):
        headline = plain(in_short(run.job.snapshot().result)[0])
        assert [text for text in told if text == headline]
        assert [text for text in told if text.startswith("**") and headline in text]
    figures = next(f.value for f in app.dataframe if "what" in f.value).set_index("what")
    rows = [run.job.snapshot().result.row("test", "ifacm") for run in (first, second)]
    assert list(figures.loc["DCV", ["first", "second"]]) == [f"{row.dcv:.4f}" for row in rows]
    shares = [f"{100 * row.accuracy:.1f} %" for row in rows]
    assert list(figures.loc["accuracy", ["first", "second"]]) == shares
    app.button("open-1").click().run()
    assert known(app).run is first
    assert pages.title(app) == "Findings"
    assert known(app).draft == first.settings


def test_a_single_run_has_nothing_to_stand_beside(app, few):
    go(app, RUNS)
    assert [info.value for info in app.info] == [page_texts.NO_RUNS]
    give(app, few)
    run_to_end(app)
    go(app, RUNS)
    assert [info.value for info in app.info] == [page_texts.ONE_RUN]


@pytest.mark.long
def test_a_new_session_of_the_same_visitor_finds_runs_and_comparison(app, few, monkeypatch):
    give(app, few)
    run_to_end(app)
    compared(app, "quantile", 1)
    run, comparison = known(app).run, known(app).comparison
    monkeypatch.setattr(state, "_visitor", lambda: run.visitor)
    other = pages.open_app(run=run.token)
    assert known(other).runs() == [run]
    assert known(other).comparison is comparison
    monkeypatch.setattr(state, "_visitor", lambda: "somebody else")
    stranger = pages.open_app(run=run.token)
    assert known(stranger).runs() == []
    assert known(stranger).comparison is None


@pytest.mark.long
def test_findings_say_where_another_remedy_does_clearly_better(app, table):
    give(app, table.head(900))
    run_to_end(app)
    compared(app, "ifacm, quantile", 2)
    found = known(app).comparison.job.snapshot().result
    found.verdict.append("QUANTILE is clearly better")
    go(app, pages.FINDINGS)
    assert "QUANTILE is clearly better" in [info.value for info in app.info]
    go(app, SETUP)
    called("Confidence level (CL)", app.number_input).set_value(0.8)
    run_to_end(app)
    assert "QUANTILE is clearly better" not in [info.value for info in app.info]


@pytest.mark.long
def test_a_run_opened_again_has_its_choices_on_setup(app, few):
    give(app, few)
    run_to_end(app)
    go(app, SETUP)
    called("Column to predict", app.selectbox).set_value("x0").run()
    called("Penalty (C)", app.number_input).set_value(0.0)
    run_to_end(app)
    go(app, RUNS)
    app.button("open-1").click().run()
    go(app, SETUP)
    assert called("Column to predict", app.selectbox).value == "y"
    assert called("Penalty (C)", app.number_input).value is None
    assert known(app).draft == known(app).run.settings


@pytest.mark.parametrize(
    ("behind", "shown"), [(None, "10:00:00"), (-330, "15:30:00"), (210, "06:30:00")]
)
def test_a_run_is_listed_with_the_time_of_the_browser(monkeypatch, behind, shown):
    context = SimpleNamespace(timezone="Etc/Unknown", timezone_offset=behind)
    monkeypatch.setattr(st, "context", context)
    settings, owner = AuditSettings(target="y", penalty=0.0), Owner(lambda: True)
    run = Run(Job(lambda _event, _stop: None), settings, "t", owner, None)
    run.started = datetime(2026, 1, 2, 10, tzinfo=UTC)
    assert name_of(run).startswith(f"{shown} · t: label y")


@pytest.mark.parametrize("by", [pytest.param("columns", marks=pytest.mark.long), "rows"])
def test_models_of_ones_own_are_compared_in_place_of_remedies(app, few, by):
    few = few.assign(id=range(len(few)), a_lower=few["y"] - 1.0, a_upper=few["y"] + 0.5)
    few = few.assign(b_lower=few["y"] + 0.1, b_upper=few["y"] + 2.0)
    ends, asked = ("a_lower", "a_upper"), {"models": ("b", "a")}
    if by == "rows":
        others = ["a_lower", "a_upper", "b_lower", "b_upper"]
        parts = [
            few.drop(columns=others).assign(
                model=name, lower=few[f"{name}_lower"], upper=few[f"{name}_upper"]
            )
            for name in "ab"
        ]
        few, ends = pd.concat(parts), ("lower", "upper")
        asked = {"model_column": "model", "key": ("id",)}
    give(app, few)
    settings = AuditSettings(target="y", lower=ends[0], upper=ends[1], drop=("id",))
    known(app).change(settings)
    go(app, COMPARE)
    called("Models of your own", app.text_input).set_value(",".join(asked.get("models", ())))
    called("Column of the model", app.selectbox).set_value(asked.get("model_column"))
    called("Key of objects", app.multiselect).set_value([*asked.get("key", ())])
    press(app, "Compare")
    shown = known(app).comparison.job.wait(pages.PATIENCE).result
    own = compare(few, known(app).draft, **asked)
    assert [row.remedy for row in shown.rows] == [row.remedy for row in own.rows]
    assert {row.accuracy for row in shown.test_rows("b")} == {0.0}
    assert {row.accuracy for row in shown.test_rows("a")} == {1.0}
    assert "Remedies" not in [each.label for each in app.multiselect]
