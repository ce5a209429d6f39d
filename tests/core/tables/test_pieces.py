"""Rows piece by piece say what the same rows say as a whole, or by themselves."""

import gzip
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from kept import assert_says, predictor, whole

from evencover.core import InputError
from evencover.core.scoring.columns import Design, EncodedCategory
from evencover.core.scoring.forms import IntervalForm
from evencover.core.scoring.functions import Linear
from evencover.core.scoring.groups import ByValue
from evencover.core.scoring.thresholds import OfGroups
from evencover.core.tables.formats import Bounds, delimited, parquet
from evencover.core.tables.pieces import pieces_of
from evencover.core.tables.plain_columns import predicted, reading_for

ROWS = [(float(i), "ab"[i % 2], f"2014-{1 + i % 12:02}-{1 + i % 28:02}") for i in range(24)]
LINES = [f"{x},{k},{day}" for x, k, day in ROWS]


small = pytest.mark.usefixtures("in_small_pieces")


@pytest.fixture
def in_small_pieces(monkeypatch):
    """Pieces of a few rows."""
    monkeypatch.setattr(delimited, "_PIECE", 200)
    monkeypatch.setattr(parquet, "_ROWS", 7)


def said(path, **read):
    """What is said of a file's rows, and in how many pieces."""
    kept = predictor(**read)
    pieces = [*pieces_of(path, reading_for(kept), Bounds())]
    assert [int(each.table.frame.index[0]) for each in pieces] == [
        sum(len(each.table) for each in pieces[:place]) for place in range(len(pieces))
    ]
    found = [pd.DataFrame(predicted(kept, each.table).columns) for each in pieces]
    return SimpleNamespace(columns=pd.concat(found), pieces=pieces)


def european(x, k, day):
    return f'"{str(x).replace(".", ",")}";{k};{day}'


TEXTS = {
    "plain": ("\n".join(["x,k,day", *LINES]), {}),
    "line ends": ("\r\n".join(["x,k,day", *LINES, ""]), {}),
    "old line ends": ("\r".join(["x,k,day", *LINES]), {}),
    "a named delimiter": ("\n".join(["sep=,", "x,k,day", *LINES]), {}),
    "other columns": (
        "\n".join(['k2,"x",day,k', *(f'"{k}\n""2"", 3",{x},{day},{k}' for x, k, day in ROWS)]),
        {},
    ),
    "quotes that open nothing": (
        "\n".join(["x,k,day,size", *(f'{line},3" pipe' for line in LINES)]),
        {},
    ),
    "names of rows": (
        "\n".join(["x,k,day", *(f"r{i},{line}" for i, line in enumerate(LINES))]),
        {},
    ),
    "a title": ("\n".join(["Made, by hand,", "", "x,k,day", *LINES]), {"header": 3}),
    "repeated headers": ("\n".join(["x,k,day", *LINES[:12], "x,k,day", *LINES[12:]]), {}),
    "decimal commas": ("\n".join(["x;k;day", *(european(*row) for row in ROWS)]), {}),
    "a comma in doubt, decided before": (
        "\n".join(
            ["x;z;k;day", *(f"{x:g};1,5;{k};{day}" for x, k, day in ROWS), "1;1,234;a;2014-01-01"]
        ),
        {},
    ),
}


@small
@pytest.mark.parametrize(("text", "read"), TEXTS.values(), ids=TEXTS)
def test_pieces_of_a_text_say_what_the_whole_says(text, read, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(text.encode())
    found = said(path, **read)
    assert len(found.pieces) > 1
    more = [(1.0, "a", "2014-01-01")] * text.endswith("01-01")
    assert_says(found.columns, [*ROWS, *more])


@small
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_decided_once(encoding, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["x,größe,k,day", *(f"{x},ü,{k},{d}" for x, k, d in ROWS)]), encoding)
    found = said(path)
    assert_says(found.columns, ROWS)
    frame = pd.concat(each.table.frame for each in found.pieces)
    assert set(frame["größe"]) == {"ü"}
    codes = [note.code for each in found.pieces for note in each.notes]
    assert ("file.encoding_taken" in codes) is (encoding == "cp1252")


VALUES = [
    # what a file says, and what it means, in whatever company
    ("1,a,2014-01-01", (1.0, "a", "2014-01-01"), {}),
    ("?,b,2014-01-01", (None, "b", "2014-01-01"), {}),
    ("-9,b,2014-01-01", (None, "b", "2014-01-01"), {"missing": ("-9",)}),
    ("n/k,b,2014-01-01", (None, "b", "2014-01-01"), {"numeric": ("x",)}),
    ("007,b,2014-01-01", (7.0, "b", "2014-01-01"), {"numeric": ("x",)}),
    ("120,zzz,2014-01-01", (120.0, "zzz", "2014-01-01"), {}),
    ("3, b ,20140101", (3.0, "b", "2014-01-01"), {}),
    ("3,1.0,13/01/2014", (3.0, "1", "2014-01-13"), {}),
    ("3,,1 Jan 2014", (3.0, None, "2014-01-01"), {}),
    ("1e1,NA,2014/1/1", (10.0, None, "2014-01-01"), {}),
]


@pytest.mark.parametrize(("line", "means", "read"), VALUES)
def test_a_value_means_the_same_alone_and_among_others(line, means, read, tmp_path):
    path = tmp_path / "rows.csv"
    for others, lines in ((0, [line]), (12, [*LINES[:12], line])):
        path.write_text("\n".join(["x,k,day", *lines]))
        assert_says(said(path, **read).columns, [*ROWS[:others], means])


TEXTS_OF = [
    # those of training rows, none missing, a text, and the group that it is in
    (("1", "2"), "1.0", "1"),
    (("True", "False"), "TRUE", "True"),
    (("9007199254740992", "1"), "9007199254740993", "(new)"),
    (("1", "north"), "1.0", "(new)"),
    (("Paris", "Rome"), "paris", "(new)"),
    (("True", "x"), "TRUE", "(new)"),
    (("1", "2"), "?", "(missing)"),
    (("1", "north"), "?", "(new)"),
]


@pytest.mark.parametrize(("known", "text", "group"), TEXTS_OF)
def test_a_text_is_another_s_usual_form_where_all_are_numbers_or_truth_values(
    known, text, group, tmp_path
):
    kept, path = predictor(), tmp_path / "rows.csv"
    encoded = EncodedCategory("k", known, known, whole(0, 1), 0)
    design = Design((encoded,), whole(0), np.zeros(1), np.ones(1))
    by = OfGroups(ByValue("k", (*known, None), "k", None), np.zeros((4, 1)))
    scores = IntervalForm((), Linear(np.array([1.0]), 0.0), None)
    kept = replace(kept, design=design, thresholds=by, scores=scores)
    path.write_text(f"x,k\n1,{text}\n")
    (piece,) = pieces_of(path, reading_for(kept), Bounds())
    found = predicted(kept, piece.table).columns
    assert found["group"].tolist() == [f"k: {group}"]
    assert found["new"].tolist() == [group not in known]


REFUSED = {
    "a column that is not there": ("x,day\n1,2014-01-01", "there is no column 'k'"),
    "no number": ("x,k,day\n?,a,2014-01-01\nabc,a,2014-01-01", "column 'x' holds 'abc' in row 2"),
    "too large": ("x,k,day\n1e200,a,2014-01-01", "column 'x' holds 1e+200 in row 1"),
    "no date": ("x,k,day\n1,a,2014-01-01\n1,a,soon", "column 'day' holds 'soon' in row 2"),
    "no day of that month": ("x,k,day\n1,a,2014-02-31", "column 'day' holds '2014-02-31' in row 1"),
    "day or month": (
        "x,k,day\n1,a,\n1,a,01/02/2014",
        "column 'day', such as '01/02/2014' in row 2? Write dates as in 2014-10-13",
    ),
    "no century": ("x,k,day\n1,a,13/02/14", "column 'day' holds '13/02/14' in row 1"),
    "no rows": ("x,k,day\n", "'{file}' holds no rows"),
    "ragged": (
        "\n".join(["x,k,day", *LINES, "1,a"]),
        "has 2 fields in line 26 but 3 in its header",
    ),
    "a number in a later piece": ("\n".join(["x,k,day", *LINES, "y,a,"]), "holds 'y' in row 25"),
    "no text": ("\n".join(["x,k,day", *LINES, "1,\0,"]), "it holds binary data"),
    "an open quote": ("\n".join(["x,k,day", *LINES, '1,"a,3']), "'{file}' "),
    "a web page": ("<!DOCTYPE html><table>", "is a web page or XML"),
}


@small
@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused_with_its_row_or_line(text, sentence, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        said(path)
    assert sentence.replace("{file}", str(path)) in str(refused.value)


@small
def test_text_that_is_of_another_encoding_further_down_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes("\n".join(["x,k,day", *LINES, "1,é,2014-01-01"]).encode("cp1252"))
    with pytest.raises(InputError, match="is not utf-8 text throughout; save it as CSV in UTF-8"):
        said(path)


def test_a_quote_that_stays_open_takes_no_more_than_the_bound(monkeypatch, tmp_path):
    monkeypatch.setattr(delimited, "_PIECE", 200)
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["x,k,day", '"', *LINES * 50]))
    taken = [len(piece) for piece in delimited._pieces(path, "utf-8", Bounds(text=300))]
    assert max(taken) < 1000
    assert sum(taken) == path.stat().st_size
    path.write_text("x,k,day\r" + "," * 9000)  # and neither does a line
    assert max(len(piece) for piece in delimited._pieces(path, "utf-8", Bounds(text=300))) < 1000


def frame_of(rows=ROWS):
    frame = pd.DataFrame(rows, columns=["x", "k", "day"])
    return frame.assign(id=range(len(frame)), tags=[[1, 2]] * len(frame))


PACKED = [
    ("rows.parquet", 4),
    pytest.param("rows.xlsx", 1, marks=pytest.mark.long),
    ("rows.csv.gz", 1),
]


@small
@pytest.mark.parametrize(("name", "pieces"), PACKED)
@pytest.mark.parametrize("read", [{}, {"encoding": "utf-8", "sheet": "Sheet1"}])
def test_parquet_workbooks_and_archives_say_the_same(name, pieces, read, tmp_path):
    frame, path = frame_of().drop(columns="tags"), tmp_path / name
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))
    else:
        write = frame.to_excel if path.suffix == ".xlsx" else frame.to_parquet
        write(path, index=False)
    found = said(path, **read)
    assert_says(found.columns, ROWS)
    assert len(found.pieces) == pieces


@small
def test_a_folder_is_its_files_with_all_columns_as_they_are_stored(tmp_path):
    frame = frame_of().astype({"k": "category"}).assign(day=pd.to_datetime(frame_of()["day"]))
    frame[:15].to_parquet(tmp_path / "a.parquet", index=False)
    other = frame[15:].astype({"x": "float32", "id": "int8"})[[*reversed(frame.columns)]]
    other.to_parquet(tmp_path / "b.parquet", index=False)
    found = said(tmp_path)
    assert_says(found.columns, ROWS)
    stored = pa.concat_tables(each.stored for each in found.pieces)
    assert stored.column_names == ["x", "k", "day", "id", "tags"]
    assert stored["id"].to_pylist() == [*range(24)]
    assert stored["tags"].to_pylist() == [[1, 2]] * 24
    assert {each.stored.schema for each in found.pieces} == {stored.schema}


def test_days_as_whole_numbers_in_parquet_are_dates_and_numbers_stay_numbers(tmp_path):
    frame = pd.DataFrame({"x": [20140101, 20140102], "k": "a", "day": [20140101, 20140113]})
    frame.to_parquet(tmp_path / "rows.parquet", index=False)
    found = said(tmp_path / "rows.parquet")
    rows = [(20140101.0, "a", "2014-01-01"), (20140102.0, "a", "2014-01-13")]
    assert_says(found.columns, rows)


def test_no_folder_of_parquet_no_file_and_two_columns_of_a_name_are_refused(tmp_path):
    with pytest.raises(InputError, match="holds no file whose name ends in"):
        said(tmp_path)
    with pytest.raises(InputError, match="there is no file"):
        said(tmp_path / "rows.csv")
    twice = pa.table([np.arange(3.0)] * 2, ["x", " x"])
    pq.write_table(twice, tmp_path / "rows.parquet")
    with pytest.raises(InputError, match="has two columns called 'x'; rename one"):
        said(tmp_path / "rows.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "rows.parquet").read_bytes()[:-9])
    with pytest.raises(InputError, match="starts like a Parquet file but cannot be read"):
        said(tmp_path / "cut.parquet")
