"""What has come since a predictor was saved, as sums: the same in any order, and added up."""

import base64
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays import IndexArray
from ..messages import InputError, Passage

_FORMAT, _VERSION = "evencover-watch", 1
_MOST_BYTES, _MOST_ROWS, _DIGITS = 1_000_000_000, 10**12, 16

Waiting = tuple[str, list[Any], list[int]]
"""Of a row without its label: its period, its sets, and the watched groups that it is in."""


@dataclass(frozen=True, eq=False)
class WatchState:
    """Sums of rows by period, and what it takes to count none twice.

    ``periods`` have the counts of kinds, one behind the other: see :class:`.Kinds`. ``keys`` are
    digests of the rows' keys, ascending; ``waiting`` are rows whose labels are to come, and
    ``labels`` those whose rows are, by the digest; ``files`` are fingerprints of what came without
    keys. Periods are days, or one without a name; ``key`` is the column of keys, if rows have some.
    """

    predictor: str
    key: str | None = None
    periods: Mapping[str, IndexArray] = field(default_factory=dict)
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    waiting: Mapping[str, Waiting] = field(default_factory=dict)
    labels: Mapping[str, float] = field(default_factory=dict)
    files: frozenset[str] = frozenset()

    @property
    def is_empty(self) -> bool:
        """Whether nothing has come yet."""
        return not (self.periods or self.labels or self.files)

    @property
    def in_order(self) -> list[str]:
        """The periods, the earliest first."""
        return sorted(self.periods)

    def with_counts(self, counts: Mapping[str, IndexArray]) -> Self:
        """Return the state with more rows counted, by their periods."""
        found = dict(self.periods)
        for period, more in counts.items():
            found[period] = found[period] + more if period in found else more
        return replace(self, periods=found)

    def check_is_of(self, predictor: str, key: str | None, periods: Iterable[str] = ()) -> None:
        """Raise InputError if it is of another predictor or key, or has no days as these have."""
        if not self.is_empty and self.key != key:
            sentence = (
                "the state's rows are known by {was}, and these by {now}; name the same column"
            )
            was, now = (f"'{name}'" if name else "no key" for name in (self.key, key))
            raise InputError("watch.other_key", sentence, was=Passage(was), now=Passage(now))
        if self.predictor != predictor:
            sentence = "the state is of another predictor than this; begin a new state for this one"
            raise InputError("watch.other_predictor", sentence)
        if len({bool(period) for period in (*self.periods, *periods)}) > 1:
            sentence = (
                "some rows come with times, and some without; always name the same column of times"
            )
            raise InputError("watch.other_time", sentence)

    def merged(self, other: Self) -> Self:
        """Return both together; InputError if a row is in both, or they do not go together."""
        if not other.is_empty:
            self.check_is_of(other.predictor, other.key, other.periods)
        twice = len({*self.keys.tolist()} & {*other.keys.tolist()}) or len(self.files & other.files)
        if twice:
            sentence = "{count} of the rows, or files, are in both states; send each to one alone"
            raise InputError("watch.in_both", sentence, count=twice)
        return replace(
            self.with_counts(other.periods),
            key=self.key or other.key,
            keys=np.sort(np.concatenate([self.keys, other.keys])),
            waiting={**self.waiting, **other.waiting},
            labels={**self.labels, **other.labels},
            files=self.files | other.files,
        )

    def to_json(self) -> str:
        """Return the state as text, in one form whatever the order in which rows came."""
        told = {
            "format": _FORMAT,
            "version": _VERSION,
            "predictor": self.predictor,
            "key": self.key,
            "periods": {name: self.periods[name].tolist() for name in self.in_order},
            "keys": base64.b64encode(self.keys.astype("<u8").tobytes()).decode(),
            "waiting": dict(sorted(self.waiting.items())),
            "labels": dict(sorted(self.labels.items())),
            "files": sorted(self.files),
        }
        return json.dumps(told, allow_nan=False) + "\n"

    @classmethod
    def of_json(cls, text: str | bytes, name: str) -> Self:
        """Read what :meth:`to_json` wrote; InputError, with the file's name, if it is not that."""
        try:
            told = json.loads(text)
            is_one = (told.pop("format"), told.pop("version")) == (_FORMAT, _VERSION)
            periods = {each: _counts(of) for each, of in told.pop("periods").items()}
            keys = np.frombuffer(base64.b64decode(told.pop("keys")), "<u8").astype(np.uint64)
            waiting = {_digest(each): _waiting(of) for each, of in told.pop("waiting").items()}
            labels = {_digest(each): float(of) for each, of in told.pop("labels").items()}
            files, key = frozenset(map(str, told.pop("files"))), told.pop("key")
            state = cls(str(told.pop("predictor")), key, periods, keys, waiting, labels, files)
            is_one &= key is None or isinstance(key, str)
            is_one &= all(map(math.isfinite, labels.values()))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
            raise damaged(name) from None
        if told or not is_one or (keys[:-1] >= keys[1:]).any():
            raise damaged(name)
        return state

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the state of a file; InputError if it is none."""
        try:
            with path.open("rb") as file:
                return cls.of_json(file.read(_MOST_BYTES), str(path))
        except OSError as error:
            sentence = "'{file}' cannot be read: {why}"
            raise InputError("watch.unreadable", sentence, file=path, why=error.strerror) from None


def damaged(name: str) -> InputError:
    """Return the refusal of what is no state."""
    sentence = "'{file}' is no state of a watch, or a damaged one; name another file"
    return InputError("watch.state", sentence, file=name)


def _digest(text: str) -> str:
    if len(text) != _DIGITS or f"{int(text, 16):016x}" != text:
        raise ValueError
    return text


def _counts(of: list[int]) -> IndexArray:
    counts = np.array(of)
    if counts.ndim != 1 or counts.dtype.kind != "i" or (counts < 0).any():
        raise ValueError
    if counts.max(initial=0) > _MOST_ROWS:
        raise ValueError
    return counts.astype(np.intp)


def _waiting(of: list[Any]) -> Waiting:
    period, sets, groups = of
    if not isinstance(period, str) or any(type(each) is not int for each in groups):
        raise TypeError
    return period, [str(end) if math.isinf(float(end)) else end for end in sets], groups
