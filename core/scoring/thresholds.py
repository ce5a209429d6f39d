"""Thresholds of objects, by the groups that they are in."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .arithmetic import FloatArray
from .groups import Division
from .plain import Array, DamagedError, Plain, Whole


@dataclass(frozen=True)
class Rule(Plain):
    """The thresholds of objects, by the groups that they are in."""

    @property
    def divisions(self) -> tuple[Division, ...]:
        """What divides objects into groups."""
        return ()

    @property
    @abstractmethod
    def width(self) -> int:
        """How many thresholds an object has."""

    @abstractmethod
    def at(self, codes: NDArray[np.intp]) -> FloatArray:
        """Return those of objects by their groups, shape (n, divisions), shape (n, width)."""


@dataclass(frozen=True)
class OneForAll(Rule):
    """The same for all."""

    kind: ClassVar[str] = "one-for-all"
    values: Array

    @property
    def width(self) -> int:
        return len(self.values)

    def at(self, codes: NDArray[np.intp]) -> FloatArray:
        return np.broadcast_to(self.values, (len(codes), self.width))

    def check(self) -> None:
        if self.values.ndim != 1:
            raise DamagedError("thresholds do not fit together")


@dataclass(frozen=True)
class OfGroups(Rule):
    """Those of each group, and in the last row of one that is not known, shape (G + 1, width)."""

    kind: ClassVar[str] = "of-groups"
    by: Division
    values: Array

    @property
    def divisions(self) -> tuple[Division, ...]:
        return (self.by,)

    @property
    def width(self) -> int:
        return int(self.values.shape[1])

    def at(self, codes: NDArray[np.intp]) -> FloatArray:
        return np.asarray(self.values[codes[:, 0]])

    def check(self) -> None:
        if self.values.ndim != 2 or len(self.values) != len(self.by.groups) + 1:  # noqa: PLR2004
            raise DamagedError("thresholds do not fit the groups")


@dataclass(frozen=True)
class OfPatterns(Rule):
    """One for each pattern of groups, shape (P, divisions); none of one that is not known."""

    kind: ClassVar[str] = "of-patterns"
    by: tuple[Division, ...]
    patterns: Whole
    values: Array
    width = 1

    @property
    def divisions(self) -> tuple[Division, ...]:
        return self.by

    def at(self, codes: NDArray[np.intp]) -> FloatArray:
        known = dict(zip(map(tuple, self.patterns.tolist()), self.values.tolist(), strict=True))
        found = [known.get(tuple(pattern), -np.inf) for pattern in codes.tolist()]
        return np.array(found, dtype=np.float64)[:, None]

    def check(self) -> None:
        counts = np.array([len(each.groups) for each in self.by])
        fits = self.patterns.shape == (len(self.values), len(self.by)) and self.values.ndim == 1
        if not fits or (self.patterns < 0).any() or (self.patterns >= counts).any():
            raise DamagedError("thresholds do not fit the groups")
