"""``evencover watch``: newer rows are counted once, told of, and a pipeline fails on what moved."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from watched import EXPECTED, predictor, rows

from evencover.core.scoring import SavedPredictor
from evencover.core.tables.formats import delimited
from evencover.dashboard.commands.main import main
from evencover.dashboard.terminal import BROKEN, DONE, UNUSABLE


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(delimited, "_PIECE", 20_000)  # of a file of more than one piece
    predictor().save("own.evencover")
    good, bad = rows(600), rows(400, 1, 2.0 * EXPECTED)
    bad["day"] += pd.Timedelta(days=90)
    good.to_csv("good.csv", index=False)
    good.drop(columns="y").to_parquet("bare.parquet")
    good[["id", "y"]].sample(frac=1.0, random_state=0).to_csv("labels.csv", index=False)
    bad.to_csv("bad.csv", index=False)
    return tmp_path


BY = ("--key", "id", "--time", "day")


def run(capsys, *words):
    status = main(["watch", "own.evencover", *words])
    return status, capsys.readouterr()


@pytest.mark.usefixtures("folder")
def test_days_add_up_and_what_moved_fails(capsys):
    status, said = run(capsys, "good.csv", *BY, "--state", "state.json", "--fail-if", "moved")
    assert (status, "Coverage has not moved" in said.out) == (DONE, True)
    first = Path("state.json").read_text()
    assert run(capsys, "good.csv", *BY, "--state", "state.json")[0] == DONE
    assert Path("state.json").read_text() == first
    more = ("--fail-if", "rows-changed", "--junit", "junit.xml", "--json", "-", "--quiet")
    status, said = run(capsys, "bad.csv", *BY, "--state", "state.json", "--fail-if", "moved", *more)
    assert status == BROKEN
    told = json.loads(said.out)
    assert (told["n"], told["moved"], told["added"]["rows"]) == (1000, True, 400)
    assert 390 <= told["n_since"] <= 440
    assert "'moved': Coverage has fallen" in said.err
    tests = {test.get("name"): test for test in ET.parse("junit.xml").iter("testcase")}  # noqa: S314 - our own
    assert [name for name, test in tests.items() if test.find("failure") is not None] == ["moved"]
    assert [*tests] == ["moved", "rows-changed"]


@pytest.mark.long
@pytest.mark.usefixtures("folder")
def test_labels_come_later_and_states_of_two_machines_are_one(capsys):
    assert run(capsys, "good.csv", *BY, "--state", "whole.json")[0] == DONE
    whole = Path("whole.json").read_text()
    assert run(capsys, "bare.parquet", *BY, "--state", "late.json")[0] == DONE
    assert json.loads(Path("late.json").read_text())["waiting"]
    assert run(capsys, "labels.csv", *BY, "--state", "late.json")[0] == DONE
    assert Path("late.json").read_text() == whole
    assert run(capsys, "bad.csv", *BY, "--state", "bad.json")[0] == DONE
    assert run(capsys, "--merge", "bad.json", "--state", "whole.json")[0] == DONE
    assert run(capsys, "bad.csv", *BY, "--state", "late.json")[0] == DONE
    assert Path("whole.json").read_text() == Path("late.json").read_text()


@pytest.mark.usefixtures("folder")
def test_new_thresholds_are_saved_with_their_history(capsys):
    status, said = run(capsys, "bad.csv", *BY, "--recalibrated", "new.evencover")
    assert status == DONE
    assert "that is enough" in said.out
    new = SavedPredictor.load("new.evencover")
    assert new.about["history"] == [predictor().about]
    assert new.reference.held + new.reference.missed == 200
    assert main(["watch", "new.evencover", "good.csv", "--fail-if", "moved"]) == DONE


@pytest.mark.usefixtures("folder")
def test_metrics_are_written(capsys):
    assert run(capsys, "good.csv", "--metrics", "-")[0] == DONE
    assert run(capsys, "good.csv", "--metrics", "-")[1].out.endswith("# EOF\n")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "there is nothing to watch"),
        (("good.csv", "--junit", "j.xml"), "--junit writes what --fail-if says"),
        (("--state", "s.json", "--recalibrated", "n"), "--recalibrated takes thresholds from ROWS"),
        (("good.csv", "--state", "good.csv"), "is the table itself"),
        (("good.csv", "--recalibrated", "own.evencover"), "is the saved predictor"),
        (("good.csv", "--fail-if", "move"), "did you mean 'moved'"),
        (("good.csv", "--key", "key"), "there is no column 'key'"),
        (("labels.csv", "--key", "sex"), "there is no column 'sex'"),
        (("labels.csv",), "there is no column 'x'"),
        (("missing.csv",), "missing.csv"),
        (("good.csv", "--state", "bare.parquet"), "is no state of a watch"),
        (("good.csv", "--merge", "missing.json"), "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(folder, capsys, words, says):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    status, said = run(capsys, *words)
    assert status == UNUSABLE
    assert says in said.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.usefixtures("folder")
def test_a_file_without_keys_is_counted_once(capsys):
    assert run(capsys, "good.csv", "--state", "s.json")[0] == DONE
    status, said = run(capsys, "good.csv", "--state", "s.json")
    assert (status, "has been counted already" in said.err) == (UNUSABLE, True)
