"""``evencover predict``: rows come back with what a saved predictor says, or nothing does."""

import io
import json
import os
import re

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from kept import assert_says, predictor

from evencover.core.scoring.predictor import schema
from evencover.core.tables.formats import delimited
from evencover.dashboard.commands import predict
from evencover.dashboard.commands.main import main

ROWS = [(float(i % 7), "abc"[i % 3], f"2014-{1 + i % 12:02}-01") for i in range(30)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(delimited, "_PIECE", 200)
    predictor().save("kept.evencover")
    frame = pd.DataFrame(ROWS, columns=["x", "k", "day"])
    frame.insert(0, "lower", [f"00{i}" for i in range(len(frame))])  # a name that is taken
    frame.astype({"x": int}).to_csv("rows.csv", index=False)
    return tmp_path


def run(capsys, *words):
    status = main(["predict", *words])
    return status, capsys.readouterr()


def test_rows_of_text_come_back_as_csv_and_parquet(folder, capsys):
    status, said = run(capsys, "kept.evencover", "rows.csv", "--csv", "out.csv")
    new = r"30 rows, 10 with something new to the predictor: k \(10\)"
    assert (status, said.out) == (0, "")
    assert re.fullmatch(rf"evencover: wrote out.csv, [\d,]+ rows a second: {new}\n", said.err)
    assert run(capsys, "kept.evencover", "rows.csv", "--parquet", "out", "--quiet")[1].err == ""
    texts, stored = pd.read_csv("out.csv", dtype={"lower": str}), pd.read_parquet("out")
    names = ["lower", "x", "k", "day", "prediction", "lower (2)", "upper", "group", "threshold"]
    for found in (texts, stored):
        assert [*found.columns] == [*names, "new"]
        assert [*found["lower"]] == [f"00{i}" for i in range(30)]
        assert [*found["x"]] == [x for x, _, _ in ROWS]
        assert_says(found.drop(columns="lower").rename(columns={"lower (2)": "lower"}), ROWS)
    assert pq.read_schema("out").names == [*names, "new"]
    assert {path.name for path in folder.iterdir()} == {
        *("kept.evencover", "rows.csv", "out.csv", "out")
    }


def test_rows_are_written_to_standard_output(folder, capfdbinary):
    assert main(["predict", "kept.evencover", "rows.csv", "--csv", "-"]) == 0
    found = pd.read_csv(io.BytesIO(capfdbinary.readouterr().out))
    assert_says(found.drop(columns="lower").rename(columns={"lower (2)": "lower"}), ROWS)
    assert not (folder / "-").exists()


def test_an_encoding_that_is_guessed_is_told_once(folder, capsys):
    lines = "x,k,day,Größe\n" + "1,a,2014-01-02,ü\n" * 50
    (folder / "rows.csv").write_text(lines, encoding="cp1252")
    status, said = run(capsys, "kept.evencover", "rows.csv", "--csv", "out.csv")
    note, wrote = said.err.splitlines()
    assert (status, "is no UTF-8 text and was read as cp1252" in note) == (0, True)
    assert wrote.endswith(" rows a second: 50 rows, 0 with something new to the predictor")
    assert set(pd.read_csv("out.csv")["Größe"]) == {"ü"}


def test_other_columns_of_parquet_come_back_as_they_are_stored(folder, capsys):
    frame = pd.DataFrame(ROWS, columns=["x", "k", "day"])
    frame = frame.assign(tags=[[1]] * 30, at=pd.Timestamp("2020-01-01", tz="Asia/Tokyo"))
    (folder / "rows").mkdir()
    frame[:20].to_parquet("rows/a.parquet", index=False)
    frame[20:].to_parquet("rows/b.parquet", index=False)
    assert run(capsys, "kept.evencover", "rows", "--parquet", "out")[0] == 0
    found = pd.read_parquet("out")
    assert_says(found, ROWS)
    assert [tags.tolist() for tags in found["tags"]] == [[1]] * 30
    assert found["at"].equals(frame["at"])
    status, said = run(capsys, "kept.evencover", "rows", "--csv", "out.csv")
    told = "column 'tags' holds lists or the like, which CSV cannot; use --parquet"
    assert (status, said.err) == (2, f"evencover: {told}\n")
    assert not (folder / "out.csv").exists()


def test_a_row_that_is_refused_leaves_what_was_there(folder, capsys):
    with (folder / "rows.csv").open("a") as file:
        file.write("0,abc,a,2014-01-01\n")
    (folder / "out.csv").write_text("as it was")
    status, said = run(capsys, "kept.evencover", "rows.csv", "--csv", "out.csv")
    assert status == 2
    assert "column 'x' holds 'abc' in row 31, where the predictor wants a number" in said.err
    assert (folder / "out.csv").read_text() == "as it was"
    assert len([*folder.iterdir()]) == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("kept.evencover rows.csv", "one of the arguments --csv --parquet is required"),
        ("kept.evencover rows.csv --csv a --parquet b", "not allowed with argument"),
        ("kept.evencover rows.csv --csv rows.csv", "--csv 'rows.csv' is the table itself"),
        ("kept.evencover rows.csv --parquet kept.evencover", "is the saved predictor"),
        ("kept.evencover rows.csv --csv no/out.csv", "there is no folder"),
        ("kept.evencover rows.csv --csv .", "is a folder"),
        ("no.evencover rows.csv --csv out.csv", "'no.evencover' cannot be read"),
        ("rows.csv rows.csv --csv out.csv", "cannot be read as a saved predictor"),
        ("kept.evencover no.csv --csv out.csv", "there is no file 'no.csv'"),
        ("kept.evencover rows.csv --csv /dev/full", "'/dev/full' cannot be written: No space"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(words, sentence, folder, capsys):
    status, said = run(capsys, *words.split())
    assert (status, said.out) == (2, "")
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert len([*folder.iterdir()]) == 2


def test_an_interruption_leaves_nothing(folder, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(predict, "predicted", interrupted)
    status, said = run(capsys, "kept.evencover", "rows.csv", "--csv", "out.csv")
    assert (status, said.err) == (130, "evencover: interrupted, nothing written\n")
    assert len([*folder.iterdir()]) == 2


def test_a_pipe_is_written_to(folder, capsys):
    os.mkfifo(folder / "pipe")
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert run(capsys, "kept.evencover", "rows.csv", "--csv", "pipe", "--quiet")[0] == 0
    assert os.read(reader, 100_000).count(b"\n") == 31
    os.close(reader)


def test_what_an_audit_saves_predicts_the_next_day(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    whole = pd.DataFrame({"x": rng.normal(size=600), "c": rng.choice(["a", "b"], 600)})
    whole["y"] = (whole["x"] + rng.normal(size=600)).round(6)
    whole.to_csv("rows.csv", index=False)
    words = ["audit", "rows.csv", "--target", "y", "--quiet", "--remedy", "mondrian:c"]
    saved = ["--save", "it.evencover", "--save-predictor", "mondrian:c", "--rows", "told.csv"]
    assert main([*words, *saved]) == 0
    assert main(["predict", "it.evencover", "rows.csv", "--csv", "said.csv"]) == 0
    told, said = pd.read_csv("told.csv"), pd.read_csv("said.csv")
    of_test = said.iloc[told["row"] - 1].reset_index(drop=True)
    for end in ("lower", "upper"):
        np.testing.assert_array_equal(of_test[end], told[f"{end}_adjusted"])
    assert set(said["group"]) == {"c: a", "c: b"}
    assert capsys.readouterr().out == ""  # tables are asked for, so that there is no summary
    assert main([word for word in [*words, "--save", "it.evencover"] if word != "--quiet"]) == 0
    said = capsys.readouterr()
    assert "Mondrian by c" in said.out
    assert (
        "saving 'base': names of columns, values and groups, and the ends of numbers, " in said.err
    )
    assert main([*words, "--save-predictor", "base"]) == 2
    assert "--save-predictor names what --save is to write" in capsys.readouterr().err
    assert main([*words, "--save", "-"]) == 2
    assert "--save writes no text, which standard output is for" in capsys.readouterr().err
    assert main([*words, "--save", "it.evencover", "--save-predictor", "none"]) == 2
    assert "there is no predictor 'none' to save" in capsys.readouterr().err


def test_the_schema_is_printed(capsys):
    assert main(["schema", "predictor"]) == 0
    assert json.loads(capsys.readouterr().out) == schema()
