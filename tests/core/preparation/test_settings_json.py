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


def test_a_whole_result_tells_its_settings_and_what_is_not_there_has_its_default():
    settings = AuditSettings(target="y", split_column="set", cohorts=(("old", "age > 65"),))
    used = settings_to_json(settings) | {"split": None, "table": "t.csv", "version": "0.1"}
    assert settings_from_json({"settings": used, "results": []}) == settings
    assert settings_from_json({"target": "y", "c": 1}) == AuditSettings(target="y", penalty=1.0)


def test_a_file_is_read(tmp_path):
    path = tmp_path / "settings.json"
    path.write_bytes(b'\xef\xbb\xbf{"target": "Gr\xc3\xb6\xc3\x9fe"}')
    assert read_settings(path) == AuditSettings(target="Größe")
    for missing in (tmp_path / "none.json", tmp_path):
        with pytest.raises(InputError, match=r"cannot be read: .*; check the path"):
            read_settings(missing)


def test_the_largest_whole_number_and_a_character_beyond_the_first_plane_are_kept():
    assert settings_from_json({"target": "y", "seed": 2**53 - 1}).seed == 2**53 - 1
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


@pytest.mark.parametrize(
    "given",
    [
        {"target": LONG * 3},
        {"drop": [LONG, LONG]},
        {"cohorts": {"a": f"b = {'1 or ' * 50_000}1"}},
        {"cohorts": {f"a{i}": f"b = {LONG}" for i in range(2)}},
    ],
    ids=["name", "list", "rule", "rules"],
)
def test_an_option_has_no_more_text_than_the_bound_wherever_it_is_from(given):
    with pytest.raises(InputError, match=r"has \d+ characters; give at most 200000"):
        settings_from_json({"target": "y", **given})
    with pytest.raises(InputError, match="what is written has 200001 characters"):
        OPTIONS["drop"].kind.read(f"{LONG},{LONG}")  # of a widget


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


def test_a_long_path_is_named_whole(tmp_path):
    path = tmp_path / ("d" * 90) / "settings.json"
    path.parent.mkdir()
    path.write_text('{"target": "y", "cl": "x"}')
    with pytest.raises(InputError) as refused:
        read_settings(path)
    assert str(refused.value).startswith(f"'{path}': the setting 'cl' is")


def test_settings_read_back_bring_the_note_that_a_number_is_taken_for_classes():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=200), "y": rng.integers(1, 4, 200)})
    told = "Label 'y' is taken for 3 classes; choose the task regression if it is a number"
    asked = AuditSettings(target="y")
    again = settings_from_json(settings_to_json(asked) | {"task": "classification"})
    for settings in (asked, again):
        assert any(hint.sentence.startswith(told) for hint in prepare(frame, settings).hints)
    named = frame.assign(y=frame["y"].map({1: "a", 2: "b", 3: "c"}))
    assert prepare(named, asked).hints == []


def test_more_than_any_result_holds_is_not_parsed():
    with pytest.raises(
        InputError, match=r"'s.json' has 67,108,865 bytes, more than the 67,108,864"
    ):
        parse_settings(b" " * (2**26 + 1), "s.json")
