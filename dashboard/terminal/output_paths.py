"""Places that files are written to, looked at before the work that is to be written there."""

import argparse
import os
import stat
import tempfile
from pathlib import Path

from evencover.core import InputError

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def folder_named(text: str) -> Path:
    """Return the folder that an option names; an empty text would be the current one."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty; name a folder")
    return Path(text)


def output_named(text: str) -> str:
    """Return where an output goes: - for the file that standard output goes to.

    Written by its name it would be replaced, with what it holds and what else is printed.
    """
    try:
        place = Path(text).stat()
        is_open = stat.S_ISREG(place.st_mode) and os.path.samestat(place, os.fstat(1))
    except OSError:
        is_open = False
    return "-" if is_open else text


def unusable(option: str, path: Path, why: str, wanted: str = "another place") -> InputError:
    """Return the refusal of a place that an option names."""
    sentence = "{option} '{path}' {why}; name {wanted}"
    return InputError("output.unusable", sentence, option=option, path=path, why=why, wanted=wanted)


def failed(path: Path, what: str, error: OSError, advice: str = "") -> InputError:
    """Return the report of a place that could not be "made" or "written"."""
    sentence = f"'{{path}}' cannot be {{what}}: {{why}}{advice}"
    return InputError("output.failed", sentence, path=path, what=what, why=error.strerror)


def is_there(option: str, path: Path) -> bool:
    """Say whether something is at a place, a link followed.

    Raises InputError if nothing can be there: the name is too long, a link leads to itself.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise unusable(option, path, f"cannot be used: {error.strerror}") from None
    return True


def is_same_file(path: Path, other: Path) -> bool:
    """Say whether both are there, and one file."""
    try:
        return path.samefile(other)
    except OSError:
        return False


def real(path: Path) -> Path:
    """Return the place that a path leads to by its links, where nothing needs to be yet."""
    return Path(os.path.realpath(path))


def check_file(option: str, path: Path) -> None:
    """Refuse, by an InputError, a place where no file can be written."""
    there = is_there(option, path)
    # whoever may write anything all the same has not protected a file for nothing
    if there and not (os.access(path, os.W_OK) and path.stat().st_mode & _WRITABLE):
        raise unusable(option, path, "is write-protected")
    if not there or path.is_file():  # else a device or pipe, which is written to as it is
        check_folder(option, real(path).parent)


def check_folder(option: str, folder: Path) -> None:
    """Refuse, by an InputError, a folder that is not there, or that takes no new file."""
    if not (is_there(option, folder) and folder.is_dir()):
        sentence = "{option}: there is no folder '{folder}'; create it first"
        raise InputError("output.no_folder", sentence, option=option, folder=folder)
    try:
        # permissions do not say all: /proc, for one, takes no file whatever they are
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        sentence = "{option}: folder '{folder}' is not writable; choose another"
        raise InputError("output.read_only", sentence, option=option, folder=folder) from None
