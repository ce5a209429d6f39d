"""Packed tables and workbooks: read as the file inside, or told in one sentence."""

import gzip
import io
import zipfile

import pandas as pd
import pytest

from evencover.core.errors import InputError
from evencover.core.tables.formats import archives
from evencover.core.tables.reading import parse_table

TABLE = b"a,b\n1,x\n2,y\n"


def zipped(**files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def workbook(frame, **options):
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False, **options)
    return buffer.getvalue()


def refusal(content):
    with pytest.raises(InputError) as caught:
        parse_table(content, "t")
    return str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(TABLE),
        zipped(**{"t.csv": TABLE}),
        zipped(**{"folder/": b"", "folder/t.csv": TABLE, "__MACOSX/._t.csv": b"x"}),
        zipped(**{"t.csv": TABLE.decode().encode("utf-16")}),
    ],
    ids=["gzip", "zip", "zip with folders", "zip of UTF-16"],
)
def test_a_packed_table_is_the_table(content):
    frame = parse_table(content, "t")
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


def test_a_packed_parquet_file_is_the_table():
    buffer = io.BytesIO()
    pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}).to_parquet(buffer)
    frame = parse_table(gzip.compress(buffer.getvalue()), "t")
    assert frame.to_dict("list") == {"a": [1, 2], "b": [0.5, 1.5]}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (zipped(**{"a.csv": TABLE, "b.csv": TABLE}), "holds 2 files; pack just the one"),
        (zipped(**{"folder/": b""}), "holds 0 files"),
        (gzip.compress(TABLE)[:-9], "is a damaged archive"),
        (zipped(**{"t.csv": TABLE})[:40], "is a damaged archive"),
        (gzip.compress(b""), "is empty"),
    ],
    ids=["two files", "no file", "cut gzip", "cut zip", "empty"],
)
def test_an_archive_of_no_use_is_told(content, sentence):
    assert sentence in refusal(content)


def test_a_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(archives, "LARGEST", 1024)
    assert "unpacks to more than" in refusal(gzip.compress(b"a,b\n" + b"1,2\n" * 10_000))
    assert "unpacks to more than" in refusal(zipped(**{"t.csv": b"a,b\n" + b"1,2\n" * 10_000}))


def test_a_workbook_keeps_its_types():
    frame = pd.DataFrame(
        {
            "n": [1.5, None],
            "t": ["x", None],
            "d": pd.to_datetime(["2020-01-01", "2020-02-01"]),
            "w": [True, False],
        }
    )
    read = parse_table(workbook(frame), "t.xlsx")
    assert list(read.columns) == ["n", "t", "d", "w"]
    assert read["n"].tolist()[0] == 1.5
    assert read["n"].isna().tolist() == read["t"].isna().tolist() == [False, True]
    assert pd.api.types.is_datetime64_any_dtype(read["d"])
    assert read["w"].tolist() == [True, False]


def test_the_first_sheet_is_the_table():
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as writer:
        pd.DataFrame({"a": [1], "b": [2]}).to_excel(writer, sheet_name="one", index=False)
        pd.DataFrame({"c": [3], "d": [4]}).to_excel(writer, sheet_name="two", index=False)
    assert list(parse_table(buffer.getvalue(), "t.xlsx").columns) == ["a", "b"]


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (pd.DataFrame(), "the first sheet of 't' is empty"),
        (pd.DataFrame({"a": [1], " a ": [2]}), "has two columns called 'a'"),
        (pd.DataFrame({"a": [], "b": []}), "has a header but no rows"),
    ],
)
def test_a_workbook_of_no_use_is_told(frame, sentence):
    assert sentence in refusal(workbook(frame))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_byte_order_mark_tells_the_encoding(encoding):
    frame = parse_table("name,n\nÉire,1\n".encode(encoding), "t")
    assert frame.to_dict("list") == {"name": ["Éire"], "n": [1]}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_first_line_that_names_the_delimiter_is_obeyed(delimiter):
    text = f"sep={delimiter}\na{delimiter}b\n1{delimiter}2\n"
    assert parse_table(text.encode(), "t").to_dict("list") == {"a": [1], "b": [2]}
