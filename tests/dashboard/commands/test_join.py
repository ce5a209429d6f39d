"""A second table on the command line."""

import json

import numpy as np
import pandas as pd
import pytest

from evencover.dashboard.commands.main import main

N = 300


@pytest.fixture
def audited(tmp_path, monkeypatch, capsys):
    """Run an audit of a small table with another one; return its result, and what was said."""
    rng = np.random.default_rng(0)
    x, key = rng.normal(size=N), rng.permutation(N) // 2
    table = pd.DataFrame({"id": key, "x": x, "y": x + rng.normal(size=N)})
    table.to_csv(tmp_path / "table.csv", index=False)
    who = pd.DataFrame({"id": range(1, N), "sex": rng.choice(["F", "M"], N - 1), "note": "a"})
    who.to_csv(tmp_path / "who.csv", index=False)
    twice = pd.concat([who, who.head(1).assign(note="b")])  # two rows that differ
    twice.to_csv(tmp_path / "twice.csv", index=False)
    monkeypatch.chdir(tmp_path)

    def run(*options, output="result.json"):
        audit = [
            "audit",
            "table.csv",
            "--target",
            "y",
            "--quiet",
            "--json",
            output,
            "--remedy",
            "none",
        ]
        status = main([*audit, *options])
        result = json.loads((tmp_path / output).read_text()) if status == 0 else None
        return result, capsys.readouterr().err

    return run


JOINED = ("--join", "who.csv", "--on", "id")


def test_its_columns_are_audit_only_and_what_is_not_met_is_told(audited):
    result, _ = audited(*JOINED)
    settings = result["settings"]
    assert settings["audit_only"] == ["sex", "note"]
    assert (settings["join"], settings["on"]) == ("who.csv", "id")
    assert {row["variable"] for row in result["segments"]} >= {"sex", "x"}
    assert [left["column"] for left in result["data"]["dropped"]] == ["id"]
    notes = " ".join(result["notes"])
    assert "Rows whose 'id' is not in 'who.csv', so that its columns are missing: 2." in notes
    assert "Values of 'id' in 'who.csv' that no row of the table has: 150." in notes


@pytest.mark.parametrize(
    ("options", "audit_only"),
    [
        (("--group", "id"), ["sex", "note"]),
        (("--audit-only", "id"), ["id", "sex", "note"]),
        (("--drop", "note,id"), ["sex"]),
        (("--features", "x,id,sex"), ["note"]),
    ],
)
@pytest.mark.long
def test_key_and_columns_keep_another_role(audited, options, audit_only):
    result, _ = audited(*JOINED, *options)
    assert result["settings"]["audit_only"] == audit_only
    group = result["settings"]["group"]
    assert (group == "id") == ("--group" in options)


@pytest.mark.parametrize(
    ("options", "output", "told"),
    [
        (JOINED[:2], "result.json", "give --join with --on"),
        (JOINED[2:], "result.json", "give --join with --on"),
        (JOINED, "who.csv", "is the second table"),
        ((*JOINED[:3], "x"), "result.json", "'who.csv' has no column 'x' to join by"),
        (
            ("--join", "twice.csv", "--on", "id"),
            "result.json",
            "such as '1', which 2 rows have; keep one",
        ),
    ],
)
def test_what_cannot_be_is_refused(audited, options, output, told):
    result, said = audited(*options, output=output)
    assert result is None
    assert told in said
