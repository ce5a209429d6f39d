"""A predictor as it is written down: how rows become X, scores, thresholds, and what it is."""

import json
import os
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..messages import InputError
from .arithmetic import (
    FloatArray,
    adaptive_scores,
    digests,
    in_units,
    mixed,
    standardised,
    uniform_of,
)
from .columns import AsRead, Design, as_kind
from .file import content_of, of_bytes, to_bytes
from .functions import Function, Said
from .groups import Columns, Division, Kind, Values
from .outputs import OutputProbabilities
from .plain import Array, DamagedError, Plain, Whole, schema_of

Ends = tuple[FloatArray, FloatArray]
_ENDS = 2


@dataclass(frozen=True)
class Form(Plain):
    """What scores of objects are, as functions of the label; each raised by all ``shifts``."""

    shifts: tuple[Function, ...]

    def shifted(self, by: Function) -> Self:
        """Return the form with another shift."""
        return replace(self, shifts=(*self.shifts, by))

    @property
    @abstractmethod
    def functions(self) -> tuple[Function, ...]:
        """All functions that it is made of."""

    def shift(self, X: FloatArray, said: Said) -> FloatArray:
        """Return what is added to the scores of all labels of an object, shape (n,)."""
        total = np.zeros(len(X))
        for each in self.shifts:
            total = total + each.of(X, said)
        return total

    @property
    def asks_features(self) -> bool:
        """Whether it goes by X, and not by a model's outputs alone."""
        return any(each.asks_features for each in (*self.shifts, *self.functions))

    def widths(self, classes: int) -> tuple[int, ...]:  # noqa: ARG002
        """Return how many thresholds an object may have, of a label of so many classes."""
        return (1,)

    def check(self) -> None:
        """Raise :class:`DamagedError` if a function has several numbers in the place of one."""
        if any(each.width > 1 for each in (*self.shifts, *self.functions)):
            raise DamagedError("scores do not fit together")


@dataclass(frozen=True)
class EndsForm(Form):
    """What has intervals, whose ends are units from where they start."""

    @abstractmethod
    def center(self, X: FloatArray, said: Said) -> FloatArray | None:
        """Return the predictions, shape (n,), if there are."""

    @abstractmethod
    def ends(self, X: FloatArray, said: Said, threshold: FloatArray) -> Ends:
        """Return the intervals for thresholds, shape (n, 1), or (n, 2)."""

    @abstractmethod
    def start(self, X: FloatArray, said: Said) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return where lower and upper ends start, and the units, as two-sided ones do."""


@dataclass(frozen=True)
class IntervalForm(EndsForm):
    """``log_scale(x) + shift - log|y - center(x)|``; without a scale one width for all."""

    kind: ClassVar[str] = "interval"
    middle: Function
    log_scale: Function | None

    @property
    def functions(self) -> tuple[Function, ...]:
        """All functions that it is made of."""
        return (self.middle, *([] if self.log_scale is None else [self.log_scale]))

    def center(self, X: FloatArray, said: Said) -> FloatArray:
        """Return the predictions, shape (n,)."""
        return self.middle.of(X, said)

    def ends(self, X: FloatArray, said: Said, threshold: FloatArray) -> Ends:
        """Return the intervals for thresholds, shape (n, 1)."""
        half, center = self._raised(X, said), self.center(X, said)
        half -= threshold[:, 0]
        with np.errstate(over="ignore"):
            half = np.exp(half)
        return center - half, center + half

    def start(self, X: FloatArray, said: Said) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the center twice, and the scale."""
        center = self.center(X, said)
        return center, center, np.exp(self._raised(X, said))

    def _raised(self, X: FloatArray, said: Said) -> FloatArray:
        scale = np.zeros(len(X)) if self.log_scale is None else self.log_scale.of(X, said)
        return scale + self.shift(X, said)


@dataclass(frozen=True)
class QuantileForm(EndsForm):
    """``min(y - lower(x), upper(x) - y) + shift``."""

    kind: ClassVar[str] = "quantiles"
    lower: Function
    upper: Function

    @property
    def functions(self) -> tuple[Function, ...]:
        """All functions that it is made of."""
        return self.lower, self.upper

    def center(self, X: FloatArray, said: Said) -> None:  # noqa: ARG002
        """Return None: there is none."""
        return

    def ends(self, X: FloatArray, said: Said, threshold: FloatArray) -> Ends:
        """Return the intervals for thresholds, shape (n, 1)."""
        out = self.shift(X, said) - threshold[:, 0]
        return self.lower.of(X, said) - out, self.upper.of(X, said) + out

    def start(self, X: FloatArray, said: Said) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the quantiles with the shift in them, in units of 1."""
        out = self.shift(X, said)
        return self.lower.of(X, said) - out, self.upper.of(X, said) + out, np.ones(len(X))


@dataclass(frozen=True)
class TwoSidedForm(EndsForm):
    """Those of another form with a threshold for each end, which moves outwards by a function."""

    kind: ClassVar[str] = "two-sided"
    of: EndsForm
    below: Function
    above: Function

    @property
    def functions(self) -> tuple[Function, ...]:
        """All functions that it is made of."""
        return (*self.of.functions, *self.of.shifts, self.below, self.above)

    def widths(self, classes: int) -> tuple[int, ...]:  # noqa: ARG002
        """Return 2."""
        return (_ENDS,)

    def center(self, X: FloatArray, said: Said) -> FloatArray | None:
        """Return the predictions, shape (n,), if there are."""
        return self.of.center(X, said)

    def ends(self, X: FloatArray, said: Said, threshold: FloatArray) -> Ends:
        """Return the intervals for thresholds, shape (n, 2)."""
        lower, upper, unit = self.start(X, said)
        return lower + unit * threshold[:, 0], upper - unit * threshold[:, 1]

    def start(self, X: FloatArray, said: Said) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the ends moved outwards, and the units."""
        lower, upper, unit = self.of.start(X, said)
        return lower - unit * self.below.of(X, said), upper + unit * self.above.of(X, said), unit


@dataclass(frozen=True)
class LabelForm(Form):
    """Log-probabilities of K labels, or what adaptive sets make of them, plus shift."""

    kind: ClassVar[str] = "labels"
    log_probabilities: Function
    adaptive: bool
    never_empty: bool

    @property
    def functions(self) -> tuple[Function, ...]:
        """All functions that it is made of."""
        return (self.log_probabilities,)

    def widths(self, classes: int) -> tuple[int, ...]:
        """Return 1, or that each label may have its own."""
        return 1, classes

    def members(self, X: FloatArray, said: Said, threshold: FloatArray) -> NDArray[np.bool_]:
        """Return the sets, shape (n, K), for thresholds, shape (n, 1) or (n, K)."""
        told = matrix = self.log_probabilities.of(X, said)
        if self.adaptive:
            by, of = X, self.log_probabilities
            if isinstance(of, OutputProbabilities):
                by = of.probabilities(X, said)
            matrix = adaptive_scores(told, uniform_of(mixed(digests(by))))
        if self.never_empty:
            matrix[np.arange(len(X)), told.argmax(axis=1)] = np.inf
        return np.asarray(matrix + self.shift(X, said)[:, None] >= threshold)

    def check(self) -> None:
        """Raise :class:`DamagedError` if a shift has several numbers."""
        if any(each.width > 1 for each in self.shifts):
            raise DamagedError("scores do not fit together")


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
        """How many thresholds an object has."""
        return len(self.values)

    def at(self, codes: NDArray[np.intp]) -> FloatArray:
        """Return them, shape (n, width)."""
        return np.broadcast_to(self.values, (len(codes), self.width))

    def check(self) -> None:
        """Raise :class:`DamagedError` if there are none."""
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
        """What divides objects into groups."""
        return (self.by,)

    @property
    def width(self) -> int:
        """How many thresholds an object has."""
        return int(self.values.shape[1])

    def at(self, codes: NDArray[np.intp]) -> FloatArray:
        """Return them, shape (n, width)."""
        return np.asarray(self.values[codes[:, 0]])

    def check(self) -> None:
        """Raise :class:`DamagedError` if a group has none."""
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
        """What divides objects into groups."""
        return self.by

    def at(self, codes: NDArray[np.intp]) -> FloatArray:
        """Return them, shape (n, 1)."""
        known = dict(zip(map(tuple, self.patterns.tolist()), self.values.tolist(), strict=True))
        found = [known.get(tuple(pattern), -np.inf) for pattern in codes.tolist()]
        return np.array(found, dtype=np.float64)[:, None]

    def check(self) -> None:
        """Raise :class:`DamagedError` if patterns are of other groups."""
        counts = np.array([len(each.groups) for each in self.by])
        fits = self.patterns.shape == (len(self.values), len(self.by)) and self.values.ndim == 1
        if not fits or (self.patterns < 0).any() or (self.patterns >= counts).any():
            raise DamagedError("thresholds do not fit the groups")


@dataclass(frozen=True)
class Label(Plain):
    """What is predicted: its name, and how it is coded."""

    name: str


@dataclass(frozen=True)
class NumberLabel(Label):
    """A number, or its logarithm, less the mean, in units of the scale."""

    kind: ClassVar[str] = "number"
    mean: float
    scale: float
    logarithmic: bool
    low: float | None  # where intervals end, standardised
    high: float | None

    def within(self, ends: Ends) -> Ends:
        """Return intervals that end where they are to, in the label's units."""
        lower, upper = ends
        lower = lower if self.low is None else np.maximum(lower, self.low)
        upper = upper if self.high is None else np.minimum(upper, self.high)
        return self.in_units(lower), self.in_units(upper)

    def in_units(self, values: FloatArray) -> FloatArray:
        """Return standardised labels in the label's units."""
        return in_units(values, self.mean, self.scale, logarithmic=self.logarithmic)


@dataclass(frozen=True)
class ClassesLabel(Label):
    """One of some classes."""

    kind: ClassVar[str] = "classes"
    classes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SavedPredictor(Plain):
    """A predictor without the rows that it was made of, which numpy alone can read and run.

    ``about`` is JSON for whoever reads it: what it promises, of which data and settings it is, and
    how often it held the label of calibration and test rows.
    """

    format: str = "evencover-predictor"
    version: int = 1
    name: str
    title: str
    guarantee: str
    confidence_level: float
    label: Label
    read: AsRead
    design: Design
    scores: Form
    thresholds: Rule
    about: dict  # type: ignore[type-arg]

    def check(self) -> None:
        """Raise :class:`DamagedError` if the parts do not go together."""
        if (self.format, self.version) != ("evencover-predictor", 1):
            raise DamagedError(f"it is of version {self.version}, and this reads version 1")
        classes = getattr(self.label, "classes", ())
        if isinstance(self.scores, LabelForm) is not bool(classes):
            raise DamagedError("scores are of another label")
        if self.thresholds.width not in self.scores.widths(len(classes)):
            raise DamagedError("thresholds do not fit the scores")
        if classes and self.scores.functions[0].width != len(classes):
            raise DamagedError("probabilities do not fit the classes")
        for each in self._functions:
            each.check_features(len(self.design.kept))

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the predictor of a file; InputError if it cannot be read, or is damaged."""
        return cls.of_bytes(content_of(path), str(path))

    @classmethod
    def of_bytes(cls, content: bytes, name: str) -> Self:
        """Return the predictor of a file's bytes; InputError, with its name, if it is damaged."""
        return of_bytes(cls, content, name)

    def to_bytes(self) -> bytes:
        """Return the predictor as a file has it."""
        return to_bytes(self)

    def save(self, path: str | Path) -> None:
        """Write the predictor to a file, which no half of it ever is; OSError if it cannot be."""
        place = Path(path)
        beside = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            beside.write_bytes(self.to_bytes())
            beside.replace(place)
        finally:
            beside.unlink(missing_ok=True)

    @property
    def wants(self) -> list[tuple[str, Kind]]:
        """The columns that it takes, each once for each kind that it is read as."""
        found: list[tuple[str, Any]] = [(each.column, each.wants) for each in self.design.columns]
        found += [(name, "number") for each in self._functions for name in each.said]
        found += chain.from_iterable(each.wants for each in self.thresholds.divisions)
        return list(dict.fromkeys(found))

    @property
    def columns(self) -> dict[str, Kind]:
        """The columns that it takes, by name, with the kind that they are read as first."""
        return dict(reversed(self.wants))

    def predict(self, frame: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return ``prediction``, ``lower``, ``upper`` and others of rows, by name, shape (n,) each.

        The frame is a mapping of columns that numpy can read, or a DataFrame. In the label's units;
        of classes ``set`` is a JSON list. ``group`` and ``threshold`` say what was used, and
        ``new`` how many of a row's values are such that training rows had none like. InputError if
        a column is not there, or holds what is of another kind.
        """

        @cache
        def read(name: str, kind: Kind) -> Values:
            try:
                values = frame[name]
            except (KeyError, IndexError, ValueError):
                raise lacking(name) from None
            return as_kind(values, name, kind)

        return self.predicted(read).columns

    def predicted(self, read: Columns) -> "Predicted":
        """Return the same of columns as they are read."""
        X, said, codes = self._objects(read)
        threshold, divisions = self.thresholds.at(codes), self.thresholds.divisions
        found = self._told(X, said, threshold)
        if divisions:
            of_rows, places = np.unique(codes, axis=0, return_inverse=True)
            named = [" and ".join(map(_shown, divisions, row)) for row in of_rows.tolist()]
            found["group"] = np.array(named, dtype=object)[places.ravel()]
        told = threshold[:, 0] if threshold.shape[1] == 1 else as_json(threshold.tolist())
        columns = self.design.columns
        new = {each.column: each.is_new(read(each.column, each.wants)) for each in columns}
        for each, of in zip(divisions, codes.T, strict=True):
            new[each.name] = new.get(each.name, np.zeros(len(X), dtype=bool)) | (of < 0)
        count = np.sum([*new.values(), np.zeros(len(X), dtype=bool)], axis=0)
        counts = {name: int(are.sum()) for name, are in new.items() if are.any()}
        return Predicted({**found, "threshold": told, "new": count}, counts)

    def sets(self, read: Columns) -> tuple[NDArray[Any], ...]:
        """Return the ends of intervals in the label's units, or which labels sets hold, (n, K)."""
        X, said, codes = self._objects(read)
        return self._sets(X, said, self.thresholds.at(codes))

    def _objects(self, read: Columns) -> tuple[FloatArray, Said, NDArray[np.intp]]:
        """Return objects as X, what a model said of them, and the groups that they are in."""
        n, design = len(read(*self.wants[0])), self.design
        raw = [each.encoded(read(each.column, each.wants)) for each in design.columns]
        whole = np.column_stack([np.empty((n, 0)), *raw])
        X = standardised(whole, design.kept.astype(np.intp), design.mean, design.scale)
        said = {name: read(name, "number") for each in self._functions for name in each.said}
        codes = [each.codes(read) for each in self.thresholds.divisions]
        return X, said, np.array(codes, dtype=np.intp).reshape(len(codes), n).T

    def _sets(self, X: FloatArray, said: Said, threshold: FloatArray) -> tuple[NDArray[Any], ...]:
        if isinstance(self.scores, EndsForm) and isinstance(self.label, NumberLabel):
            return self.label.within(self.scores.ends(X, said, threshold))
        assert isinstance(self.scores, LabelForm)  # noqa: S101 - as check has it
        return (self.scores.members(X, said, threshold),)

    def _told(self, X: FloatArray, said: Said, threshold: FloatArray) -> dict[str, NDArray[Any]]:
        """Return predictions and sets by their columns' names."""
        sets = self._sets(X, said, threshold)
        if isinstance(self.scores, LabelForm) and isinstance(self.label, ClassesLabel):
            classes = np.array(self.label.classes, dtype=object)
            likeliest = self.scores.log_probabilities.of(X, said).argmax(axis=1)
            listed = as_json([classes[row].tolist() for row in sets[0]])
            return {"prediction": classes[likeliest], "set": listed}
        assert isinstance(self.scores, EndsForm)  # noqa: S101 - as check has it
        assert isinstance(self.label, NumberLabel)  # noqa: S101
        center = self.scores.center(X, said)
        found = {} if center is None else {"prediction": self.label.in_units(center)}
        return {**found, **dict(zip(("lower", "upper"), sets, strict=True))}

    @property
    def _functions(self) -> tuple[Function, ...]:
        return (*self.scores.shifts, *self.scores.functions)


@dataclass(frozen=True)
class Predicted:
    """What is said of n rows, by column; and how many rows have something new, by column of it."""

    columns: dict[str, NDArray[Any]]
    new: dict[str, int]


def lacking(name: str) -> InputError:
    """Return the error of a column that is not there."""
    sentence = (
        "there is no column '{column}', which the predictor takes; add it, or give a table that "
        "has it"
    )
    return InputError("saved.column", sentence, column=name)


def _shown(division: Division, code: int) -> str:
    return f"{division.name}: {division.shown(code)}"


def as_json(rows: list[Any]) -> NDArray[Any]:
    """Return each of some lists as JSON, shape (n,)."""
    written = {each: json.dumps(each, ensure_ascii=False) for each in set(map(tuple, rows))}
    return np.array([written[tuple(row)] for row in rows], dtype=object)


def schema() -> dict[str, Any]:
    """Return the JSON schema of the header of a file, without its list of ``arrays``."""
    title = "The header of a predictor saved by Evencover, version 1"
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    return about | schema_of(SavedPredictor)
