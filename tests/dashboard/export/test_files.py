"""A result as JSON, as CSV and in a zip archive, and files written whole."""

import csv
import io
import json
import math
import os
import stat
import threading
import zipfile
from dataclasses import asdict, fields, replace
from pathlib import Path

import pandas as pd
import pytest

from evencover.core import AuditSettings, Fit, InputError, audit, to_json
from evencover.core.report.wording import percent
from evencover.dashboard.export import writing
from evencover.dashboard.export.files import (
    ROW_TYPES,
    to_csv_texts,
    to_json_text,
    to_rows_csv,
    to_table,
    zipped,
)
from evencover.dashboard.export.terminal_summary import to_text
from evencover.dashboard.export.writing import write_together
from evencover.dashboard.wording.tables import cell_text


@pytest.fixture(scope="module")
def result(regression):
    return regression


WRITTEN = {"subset": "segment", "predictor": "algorithm"}
FOUND_ON = {("base",): "base", ("ifacm",): "adjusted", ("base", "ifacm"): "both"}


def rows_as_written(result, name):
    """The rows of a table by its columns' names, those of a group side by side."""
    rows = getattr(result, name)
    has_status = hasattr(rows[0], "status")
    shared = getattr(ROW_TYPES[name], "shared", None)
    if shared is None:
        return [{WRITTEN.get(key, key): v for key, v in asdict(row).items()} for row in rows]
    return [
        {
            written: FOUND_ON[getattr(row, key)] if key == "found_on" else getattr(row, key)
            for key in (field.name for field in fields(base))
            for written, row in (
                [(key, base)]
                if key in shared
                else [(f"{key}_base", base), (f"{key}_adjusted", after)]
            )
            if key != "predictor"
        }
        | ({"status": after.status} if has_status else {})
        for base, after in zip(result.of(rows, "base"), result.of(rows, "ifacm"), strict=True)
    ]


def in_a_cell(value):
    return json.dumps(value) if isinstance(value, list) else value


def strict(text):
    def refuse(word):
        raise AssertionError(word)

    return json.loads(text, parse_constant=refuse)


def test_the_text_is_strict_json_with_names_as_they_are_and_no_note_on_numbers(result):
    plain = strict(to_json_text(result))
    assert plain == json.loads(json.dumps(to_json(result)))
    assert plain["notes"] == result.notes
    odd = replace(result, notes=["Größe – 大きさ"])
    assert "Größe – 大きさ" in to_json_text(odd)


def test_infinities_and_nan_are_written_as_null_and_notes_say_what_it_means(infinite_result):
    assert math.isinf(infinite_result.row("test", "base").inefficiency)
    assert math.isnan(infinite_result.coefficients[-1].coefficient)
    plain = strict(to_json_text(infinite_result))
    test_rows = [row for row in plain["results"] if row["segment"] == "test"]
    assert [row["inefficiency"] for row in test_rows] == [None, None]
    assert [row["inefficiency_original_units"] for row in test_rows] == [None, None]
    assert plain["coefficients"][-1]["coefficient"] is None
    assert test_rows[0]["accuracy"] == 1.0
    notes = plain["notes"]
    fields = "inefficiency, inefficiency_original_units"
    assert f"Infinite in 4 rows of results: {fields}." in notes  # training and test
    with_rows = sum(row.n > 0 for row in infinite_result.of(infinite_result.segments, "base"))
    fields = "inefficiency_base, inefficiency_adjusted"
    assert f"Infinite in {with_rows} rows of segments: {fields}." in notes
    count = sum(math.isnan(row.coefficient) for row in infinite_result.coefficients)
    fields = "coefficient, standard_error"
    assert f"Not defined in {count} rows of coefficients: {fields}." in notes
    fields = "p_value, worst_slab_coverage, worst_slab_low, worst_slab_high, p_value_trees"
    assert f"Not defined in 4 rows of results: {fields}." in notes


@pytest.mark.parametrize("name", ROW_TYPES)
def test_a_table_and_its_csv_give_back_every_value_to_the_last_digit(result, name):
    rows, table, texts = rows_as_written(result, name), to_table(result, name), to_csv_texts(result)
    # a table of numbers has NaN where a row has none
    first = {name: None if pd.isna(value) else value for name, value in table.iloc[0].items()}
    assert first == {name: in_a_cell(value) for name, value in rows[0].items()}
    read = list(csv.DictReader(io.StringIO(texts[f"{name}.csv"])))
    assert list(read[0]) == list(rows[0])
    assert len(read) == len(table) == len(rows) > 0
    for told, row in zip(read, rows, strict=True):
        for field, value in row.items():
            kind = type(value)
            back = told[field] == "True" if kind is bool else told[field] or None
            expected = None if value == "" else in_a_cell(value)  # a cell of nothing is empty
            assert (kind(back) if kind in (int, float) else back) == expected
    unfitted = [replace(by, fit=Fit()) for by in result.predictors]
    empty = replace(result, **({"predictors": unfitted} if name == "iterations" else {name: []}))
    header = texts[f"{name}.csv"].partition("\n")[0]
    assert to_csv_texts(empty)[f"{name}.csv"] == f"{header}\n"


@pytest.mark.parametrize("name", ['a, "b"\nc', "lone\rreturn", "both\r\nends", "a\r", "\r"])
def test_csv_keeps_commas_quotes_and_line_ends_in_names(result, name):
    rows = [type(row)(**(vars(row) | {"feature": name})) for row in result.coefficients]
    odd = replace(result, coefficients=rows)
    text = to_csv_texts(odd)["coefficients.csv"]
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["feature"] for row in read] == [name] * len(rows)
    assert [float(row["coefficient"]) for row in read] == [row.coefficient for row in rows]


def test_the_zip_holds_every_table(result):
    with zipfile.ZipFile(io.BytesIO(zipped(to_csv_texts(result)))) as archive:
        assert archive.testzip() is None
        held = {name: archive.read(name).decode() for name in archive.namelist()}
    assert held == to_csv_texts(result)


def test_the_test_rows_are_told_one_by_one(result, table):
    test_rows = result.test_rows
    rows = list(csv.DictReader(io.StringIO(to_rows_csv(result))))
    assert [int(row["row"]) for row in rows] == sorted((test_rows.rows + 1).tolist())
    place_of = {int(row) + 1: place for place, row in enumerate(test_rows.rows)}
    for row in rows[::50]:
        number = int(row["row"])
        place = place_of[number]
        label = table["y"].iloc[number - 1]
        assert float(row["label"]) == label
        for when, name in (("base", "base"), ("adjusted", "ifacm")):
            sets = test_rows.sets[name]
            lower, upper = float(row[f"lower_{when}"]), float(row[f"upper_{when}"])
            assert (lower, upper) == (sets.lower[place], sets.upper[place])
            assert (row[f"correct_{when}"] == "True") == (lower <= label <= upper)
            assert float(row[f"probability_{when}"]) == test_rows.probabilities[name][place]
        layers = [float(row[f"layer_{i}"]) for i in range(1, len(result.iterations) + 1)]
        assert layers == test_rows.steps["ifacm"][:, place].tolist()
    held = sum(row["correct_adjusted"] == "True" for row in rows)
    assert held / len(rows) == result.row("test", "ifacm").accuracy
    with pytest.raises(InputError, match="holds no test rows"):
        to_rows_csv(replace(result, test_rows=None))


@pytest.mark.parametrize(
    "spelt",
    [pytest.param({}, marks=pytest.mark.long), {"low": " l\rw ", "mid": "m\nd\n", "top": "\ttop"}],
)
def test_labels_are_spelt_as_in_their_sets_and_columns_called_like_figures_are_told_apart(
    classes, spelt
):
    frame = classes.assign(kind=classes["kind"].replace(spelt))
    frame = frame.rename(columns={"a": "row", "b": "correct_base"})
    asked = AuditSettings(target="kind", confidence_level=0.8, remedies=("quantile",))
    found = audit(frame, asked)
    rows = list(csv.DictReader(io.StringIO(to_rows_csv(found), newline="")))
    assert len(rows) == found.data.test
    for row in rows:
        given = frame.iloc[int(row["row"]) - 1]
        assert row["label"] == given["kind"].strip()
        assert float(row["row (2)"]) == given["row"]
        assert float(row["correct_base (2)"]) == given["correct_base"]
        for when in ("base", "adjusted"):
            held = row["label"] in json.loads(row[f"set_{when}"])
            assert (row[f"correct_{when}"] == "True") == held


def test_a_file_is_written_as_it_is_and_what_is_no_unicode_escaped(tmp_path):
    write_together({tmp_path / "a.txt": "Größe\r\n1\n", tmp_path / "b.txt": "b\udcff.csv"})
    assert (tmp_path / "a.txt").read_bytes() == "Größe\r\n1\n".encode()
    assert (tmp_path / "b.txt").read_text() == "b\\udcff.csv"


def test_a_file_gets_the_rights_of_any_other_new_file(tmp_path):
    (tmp_path / "usual").touch()
    write_together({tmp_path / "ours": "text"})
    usual, ours = ((tmp_path / name).stat().st_mode for name in ("usual", "ours"))
    assert stat.S_IMODE(ours) == stat.S_IMODE(usual)


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_together({pipe: "text"})
    reader.join(10.0)
    assert read == ["text"]
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_stays_a_link_to_the_new_text(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_together({tmp_path / "link": "new"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(mode)
    write_together({path: "new"})
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("failing", [1, 2, 3])
def test_files_written_together_are_all_new_or_all_as_they_were(
    tmp_path, monkeypatch, failing, error
):
    for name in ("a", "c"):
        (tmp_path / name).write_text(f"old {name}")
    (tmp_path / "c").chmod(0o600)
    calls, replace = [], Path.replace

    def fails_once(self, target):
        calls.append(target)
        if len(calls) == failing:
            raise error
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", fails_once)
    with pytest.raises(type(error)):
        write_together({tmp_path / name: f"new {name}" for name in "abc"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a": "old a", "c": "old c"}
    assert stat.S_IMODE((tmp_path / "c").stat().st_mode) == 0o600
    monkeypatch.undo()
    write_together({tmp_path / name: f"new {name}" for name in "abc"})
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {n: f"new {n}" for n in "abc"}


def test_an_interrupted_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(_mask):
        raise KeyboardInterrupt

    monkeypatch.setattr(writing.os, "umask", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_together({tmp_path / "a.txt": "text"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_the_summary_tells_gaps_sizes_and_segments_that_are_too_small(table):
    frame = table.assign(place=table["place"].mask(table.index < 3, "Dover"))
    # of columns that nobody named a group too small is told only where it looks low
    asked = AuditSettings(target="y", cohorts=(("east\nend", "x0 > 0"),), looks=(("l", "x0 < 0"),))
    result = audit(frame, replace(asked, audit_only=("place",)))
    told = to_text(result)
    assert "\nCohort east end: x0 > 0\nLook l: x0 < 0\n" in told
    lines = [line.split() for line in told.splitlines()]
    gap = max(result.of(result.gaps, "base"), key=lambda row: abs(row.gap))
    compared = [gap.variable, gap.reference, str(gap.groups), gap.gap_segment]
    words = " ".join([*compared, cell_text(gap.gap, "points")]).split()
    assert [line[: len(words)] for line in lines].count(words) == 1
    for row in result.size_strata:
        unit = "standard deviations of the label, as modelled"
        size = f"{row.size} {unit}".split()
        words = [row.predictor, *size, f"{row.n:,}", *percent(row.accuracy).split()]
        assert [line[: len(words)] for line in lines].count(words) == 1
    segments = result.of(result.segments, "base")
    look = next(row for row in segments if (row.kind, row.value) == ("look", "inside"))
    words = f"cohort: l inside a look: not judged {look.n:,} {percent(look.accuracy)}".split()
    assert words in [line[: len(words)] for line in lines]
    small = [row.value for row in segments if 0 < row.n < 20]
    assert small == ["Dover"]
    assert "Too small to judge, by fewer than 20 independent test rows: place = Dover (" in told
