"""A program that reads one sheet of a workbook under limits; run by :mod:`.excel`.

The reader of workbooks may panic, abort, run for ever or ask for terabytes over a damaged file, so
it works in a process of its own, which loads nothing else.
"""

import datetime as dt
import functools
import json
import math
import os
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import IO, Any
from xml.etree import ElementTree as ET

from python_calamine import CalamineSheet, PasswordError, SheetTypeEnum, load_workbook

MERGED, FORMULA, ERROR = "merged", "formula", "error"
_MIB = 1024**2
_FORMULA_CELL = rb"<f(?: [^<>]*)?(?:/>|>[^<]*</f>)"
_ERROR = re.compile(rb'<c (?=[^<>]*\bt="e")([^<>]*)>(?:' + _FORMULA_CELL + rb")?<v>(#[^<]*)</v>")
_NO_RESULT = re.compile(rb"<c ([^<>]*)>" + _FORMULA_CELL + rb"(?:<v ?/>|<v></v>)?</c>")
_PLACE = re.compile(rb'\br="([A-Z]{1,3})')
_BOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"


def main(content: bytes, sheet: str | None, header: int, columns: int, cells: int) -> None:
    """Write lines of JSON: names of the sheets, what is wrong or the sheet's extent, its rows.

    Last is how many cells, of merged ones from the header on, are empty for which reason (MERGED,
    FORMULA, an error such as #DIV/0!) in which column, 0 for the first. It is JSON, as whatever
    takes this process over by a damaged file must not be able to make the reader run anything.
    What is wrong is "password" or "sheet", if there is none of this name; by itself it is the
    first.
    """
    try:
        book = load_workbook(BytesIO(content))
    except PasswordError:
        write([])
        write("password")
        return
    names = [s.name for s in book.sheets_metadata if s.typ == SheetTypeEnum.WorkSheet]
    write(names)
    if sheet is not None and sheet not in names:
        write("sheet")
        return
    found = book.get_sheet_by_name(names[0] if sheet is None else sheet)
    height, width = (0, 0) if found.end is None else (found.end[0] + 1, found.end[1] + 1)
    write((height, width))
    if width <= columns and height * width <= cells:
        for row in found.to_python(skip_empty_area=False):
            write([_plain(cell) for cell in row])
        position = [s.name for s in book.sheets_metadata].index(found.name)
        lost = _merged(found, header) + _lost(content, position)
        write([[*which, count] for which, count in lost.items()])


def limit(memory: int, seconds: int) -> None:
    """Bound the address space, in bytes, and the time on the processor."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
        with suppress(ValueError, OSError):  # limited to less already, or not to be limited
            resource.setrlimit(what, (most, most + 1))  # at the latter nobody hears why


def write(what: object) -> None:
    """Write a line to standard output, from which :func:`as_written` makes the same."""
    sys.stdout.write(_ENCODER.encode(what) + "\n")


def _told(moment: Any) -> dict[str, str | int]:  # noqa: ANN401 - what else a cell may hold
    if isinstance(moment, dt.timedelta):
        return {"timedelta": moment // dt.timedelta.resolution}
    return {type(moment).__name__: moment.isoformat()}


_ENCODER = json.JSONEncoder(default=_told)


_MOMENTS: dict[str, Callable[[Any], object]] = {
    "datetime": dt.datetime.fromisoformat,
    "time": dt.time.fromisoformat,
    "timedelta": lambda microseconds: dt.timedelta(microseconds=microseconds),
}


def as_written(line: bytes) -> Any:  # noqa: ANN401
    """Return what was written as this line."""
    return json.loads(line, object_hook=lambda it: next(_MOMENTS[kind](it[kind]) for kind in it))


def _merged(sheet: CalamineSheet, header: int) -> Counter[tuple[str, int]]:
    merged: Counter[tuple[str, int]] = Counter()
    for (top, left), (bottom, right) in sheet.merged_cell_ranges or ():
        for column in range(left, right + 1) if bottom >= header - 1 else ():
            merged[MERGED, column] += bottom - top + (column > left)
    return merged


def _lost(content: bytes, position: int) -> Counter[tuple[str, int]]:
    """Count what the reader of workbooks gives as empty, though it is not, in those of .xlsx."""
    lost: Counter[tuple[str, int]] = Counter()
    if not content.startswith(b"PK"):
        return lost
    with zipfile.ZipFile(BytesIO(content)) as archive:
        member = _member(archive, position)
        if member not in archive.namelist():
            return lost
        with archive.open(member) as file:
            for piece in _pieces(file):
                # looked for first, in a tenth of the time
                for cell, error in _ERROR.findall(piece) if b't="e"' in piece else ():
                    lost[error.decode(), _column(cell)] += 1
                for cell in _NO_RESULT.findall(piece) if b"<f" in piece else ():
                    if b't="str"' not in cell:  # the empty text is a result
                        lost[FORMULA, _column(cell)] += 1
    return lost


def _member(archive: zipfile.ZipFile, position: int) -> str:
    """Return the name of the file of the sheet at this position; "" if there is none."""
    if not {_BOOK, _RELATIONS} <= set(archive.namelist()):
        return ""
    sheets = _parsed(archive, _BOOK).findall("{*}sheets/{*}sheet")
    keys = {value for name, value in sheets[position].items() if name.endswith("}id")}
    relations = _parsed(archive, _RELATIONS)
    target = next((one.get("Target", "") for one in relations if one.get("Id") in keys), "")
    return target[1:] if target.startswith("/") else f"xl/{target}"


def _parsed(archive: zipfile.ZipFile, member: str) -> ET.Element:
    return ET.fromstring(archive.read(member))  # noqa: S314 - a bomb meets this process's limits


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the cells of a sheet, a MiB at a time, none of them torn."""
    rest = b""
    while piece := file.read(_MIB):
        whole, mark, start = (rest + piece).rpartition(b"<c ")
        yield whole
        rest = mark + start
    yield rest


def _column(cell: bytes) -> int:
    place = _PLACE.search(cell)
    letters = b"" if place is None else place[1]
    return functools.reduce(lambda number, letter: 26 * number + letter - 64, letters, 0) - 1


def _plain(cell: Any) -> Any:  # noqa: ANN401 - a cell may hold anything
    """Return whole numbers as such, which a workbook does not know, days as moments, "" as NaN."""
    if cell == "":
        return math.nan
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, dt.date) and not isinstance(cell, dt.datetime):
        return dt.datetime(cell.year, cell.month, cell.day)  # noqa: DTZ001 - of no zone
    return cell


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    limit(asked.pop("memory"), asked.pop("seconds"))
    try:
        main(sys.stdin.buffer.read(), **asked)
    except MemoryError:
        os.abort()  # as the reader does without memory
