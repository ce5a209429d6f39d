"""``evencover audit`` of a folder of Parquet files."""

import json

import numpy as np
import pandas as pd
import pytest

from evencover.dashboard.commands.main import main

ASKED = ("--target", "y", "--lower", "lo", "--upper", "hi", "--quiet")


@pytest.fixture
def folder(few, tmp_path):
    frame = few.assign(lo=few["x0"] - 2.0, hi=few["x0"] + 2.0)
    (tmp_path / "rows").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        frame.iloc[rows].to_parquet(tmp_path / "rows" / f"{number}.parquet", index=False)
    frame.to_parquet(tmp_path / "all.parquet", index=False)
    return tmp_path / "rows"


def audited(table, out, *more):
    assert main(["audit", str(table), *ASKED, "--json", str(out), *more]) == 0
    return json.loads(out.read_text(encoding="utf-8"))


def test_gives_what_one_file_of_all_rows_does(folder, tmp_path):
    one, many = (
        audited(table, tmp_path / "r.json") for table in (tmp_path / "all.parquet", folder)
    )
    assert many["data"]["fingerprint"] != one["data"]["fingerprint"]
    assert many["data"]["sample"] is None
    for section in ("segments", "gaps", "results", "worst_segments", "headline"):
        assert len(many[section]) == len(one[section])
    assert [r["accuracy_base"] for r in many["segments"]] == [
        r["accuracy_base"] for r in one["segments"]
    ]
    assert many["results"][0]["dcv"] == pytest.approx(one["results"][0]["dcv"], abs=1e-10)


def test_rows_drawn_are_written_with_their_places(folder, tmp_path):
    told = audited(
        folder, tmp_path / "r.json", "--sample", "100", "--rows", str(tmp_path / "r.csv")
    )
    assert told["data"]["sample"] == 100
    rows, whole = pd.read_csv(tmp_path / "r.csv"), pd.read_parquet(tmp_path / "all.parquet")
    assert len(rows) == 100
    np.testing.assert_array_equal(rows["label"], whole["y"].iloc[rows["row"] - 1])


def test_may_be_looked_at_and_is_not_for_a_model_to_be_fitted(folder, capsys):
    assert main(["audit", str(folder), *ASKED, "--preview"]) == 0
    assert "place" in capsys.readouterr().out
    assert main(["audit", str(folder), "--target", "y", "--quiet"]) == 2
    assert "is not read as a whole" in capsys.readouterr().err
