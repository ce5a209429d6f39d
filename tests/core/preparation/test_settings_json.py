"""Settings as JSON: read back as they were, and refused with the key and value where unusable."""

import json
from dataclasses import replace

import drawn
import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evencover.core import AuditSettings, InputError, audit
from evencover.core.preparation.options import COLUMN
from evencover.core.preparation.prepare import prepare
from evencover.core.preparation.settings import OPTIONS
from evencover.core.preparation.settings_json import (
    parse_settings,
    read_settings,
    settings_from_json,
    settings_to_json,
)


@hypothesis.settings(max_examples=40)
@given(drawn.settings(st.text(min_size=1)))
def test_settings_are_read_back_as_they_were(settings):
    text = json.dumps(settings_to_json(settings), allow_nan=False)
    assert settings_from_json(json.loads(text)) == settings
    assert parse_settings(text.encode(), "settings.json") == settings


def test_what_is_not_there_has_its_default():
    assert settings_from_json({"target": "y", "c": 1}) == AuditSettings(target="y", penalty=1.0)


def test_a_whole_result_tells_its_settings():
    settings = AuditSettings(target="y", split_column="set", cohorts=(("old", "age > 65"),))
    used = settings_to_json(settings) | {"split": None, "table": "t.csv", "version": "0.1"}
    assert settings_from_json({"settings": used, "results": []}) == settings


def test_a_file_is_read(tmp_path):
    path = tmp_path / "settings.json"
    path.write_bytes(b'\xef\xbb\xbf{"target": "Gr\xc3\xb6\xc3\x9fe"}')
    assert read_settings(path) == AuditSettings(target="Größe")
    for missing in (tmp_path / "none.json", tmp_path):
        with pytest.raises(InputError, match=r"cannot be read: .*; check the path"):
            read_settings(missing)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({}, "the settings do not name the label; add 'target' with its column"),
        ({"target": 3}, "the setting 'target' is 3; give a text in quotes"),
        ({"cl": "0.9"}, "the setting 'cl' is \"0.9\"; give a number"),
        ({"cl": True}, "the setting 'cl' is true; give a number"),
        ({"c": float("nan")}, "the setting 'c' is NaN; give a number"),
        ({"seed": 1.5}, "the setting 'seed' is 1.5; give a whole number"),
        ({"bins": True}, "the setting 'bins' is true; give a whole number"),
        ({"stratify": 1}, "the setting 'stratify' is 1; give true or false"),
        ({"drop": "a"}, "the setting 'drop' is \"a\"; give a list of columns' names"),
        (
            {"features": [1]},
            "the setting 'features' is [1]; give a list of columns' names, or null",
        ),
        (
            {"pairs": [["a", "b", "c"]]},
            'is [["a", "b", "c"]]; give a list of pairs, each a list of two columns\' names',
        ),
        (
            {"cuts": {"a": ["1"]}},
            'is {"a": ["1"]}; give an object of columns\' names and lists of numbers',
        ),
        ({"reference": []}, "the setting 'reference' is []; give an object of names and texts"),
        ({"cohorts": {"a": None}}, "the setting 'cohorts' is {\"a\": null}; give an object of"),
        ({"cohorts": {"a": "x >"}}, "cohort 'a': the rule 'x >' cannot be read"),
        ({"bins": 1}, "bins is 1; give a whole number from 2 to 100"),
        (
            {"colour": "red"},
            "knows no setting 'colour'; take it out, or use the version that wrote",
        ),
        ({"settings": {"target": "y", "new": 1}}, "knows no setting 'new'"),
    ],
)
def test_what_is_unusable_is_told_with_key_and_value(content, sentence):
    whole = {"target": "y"} | content if content and "settings" not in content else content
    with pytest.raises(InputError) as error:
        settings_from_json(whole)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "content", [b"", b"a,b\n1,2", b"[1]", b"{", b"\xff\xfe", b"[" * 100_000, b"3", b"9" * 5000]
)
def test_what_is_no_json_object_is_told_in_one_sentence(content):
    with pytest.raises(
        InputError, match=r"^'my\.csv' holds no settings, which are written in JSON"
    ):
        parse_settings(content, "my.csv")


def test_a_key_given_twice_is_told():
    content = b'{"target": "y", "cohorts": {"old": "age > 65", "old": "age > 70"}}'
    with pytest.raises(InputError, match=r"'s\.json': 'old' is given twice; give it once"):
        parse_settings(content, "s.json")


@pytest.mark.parametrize("key", ["seed", "permutations"])
def test_whole_numbers_are_bounded_by_what_json_carries_everywhere(key):
    most = 9007199254740991
    assert getattr(settings_from_json({"target": "y", key: most}), key) == most
    with pytest.raises(InputError, match=f"{key} is {most + 1}; give at most {most}$"):
        settings_from_json({"target": "y", key: most + 1})


def test_the_seeds_of_repeats_are_bounded_too():
    with pytest.raises(InputError, match="repeats is 1001; give a whole number from 1 to 1000"):
        AuditSettings(target="y", repeats=1001)
    with pytest.raises(InputError, match="the last repeat's seed is 9007199254740992; give at"):
        AuditSettings(target="y", seed=2**53 - 1, repeats=2)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (r'{"target": "\ud800"}', r"the setting 'target' holds '\ud800', which cannot be written"),
        (r'{"target": "y", "\udfff": 1}', r"the setting '\udfff' holds '\udfff'"),
        (r'{"target": "y", "drop": ["a", "\ud800"]}', r"the setting 'drop' holds '\ud800'"),
        (r'{"target": "y", "cuts": {"\ud800": [1]}}', r"the setting 'cuts' holds '\ud800'"),
        (r'{"target": "y", "pairs": [["a", "\ud800"]]}', r"the setting 'pairs' holds '\ud800'"),
        (r'{"target": "y", "cohorts": {"\ud800": "a>1"}}', r"the setting 'cohorts' holds '\ud800'"),
        (r'{"target": "y", "table": "\ud800.csv"}', r"the setting 'table' holds '\ud800.csv'"),
        (r'{"target": "y", "a\ud800": 1, "a\ud800": 1}', r"'a\ud800' is given twice"),
        (r'{"settings": {"target": "y", "seed": "\ud800"}}', r"the setting 'seed' holds '\ud800'"),
        (
            r"""{"target": "y", "cohorts": {"c": "a = \"\\ud800\""}}""",
            r"cohort 'c': the rule holds '\ud800', which cannot be written as UTF-8",
        ),
    ],
)
def test_half_a_character_is_refused_with_its_escape(content, told):
    with pytest.raises(InputError) as refused:
        parse_settings(content.encode(), "s.json")
    assert told in str(refused.value)
    str(refused.value).encode()


def test_a_whole_character_beyond_the_first_plane_is_kept():
    assert parse_settings(rb'{"target": "\ud83d\ude00"}', "s.json").target == "\U0001f600"


LONG = "z" * 100_000


@pytest.mark.parametrize(
    "content",
    [
        {"target": "y", LONG: 1},
        {"target": [LONG]},
        *(
            {"target": "y", option.key: LONG}
            for option in OPTIONS.values()
            if option.kind is not COLUMN and option.key not in {"split", "sheet", "join"}
        ),
        {"target": "y", "seed": -(10**4000)},
        {"target": "y", "repeats": 10**4000},
        {"target": "y", "bins": 10**4000},
        {"target": "y", "c": 10**4000},
        {"target": "y", "pairs": [[LONG, LONG]]},
        {"target": "y", "pairs": [[LONG, "a"], ["a", LONG]]},
        {"target": "y", "cuts": {LONG: []}},
        {"target": "y", "cuts": {"a": [1.0] * 10_000}},
        {"target": "y", "cohorts": {LONG: LONG}},
        {"target": "y", "cohorts": {"a": f"b = 1 {LONG} = ="}},
        {"target": "y", "cohorts": {" ": LONG}},
        {"target": LONG + "\ud800"},
    ],
    ids=lambda content: " ".join(content)[:20],
)
def test_no_message_echoes_more_than_a_line_of_a_value(content):
    with pytest.raises(InputError) as refused:
        parse_settings(json.dumps(content).encode(), "s.json")
    assert len(str(refused.value)) < 500
    assert "z" * 81 not in str(refused.value)
    assert "…" in str(refused.value)


@pytest.mark.parametrize(
    "chosen",
    [{"split": LONG}, {"target": LONG}, {"drop": (LONG,)}, {"reference": (("x", LONG),)}],
    ids=["split", "target", "drop", "reference"],
)
def test_no_message_of_an_audit_echoes_more_than_a_line_of_a_value(chosen):
    frame = pd.DataFrame({"x": np.arange(60.0) % 7, "y": np.arange(60.0) % 11})
    settings = replace(AuditSettings(target="y", task="regression"), **chosen)
    with pytest.raises(InputError) as refused:
        audit(frame, settings)
    assert "z" in str(refused.value)
    assert len(str(refused.value)) < 500


def test_values_nested_however_deeply_are_refused_in_a_sentence():
    # which depth can be read but not be written again depends on how deep the calls are
    for depth in range(700, 1001, 5):
        content = f'{{"target": {"[" * depth}{"]" * depth}}}'.encode()
        with pytest.raises(InputError, match=r"^'s\.json'") as refused:
            parse_settings(content, "s.json")
        assert len(str(refused.value)) < 200
    nested = []
    for _ in range(10_000):
        nested = [nested]
    with pytest.raises(InputError, match="the setting 'target' is nested too deeply; give a text"):
        settings_from_json({"target": nested})


@pytest.mark.parametrize("number", ["9" * 5000, "-" + "9" * 5000])
def test_a_number_of_too_many_digits_is_told(number):
    with pytest.raises(InputError) as refused:
        parse_settings(f'{{"target": "y", "seed": {number}}}'.encode(), "s.json")
    shown, advice = f"{number[:78]} …", "at most 9007199254740991"
    if number.startswith("-"):
        advice = "a whole number of 0 or more"
    assert str(refused.value) == f"'s.json': seed is {shown}; give {advice}"


def test_a_long_path_is_named_whole(tmp_path):
    path = tmp_path / ("d" * 90) / "settings.json"
    path.parent.mkdir()
    path.write_text('{"target": "y", "cl": "x"}')
    with pytest.raises(InputError) as refused:
        read_settings(path)
    assert str(refused.value).startswith(f"'{path}': the setting 'cl' is")


def test_settings_read_back_bring_the_note_that_a_number_is_taken_for_classes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "y": rng.integers(0, 3, 200)})
    told = "Label 'y' is taken for 3 classes; choose the task regression if it is a number"
    asked = AuditSettings(target="y")
    again = settings_from_json(settings_to_json(asked) | {"task": "classification"})
    for settings in (asked, again):
        assert any(note.startswith(told) for note in prepare(frame, settings).notes)
    named = frame.assign(y=frame["y"].map({0: "a", 1: "b", 2: "c"}))
    assert not any("is taken for" in note for note in prepare(named, asked).notes)
