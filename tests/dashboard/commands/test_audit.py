"""Audits with a second table, weights, rules to fail, and of a folder, by the command line."""

import html
import json
from unittest.mock import Mock
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from evencover.dashboard.commands.main import main
from evencover.dashboard.export import writing

N = 300


@pytest.fixture
def audited(tmp_path, monkeypatch, capsys):
    """Run an audit of a small table; return the status, the JSON result, and what was said."""
    rng = np.random.default_rng(0)
    x, key = rng.normal(size=N), rng.permutation(N) // 2
    table = pd.DataFrame({"id": key, "x": x, "y": x + rng.normal(size=N)})
    table.assign(
        w=rng.integers(1, 5, N),
        place="a",
        day=pd.date_range("2024-01-01", periods=N).astype(str),
    ).to_csv(tmp_path / "table.csv", index=False)
    who = pd.DataFrame({"id": range(1, N), "sex": rng.choice(["F", "M"], N - 1), "note": "a"})
    who.to_csv(tmp_path / "who.csv", index=False)
    monkeypatch.chdir(tmp_path)

    def run(*options, columns="id,x", output="result.json"):
        features = ("--features", columns) if "--features" not in options else ()
        asked = ("audit", "table.csv", "--target", "y", "--quiet", "--json", output, *features)
        status = main([*asked, *options])
        path = tmp_path / output
        found = json.loads(path.read_text()) if status in (0, 3, 4) else None
        return status, found, capsys.readouterr().err.strip().splitlines()

    return run


JOINED = ("--join", "who.csv", "--on", "id", "--remedy", "none")


def test_columns_of_a_second_table_are_audit_only_and_what_is_not_met_is_told(audited):
    _, result, _ = audited(*JOINED, columns="x")
    settings = result["settings"]
    assert settings["audit_only"] == ["sex", "note"]
    assert (settings["join"], settings["on"]) == ("who.csv", "id")
    assert {row["variable"] for row in result["segments"]} >= {"sex", "x"}
    assert {"column": "id", "reason": "is the key of the second table"} in result["data"]["dropped"]
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
    _, result, _ = audited(*JOINED, *options, columns="x")
    assert result["settings"]["audit_only"] == audit_only
    assert (result["settings"]["group"] == "id") == ("--group" in options)


@pytest.mark.parametrize(
    ("options", "output", "told"),
    [
        (JOINED[:2], "result.json", "give --join with --on"),
        (JOINED[2:4], "result.json", "give --join with --on"),
        (JOINED, "who.csv", "is the second table"),
        ((*JOINED[:3], "x"), "result.json", "'who.csv' has no column 'x' to join by"),
    ],
)
def test_a_second_table_that_cannot_be_joined_is_refused(audited, options, output, told):
    status, _, lines = audited(*options, output=output)
    assert status == 2
    assert told in lines[0]


def test_effective_sample_sizes_are_written(audited, tmp_path):
    table = pd.read_csv("table.csv").astype({"w": object})
    table.loc[[1, 2], "w"] = [0, ""]
    table.to_csv("table.csv", index=False)
    asked = ("--weight", "w", "--html", "out.html", "--remedy", "none")
    _, result, _ = audited(*asked)
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
    assert "2 of them without a weight that counts" in page
    assert "--weight=w" in page
    table.assign(w=-2).to_csv("table.csv", index=False)
    status, _, (line,) = audited(*asked)
    assert status == 2
    assert "'w' is -2 in row 1, which is below 0" in line


@pytest.mark.parametrize(
    ("rules", "status"),
    [
        (["coverage < 0.2"], 0),
        (["coverage < 0.2", "coverage < 0.999"], 3),
        (["coverage < 0.2", "coverage < 0.8"], 4),
        (["coverage < 0.8", "coverage < 0.999"], 3),
    ],
)
@pytest.mark.long
def test_the_status_tells_the_worst_and_a_line_tells_each(audited, rules, status):
    found, _, lines = audited(*(part for rule in rules for part in ("--fail-if", rule)))
    assert found == status
    assert [line.split("'")[1] for line in lines] == rules


def test_json_and_report_have_the_lines_of_the_rules(audited, tmp_path):
    rules = ("--fail-if", "width > 1000", "--fail-if", "coverage(x > 99) < 1")
    status, told, lines = audited(*rules, "--remedy", "none", "--html", "out.html")
    assert status == 4
    kept, unsure = told["gates"]
    assert (kept["rule"], kept["outcome"], kept["bound"]) == ("width > 1000", "kept", 1000.0)
    assert kept["low"] <= kept["value"] <= kept["high"]
    assert (unsure["outcome"], unsure["value"]) == ("unsure", None)
    page = html.unescape((tmp_path / "out.html").read_text())
    assert [line.removeprefix("evencover: ") for line in lines] == [
        kept["sentence"],
        unsure["sentence"],
    ]
    assert kept["sentence"] in page
    assert "no test row has x > 99…" in page  # without what rows hold


@pytest.mark.long
@pytest.mark.parametrize(("more", "kind"), [((), "error"), (("--allow-unsure",), "skipped")])
def test_junit_has_a_test_for_each_rule(audited, tmp_path, more, kind):
    rules = ("--fail-if", "width > 1000", "--fail-if", "coverage(x > 99) < 1")
    _, told, _ = audited(*rules, "--remedy", "none", "--junit", "junit.xml", *more)
    (suite,) = ET.parse(tmp_path / "junit.xml").getroot()  # noqa: S314 - our own
    kept, unsure = suite
    assert (kept.get("name"), unsure.get("name")) == ("width > 1000", "coverage(x > 99) < 1")
    assert ([each.tag for each in kept], [each.tag for each in unsure]) == (["system-out"], [kind])
    assert unsure[0].text == told["gates"][1]["sentence"]


@pytest.mark.long
def test_unsure_can_be_let_pass_and_broken_cannot(audited):
    assert audited("--fail-if", "coverage < 0.8", "--allow-unsure")[0] == 0
    assert audited("--fail-if", "coverage < 0.999", "--allow-unsure")[0] == 3


@pytest.mark.parametrize(
    "rule",
    [
        *("coverage(nobody = 1) < 0.9", "coverage(place = a) < 0.9"),
        *("gap(nobody) > 0.1", "quantile.coverage < 0.9"),
    ],
)
@pytest.mark.long
def test_what_cannot_be_judged_is_refused_and_nothing_written(audited, tmp_path, rule):
    status, _, lines = audited("--drop", "place", "--fail-if", rule)
    assert (status, len(lines)) == (2, 1)
    assert not (tmp_path / "result.json").exists()


@pytest.mark.long
def test_an_output_that_fails_outdoes_a_broken_rule(audited, monkeypatch):
    full = Mock(side_effect=OSError(28, "No space left on device"))
    monkeypatch.setattr(writing, "_staged", full)
    status, _, lines = audited("--fail-if", "coverage < 0.999")
    assert (status, len(lines)) == (2, 1)


@pytest.mark.long
def test_a_rule_may_be_of_a_part_of_a_date(audited):
    rule = 'coverage("day (weekday)" = Monday or Tuesday) < 0.2'
    status, _, (line,) = audited("--fail-if", rule, columns="x,day")
    assert status == 0
    assert "coverage of" in line


OF_FOLDER = ("--target", "y", "--lower", "lo", "--upper", "hi", "--quiet")


@pytest.fixture
def folder(few, tmp_path):
    frame = few.assign(lo=few["x0"] - 2.0, hi=few["x0"] + 2.0)
    (tmp_path / "rows").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(frame)), 3)):
        frame.iloc[rows].to_parquet(tmp_path / "rows" / f"{number}.parquet", index=False)
    frame.to_parquet(tmp_path / "all.parquet", index=False)
    return tmp_path / "rows"


def of(table, out, *more):
    assert main(["audit", str(table), *OF_FOLDER, "--json", str(out), *more]) == 0
    return json.loads(out.read_text(encoding="utf-8"))


@pytest.mark.long
def test_a_folder_gives_what_one_file_of_all_rows_does(folder, tmp_path):
    one, many = (of(table, tmp_path / "r.json") for table in (tmp_path / "all.parquet", folder))
    assert many["data"]["fingerprint"] != one["data"]["fingerprint"]
    assert many["data"]["sample"] is None
    for section in ("segments", "gaps", "results", "worst_segments", "headline"):
        assert len(many[section]) == len(one[section])
    shares = [[row["accuracy_base"] for row in found["segments"]] for found in (one, many)]
    assert shares[0] == shares[1]
    assert many["results"][0]["dcv"] == pytest.approx(one["results"][0]["dcv"], abs=1e-10)


@pytest.mark.long
def test_one_file_of_many_rows_is_counted_where_it_is(folder, tmp_path, monkeypatch):
    at, drawn = tmp_path / "all.parquet", ("--sample", "100")
    many = of(folder, tmp_path / "r.json", *drawn)
    for most, sample in ((299, 100), (300, None)):  # of 300 rows
        monkeypatch.setattr("evencover.core.tables.lazy.MOST_IN_MEMORY", most)
        one = of(at, tmp_path / "r.json", *drawn)
        assert one["data"]["sample"] == sample
        assert one["results"][0]["accuracy"] == many["results"][0]["accuracy"]
    monkeypatch.setattr("evencover.core.tables.lazy.MOST_IN_MEMORY", 299)
    # what no engine serves is done in memory, as ever
    assert of(at, tmp_path / "r.json", *drawn, "--numeric", "x0")["data"]["sample"] is None


def test_rows_drawn_of_a_folder_are_written_with_their_places(folder, tmp_path):
    drawn = ("--sample", "100", "--rows", str(tmp_path / "r.csv"))
    assert of(folder, tmp_path / "r.json", *drawn)["data"]["sample"] == 100
    rows, whole = pd.read_csv(tmp_path / "r.csv"), pd.read_parquet(tmp_path / "all.parquet")
    assert len(rows) == 100
    np.testing.assert_array_equal(rows["label"], whole["y"].iloc[rows["row"] - 1])


def test_a_folder_may_be_looked_at_and_is_not_for_a_model_to_be_fitted(folder, capsys):
    assert main(["audit", str(folder), *OF_FOLDER, "--preview"]) == 0
    assert "place" in capsys.readouterr().out
    assert main(["audit", str(folder), "--target", "y", "--quiet"]) == 2
    assert "is not read as a whole" in capsys.readouterr().err
