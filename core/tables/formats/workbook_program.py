"""A program that reads one sheet of a workbook under limits; run by :mod:`.excel`, not imported.

The reader of workbooks may panic, abort, run for ever or ask for terabytes over a damaged file, so
it works in a process of its own. What this one writes is for :func:`.excel.read_sheet`.
"""

import pickle
import sys
from contextlib import suppress
from io import BytesIO

from python_calamine import PasswordError, SheetTypeEnum, load_workbook


def limit(memory: int, seconds: int) -> None:
    """Bound the address space, in bytes, and the time on the processor."""
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
        with suppress(ValueError, OSError):  # limited to less already, or not to be limited
            resource.setrlimit(what, (most, most))


def main() -> None:
    """Write pickles of what a workbook holds that comes by standard input.

    First come what is wrong with it ("" if nothing), the names of its sheets, and the rows and
    columns of the one that is asked for by its position; then its rows, one by one.
    """
    memory, seconds, position, columns, cells = map(int, sys.argv[1:])
    limit(memory, seconds)
    try:
        book = load_workbook(BytesIO(sys.stdin.buffer.read()))
    except PasswordError:
        write("password", [], (0, 0))
        return
    names = [s.name for s in book.sheets_metadata if s.typ == SheetTypeEnum.WorkSheet]
    sheet = book.get_sheet_by_name(names[position])
    height, width = (0, 0) if sheet.end is None else (sheet.end[0] + 1, sheet.end[1] + 1)
    write("", names, (height, width))
    if width <= columns and height * width <= cells:
        for row in sheet.to_python(skip_empty_area=False):
            write(row)


def write(*what: object) -> None:
    """Write a tuple, or one thing alone."""
    pickle.dump(what if len(what) > 1 else what[0], sys.stdout.buffer)


if __name__ == "__main__":
    main()
