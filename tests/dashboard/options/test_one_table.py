"""One entry in the table of options makes an option: it is everywhere, with no other change."""

import shlex
from dataclasses import replace

import pytest
from pages import PATIENCE, called
from pydantic.dataclasses import dataclass
from streamlit.testing.v1 import AppTest

from evencover.core import AuditSettings, InputError
from evencover.core.preparation import settings_json
from evencover.core.preparation.options import ColumnName, Flag, Number, Whole, in_own_words, option
from evencover.core.preparation.roles import profile_columns
from evencover.core.preparation.settings_json import parse_settings, settings_to_json
from evencover.core.tables.table import Table
from evencover.dashboard import options
from evencover.dashboard.commands import main as cli
from evencover.dashboard.commands import table_and_settings
from evencover.dashboard.options import (
    differences_in_words,
    pack,
    repeat_command,
    results_are_for,
    settings_text,
    unpack,
)
from evencover.dashboard.runs.upload import LoadedTable


@in_own_words
@dataclass(frozen=True, kw_only=True)
class More(AuditSettings):
    """The table with an entry more of every kind of scalar."""

    folds: Whole = option(5, "Parts that the rows are divided into, 20 % each.", least=2, most=9)
    margin_of: Number = option(0.5, "How far off a row may be.", name="margin", step=0.1)
    shuffled: Flag = option(False, "Shuffle the rows first.")
    paint: str | None = option(None, "Of the charts.", key="colour", allowed=("red", "blue"))
    remark: str = option("none", "Written on the report.")
    judge: ColumnName | None = option(None, "The column that says who judged.")


MADE_UP = {
    "folds": (3, "--folds=3", "folds: 3"),
    "margin_of": (2.0, "--margin-of=2.0", "margin: 2"),
    "shuffled": (True, "--shuffled", "shuffled: yes"),
    "paint": ("blue", "--colour=blue", "paint: blue"),
    "remark": ("on you", "'--remark=on you'", "remark: on you"),
    "judge": ("who", "--judge=who", "judge: who"),
}
"""A value of each, as the command line has it and as the notice of changes says it."""

DEFAULT = More(target="y")


@pytest.fixture(autouse=True)
def more(monkeypatch):
    for module in (settings_json, options, table_and_settings):
        monkeypatch.setattr(module, "AuditSettings", More)


@pytest.mark.parametrize("field", MADE_UP)
def test_a_new_option_is_everywhere(field):
    value, flag, said = MADE_UP[field]
    settings = replace(DEFAULT, **{field: value})
    key = "colour" if field == "paint" else field
    assert settings_to_json(settings)[key] == value
    assert parse_settings(settings_text(settings, "t.csv").encode(), "s.json") == settings
    assert unpack(pack(settings, "t.csv")).settings == settings
    command = repeat_command(settings, "t.csv")
    assert command == f"evencover audit t.csv --target=y {flag}"
    given = cli._parser().parse_args(shlex.split(command)[1:])
    assert table_and_settings.settings_given(given) == settings
    told = f"These results are for CL = 0.9, C = 0.3; {said}."
    assert results_are_for(settings, DEFAULT, 0.3) == told
    (back,) = differences_in_words(settings, DEFAULT)
    assert back.startswith(f"{said}, then ")
    if getattr(DEFAULT, field) is None:
        assert back.endswith(", then not given")
    assert ("who" in settings.columns_named()) == (field == "judge")


def test_the_command_line_explains_it(capsys):
    with pytest.raises(SystemExit):
        cli.main(["audit", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "--folds N Parts that the rows are divided into, 20 % each (default 5)" in said
    assert "--colour {red,blue} Of the charts" in said
    assert "--shuffled, --no-shuffled Shuffle the rows first (default no)" in said
    assert "--judge COL The column that says who judged" in said


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('"folds": 2.5', "the setting 'folds' is 2.5; give a whole number from 2 to 9"),
        ('"folds": 1', "folds is 1; give a whole number from 2 to 9"),
        ('"colour": "green"', "there is no paint 'green'; choose 'red' or 'blue'"),
        ('"colour": 1', "the setting 'colour' is 1; give a text in quotes, or null"),
    ],
)
def test_what_is_unusable_is_refused(content, sentence):
    with pytest.raises(InputError) as refused:
        parse_settings(f'{{"target": "y", {content}}}'.encode(), "s.json")
    assert str(refused.value) == f"'s.json': {sentence}"


def _setup():
    import streamlit as st  # noqa: PLC0415 - streamlit runs the function's text alone

    from evencover.dashboard.pages.setup import choose_settings  # noqa: PLC0415

    st.session_state["draft"] = choose_settings(st.session_state["table"], ())[0]


def test_setup_has_its_widget(few):
    profiles = profile_columns(few, AuditSettings(target="y"))
    table = LoadedTable("t.csv", Table.of(few), profiles, DEFAULT, source="t.csv")
    app = AppTest.from_function(_setup, default_timeout=PATIENCE)
    app.session_state["table"] = table
    app.run()
    assert app.session_state["draft"] == DEFAULT
    assert called("Folds", app.number_input).help.startswith("Parts that the rows are divided")
    called("Folds", app.number_input).set_value(3)
    called("Margin", app.number_input).set_value(2.0)
    called("Shuffled", app.checkbox).set_value(True)
    called("Paint", app.selectbox).set_value("blue")
    called("Remark", app.text_input).set_value("on you")
    app.run()
    chosen = {field: value for field, (value, *_) in MADE_UP.items() if field != "judge"}
    assert app.session_state["draft"] == replace(DEFAULT, **chosen)
