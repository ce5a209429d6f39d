"""The pages, run by streamlit's own AppTest, which draws them without a browser."""

import math
import re
import threading
import time
import tomllib
from itertools import chain
from pathlib import Path

import numpy as np
import pages
import pandas as pd
import pytest
from pages import (
    PATIENCE,
    called,
    chart,
    choose,
    frame_with,
    give,
    go,
    known,
    labels,
    press,
    press_run,
    run_to_end,
    shown_figures,
    tab,
    take_sample,
    title,
    upload,
    wait,
)

import evencover.core
from evencover.core import AuditSettings, InputError, audit, parse_table
from evencover.core.events import LayerTried
from evencover.core.preparation.roles import assign_roles
from evencover.core.report.groups import low_groups, named_group
from evencover.core.report.wording import layer_sentence, segment_in_words
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.tables.table import Table
from evencover.dashboard.commands import dashboard as launch
from evencover.dashboard.options import (
    BY_SAMPLES,
    SETTINGS_PARAMETER,
    pack,
    repeat_command,
    unpack,
)
from evencover.dashboard.pages import run as run_page
from evencover.dashboard.runs.job import FAILURE
from evencover.dashboard.wording import formatting, page_texts
from evencover.dashboard.wording.figure_words import watched_gaps
from evencover.dashboard.wording.rows import by_shortfall, watched
from evencover.sample_data import GENERATED, load_sample, sample_names

CONFIG = Path(__file__).parents[3] / ".streamlit" / "config.toml"
VARIABLE = "Variable, that of the finding first"
UNTESTED = 1  # A row that the default split does not put among the test rows
ODD_NAMES = [
    "*star*",
    "$x$ and $z$",
    "_low_",
    "<b>bold</b>",
    "[x](y)",
    ":red[x]",
    "`code`",
    "~~gone~~",
    "# head",
    "back\\slash",
    "two\n===\n\n    lines",
]


@pytest.fixture(scope="module")
def opened(table):
    """The page with a finished run of the table, at which tests only look."""
    page = pages.open_app()
    give(page, table)
    choose(page, {"penalty": 0.0, "remedies": ("ifacm",)})
    run_to_end(page)
    yield page
    assert not page.exception


@pytest.fixture
def finished(opened):
    return go(opened, pages.FINDINGS)


def settings_chosen(app):
    """Those that the next run would be of."""
    assert "Run" in labels(app.button)
    return known(app).draft


def of_variable(result, variable, predictor="base"):
    return [row for row in result.of(result.segments, predictor) if row.variable == variable]


def all_markdown(app):
    """Every text of the page that streamlit reads as Markdown."""
    elements = (app.markdown, app.caption, app.info, app.warning, app.error, app.success)
    widgets = (app.expander, app.metric, app.button, app.selectbox, app.multiselect, app.checkbox)
    told = [element.value for kind in elements for element in kind]
    return told + [widget.label for kind in widgets for widget in kind]


def sentence_of(table, settings):
    with pytest.raises(InputError) as refused:
        audit(table, settings)
    assert "--" not in str(refused.value)  # nobody here has options of a command line
    return formatting.plain(str(refused.value))


def test_the_page_greets_without_a_table(app):
    assert [title.value for title in app.title] == [page_texts.TITLE]
    assert page_texts.PROMISE.strip() in [text.value.strip() for text in app.markdown]
    assert labels(app.button) == [name.replace("_", " ").capitalize() for name in sample_names()]
    assert not app.error
    told = [text.value for text in app.markdown]
    assert list(page_texts.SAMPLES) == sample_names()
    assert not set(page_texts.SAMPLES.values()) - set(told)
    assert page_texts.SAMPLES["houses"].endswith("so that the true coverage for everybody is known")
    assert page_texts.SAMPLES["gpu"].endswith("published data that the paper uses")


@pytest.mark.parametrize("name", GENERATED)
def test_a_sample_brings_its_own_choices(app, name):
    sample = load_sample(name)
    app.button(f"sample-{name}").click().run()
    assert sample.description in [text.value for text in app.markdown]
    press(app, "Next: Setup")
    chosen = {option: getattr(sample, option) for option in BY_SAMPLES}
    assert settings_chosen(app) == AuditSettings(**chosen)
    pd.testing.assert_frame_equal(known(app).table.frame, sample.frame)


def test_an_uploaded_table_is_taken_up(app, table):
    upload(app, table)
    assert called("Column to predict", app.selectbox).value == "y"
    assert called("Column to predict", app.selectbox).options == list(table.columns)
    assert not app.error
    go(app, pages.DATA)
    assert app.header[0].value == r"table\.csv: 3,000 rows, 7 columns"
    shown, first_rows = (element.value for element in app.dataframe)
    assert shown["column"].tolist() == list(table.columns)
    assert first_rows.equals(table.head(5))


def test_every_tab_has_its_content(finished):
    assert labels(finished.tabs) == ["Coefficients", "Before and after", "Data and notes"]
    line = r"Results for table\.csv: label y, CL = 0.9, C = 0"
    assert finished.caption[0].value == line
    assert "Features by size" not in labels(finished.selectbox)  # so few are shown at once
    overview = tab(finished, "Before and after").dataframe[0].value
    assert len(overview) == 4
    assert not {"dcv_floor_simulated", "p_value_permuted"} & {*overview.columns}
    assert page_texts.ABOUT_PERMUTATIONS not in [text.value for text in finished.markdown]
    drawn = tab(finished, "Coefficients")
    assert "odds" in drawn.markdown[0].value
    # columns, which a narrow screen puts one above the other
    assert [len(column.get("plotly_chart")) for column in drawn.columns] == [1, 1]
    assert "1,200 for training, 900 for calibration and 900 for test" in (
        tab(finished, "Data and notes").markdown[0].value
    )
    go(finished, pages.SEGMENTS)
    assert "Wilson" in page_texts.ABOUT_SEGMENTS
    assert page_texts.ABOUT_SEGMENTS in [text.value for text in finished.markdown]


@pytest.mark.long
def test_the_export_offers_every_file_and_the_command_that_repeats_the_run(app, few):
    give(app, few, "my table.csv")
    choose(app, {"seed": 7, "split": "150,75,75"})
    press_run(app)
    wait(app)
    go(app, pages.EXPORT)
    assert labels(app.get("download_button")) == list(page_texts.DOWNLOADS)
    (command,) = app.code
    assert command.value == repeat_command(known(app).run.settings, "my table.csv")
    assert "--seed=7" in command.value
    assert page_texts.ABOUT_CSV in [text.value for text in app.caption]


def remedies(app):
    return [label for label in labels(app.button) if label in page_texts.FIXES.values()]


def test_a_protected_name_is_hinted_at_and_the_hint_leaves_older_results(app, few):
    give(app, few.rename(columns={"x0": "age", "x1": "page"}))
    press_run(app)
    run = known(app).run
    go(app, pages.SETUP)
    assert remedies(app) == ["Protect those ticked"]
    assert any("by name may be protected" in text.value for text in app.markdown)
    press(app, "Protect those ticked")
    assert called("Audit only", app.multiselect).value == ["age"]
    assert remedies(app) == []
    assert known(app).draft.audit_only == ("age",)
    assert known(app).run is run
    go(app, pages.RUN)
    assert any("These results are for" in text.value for text in app.warning)


def test_a_column_without_its_tick_is_remembered_as_not_protected_and_may_be_taken_back(app, few):
    give(app, few.rename(columns={"x0": "age", "x1": "gender"}))
    go(app, pages.SETUP)
    called("age is protected", app.checkbox).uncheck().run()
    press(app, "Protect those ticked")
    draft = known(app).draft
    assert (draft.not_protected, draft.audit_only) == (("age",), ("gender",))
    assert remedies(app) == []
    assert "age" not in draft.drop
    assert "--not-protected=age" in repeat_command(draft, "t.csv")
    assert unpack(pack(draft, "t.csv")).settings == draft
    called("Not protected", app.multiselect).set_value([]).run()
    assert known(app).draft.not_protected == ()
    assert remedies(app) == ["Protect those ticked"]


@pytest.mark.long
def test_every_hint_has_a_button_that_makes_its_change_alone(app, few):
    rows = np.arange(len(few))
    diag = np.where(rows % 30 > 1, (400 + rows % 9).astype(str), "V58")
    diag[0] = "E84"
    give(app, few.assign(y=np.exp(few["y"]), patient=rows // 2, diag=diag))
    assert remedies(app) == ["Group by it", "Read as codes", "Model its logarithm"]
    assert called("Left out", app.multiselect).value == ["diag"]
    called("Seed", app.number_input).set_value(7).run()
    for button in remedies(app):
        press(app, button)
    assert remedies(app) == []
    assert called("Column to split by", app.selectbox).value == "patient"
    draft = known(app).draft
    assert (draft.group, draft.categorical, draft.log_target) == ("patient", ("diag",), True)
    assert (draft.seed, draft.drop, draft.features) == (7, (), None)
    called("Split the rows", app.selectbox).set_value("by time").run()
    called("Column to split by", app.selectbox).set_value("x1").run()
    assert called("Rows that belong together", app.selectbox).value == "patient"
    assert (known(app).draft.time, known(app).draft.group) == ("x1", "patient")


@pytest.mark.long
def test_boosted_trees_are_chosen_where_a_run_says_that_they_are_better(app):
    many = pd.DataFrame(np.random.default_rng(0).normal(size=(800, 2)), columns=["x0", "x1"])
    give(app, many.assign(y=np.abs(2.0 * many["x0"]) + 0.1 * many["x1"]))
    assert called("Model", app.selectbox).value == "linear"
    run_to_end(app)
    go(app, pages.FINDINGS)
    assert any("Try boosted trees as the model" in text.value for text in app.markdown)
    (step,) = (button for button in app.button if button.key == "step-model")
    step.click().run()
    assert title(app) == "Run"
    assert known(app).run.settings.model == "boosting"
    go(app, pages.SETUP)
    assert called("Model", app.selectbox).value == "boosting"


@pytest.mark.long
def test_each_page_leads_to_the_next(app, few):
    give(app, few)
    assert called("Remedies", app.text_input).value == "ifacm,auto"
    way = [title(app)]
    press_run(app)
    way.append(title(app))
    known(app).run.job.wait(PATIENCE)
    app.run()
    for button in ("See the findings", "See the segments", "Next: Export"):
        press(app, button)
        way.append(title(app))
    assert way == ["Setup", "Run", "Findings", "Segments", "Export"]
    assert known(app).run.job.snapshot().result.names == ["base", "ifacm", "auto"]


def test_a_page_without_what_it_needs_says_what_to_do_first(app, table):
    for step in (pages.SETUP, pages.RUN, pages.FINDINGS, pages.SEGMENTS, pages.EXPORT):
        go(app, step)
        assert [info.value for info in app.info] == [formatting.plain(page_texts.NO_TABLE)]
        assert labels(app.button) == ["Go to Data"]
    press(app, "Go to Data")
    assert title(app) == page_texts.TITLE
    give(app, table)
    for step in (pages.RUN, pages.FINDINGS, pages.SEGMENTS, pages.EXPORT):
        go(app, step)
        assert [info.value for info in app.info] == [formatting.plain(page_texts.NO_RUN)]
        assert app.caption[0].value == r"table\.csv: label y, CL = 0.9, C = 0.5 · no run yet"
    press(app, "Go to Setup")
    assert title(app) == "Setup"


def test_choices_are_still_there_after_a_look_at_another_page(app, table):
    give(app, table)
    choose(app, {"split": "1500,750,750", "drop": ("x1",), "numeric": (), "audit_only": ("x2",)})
    called("Split the rows", app.selectbox).set_value("by group").run()
    called("Column to split by", app.selectbox).set_value("place").run()
    called("Cut points", app.text_area).set_value("x1=low").run()
    assert [error.value[:8] for error in app.error] == ["'x1=low'", "column '"]  # and few groups
    for step in (pages.DATA, pages.RUN):
        go(app, step)
    go(app, pages.SETUP)
    assert called("Split", app.text_input).value == "1500,750,750"
    assert called("Left out", app.multiselect).value == ["x1"]
    assert called("Audit only", app.multiselect).value == ["x2"]
    assert called("Column to split by", app.selectbox).value == "place"
    assert called("Cut points", app.text_area).value == "x1=low"
    assert len(app.error) == 2


@pytest.mark.long
def test_a_new_table_takes_the_place_of_an_older_one_and_its_results(app, few, classes):
    upload(app, few)
    run_to_end(app)
    assert app.metric
    upload(app, b"", "empty.csv")
    assert app.error
    go(app, pages.FINDINGS)
    assert not app.metric
    assert "Run" not in labels(app.button)
    give(app, classes, "classes.csv")
    assert not app.error
    assert called("Column to predict", app.selectbox).options == list(classes.columns)
    go(app, pages.FINDINGS)
    assert not app.metric
    take_sample(app, "houses")
    app.run()
    assert called("Column to predict", app.selectbox).value == "price"


@pytest.mark.long
def test_a_new_table_stops_the_old_run(app, table, held_audit):
    give(app, table)
    press_run(app)
    job = known(app).run.job
    take_sample(app, "houses")
    assert job.snapshot().stopping
    held_audit.release()


BAD_TABLES = {
    "constant label": (lambda t: t.assign(y=3), {}),
    "split of words": (lambda t: t, {"split": "a,*b*,c"}),
    "a logarithm of -1": (lambda t: t.assign(y=t["y"] - 1e3), {"log_target": True}),
    "pairs of strangers": (lambda t: t, {"pairs": (("x0", "nobody"),)}),
    "a group of none": (lambda t: t, {"reference": (("place", "Nowhere"),)}),
}
"""Of what the core refuses, to which the pages only give room."""


@pytest.mark.parametrize("case", BAD_TABLES)
@pytest.mark.long
def test_what_cannot_be_run_gets_the_sentence_of_the_core_before_it_is(app, few, case):
    change, options = BAD_TABLES[case]
    frame = parse_table(change(few).to_csv(index=False).encode(), "bad.csv").frame
    give(app, frame, "bad.csv")
    choose(app, options)
    expected = sentence_of(frame, AuditSettings(target="y", **options))
    assert [error.value for error in app.error] == [expected]
    assert "Run" not in labels(app.button)
    # nor does it hide the rest of the page
    assert preview(app).index.tolist() == frame.columns.tolist()
    assert called("Seed", app.number_input).value == 0


def test_what_cannot_be_run_is_told_beside_its_field_too(app, few):
    give(app, few)
    odd = {"confidence_level": 90.0, "split": "0.5,0.2,0.6", "pairs": (("x0", "x0"),)}
    choose(app, odd)
    told = [error.value for error in app.error]
    assert [sentence.partition(" ")[0] for sentence in told] == ["confidence", "column", "split"]
    captions = [caption.value for caption in app.caption]
    assert [f":red[{sentence}]" in captions for sentence in told] == [True] * 3


@pytest.mark.parametrize(("label", "penalty"), [("y", 0.5), ("place", 0.1)])
@pytest.mark.long
def test_penalty_goes_by_the_label_unless_it_is_chosen(app, few, label, penalty):
    give(app, few)
    called("Column to predict", app.selectbox).set_value(label).run()
    assert called("Penalty (C)", app.number_input).value is None
    captions = [caption.value for caption in app.caption]
    assert page_texts.PENALTY_BY_LABEL.format(penalty) in captions
    assert captions[0].endswith(f"C = {penalty:g} · no run yet")
    run_to_end(app)
    result = known(app).run.job.snapshot().result
    assert result.settings["c"] == penalty
    assert result.asked.penalty is None
    assert app.caption[0].value.endswith(f"C = {penalty:g}")
    go(app, pages.SETUP)
    called("Penalty (C)", app.number_input).set_value(0.3).run()
    assert "C = 0.3" in app.caption[0].value
    assert settings_chosen(app).penalty == 0.3


def test_an_impossible_number_gets_the_sentence_of_the_core(app, few):
    with pytest.raises(InputError) as refused:
        AuditSettings(target="y", penalty=-1.0)
    give(app, few)
    usable = called("Penalty (C)", app.number_input).value
    called("Penalty (C)", app.number_input).set_value(-1.0).run()
    assert called("Penalty (C)", app.number_input).value == -1.0
    assert [error.value for error in app.error] == [formatting.plain(str(refused.value))]
    assert "Run" not in labels(app.button)
    called("Penalty (C)", app.number_input).set_value(usable).run()
    assert not app.error
    assert settings_chosen(app) == AuditSettings(target="y")


def test_a_defect_is_told_without_its_message(app, few, monkeypatch):
    def broken(*_arguments, **_options):
        raise RuntimeError("salary 4711")

    monkeypatch.setattr(evencover.core, "audit", broken)
    give(app, few)
    run_to_end(app)
    assert [error.value for error in app.error] == [formatting.plain(FAILURE)]


def test_choices_reach_the_settings(app, few):
    give(app, few)
    options = {
        "split": "150,50,75",
        "task": "regression",
        "measure": "standard",
        "drop": ("x1",),
        "audit_only": ("place", "x2"),
        "categorical": ("x3",),
        "seed": 7,
        "confidence_level": 0.8,
        "penalty": 2.5,
        "penalty_form": "squared",
        "search": "paper",
    }
    choose(app, options)
    press_run(app)
    assert known(app).run.settings == AuditSettings(target="y", **options)


SEGMENT_CHOICES = {
    "pairs": (("place", "x0"), ("place", "y")),
    "bins": 3,
    "cuts": (("x1", (-1.0, 0.1)), ("x2", (0.0,))),
    "reference": (("place", "Bude"), ("x2", ">= 0")),
}


@pytest.mark.long
def test_choices_about_segments_reach_the_settings_and_the_page(app, table):
    give(app, table.head(1000))
    choose(app, SEGMENT_CHOICES)
    run_to_end(app)
    settings = AuditSettings(target="y", **SEGMENT_CHOICES)
    assert known(app).run.settings == settings
    result = known(app).run.job.snapshot().result
    go(app, pages.SEGMENTS)
    called(VARIABLE, app.selectbox).set_value("place × x0").run()
    rows = of_variable(result, "place × x0")
    segments, gaps, strata = (
        frame_with(app, name) for name in ("detectable", "gap_adjusted", "size")
    )
    assert segments["accuracy_base"].tolist() == [row.accuracy for row in rows]
    assert "share_full_base" not in segments  # meaningless for intervals
    base, after = (result.of(result.gaps, name) for name in ("base", "ifacm"))
    pairs = sorted(zip(base, after, strict=True), key=lambda pair: -abs(pair[0].gap))
    assert gaps["variable"].tolist() == [row.variable for row, _ in pairs]
    assert gaps["gap_adjusted"].tolist() == [row.gap for _, row in pairs]
    assert strata["accuracy"].tolist() == [row.accuracy for row in result.size_strata]


def test_a_column_of_no_use_is_left_out_by_the_audit_itself_and_can_be_taken_in(app, few):
    give(app, few.assign(row_id=np.arange(len(few)) * 3 + 1)[["row_id", *few.columns]])
    assert called("Left out", app.multiselect).value == ["row_id"]
    assert settings_chosen(app) == AuditSettings(target="y")
    choose(app, {"drop": ("x0",)})
    settings = settings_chosen(app)
    assert settings.features == ("row_id", "x1", "x2", "x3", "x4", "place")
    assert settings.drop == ("x0",)


@pytest.mark.long
def test_a_split_by_time_without_a_time_is_told_and_not_made_at_random(app, table):
    give(app, table[["place", "y"]].assign(other=table["place"].str.upper()[::-1].to_numpy()))
    called("Column to predict", app.selectbox).set_value("y").run()
    called("Split the rows", app.selectbox).set_value("by time").run()
    told = "no column can split the rows by time; choose another way to split"
    assert [error.value for error in app.error] == [told]
    assert "Run" not in labels(app.button)


def preview(app):
    return app.dataframe[0].value.set_index("column")


@pytest.mark.parametrize(
    "freed",
    [
        *("left out", "label"),
        *(pytest.param(way, marks=pytest.mark.long) for way in ("audit only", "group")),
    ],
)
def test_a_copy_that_is_left_out_stays_so_whatever_becomes_of_its_original(app, few, freed):
    few = few.assign(place=[f"p{row % 20}" for row in range(len(few))])
    again = few.assign(x0=few["place"], again=few["place"], once_more=few["place"])
    give(app, again[["place", "again", "once_more", "x0", "x1", "x2", "y"]])
    copies = ["again", "once_more", "x0"]
    assert called("Left out", app.multiselect).value == copies
    if freed == "left out":
        called("Left out", app.multiselect).set_value(["place", *copies]).run()
    elif freed == "audit only":
        called("Audit only", app.multiselect).set_value(["place"]).run()
    elif freed == "label":
        called("Column to predict", app.selectbox).set_value("place").run()
    else:
        called("Split the rows", app.selectbox).set_value("by group").run()
        called("Column to split by", app.selectbox).set_value("place").run()
    kept = ["x1", "x2", "y"] if freed == "label" else ["x1", "x2"]
    told = preview(app)
    assert told.index[told["role"] == "feature"].tolist() == kept
    roles = assign_roles(Table.of(known(app).table.frame), settings_chosen(app))
    assert list(roles.features) == kept
    assert set(copies) <= set(roles.dropped)
    assert told.loc[copies, "what becomes of it"].tolist() == [roles.dropped[c] for c in copies]


def test_another_label_frees_the_first_one_but_no_copy_of_it(app, few):
    give(app, few.assign(y2=few["y"])[["y2", *few.columns]])
    called("Column to predict", app.selectbox).set_value("x0").run()
    left_out = called("Left out", app.multiselect)
    assert left_out.value == ["y2"]
    assert left_out.options == ["y2", "x1", "x2", "x3", "x4", "place", "y"]
    assert preview(app)["role"].loc[["y2", "y", "x0"]].tolist() == ["left out", "feature", "label"]
    assert settings_chosen(app) == AuditSettings(target="x0", drop=("y2",))


def test_times_in_text_can_be_read_as_numbers(app, few):
    give(app, few.assign(x1=[*map(str, range(len(few) - 1)), "n/k"]))
    choose(app, {"numeric": ("x1",)})
    called("Split the rows", app.selectbox).set_value("by time").run()
    called("Column to split by", app.selectbox).set_value("x1").run()
    assert preview(app).loc["x1", "what becomes of it"] == "says the order in time"
    (error,) = app.error
    told = f"time column 'x1' holds nothing in row {len(few)}"
    assert error.value.startswith(formatting.plain(told))


@pytest.mark.long
def test_text_read_as_numbers_is_taken_in_and_told_of(app, few):
    x1 = few["x1"].astype(str).where(few.index != 6, "n/k")
    give(app, few.assign(x1=x1, y=few["y"].astype(str).where(few.index != 6, "on request")))
    assert called("Left out", app.multiselect).value == ["x1"]
    assert preview(app).loc["x1", "role"] == "left out"
    choose(app, {"numeric": ("x1", "y")})
    assert called("Left out", app.multiselect).value == []
    one_missing = 1 / len(few)
    assert preview(app).loc["x1", ["role", "read as", "distinct", "missing"]].tolist() == [
        *("feature", "number", few["x1"].drop(6).nunique(), one_missing)
    ]
    assert preview(app).loc["y", ["role", "read as", "missing"]].tolist() == [
        *("label", "number", one_missing)
    ]
    press_run(app)
    assert known(app).run.settings == AuditSettings(target="y", numeric=("x1", "y"))
    result = known(app).run.job.wait(PATIENCE).result
    assert (result.settings["task"], result.data.rows_without_label) == ("regression", 1)
    assert "'n/k' in row 7" in " ".join(result.notes)


def test_the_preview_tells_what_becomes_of_each_column_and_what_cannot_be_at_once(app, table):
    give(app, table)
    assert preview(app)["role"].value_counts().to_dict() == {"feature": 6, "label": 1}
    assert preview(app).loc["x0", "what becomes of it"] == "the number"
    choose(app, {"drop": ("x0",), "audit_only": ("place",)})
    assert preview(app).loc["x0", "what becomes of it"] == "left out as asked"
    assert preview(app).loc["place", "role"] == "audit only"
    choose(app, {"numeric": ("place",)})
    told = "column 'place' holds no numbers; do not name it as numeric"
    assert [warning.value for warning in app.warning] == [formatting.plain(told)]


@pytest.mark.long
def test_changed_choices_warn_that_results_are_for_the_old_ones_until_a_new_run(app, few):
    give(app, few)
    run_to_end(app)
    assert not app.warning
    before = shown_figures(app)
    go(app, pages.SETUP)
    choose(app, {"confidence_level": 0.8, "split": "150,75,75"})
    told = r"table\.csv: label y, CL = 0.8, C = 0.5 · changed since the last run"
    assert app.caption[0].value == told
    for step in (pages.RUN, pages.SEGMENTS, pages.EXPORT, pages.FINDINGS):
        go(app, step)
        (warning,) = app.warning
        told = "These results are for CL = 0.9, C = 0.5; split: 0.4,0.3,0.3."
        assert warning.value == f"{formatting.plain(told)} {page_texts.CHANGED_SINCE}"
        assert app.caption[0].value.endswith("CL = 0.9, C = 0.5")
    assert shown_figures(app) == before
    go(app, pages.SETUP)
    called("Confidence level (CL)", app.number_input).set_value(90.0).run()
    go(app, pages.FINDINGS)
    (warning,) = app.warning
    assert warning.value.endswith(page_texts.CHANGED_UNUSABLY)
    assert shown_figures(app) == before
    go(app, pages.SETUP)
    called("Confidence level (CL)", app.number_input).set_value(0.8).run()
    run_to_end(app)
    assert not app.warning
    expected = AuditSettings(target="y", confidence_level=0.8, split="150,75,75")
    assert known(app).run.settings == expected
    assert shown_figures(app) != before


class HeldAudit:
    """The core's audit, held after a layer or some evaluations until it is released."""

    def __init__(self):
        self._may_go_on = threading.Event()
        self.reached = threading.Event()

    def release(self):
        self._may_go_on.set()

    def __call__(self, *arguments, on_event, **options):
        def listen(event):
            on_event(event)
            if isinstance(event, LayerTried) and event.iteration == 2 and event.evaluation == 3:
                self.reached.set()
                assert self._may_go_on.wait(PATIENCE)

        return audit(*arguments, on_event=listen, **options)


@pytest.fixture
def held_audit(monkeypatch):
    held = HeldAudit()
    monkeypatch.setattr(evencover.core, "audit", held)
    yield held
    held.release()


@pytest.fixture
def running(app, table, held_audit):
    """The page of a run held at the third evaluation for its second layer."""
    give(app, table)
    called("Penalty (C)", app.number_input).set_value(0.0).run()
    press_run(app)
    assert held_audit.reached.wait(PATIENCE)
    app.run()
    return app


def test_a_run_at_work_shows_how_far_it_is_on_every_page(running, result):
    base, first = result.row("training", "base"), result.iterations[0]
    status = f"**Layer 2: evaluation 3, {first.evaluations + 3} in all; layers so far: 1 ... "
    (told,) = [text.value for text in running.markdown if text.value.startswith(status)]
    assert re.fullmatch(r"\d+ s\*\*", told.removeprefix(status))
    assert not running.metric
    assert len(running.get("plotly_chart")) == 2
    path = chart(running, "live-path")["data"][0]
    assert path["y"] == pytest.approx([base.dcv, first.dcv], rel=1e-8)
    assert path["x"] == [base.inefficiency, first.inefficiency]
    bars = [(bar.proto.value, bar.proto.text) for bar in running.get("progress")]
    assert bars == [(5, "layers: 1 of at most 20"), (1, "evaluations: 3 of at most 300")]
    go(running, pages.FINDINGS)
    assert [info.value for info in running.info] == [formatting.plain(page_texts.STILL_RUNNING)]
    press(running, "Go to Run")
    assert "Stop" in labels(running.button)
    go(running, pages.SETUP)
    called("Penalty (C)", running.number_input).set_value(1.0).run()
    go(running, pages.RUN)
    assert running.warning[0].value.startswith("These results are for CL")
    assert page_texts.CHANGED_SINCE in running.warning[0].value


@pytest.mark.long
def test_a_stopped_run_shows_what_it_has(running, held_audit, result):
    called("Stop", running.button).click().run()
    assert known(running).run.job.snapshot().stopping
    held_audit.release()
    wait(running)
    notes = [text.value for text in tab(running, "Data and notes").markdown]
    assert rf"- {formatting.plain('The adjustment (IFACM) was stopped after 1 layer.')}" in notes
    assert running.metric
    go(running, pages.RUN)
    first = result.iterations[0]
    training = chart(running, "replay-path")["data"][0]
    assert training["y"][1:] == pytest.approx([first.dcv], rel=1e-8)
    assert training["x"][1:] == [first.inefficiency]
    said = [text.value for text in running.markdown]
    assert [text for text in said if text.startswith("The run was stopped: 1 layer of")]
    for step in (pages.RUN, pages.FINDINGS, pages.SEGMENTS, pages.EXPORT):
        assert go(running, step).caption[0].value.endswith(" · stopped")
    shown = [text.value for text in running.markdown]
    assert f"{page_texts.ABOUT_COMMAND_STOPPED}:" in shown
    assert page_texts.ABOUT_COMMAND not in shown


@pytest.mark.long
def test_odd_names_are_escaped_wherever_markdown_is_read(app):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(400, len(ODD_NAMES))), columns=ODD_NAMES)
    frame["y"] = frame.sum(axis=1) * rng.normal(size=400)
    give(app, frame, "*odd* $name$.csv")
    run_to_end(app)
    told = all_markdown(app)
    for step in (pages.DATA, pages.SETUP, pages.RUN, pages.SEGMENTS, pages.EXPORT):
        told += all_markdown(go(app, step))
    for name in [*ODD_NAMES, "*odd* $name$.csv"]:
        escaped = [text for text in told if formatting.plain(name) in text]
        assert escaped
        assert not [text for text in told if name in text.replace(formatting.plain(name), "")]


@pytest.mark.long
def test_odd_values_are_escaped_in_the_verdict_and_an_odd_label_above_it(app, table):
    odd = {"Ayr": "*A* $a$", "Bude": ":red[B]", "Cobh": "<i>C</i>"}
    # labels of one place are far noisier, so that it is the segment with most rows concerned
    noise = np.random.default_rng(4).standard_cauchy(len(table)) * 50.0
    label = np.where(table["place"] == "Cobh", noise, table["y"])
    frame = table[["x0"]].assign(place=table["place"].map(odd))
    give(app, frame.assign(**{"*y* $z$": label}))
    choose(app, {"audit_only": ("place",)})
    run_to_end(app)
    assert formatting.plain("*y* $z$") in app.caption[0].value
    (said,) = [text.value for text in called("In more words", app.expander).markdown]
    assert formatting.plain("<i>C</i>") in said


@pytest.mark.long
def test_too_few_calibration_rows_show_infinite_intervals(app, table, infinite_result):
    give(app, table.head(90))
    choose(app, {"confidence_level": 0.99, "split": "40,20,30", "remedies": ("ifacm",)})
    run_to_end(app)
    assert app.metric[0].value == "100.0 %"
    # where no set says anything there is no worst group
    assert (app.metric[1].value, app.metric[1].delta) == ("infinite", "")
    assert chart(app, "dcv")["data"][1]["x"] == [infinite_result.row("test", "ifacm").dcv]
    notes = [text.value for text in tab(app, "Data and notes").markdown]
    assert any("20 calibration rows are too few" in note for note in notes)


@pytest.mark.long
def test_many_features_are_shown_thirty_at_a_time(app):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(300, 70)), columns=[f"f{i}" for i in range(70)])
    give(app, frame.assign(y=frame["f0"] + rng.normal(size=300)))
    run_to_end(app)
    parts = called("Features by size", app.selectbox)
    assert parts.options == ["1 to 30", "31 to 60", "61 to 70"]
    drawn, sizes = [], []
    for part in parts.options:
        called("Features by size", app.selectbox).select(part).run()
        training, test = chart(app, "shrinkage-training"), chart(app, "shrinkage-test")
        drawn += training["data"][0]["y"]
        assert test["data"][0]["y"] == training["data"][0]["y"]
        assert test["layout"]["xaxis"]["range"] == training["layout"]["xaxis"]["range"]
        sizes.append(len(drawn))
    assert sizes == [30, 60, 70]
    assert sorted(drawn) == sorted(frame.columns)


@pytest.mark.long
def test_variables_of_the_finding_come_first_and_any_can_be_chosen(finished, result):
    pages.open_tab(go(finished, pages.SEGMENTS), "Groups")
    low = [row.variable for row in low_groups(result, "base") if isinstance(row, SegmentRow)]
    searched = [row.variables for row in result.rules_too_low("base")]
    missed = {}
    for row in result.of(result.segments, "base"):
        shortfall = row.n * (0.9 - row.accuracy) if row.n else -math.inf
        missed[row.variable] = max(shortfall, missed.get(row.variable, -math.inf))
    label = "label: y"  # nothing is promised for it, so it is last, and none of it counted
    rest = sorted(missed, key=lambda name: (name == label, -missed[name]))
    names = list(dict.fromkeys([*low, *chain.from_iterable(searched), *rest]))
    assert low
    assert named_group(result).group[0] == low[0]
    assert names[-1] == label
    assert called(VARIABLE, finished.selectbox).options == [
        f"{name} ({low.count(name)} clearly too low)" if name in low else name for name in names
    ]
    assert called(VARIABLE, finished.selectbox).value == low[0]
    called(VARIABLE, finished.selectbox).set_value("place").run()
    before = of_variable(result, "place", "base")
    order = sorted(range(3), key=lambda i: before[i].n * (before[i].accuracy - 0.9))
    rows = [of_variable(result, "place", "ifacm")[i] for i in order]
    assert chart(finished, "segment-chart")["data"][1]["x"] == [
        100.0 * row.accuracy for row in rows
    ]
    assert frame_with(finished, "detectable")["value"].tolist() == ["Ayr", "Bude", "Cobh"]


@pytest.mark.long
def test_a_segment_without_test_rows_stays_in_the_table_alone(app, few):
    frame = few.assign(place=few["place"].mask(few.index == UNTESTED, "Dover"))
    give(app, frame)
    run_to_end(app)
    go(app, pages.SEGMENTS)
    called(VARIABLE, app.selectbox).set_value("place").run()
    told = frame_with(app, "detectable")
    assert told["value"].tolist() == ["Ayr", "Bude", "Cobh", "Dover"]
    assert told["n"].tolist()[3] == 0
    ticks = chart(app, "segment-chart")["layout"]["yaxis"]["ticktext"]
    rows = of_variable(known(app).run.job.snapshot().result, "place")
    drawn = [text.partition("<br>")[0] for text in ticks]  # the largest shortfall first
    shown = sorted((row for row in rows if row.n), key=lambda row: row.n * (row.accuracy - 0.9))
    assert drawn == [row.value for row in shown]


@pytest.mark.long
def test_sets_without_a_label_have_no_change_in_percent(app, classes):
    give(app, classes, "classes.csv")
    choose(app, {"confidence_level": 0.001, "remedies": ("ifacm",)})
    run_to_end(app)
    assert app.metric[-1].label == "Mean set size"
    assert (app.metric[-1].value, app.metric[-1].delta) in (("0", ""), ("0", "before 0"))


def test_the_configuration_file_agrees_with_the_launcher():
    sections = tomllib.loads(CONFIG.read_text())
    themes = sections.pop("theme")
    sections |= {f"theme.{name}": options for name, options in themes.items()}
    told = {
        f"{section}.{key}": str(value).lower() if isinstance(value, bool) else value
        for section, options in sections.items()
        for key, value in options.items()
    }
    assert told == launch.SERVER_OPTIONS
    # this machine alone is served, nothing is sent, and no traceback shown
    assert told["server.address"] == "localhost"
    assert told["browser.gatherUsageStats"] == "false"
    assert told["client.showErrorDetails"] == "none"


@pytest.mark.long
def test_a_split_by_group_and_repeats_reach_the_settings(app, few):
    give(app, few[["x0", "place", "y"]])
    called("Split the rows", app.selectbox).set_value("by group").run()
    column = called("Column to split by", app.selectbox).options[0]
    called("Repeats", app.number_input).set_value(2).run()
    run_to_end(app)
    settings = known(app).run.settings
    assert (settings.group, settings.time, settings.repeats) == (column, None, 2)
    assert [error.value for error in app.error] == []
    assert "Repeats" in labels(app.tabs)


@pytest.mark.long
def test_estimators_and_permutations_reach_the_settings_and_their_figures_are_shown(app, few):
    give(app, few[["x0", "x1", "y"]])
    options = {"estimator": "knn", "ifacm_estimator": "trees", "permutations": 2}
    options["remedies"] = ("ifacm",)
    choose(app, options)
    run_to_end(app)
    assert known(app).run.settings == AuditSettings(target="y", **options)
    result = known(app).run.job.snapshot().result
    base, after = result.row("test", "base"), result.row("test", "ifacm")
    assert [bar["x"] for bar in chart(app, "dcv")["data"][:2]] == [[base.dcv], [after.dcv]]
    overview = tab(app, "Before and after").dataframe[0].value
    assert overview["dcv_floor_simulated"][1] == base.dcv_floor_simulated
    assert overview["p_value_permuted"][3] == after.p_value_permuted
    told = [text.value for text in app.markdown]
    assert page_texts.ABOUT_OTHER_ESTIMATORS in told
    assert page_texts.ABOUT_PERMUTATIONS in told


def test_findings_list_the_groups_with_too_little_coverage(finished, result):
    """Those that are so before, then those that are so after alone."""
    base, after = (result.of(result.segments, name) for name in ("base", "ifacm"))
    low = [row for row in base if row.status == "low"]
    low.sort(key=lambda row: row.n * (0.9 - row.accuracy), reverse=True)
    assert low
    assert all(row.high < 0.9 and row.judged_q <= 0.02 for row in low)
    new = [row for row in after if row.status == "new"]
    shown = frame_with(finished, "group")["group"]
    assert shown.tolist() == [segment_in_words(row) for row in low + new]


@pytest.mark.long
def test_audit_only_columns_and_rules_are_told_of(app, table):
    give(app, table)
    choose(app, {"audit_only": ("place",), "remedies": ("ifacm",)})
    run_to_end(app)
    result = known(app).run.job.snapshot().result
    hidden = tab(app, "Before and after").dataframe[1].value
    assert list(hidden["dcv"]) == [row.dcv for row in result.audit_only]
    assert list(hidden["column"]) == ["place", "place"]
    pages.open_tab(go(app, pages.SEGMENTS), "Search")
    low, rules = len(result.rules_too_low("base")), result.of(result.worst_segments, "base")
    count = f"**Coverage is clearly low under {low} of {len(rules)} rules"
    assert any(text.value.startswith(count) for text in app.markdown)


SITES = 22
OTHERS = ("u", "v", "w", "z")


@pytest.fixture(scope="module")
def of_sites():
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


@pytest.mark.long
def test_of_many_columns_one_is_chosen_and_of_many_segments_the_worst_are_shown(of_sites):
    go(of_sites, pages.FINDINGS)
    result = known(of_sites).run.job.snapshot().result
    box = called("Column, audit-only ones first", of_sites.selectbox)
    assert box.options == ["site", *OTHERS]
    rows = watched(result)["site"]
    assert rows[0].value == "s09"
    drawn = chart(of_sites, "watched-site")
    for trace, when in zip(drawn["data"], result.names, strict=False):  # then marks at the axis
        assert trace["x"] == [100.0 * one.figures[when].accuracy for one in rows[:20]]
    told = page_texts.MORE_VALUES.format(more=SITES - 20)
    assert told in [caption.value for caption in of_sites.caption]
    box.set_value("v").run()
    keys = [drawn.proto.id.rpartition("-watched-") for drawn in of_sites.get("plotly_chart")]
    assert [name for _, found, name in keys if found] == ["v"]
    gap = formatting.plain(watched_gaps(result)["v"])
    assert ("**v**", gap) in [(text.value, text.help) for text in of_sites.markdown]
    shown = frame_with(of_sites, "group")
    assert shown["group"][0] == "site = s09"
    (status,) = {row.status for row in result.too_low("ifacm") if row.value == "s09"}
    assert shown["status"][0] == status
    assert [c for c in of_sites.caption if c.value.startswith("*Clearly too low*")]
    go(of_sites, pages.SEGMENTS)
    called(VARIABLE, of_sites.selectbox).set_value("site").run()
    rows = by_shortfall(watched(result)["site"], result)
    assert chart(of_sites, "segment-chart")["data"][0]["x"] == [
        100.0 * one.first.accuracy for one in rows[:20]
    ]
    called(f"All {SITES} segments", of_sites.toggle).set_value(True).run()
    assert chart(of_sites, "segment-chart")["data"][0]["x"] == [
        100.0 * one.first.accuracy for one in rows
    ]
    called(VARIABLE, of_sites.selectbox).set_value("v").run()
    assert not [label for label in labels(of_sites.toggle) if label.startswith("All ")]


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


@pytest.fixture
def replayed(opened):
    return go(opened, pages.RUN)


@pytest.fixture
def steps(replayed):
    found = known(replayed).run.job.snapshot().result.replays["ifacm"]
    assert len(found) >= 3
    return found


def slider(app):
    return called("Layers", app.slider)


@pytest.mark.long
def test_the_slider_begins_at_the_end_and_goes_to_any_layer_and_its_search(replayed, steps):
    last = len(steps) - 1
    assert slider(replayed).value == slider(replayed).max == last
    for at in (0, 1, last):
        slider(replayed).set_value(at).run()
        said = f"**{formatting.plain(layer_sentence(steps[: at + 1]))}**"
        assert said in [text.value for text in replayed.markdown]
        drawn = [chart(replayed, f"replay-{name}")["data"][1] for name in ("path", "p(x)")]
        assert (drawn[0]["x"][at], drawn[0]["y"][at]) == (steps[at].inefficiency, steps[at].dcv)
        assert sum(drawn[1]["y"]) == sum(steps[at].probabilities)
    slider(replayed).set_value(1).run()
    called("Show the search for this layer", replayed.toggle).set_value(True).run()
    tried = chart(replayed, "replay-tried")["data"][0]
    assert tried["x"] == [one.gamma for one in steps[1].tried]
    called("Show the search for this layer", replayed.toggle).set_value(False).run()


@pytest.mark.long
def test_it_plays_from_the_start_to_the_end_and_a_table_says_the_same(replayed, steps, monkeypatch):
    last, now = len(steps) - 1, [time.monotonic()]
    monkeypatch.setattr(run_page.time, "monotonic", lambda: now[0])
    slider(replayed).set_value(last).run()
    pages.press(replayed, "Play")
    seen = [slider(replayed).value]
    assert "Pause" in pages.labels(replayed.button)
    while "Pause" in pages.labels(replayed.button):
        now[0] += 2.0
        replayed.run()
        seen.append(slider(replayed).value)
        replayed.run()  # as at a click elsewhere, before it is time
        assert slider(replayed).value == seen[-1]
    assert seen == list(range(last + 1))
    assert "Play" in pages.labels(replayed.button)
    shown = called("As a table", replayed.expander).dataframe[0].value
    sentences = [layer_sentence(steps[: number + 1]) for number in range(len(steps))]
    assert shown["did"].tolist() == sentences
    assert shown["dcv"].tolist() == [step.dcv for step in steps]
    assert shown["group_coverage"].tolist() == [step.worst.coverage for step in steps]
