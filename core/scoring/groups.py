"""Which group an object is in: by a column's values, bands of them, or a rule."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from .arithmetic import FloatArray, date_parts
from .plain import Array, DamagedError, Plain

Kind = Literal["number", "date", "category"]
Values = NDArray[Any]
"""Of a column: numbers, NaN where missing; moments, datetime64; or texts, None where missing."""
Columns = Callable[[str, Kind], Values]
"""Returns the values of a column, read as of a kind; InputError if it is not there, or of none."""

Group = str | int | None
"""A value as text, the number of a band, or None where the value is missing."""

OTHERS = "(others)"  # the values that are not kept apart
A_DAY = 86_400_000_000.0  # in microseconds
_KINDS = ("number", "date", "category")


def ordered(values: Values) -> FloatArray:
    """Return numbers as they are, moments as microseconds since 1970; NaN where missing."""
    if values.dtype.kind != "M":
        return values
    moments = values.astype("datetime64[us]")
    return np.where(np.isnat(moments), np.nan, moments.astype(np.float64))


def is_missing(values: Values) -> NDArray[np.bool_]:
    """Say which values are missing, shape (n,)."""
    if values.dtype.kind == "O":
        return np.array([value is None for value in values.tolist()], dtype=bool)
    return np.isnan(ordered(values))


@dataclass(frozen=True)
class Condition(Plain):
    """What a rule asks of a column, read as of a ``kind``."""

    column: str
    of: str

    def check(self) -> None:
        if self.of not in _KINDS:
            raise DamagedError("a column is of an unknown kind")

    @abstractmethod
    def holds(self, values: Values) -> NDArray[np.bool_]:
        """Say for which values it holds, shape (n,)."""


@dataclass(frozen=True)
class OneOfTexts(Condition):
    """The value is one of some, or another one, if ``negated``."""

    kind: ClassVar[str] = "one-of-texts"
    texts: tuple[str, ...]
    negated: bool

    def holds(self, values: Values) -> NDArray[np.bool_]:
        among = {*self.texts}
        inside = np.array([value in among for value in values.tolist()], dtype=bool)
        return ~inside & ~is_missing(values) if self.negated else inside


@dataclass(frozen=True)
class OneOfPlaces(Condition):
    """The number or moment is one of some, or of some days, or another one, if ``negated``."""

    kind: ClassVar[str] = "one-of-places"
    places: Array
    days: Array
    negated: bool

    def holds(self, values: Values) -> NDArray[np.bool_]:
        where = ordered(values)
        inside = np.isin(where, self.places)
        if len(self.days):
            inside |= np.isin(np.floor(where / A_DAY) * A_DAY, self.days)
        return ~inside & ~np.isnan(where) if self.negated else inside


@dataclass(frozen=True)
class Within(Condition):
    """The number or moment is from ``low`` to ``high``, without these where they are open."""

    kind: ClassVar[str] = "within"
    low: float | None
    high: float | None
    low_open: bool
    high_open: bool

    def holds(self, values: Values) -> NDArray[np.bool_]:
        where = ordered(values)
        inside = ~np.isnan(where)
        if self.low is not None:
            inside &= where > self.low if self.low_open else where >= self.low
        if self.high is not None:
            inside &= where < self.high if self.high_open else where <= self.high
        return inside


@dataclass(frozen=True)
class IsMissing(Condition):
    """The value is missing, or is there, if ``negated``."""

    kind: ClassVar[str] = "missing"
    negated: bool

    def holds(self, values: Values) -> NDArray[np.bool_]:
        return ~is_missing(values) if self.negated else is_missing(values)


@dataclass(frozen=True)
class Division(Plain):
    """Divides objects into groups, by whose place among ``groups`` each is known."""

    name: str
    groups: tuple[str | int | None, ...]

    @property
    @abstractmethod
    def wants(self) -> tuple[tuple[str, str], ...]:
        """The columns that it goes by, and their kinds."""

    @abstractmethod
    def divided(self, columns: Columns) -> tuple[NDArray[np.intp], list[Group]]:
        """Return the place of each object's group, shape (n,), among some, and these."""

    def group_of(self, columns: Columns) -> list[Group]:
        """Return the group of each object, n of them."""
        places, groups = self.divided(columns)
        return [groups[place] for place in places.tolist()]

    def codes(self, columns: Columns) -> NDArray[np.intp]:
        """Return the place of each object's group, -1 of one that is not known, shape (n,)."""
        known = {group: code for code, group in enumerate(self.groups)}
        places, groups = self.divided(columns)
        return np.array([known.get(group, -1) for group in groups], dtype=np.intp)[places]

    def shown(self, code: int) -> str:
        """Return a group's name for a reader."""
        group = self.groups[code] if code >= 0 else "(new)"
        return "(missing)" if group is None else str(group)


@dataclass(frozen=True)
class ByValue(Division):
    """By a column's values as text; those that are not ``kept`` together, if some are."""

    kind: ClassVar[str] = "by-value"
    column: str
    kept: tuple[str | None, ...] | None

    @property
    def wants(self) -> tuple[tuple[str, str], ...]:
        return ((self.column, "category"),)

    def divided(self, columns: Columns) -> tuple[NDArray[np.intp], list[Group]]:
        values: list[Group] = columns(self.column, "category").tolist()
        found: dict[Group, int] = {}
        places = np.array([found.setdefault(v, len(found)) for v in values], dtype=np.intp)
        kept = found if self.kept is None else {*self.kept}
        return places, [value if value in kept else OTHERS for value in found]


@dataclass(frozen=True)
class ByBand(Division):
    """By bands of a number or date between ``edges``, in days since 1970."""

    kind: ClassVar[str] = "by-band"
    column: str
    of: str
    edges: Array

    @property
    def wants(self) -> tuple[tuple[str, str], ...]:
        return ((self.column, self.of),)

    def check(self) -> None:
        if self.of not in _KINDS[:2] or self.edges.ndim != 1:
            raise DamagedError("bands are of an unknown kind")

    def divided(self, columns: Columns) -> tuple[NDArray[np.intp], list[Group]]:
        values = columns(self.column, "date" if self.of == "date" else "number")
        where = date_parts(values)[:, 0] if self.of == "date" else values
        bands = np.searchsorted(self.edges, where, side="right")
        places = np.where(np.isnan(where), len(self.edges) + 1, bands)
        return places, [*range(len(self.edges) + 1), None]

    def shown(self, code: int) -> str:
        group = self.groups[code] if code >= 0 else None
        return super().shown(code) if group is None else f"band {int(group) + 1}"


@dataclass(frozen=True)
class ByRule(Division):
    """By whether all conditions hold."""

    kind: ClassVar[str] = "by-rule"
    conditions: tuple[Condition, ...]

    @property
    def wants(self) -> tuple[tuple[str, str], ...]:
        return tuple((each.column, each.of) for each in self.conditions)

    def divided(self, columns: Columns) -> tuple[NDArray[np.intp], list[Group]]:
        held = [each.holds(columns(each.column, each.of)) for each in self.conditions]  # type: ignore[arg-type]
        return np.all(held, axis=0).astype(np.intp), ["outside", "inside"]
