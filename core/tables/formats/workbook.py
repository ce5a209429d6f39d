"""One sheet of a workbook, read in a process of its own, whose memory and time are bounded."""

import io
import json
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd

from ...errors import InputError
from ...messages import Names
from ..bounds import Bounds
from ..columns import check_exists

_PROGRAM = Path(__file__).with_name("workbook_program.py")
_OWN_BYTES = 256 * 1024**2  # of address space, that Python takes before it reads anything
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
    with sheets_told(names):
        if sheet is not None:
            check_exists(names, sheet, "sheet")
        height, width = extent
        bounds.check_extent(height, width, file)
    rows = [pickle.load(answers) for _ in range(height)]  # noqa: S301
    lost: Lost = pickle.load(answers)  # noqa: S301
    return pd.DataFrame(rows, dtype=object), tuple(names), lost


@contextmanager
def sheets_told(sheets: Iterable[str]) -> Iterator[None]:
    """Give a refusal the names of its workbook's sheets among its values, to choose another."""
    try:
        yield
    except InputError as error:
        told = error.sentence
        about = {**told.values, "sheets": Names(sheets)}  # noqa: PD011 - no frame's
        raise InputError(told.code, told.template, **about) from None


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
