"""Saved predictors, and what damages their files."""

import hashlib
import io
import json
import pickle
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evencover.core import AuditSettings, InputError, audit
from evencover.core.scoring import SavedPredictor
from evencover.core.scoring.file import CHECKSUMS, HEADER

ROWS = 64
MARK = Path("/tmp/evencover-planted")  # noqa: S108 - what a planted pickle would make
Members = dict[str, bytes]


class Planted:
    """What, unpickled, leaves a mark."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
        """Return what makes a file."""
        return Path.touch, (MARK,)


def saved() -> tuple[list[bytes], pd.DataFrame]:
    """Return files of predictors of several kinds, and rows to predict."""
    rng, n = np.random.default_rng(0), 1200
    rows = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n)})
    rows["c"] = rng.choice(["a", "b", "c"], n)
    rows["d"] = pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), unit="D")
    noise = rng.normal(size=n) * (0.3 + (rows["c"] == "b") + rows["x"].abs())
    rows["y"] = rows["x"] + noise
    rows["k"] = np.where(rows["y"] > 1.0, "hi", np.where(rows["y"] < -1.0, "lo", "mid"))
    of_numbers = ("ifacm", "quantile-trees", "groups:c+x", "two-sided", "mondrian:x > 0")
    asked = [
        AuditSettings(target="y", drop=("k",), remedies=of_numbers),
        AuditSettings(target="y", drop=("k",), model="boosting", remedies=("none",)),
        AuditSettings(target="k", drop=("y",), measure="aps", remedies=("ifacm", "label:c")),
        AuditSettings(target="k", drop=("y",), model="boosting", remedies=("none",)),
    ]
    found = [by for each in asked for by in audit(rows, each).saved.values()]
    return [by.to_bytes() for by in found if isinstance(by, SavedPredictor)], rows.head(ROWS)


def members_of(content: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def packed(members: Members, *, summed: bool = True) -> bytes:
    """Return an archive, with checksums that fit."""
    if summed:
        members = {name: of for name, of in members.items() if name != CHECKSUMS}
        sums = (f"{hashlib.sha256(of).hexdigest()}  {name}\n" for name, of in members.items())
        members = {**members, CHECKSUMS: "".join(sums).encode()}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, of in members.items():
            file.writestr(name, of)
    return made.getvalue()


def array(values: Any, version: tuple[int, int] = (1, 0)) -> bytes:
    made = io.BytesIO()
    np.lib.format.write_array(made, np.asarray(values), version=version, allow_pickle=True)
    return made.getvalue()


Way = Callable[[bytes, np.random.Generator], bytes]


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    made = bytearray(content)
    for at in rng.integers(0, len(made), rng.integers(1, 6)):
        made[at] = rng.integers(0, 256)
    return bytes(made)


def cut(content: bytes, rng: np.random.Generator) -> bytes:
    at, length = rng.integers(0, len(content), 2)
    return content[:at] if rng.random() < 0.5 else content[:at] + content[at + length % 50 :]


def longer(content: bytes, rng: np.random.Generator) -> bytes:
    at = int(rng.integers(0, len(content)))
    return content[:at] + rng.bytes(int(rng.integers(1, 400))) + content[at:]


def other_array(content: bytes, rng: np.random.Generator) -> bytes:
    """Put another array in the place of one."""
    members = members_of(content)
    name = str(rng.choice([n for n in members if n.endswith(".npy")]))
    was = np.load(io.BytesIO(members[name]))
    odd = [np.nan, np.inf, -np.inf, 0.0, -1, 2**31 - 1, -(2**31), 1e300, 10_000, 65_536]
    made = was.astype(was.dtype).ravel()
    if len(made):
        with np.errstate(all="ignore"):
            made[rng.integers(0, len(made), rng.integers(1, 4))] = np.array(
                odd[int(rng.integers(len(odd)))]
            ).astype(was.dtype)
    shapes = [was.shape, (len(made), 1), (1, len(made)), (len(made),)]
    ways = [
        lambda: array(made.reshape(shapes[int(rng.integers(len(shapes)))])),
        lambda: array(made[: len(made) // 2]),
        lambda: array(np.concatenate([made, made])),
        lambda: array(made.astype(str(rng.choice([">f8", "<f4", "<i8", "<u4", "|b1", "<c16"])))),
        lambda: array(np.array([Planted()] * 3, dtype=object)),
        lambda: array(made, (2, 0)),
        lambda: pickle.dumps(Planted()),
        lambda: members[name][:-3],
        lambda: bomb_header(int(rng.integers(10**6, 10**12))),
    ]
    with np.errstate(all="ignore"):
        members[name] = ways[int(rng.integers(len(ways)))]()
    return packed(members)


def bomb_header(count: int) -> bytes:
    """Return an array that says it is far larger than it is."""
    text = repr({"descr": "<f8", "fortran_order": False, "shape": (count,)}).encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def other_header(content: bytes, rng: np.random.Generator) -> bytes:
    """Change one place of the header."""
    members = members_of(content)
    header = json.loads(members[HEADER])
    places = [*_places(header)]
    holder, key = places[int(rng.integers(len(places)))]
    odd = [None, True, -1, 0, 1e308, 10**30, "", "a0", "a999", [], {}, "é\u0000", [1, 2], 2.5]
    if rng.random() < 0.2 and isinstance(holder, dict):
        del holder[key]
    elif rng.random() < 0.2:
        holder[key] = {"kind": str(rng.choice(["linear", "trees", "nothing", "exp"]))}
    else:
        holder[key] = odd[int(rng.integers(len(odd)))]
    text = json.dumps(header)
    if rng.random() < 0.05:
        text = text.replace("0.9", str(rng.choice(["NaN", "Infinity", "1e999", "0x9"])), 1)
    if rng.random() < 0.02:
        text = "[" * 100_000
    return packed({**members, HEADER: text.encode()})


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    for key in keys:
        yield value, key
        yield from _places(value[key])


def other_members(content: bytes, rng: np.random.Generator) -> bytes:
    """Drop, rename, exchange or add members; or keep old checksums."""
    members = members_of(content)
    names = [*members]
    one, other = rng.choice(names, 2)
    ways = [
        lambda: {n: of for n, of in members.items() if n != one},
        lambda: {**members, one: members[other], other: members[one]},
        lambda: {**members, "../../escape.npy": members[one]},
        lambda: {**members, "planted.pkl": pickle.dumps(Planted())},
        lambda: {(f"{n}x" if n == one else n): of for n, of in members.items()},
    ]
    return packed(ways[int(rng.integers(len(ways)))](), summed=bool(rng.random() < 0.7))


def bomb(content: bytes, rng: np.random.Generator) -> bytes:
    """Return an archive that unpacks to far more than it holds."""
    members, size = members_of(content), int(rng.integers(30, 300)) * 10**6
    name = str(rng.choice([*members]))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
        for each, of in members.items():
            file.writestr(each, b"\0" * size if each == name else of)
    if rng.random() < 0.5:
        return made.getvalue()
    # one that says of itself to be small
    whole = bytearray(made.getvalue())
    for at in _sizes(whole, size):
        whole[at : at + 4] = (1000).to_bytes(4, "little")
    return bytes(whole)


def _sizes(whole: bytearray, size: int) -> Iterator[int]:
    at = whole.find(size.to_bytes(4, "little"))
    while at >= 0:
        yield at
        at = whole.find(size.to_bytes(4, "little"), at + 4)


WAYS: dict[str, tuple[Way, int]] = {
    "bytes": (flipped, 25),
    "cut": (cut, 10),
    "longer": (longer, 8),
    "array": (other_array, 25),
    "header": (other_header, 25),
    "members": (other_members, 6),
    "bomb": (bomb, 1),
}
KEEPS = {"bytes", "cut", "longer", "bomb"}  # checksums, so that what is read is the same


def predicted(by: SavedPredictor, rows: pd.DataFrame) -> dict[str, list[Any]]:
    with np.errstate(all="ignore"):
        return {name: values.tolist() for name, values in by.predict(rows).items()}


def drawn(files: list[bytes], count: int, seed: int) -> Iterator[tuple[int, str, bytes]]:
    """Yield damaged files: which it was, by which way, and what became of it."""
    rng = np.random.default_rng(seed)
    shares = np.array([share for _, share in WAYS.values()], dtype=float)
    for number, name in enumerate(rng.choice([*WAYS], count, p=shares / shares.sum()).tolist()):
        of = number % len(files)
        yield of, name, WAYS[name][0](files[of], rng)


def fault(content: bytes, name: str, rows: pd.DataFrame, wanted: dict[str, list[Any]]) -> str:
    """Return what is wrong with how a damaged file is taken; empty if nothing is."""
    try:
        found = SavedPredictor.of_bytes(content, "file.evencover")
    except InputError as error:
        text = str(error)
        is_told = text.startswith("'file.evencover' cannot be read") and "\n" not in text
        return "" if is_told else text
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is a fault
        return repr(error)[:200]
    try:
        same = predicted(found, rows) == wanted
    except InputError:
        same = name not in KEEPS
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault
        return f"predicting {error!r}"[:200]
    return "" if same or name not in KEEPS else "other sets"
