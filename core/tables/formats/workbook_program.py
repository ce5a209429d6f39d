"""A program that reads one sheet of a workbook under limits; run by :mod:`.workbook`.

The reader of workbooks may panic, abort, run for ever or ask for terabytes over a damaged file, so
it works in a process of its own, which loads nothing else.
"""

import datetime as dt
import json
import math
import os
import pickle
import sys
from contextlib import suppress
from io import BytesIO
from typing import Any

from python_calamine import PasswordError, SheetTypeEnum, load_workbook


def main(content: bytes, sheet: str | None, columns: int, cells: int) -> None:
    """Write pickles: names of the sheets, what is wrong or the sheet's extent, its rows one by one.

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
    """Write to standard output."""
    pickle.dump(what, sys.stdout.buffer)


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
