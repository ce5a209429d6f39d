"""The file of a saved predictor: a zip of plain arrays and one JSON header, safe to read.

Nothing of it is executed or unpickled. What does not fit its checksum, its type or what it is used
for is refused, as are sizes beyond what a predictor has.
"""

import hashlib
import io
import json
import math
import zipfile
import zlib
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..messages import InputError, Passage
from .plain import DamagedError, Plain

_Value = TypeVar("_Value", bound=Plain)

HEADER, CHECKSUMS = "predictor.json", "sha256.txt"
ENDING = ".evencover"
_MOST_BYTES, _MOST_MEMBERS = 24_000_000, 10_000
_DAY = (1980, 1, 1, 0, 0, 0)  # so that the same predictor is the same file
_DTYPES = ("<f8", "<i4")
_DAMAGED = "'{file}' cannot be read as a saved predictor: {why}; save it again"
_TOO_LARGE = (
    "the predictor has {size} MB in {parts} parts, and what is saved at most {most} MB in {many}; "
    "take a linear model, fewer columns or fewer classes"
)
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
_ODD = (ValueError, KeyError, OverflowError, RecursionError, SyntaxError, TypeError, MemoryError)


def members_of(value: Plain) -> dict[str, bytes]:
    """Return what the file holds, by name; InputError if that is more than is read."""
    arrays: dict[str, NDArray[Any]] = {}
    header = {**value.to_json(arrays), "arrays": list(arrays)}
    members = {HEADER: json.dumps(header, ensure_ascii=False, allow_nan=False, indent=1).encode()}
    for name, array in arrays.items():
        made = io.BytesIO()
        np.lib.format.write_array(
            made, np.ascontiguousarray(array), version=(1, 0), allow_pickle=False
        )
        members[f"{name}.npy"] = made.getvalue()
    sums = (f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in members.items())
    members[CHECKSUMS] = "".join(sums).encode()
    size = sum(map(len, members.values()))
    if size > _MOST_BYTES or len(members) > _MOST_MEMBERS:
        about = {"size": round(size / 1e6), "most": round(_MOST_BYTES / 1e6)}
        about |= {"parts": len(members), "many": _MOST_MEMBERS}
        raise InputError("saved.too_large", _TOO_LARGE, **about)
    return members


def to_bytes(value: Plain) -> bytes:
    """Return the file; InputError if it would be larger than what is read."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members_of(value).items():
            file.writestr(zipfile.ZipInfo(name, _DAY), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def content_of(path: str | Path) -> bytes:
    """Return what is in a file, cut off where it is too long; InputError if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except OSError as error:
        sentence = "'{file}' cannot be read: {why}"
        raise InputError("saved.unreadable", sentence, file=str(path), why=error.strerror) from None


def of_bytes(cls: type[_Value], content: bytes, name: str) -> _Value:
    """Return the value of a class that a file's bytes hold; InputError, with its name, if none."""
    try:
        members = _members(content)
        header = json.loads(members.pop(HEADER), parse_constant=_refuse_constant)
        arrays = {each.removesuffix(".npy"): _array(of) for each, of in members.items()}
        return cls.of_json(_without_arrays(header, [*arrays]), arrays)
    except DamagedError as error:
        why = str(error)
    except _UNREADABLE:
        why = "it is no zip archive, or a damaged one"
    except _ODD:
        why = "it holds what no predictor has"
    raise InputError("saved.damaged", _DAMAGED, file=name, why=Passage(why))


def _members(content: bytes) -> dict[str, bytes]:
    """Return what is in an archive, which fits its checksums, without these."""
    if len(content) > _MOST_BYTES:
        raise DamagedError("it is larger than any saved predictor")
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        infos = file.infolist()
        names = [info.filename for info in infos]
        whole = sum(info.file_size for info in infos)
        if len(names) > _MOST_MEMBERS or len({*names}) < len(names) or whole > _MOST_BYTES:
            raise DamagedError("it is larger than any saved predictor, or holds a name twice")
        if not {HEADER, CHECKSUMS} <= {*names}:
            raise DamagedError(f"it holds no {HEADER} and {CHECKSUMS}")
        found = {}
        for info in infos:
            with file.open(info) as member:
                found[info.filename] = member.read(info.file_size + 1)
    sums = found.pop(CHECKSUMS)
    wanted = [f"{hashlib.sha256(of).hexdigest()}  {name}\n" for name, of in found.items()]
    if sums != "".join(wanted).encode():
        raise DamagedError("it does not fit its checksums")
    return found


def _array(content: bytes) -> NDArray[Any]:
    """Return the plain array of a member; none is made larger than what is there."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise DamagedError("an array is of another version")
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(stream)
    values = content[stream.tell() :]
    if dtype.str not in _DTYPES or by_column or math.prod(shape) * dtype.itemsize != len(values):
        raise DamagedError("an array is of another type, or cut off")
    array = np.frombuffer(values, dtype).reshape(shape)
    if dtype.kind == "f" and np.isnan(array).any():
        raise DamagedError("an array holds what is no number")
    return array


def _without_arrays(header: Any, names: list[str]) -> Any:  # noqa: ANN401 - whatever was read
    if not isinstance(header, dict) or header.pop("arrays", None) != names:
        raise DamagedError("its header names other arrays")
    return header


def _refuse_constant(text: str) -> None:
    raise DamagedError(f"its header holds {text}")
