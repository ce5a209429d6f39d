"""Tables in the workbooks of Excel, old and new, and of OpenDocument.

A sheet is read in a process of its own, whose memory and time are bounded.
"""

import io
import json
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from ...messages import InputError, Names, Sentence, in_quotes
from ...scoring.columns import level_name
from ..columns import check_exists
from ..number_text import EXACT
from ..table import ROUNDED
from ..text_values import Reading, Values
from . import MIB, Bounds, Parsed, clean_names, header_notes, without_copies
from .workbook_program import ERROR, FORMULA, MERGED, as_written

_OTHER_SHEETS = (
    "The table is sheet '{sheet}', the first of its workbook; for {others}, choose the sheet "
    "(--{choice})."
)
_EMPTY = "Rows that are wholly empty, left out: {rows}."
_LOST = {
    MERGED: "Merged cells have a value in the first of them alone; the others are read as empty: "
    "{cells}.",
    FORMULA: "Formulas without a stored result are read as empty, as they are not computed here: "
    "{cells}. Open and save the workbook in a spreadsheet program.",
    ERROR: "Cells that hold an error are read as empty: {cells}.",
}
_ROUNDED = (
    "A workbook keeps some 15 digits of a number: longer whole numbers in {columns} are rounded, "
    "and different ones may have become the same. Store them as text where each digit counts."
)
OLD_MAGIC = b"\xd0\xcf\x11\xe0"
_MEMBERS = ("xl/workbook.xml", "xl/workbook.bin", "content.xml")

_PROGRAM = Path(__file__).with_name("workbook_program.py")
_OWN_BYTES = 256 * MIB  # of address space, that Python takes before it reads anything
_SECONDS = 8
_BYTES_A_SECOND = 500_000  # of a workbook, a tenth of what is usual
Lost = dict[tuple[str, int], int]
"""Number of cells that are missing for a reason (see :mod:`.workbook_program`) in which column."""
_WAITING = 10  # times as long on the clock, as others may be at work

_WRONG: dict[int | str, tuple[str, str]] = {
    1: ("file.damaged", "is damaged"),
    "SIGABRT": (
        "file.too_large",
        "takes more than {most} MiB of memory (are there cells far from the table?)",
    ),
    "SIGXCPU": ("file.too_large", "takes more than {seconds} s"),
}
"""By how the program ends: the refusal's code, and what is wrong."""

_UNKNOWN = "file.damaged", "is damaged, or takes more memory than there is"


def is_workbook(content: bytes) -> bool:
    """Say whether the content of a zip archive is a workbook."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return any(member in archive.namelist() for member in _MEMBERS)


def parse_excel(content: bytes, file: Path, bounds: Bounds, reading: Reading) -> Parsed:
    """Parse a sheet of a workbook called ``file``, the first unless another is named.

    Its first row is the header, unless another is named.
    """
    rows, sheets, lost = read_sheet(content, file, bounds, reading.sheet, reading.header)
    taken = sheets[0] if reading.sheet is None else reading.sheet
    others = in_quotes(name for name in sheets if name != taken)
    with sheets_told(sheets):
        frame, copies, notes = _with_header(rows.iloc[reading.header - 1 :], file, taken, others)
        notes += [*_rounded(frame), *_lost_notes(lost, [*frame.columns])]
        values = Values(frame.infer_objects(), file, reading, notes=notes)
        values.part()
        values.settle(values.styles())
        values.finish()
        values.part_intervals()
        frame, copied = without_copies(values.frame, copies, file)
    told = [Sentence("file.sheets", _OTHER_SHEETS, sheet=taken, others=others, choice="sheet")]
    told = told if others and reading.sheet is None else []
    notes = [*copied, *told, *header_notes(frame), *values.notes]
    return Parsed(frame, notes, sheets=sheets)


def _with_header(
    rows: pd.DataFrame, file: Path, sheet: str, others: Names
) -> tuple[pd.DataFrame, dict[str, str], list[Sentence]]:
    """Return the rows below the header, which names of it are of copies, and what was left out."""
    rows = rows.dropna(how="all")
    if rows.empty or (len(others) > 0 and rows.shape[1] == 1):
        wrong = "is empty" if rows.empty else "has only one column"
        sentence = f"sheet '{{sheet}}' of '{{file}}' {wrong}; "
        sentence += (
            "choose another sheet (--{choice}): {others}" if others else "put the table on it"
        )
        about = {"sheet": sheet, "others": others, "choice": "sheet"}
        raise InputError("file.empty", sentence, file=file, **about)
    header = ["" if pd.isna(name) else level_name(name) for name in rows.iloc[0]]
    if header[0] and not any(header[1:]) and len(header) > 1:
        sentence = (
            "row {first} of '{file}' names only one of {columns} columns; if row {row} names them, "
            "choose it (--header {row})"
        )
        sentence += ", or choose another sheet (--{choice}): {others}" if others else ""
        fullest = int(rows.notna().sum(axis=1).argmax())
        first, row = (int(number) + 1 for number in rows.index[[0, fullest]])
        about = {"others": others, "choice": "sheet", "first": str(first), "row": str(row)}
        raise InputError("file.title_line", sentence, file=file, columns=len(header), **about)
    names, copies = clean_names(header)
    empty = int(rows.index[-1] - rows.index[0]) + 1 - len(rows)  # below the last are none
    frame = rows.iloc[1:].reset_index(drop=True)
    frame.columns = pd.Index(names)
    return frame, copies, [Sentence("rows.empty", _EMPTY, rows=empty)] if empty else []


def _lost_notes(lost: Lost, names: list[str]) -> Iterator[Sentence]:
    for kind, text in _LOST.items():
        found = [
            (f"{count} of '{names[column]}'" + f" ({what})" * (kind == ERROR), names[column])
            for (what, column), count in lost.items()
            if kind == (what if what in _LOST else ERROR) and count and column in range(len(names))
        ]
        if found:
            cells, columns = (Names(dict.fromkeys(part)) for part in zip(*found, strict=True))
            yield Sentence(f"columns.missing.{kind}", text, cells=cells, columns=columns)


def _rounded(frame: pd.DataFrame) -> list[Sentence]:
    """Tell of whole numbers that were stored as floats, which do not hold all of that size."""
    is_long = frame.map(lambda value: isinstance(value, int) and abs(value) >= EXACT).any()
    columns = Names(map(str, frame.columns[is_long.to_numpy(dtype=bool)]))
    return [Sentence(ROUNDED, _ROUNDED, columns=columns)] if columns else []


def read_sheet(
    content: bytes, file: Path, bounds: Bounds, sheet: str | None = None, header: int = 1
) -> tuple[pd.DataFrame, tuple[str, ...], Lost]:
    """Return the cells of a sheet, the first if none is named, the names of all sheets, and Lost.

    Cells are as they are, empty ones missing. Refused if damaged, or if it takes too much.
    """
    answers = io.BytesIO(_answers(content, file, bounds, sheet=sheet, header=header))
    names, extent = as_written(answers.readline()), as_written(answers.readline())
    if extent == "password":
        sentence = "'{file}' is a workbook with a password; save it without one"
        raise InputError("file.encrypted", sentence, file=file)
    with sheets_told(names):
        if sheet is not None:
            check_exists(names, sheet, "sheet")
        height, width = extent
        bounds.check_extent(height, width, file)
    rows = [as_written(answers.readline()) for _ in range(height)]
    lost: Lost = {(what, column): count for what, column, count in as_written(answers.readline())}
    return pd.DataFrame(rows, dtype=object), tuple(names), lost


@contextmanager
def sheets_told(sheets: Sequence[str]) -> Iterator[None]:
    """Give a refusal the names of a workbook's sheets among its values, to choose another."""
    try:
        yield
    except InputError as error:
        if not sheets:
            raise
        told = error.sentence.with_values(sheets=Names(sheets))
        raise InputError(told.code, told.template, **told.values) from None


def _answers(content: bytes, file: Path, bounds: Bounds, **asked: object) -> bytes:
    seconds = _SECONDS + len(content) // _BYTES_A_SECOND
    asked |= {"memory": bounds.mib * MIB + _OWN_BYTES, "seconds": seconds}
    asked |= {"columns": bounds.columns, "cells": bounds.cells}
    try:
        return subprocess.run(  # noqa: S603 - our own program
            # -P: what lies beside the program is not for it to import
            [sys.executable, "-P", str(_PROGRAM), json.dumps(asked)],
            input=content,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what a panic prints may quote the table
            timeout=seconds * _WAITING,
            check=True,
        ).stdout
    except subprocess.CalledProcessError as error:
        code, wrong = _WRONG.get(_end(error.returncode), _UNKNOWN)
    except subprocess.TimeoutExpired:
        code, wrong = _WRONG["SIGXCPU"]
    except OSError:  # no memory is left for a process, say
        code, wrong = _UNKNOWN
    sentence = f"'{{file}}' is a workbook that cannot be read: it {wrong}; save the table as CSV"
    raise InputError(code, sentence, file=file, most=bounds.mib, seconds=seconds)


def _end(status: int) -> int | str:
    """Return the signal's name that ended a process, or else its status."""
    try:
        return signal.Signals(-status).name
    except ValueError:
        return status
