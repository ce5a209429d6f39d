"""Groups and pairs that are named on Setup, before a run or once its results were seen."""

import pages
import pytest
from pages import called, give, go, known, press, run_to_end

from evencover.dashboard.options import repeat_command
from evencover.dashboard.wording import page_texts

pytestmark = pytest.mark.long

RULE = "x0 >= 0.5"


@pytest.fixture
def app(few):
    page = pages.open_app()
    give(page, few, "few.csv")
    yield page
    assert not page.exception


def write(app, rule, name):
    called("Rule", app.text_area).set_value(rule)
    called("Name of the cohort", app.text_input).set_value(name).run()


def told(app):
    return [text.value for text in (*app.markdown, *app.caption)]


def test_what_is_named_before_a_run_is_judged_as_named(app, few):
    called("Column", app.selectbox).set_value("x0").run()
    called("from", app.number_input).set_value(0.5).run()
    press(app, "Add condition")
    assert called("Rule", app.text_area).value == RULE
    assert f"The rule: {(few['x0'] >= 0.5).sum()} of 300 rows" in told(app)
    called("Name of the cohort", app.text_input).set_value("high").run()
    press(app, "Add cohort")
    called("Column of a pair", app.selectbox).set_value("place").run()
    called("Column it meets", app.selectbox).set_value("x1").run()
    press(app, "Add pair")
    draft = known(app).draft
    assert (draft.cohorts, draft.looks) == ((("high", RULE),), ())
    assert draft.pairs == (("place", "x1"),)
    assert "x1" not in called("Column it meets", app.selectbox).options
    command = repeat_command(draft, "few.csv")
    assert f"'--cohort=high: {RULE}' " in f"{command} "
    assert "--pairs=place:x1" in command
    run_to_end(app)
    result = known(app).run.job.snapshot().result
    assert result.asked.cohorts == (("high", RULE),)
    by_variable = {name: set() for name in ("cohort: high", "place × x1", "x0")}
    for row in result.of(result.segments, "base"):
        if row.variable in by_variable:
            by_variable[row.variable].add((row.kind, row.named))
    assert by_variable["cohort: high"] == {("cohort", True)}
    assert by_variable["place × x1"] == {("pair", True)}
    assert by_variable["x0"] == {("column", False)}


def test_what_is_named_after_a_run_is_a_look(app):
    write(app, RULE, "high")
    press(app, "Add cohort")
    pages.press_run(app)
    go(app, pages.SETUP)
    assert page_texts.NAMED_TOO_LATE in told(app)
    write(app, "x1 < 0", "low")
    press(app, "Add cohort")
    draft = known(app).draft
    assert (draft.cohorts, draft.looks) == ((("high", RULE),), (("low", "x1 < 0"),))


@pytest.mark.parametrize(
    ("rule", "says"),
    [("x0 >", "cannot be read"), ("nobody = 1", "no column 'nobody'"), ("place > 3", "place")],
)
def test_a_rule_that_cannot_be_read_is_one_sentence(app, rule, says):
    write(app, rule, "bad")
    (sentence,) = app.warning
    assert says in sentence.value
    assert called("Add cohort", app.button).disabled


def test_a_cohort_that_no_run_would_take_is_one_sentence(app):
    write(app, RULE, "")
    press(app, "Add cohort")
    (sentence,) = app.error
    assert "name" in sentence.value
    assert called("Rule", app.text_area).value == RULE
    called("Name of the cohort", app.text_input).set_value("high").run()
    press(app, "Add cohort")
    write(app, "x0 < 0", "high")
    press(app, "Add cohort")
    (sentence,) = app.error
    assert "high" in sentence.value
    assert known(app).cohorts == (("high", RULE),)
    press(app, "Remove")
    draft = known(app).draft
    assert (draft.all_cohorts, known(app).cohorts) == ((), ())
    assert "--cohort" not in repeat_command(draft, "few.csv")
    press(app, "Add cohort")
    assert known(app).draft.cohorts == (("high", "x0 < 0"),)


def test_naming_a_cohort_leaves_what_else_is_chosen(app):
    called("Column to predict", app.selectbox).set_value("x1").run()
    write(app, RULE, "high")
    pages.choose(app, {"bins": 7})
    press(app, "Add cohort")
    draft = known(app).draft
    assert (draft.target, draft.bins, draft.cohorts) == ("x1", 7, (("high", RULE),))
    go(app, pages.DATA)
    go(app, pages.SETUP)
    assert known(app).draft == draft
