"""One sheet of a workbook, read in a process of its own, whose memory and time are bounded."""

import io
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pandas as pd

from ...errors import InputError
from ..bounds import Bounds
from ..columns import check_exists

_PROGRAM = Path(__file__).with_name("workbook_program.py")
_OWN_BYTES = 256 * 1024**2  # of address space, that Python takes before it reads anything
_SECONDS = 8
_BYTES_A_SECOND = 500_000  # of a workbook, a tenth of what is usual
Lost = dict[tuple[str, int], int]
"""Number of cells that are missing for a reason (see :mod:`.workbook_program`) in which column."""
_WAITING = 10  # times as long on the clock, as others may be at work


def read_sheet(
    content: bytes, file: Path, bounds: Bounds, sheet: str | None = None
) -> tuple[pd.DataFrame, tuple[str, ...], Lost]:
    """Return the cells of a sheet, the first if none is named, the names of all sheets, and Lost.

    Cells are as they are, empty ones missing. Refused if damaged, or if it takes too much.
    """
    answers = io.BytesIO(_answers(content, file, bounds, sheet))
    names, extent = pickle.load(answers), pickle.load(answers)  # noqa: S301 - of our own program
    if extent == "password":
        sentence = "'{file}' is a workbook with a password; save it without one"
        raise InputError("file.encrypted", sentence, file=file)
    if sheet is not None:
        check_exists(names, sheet, "sheet")
    height, width = extent
    bounds.check_extent(height, width, file)
    rows = [pickle.load(answers) for _ in range(height)]  # noqa: S301
    lost: Lost = pickle.load(answers)  # noqa: S301
    return pd.DataFrame(rows, dtype=object), tuple(names), lost


def _answers(content: bytes, file: Path, bounds: Bounds, sheet: str | None) -> bytes:
    seconds = _SECONDS + len(content) // _BYTES_A_SECOND
    asked = {"memory": bounds.size + _OWN_BYTES, "seconds": seconds, "sheet": sheet}
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
    except (subprocess.SubprocessError, OSError):  # no memory is left for a process, say
        sentence = (
            "'{file}' is a workbook that cannot be read: it is damaged, or takes more than {most} "
            "MiB; save the table as CSV"
        )
        raise InputError("file.damaged", sentence, file=file, most=bounds.mib) from None
