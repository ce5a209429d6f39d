"""Setup: settings that are put to a table come back from its choices if none is touched."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from pages import PATIENCE, called
from streamlit.testing.v1 import AppTest

from evencover.core import AuditSettings
from evencover.core.preparation.roles import profile_columns
from evencover.core.tables.table import Table
from evencover.dashboard.options import SharedSettings, results_are_for, say_the_same
from evencover.dashboard.pages.session import SessionState, with_settings
from evencover.dashboard.pages.setup import _references_left as references_left
from evencover.dashboard.runs.job import Job
from evencover.dashboard.runs.run import Run
from evencover.dashboard.runs.upload import LoadedTable

Y = AuditSettings(target="y")
OLD = (("old", "a >= 4"),)


@pytest.fixture(scope="module")
def small():
    """A table whose columns an audit takes in, leaves out and reads for different reasons."""
    rng = np.random.default_rng(0)
    n = 60
    frame = pd.DataFrame({"y": rng.normal(size=n), "a": rng.integers(0, 9, n)})
    frame = frame.assign(
        again=frame["a"],
        b=rng.normal(size=n),
        code=rng.choice([1, 2, 30], n),
        day=rng.choice(["2020-01-02", "2020-01-03"], n),
        quarter=[f"201{i % 9}-Q{i % 4 + 1}" for i in range(n)],
        nearly=["n/k", *map(str, rng.normal(size=n - 1).round(2))],
        row_id=[f"n{i}" for i in range(n)],
        part=rng.choice(["train", "calibration", "test"], n),
        sex=rng.choice(["f", "m"], n),
    )
    frame = frame.assign(gender=frame["sex"].map({"f": "1", "m": "2"}))
    return LoadedTable("t.csv", Table.of(frame), profile_columns(frame, Y), Y, source="t.csv")


def _setup():
    import streamlit as st  # noqa: PLC0415 - streamlit runs the function's text alone

    from evencover.dashboard.pages.setup import choose_settings  # noqa: PLC0415

    st.session_state["made"] = choose_settings(
        st.session_state["table"], st.session_state["cohorts"]
    )


def choices(app, table, cohorts=()):
    """Draw the choices of a table, and return them."""
    app.session_state["table"], app.session_state["cohorts"] = table, cohorts
    app.run()
    assert not app.exception
    return app.session_state["made"]


def look_at(app, table, cohorts=()):
    """Draw the choices of a table; return the settings as chosen, runnable or not."""
    return choices(app, table, cohorts)[0]


GIVEN = (
    {"drop": ("a",)},
    {"drop": ("row_id", "again", "a")},
    {"drop": ("b", "a"), "audit_only": ("sex", "code"), "split": "0.4, 0.3, 0.3"},
    {"audit_only": ("again",), "categorical": ("day", "code")},
    {"time": "a"},
    {"time": "quarter", "drop": ("a",)},
    {"time": "nearly", "numeric": ("nearly",)},
    {"prediction": "b", "sigma": "a"},
    {"lower": "row_id", "upper": "b", "features": ("a",)},
    {"quantiles": ("b", "a"), "group": "sex"},
    {"weight": "a", "group": "sex", "drop": ("nearly", "b")},
    {"weight": "row_id"},
    {"group": "row_id", "categorical": ("sex", "quarter")},
    {"split_column": "part", "numeric": ("y", "nearly", "b")},
    {"features": ("b", "row_id", "a"), "drop": ("nearly",), "numeric": ("nearly",)},
    {"features": (), "categorical": ("code",), "time": "quarter"},
    {"drop": ("nearly",), "numeric": ("nearly",), "cohorts": (("far", "nearly > 1"),)},
    {"cuts": (('"a\n=', (1.0, 2.5)), ("x\u2028y", (0.1,))), "reference": (("sex", "x\ny"),)},
)
"""Of the table ``small``."""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Parsing '.*' as a quarterly string")
def test_settings_that_are_given_come_back_untouched(small):
    app = AppTest.from_function(_setup, default_timeout=PATIENCE)
    for given in GIVEN:
        settings = replace(Y, **given)
        table = with_settings(small, replace(settings, cuts=()))
        table = replace(table, choices=settings)
        assert look_at(app, table, settings.cohorts) == settings
        # nor does another choice change them
        called("Seed", app.number_input).set_value(3)
        assert look_at(app, table, settings.cohorts) == replace(settings, seed=3)
    reference = (("cohort: old", "inside"), ("sex", "f"))
    settings = replace(Y, cohorts=OLD, reference=reference, confidence_level=0.8)
    table = with_settings(small, settings)
    assert look_at(app, table, OLD) == settings
    called("Confidence level (CL)", app.number_input).set_value(80.0)
    _, (problem,) = choices(app, table, OLD)
    assert "80" in problem  # and while this cannot be run, the cohort goes
    called("Confidence level (CL)", app.number_input).set_value(0.8)
    left = replace(settings, cohorts=(), reference=(("sex", "f"),))
    assert look_at(app, table) == left
    assert called("Groups to compare with", app.text_area).value == "sex=f"


@pytest.mark.long
def test_a_weight_is_chosen_and_what_is_wrong_with_it_is_said(small):
    app = AppTest.from_function(_setup, default_timeout=PATIENCE)
    assert look_at(app, small) == Y
    called("Weight of rows", app.selectbox).set_value("a")
    assert look_at(app, small).weight == "a"
    for column, told in (("b", "which is below 0"), ("sex", "which is no number")):
        called("Weight of rows", app.selectbox).set_value(column)
        _, (problem,) = choices(app, small)
        assert f"weight column '{column}'" in problem
        assert told in problem
        assert any(told in caption.value for caption in app.caption)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"drop": ("a", "b")}, {"drop": ("b", "a")}),
        ({"audit_only": ("sex", "code")}, {"audit_only": ("code", "sex")}),
        ({"categorical": ("a", "b", "a")}, {"categorical": ("b", "a")}),
        ({"numeric": ("a", "b")}, {"numeric": ("b", "a")}),
        ({"split": "0.4, 0.3, 0.3"}, {"split": "0.40,0.3,.3"}),
        ({"split": "30,20, 10"}, {"split": "30,20,10"}),
        ({"cuts": (("a", (1.0,)), ("b", (2.0,)))}, {"cuts": (("b", (2.0,)), ("a", (1.0,)))}),
    ],
)
def test_what_is_only_written_otherwise_is_no_change(one, other):
    assert results_are_for(replace(Y, **one), replace(Y, **other)) is None


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({"drop": ("b", "a")}, {"drop": ("a",)}, "left out: b, a"),
        ({"features": ("b", "a")}, {"features": ("a", "b")}, "features: b, a"),
        ({"features": ()}, {}, "features: none"),
        ({"split": "0.4,0.3,0.3"}, {"split": "0.3,0.4,0.3"}, "split: 0.4,0.3,0.3"),
        ({"split": "x"}, {"split": "y"}, "split: x"),
    ],
)
def test_what_says_something_else_is_a_change(one, other, told):
    assert results_are_for(replace(Y, **one), replace(Y, **other), 0.3) == (
        f"These results are for CL = 0.9, C = 0.3; {told}."
    )
    assert not say_the_same(replace(Y, **one), replace(Y, **other))


@pytest.fixture
def at_work(small):
    """A session with a run, never started, whose cohorts it has changed since."""
    state = SessionState()
    state.use(small)
    state.run = Run(Job(lambda _: None), replace(Y, cohorts=OLD), "t.csv", state.me, small)
    state.cohorts = (("young", "a < 4"),)
    return state


def test_settings_that_do_not_go_with_the_table_in_use_change_nothing(at_work, small):
    run, draft = at_work.run, at_work.draft
    shared = SharedSettings(AuditSettings(target="nonsuch"))
    at_work.want(shared)
    assert at_work.problem.startswith("the settings name a column 'nonsuch', which 't.csv' does")
    assert (at_work.table, at_work.draft, at_work.run) == (small, draft, run)
    assert at_work.cohorts == (("young", "a < 4"),)
    assert at_work.wanted == shared
    assert not at_work.settings_taken
    assert not run.job.snapshot().stopping


def test_settings_of_the_run_keep_it_and_others_end_it(at_work):
    run = at_work.run
    at_work.want(SharedSettings(replace(Y, cohorts=OLD)))
    assert (at_work.run, at_work.cohorts) == (run, OLD)
    assert at_work.settings_taken
    at_work.want(SharedSettings(replace(Y, seed=1)))
    assert at_work.run is None
    assert at_work.draft == replace(Y, seed=1)
    assert run.job.snapshot().stopping


def test_a_reference_group_of_a_column_called_like_a_cohort_is_left():
    before = AuditSettings(target="y", cohorts=(("k", "x > 0"),))
    columns = ["x", "y", "cohort: k"]
    text = "cohort: k=b\ncohort: k (2)=inside"
    assert references_left(text, before, (), columns) == "cohort: k=b"
    assert references_left(text, before, before.cohorts, columns) == text
    assert references_left("cohort: k=inside\nx=1", before, (), ["x", "y"]) == "x=1"
