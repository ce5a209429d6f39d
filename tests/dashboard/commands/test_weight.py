"""Weights of rows on the command line, in what it writes, and in the command that repeats it."""

import json

import numpy as np
import pandas as pd
import pytest

from evencover.dashboard.commands.main import main

N = 300


@pytest.fixture
def audited(tmp_path, monkeypatch, capsys):
    """Run an audit of a small table with weights; return its status, and what was said."""
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=N), rng.integers(1, 5, N).astype(object)
    table = pd.DataFrame({"w": w, "x": x, "y": x + rng.normal(size=N)})

    def run(*options, **changed):
        given = table.copy()
        for row, weight in changed.pop("at", {}).items():
            given.loc[row, "w"] = weight
        given.assign(**changed).to_csv("table.csv", index=False)
        status = main(["audit", "table.csv", "--target", "y", "--weight", "w", "--quiet", *options])
        return status, capsys.readouterr()

    monkeypatch.chdir(tmp_path)
    return run


def test_an_unusable_weight_is_told(audited):
    status, said = audited(at={7: -2})
    assert (status, said.out) == (2, "")
    assert "'w' is -2 in row 8, which is below 0" in said.err


def test_effective_sample_sizes_are_written(audited, tmp_path):
    paths = ("--json", "out.json", "--html", "out.html", "--remedy", "none")
    assert audited(*paths, at={1: 0, 2: ""})[0] == 0
    result = json.loads((tmp_path / "out.json").read_text())
    data, notes = result["data"], " ".join(result["notes"])
    assert result["settings"]["weight"] == "w"
    assert data["rows_without_weight"] == 2
    assert 0.5 * data["test"] < data["effective"]["test"] < data["test"]
    assert all(row["weight"] >= row["n"] for row in result["segments"])
    shown = f"{data['effective']['test']:,.0f} for {data['test']} test rows"
    assert shown in notes
    page = (tmp_path / "out.html").read_text()
    assert shown in page
    assert f"{data['test']} for test (by weight as good as" in page
    assert "2 of them without a weight above 0" in page
    assert "--weight=w" in page
