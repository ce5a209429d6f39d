"""A predictor as it is written down: how rows become X, scores, thresholds, and what it is."""

import json
import os
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..messages import InputError, in_quotes
from .arithmetic import FloatArray, in_units
from .columns import MISSING, AsRead, Design, Encoded, as_kind, date_part, part_named
from .file import content_of, of_bytes, to_bytes
from .forms import Form, LabelForm, Sets, SetsFor
from .functions import Said
from .groups import OTHERS, Columns, Division, Kind, Values
from .plain import DamagedError, Plain, schema_of
from .reference import Reference
from .thresholds import Rule


@dataclass(frozen=True)
class Label(Plain):
    """What is predicted: its name, and how it is coded."""

    name: str

    def of_sets(self, sets: Sets) -> Sets:
        """Return sets in the label's own units."""
        return sets

    @abstractmethod
    def told(self, prediction: NDArray[Any] | None, sets: Sets) -> dict[str, NDArray[Any]]:
        """Return what is predicted, if anything is, and sets in own units, by columns' names."""


@dataclass(frozen=True)
class NumberLabel(Label):
    """A number, or its logarithm, less the mean, in units of the scale."""

    kind: ClassVar[str] = "number"
    mean: float
    scale: float
    logarithmic: bool
    low: float | None  # where intervals end, standardised
    high: float | None

    def of_sets(self, sets: Sets) -> Sets:
        lower, upper = sets  # which end where they are to
        lower = lower if self.low is None else np.maximum(lower, self.low)
        upper = upper if self.high is None else np.minimum(upper, self.high)
        return self.in_units(lower), self.in_units(upper)

    def told(self, prediction: NDArray[Any] | None, sets: Sets) -> dict[str, NDArray[Any]]:
        found = {} if prediction is None else {"prediction": self.in_units(prediction)}
        return found | dict(zip(("lower", "upper"), sets, strict=True))

    def in_units(self, values: FloatArray) -> FloatArray:
        """Return standardised labels in the label's units."""
        return in_units(values, self.mean, self.scale, logarithmic=self.logarithmic)


@dataclass(frozen=True)
class ClassesLabel(Label):
    """One of some classes."""

    kind: ClassVar[str] = "classes"
    classes: tuple[str, ...]

    def told(self, prediction: NDArray[Any] | None, sets: Sets) -> dict[str, NDArray[Any]]:
        classes = np.array(self.classes, dtype=object)
        listed = as_json([classes[row].tolist() for row in sets[0]])
        return {"prediction": classes[prediction], "set": listed}


@dataclass(frozen=True, kw_only=True)
class SavedPredictor(Plain):
    """A predictor without the rows that it was made of, which numpy alone can read and run.

    ``about`` is JSON for whoever reads it: what it promises, of which data and settings it is, and
    how often it held the label of test rows.
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
    reference: Reference | None = None  # of older files, and of those that no audit wrote

    def check(self) -> None:
        if (self.format, self.version) != ("evencover-predictor", 1):
            raise DamagedError(f"it is of version {self.version}, and this reads version 1")
        classes = getattr(self.label, "classes", ())
        if isinstance(self.scores, LabelForm) is not bool(classes):
            raise DamagedError("scores are of another label")
        if self.thresholds.width not in self.scores.widths(len(classes)):
            raise DamagedError("thresholds do not fit the scores")
        if classes and self.scores.functions[0].width != len(classes):
            raise DamagedError("probabilities do not fit the classes")
        for each in self.scores.every:
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
        found += [(name, "number") for name in self.scores.said]
        found += chain.from_iterable(each.wants for each in self.thresholds.divisions)
        return list(dict.fromkeys(found))

    @property
    def columns(self) -> dict[str, Kind]:
        """The columns that it takes, by name, with the kind that they are read as first."""
        first = dict(reversed(self.wants))
        return {name: first[name] for name in dict(self.wants)}  # in their order

    @property
    def texts(self) -> dict[str, set[str]]:
        """The texts that it tells apart, by column."""
        return texts_of(chain(self.design.columns, self.thresholds.divisions))

    def predict(self, frame: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """Return ``prediction``, ``lower``, ``upper`` and others of rows, by name, shape (n,) each.

        The frame is a mapping of columns that numpy can read, or a DataFrame. In the label's units;
        of classes ``set`` is a JSON list. ``group`` and ``threshold`` say what was used, and
        ``new`` how many of a row's values training rows had none like, or hardly any. InputError if
        a column is not there, or holds what is of another kind.
        """
        rows, known = dict[int, str](), self.texts  # a column, by its length; and by its name

        @cache
        def read(name: str, kind: Kind) -> Values:
            try:
                values = frame[name]
            except Exception:  # noqa: BLE001 - each library has its own
                return lacking_part(name, kind, read)
            found = as_kind(values, name, kind)
            if kind == "category" and "" not in known.get(name, ()):  # as in files
                found[found == ""] = None
            rows.setdefault(len(found), name)
            if len(rows) > 1:
                sentence = "columns {columns} have different numbers of rows; give one value each"
                raise InputError("saved.lengths", sentence, columns=in_quotes(rows.values()))
            return found

        return self.predicted(read).columns

    def predicted(self, read: Columns) -> "Predicted":
        """Return the same of columns as they are read."""
        X, said, codes = self.objects(read)
        threshold, divisions = self.thresholds.at(codes), self.thresholds.divisions
        prediction, sets_for = self.scores.sets(X, said)
        found = self.label.told(prediction, self.label.of_sets(sets_for(threshold)))
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

    def sets(self, read: Columns) -> Sets:
        """Return the ends of intervals in the label's units, or which labels sets hold, (n, K)."""
        threshold, sets_for = self.nested(read)
        return sets_for(threshold)

    def nested(self, read: Columns) -> tuple[FloatArray, SetsFor]:
        """Return its thresholds, shape (n, width), and what gives sets like its own for any."""
        X, said, codes = self.objects(read)
        _, sets_for = self.scores.sets(X, said)
        return self.thresholds.at(codes), lambda threshold: self.label.of_sets(sets_for(threshold))

    def objects(self, read: Columns) -> tuple[FloatArray, Said, NDArray[np.intp]]:
        """Return objects as X, what a model said of them, and the groups that they are in."""
        n = len(read(*self.wants[0]))
        X = self.design.matrix(read, n)
        said = {name: read(name, "number") for name in self.scores.said}
        codes = [each.codes(read) for each in self.thresholds.divisions]
        return X, said, np.array(codes, dtype=np.intp).reshape(len(codes), n).T


@dataclass(frozen=True)
class Predicted:
    """What is said of n rows, by column; and how many rows have something new, by column of it."""

    columns: dict[str, NDArray[Any]]
    new: dict[str, int]


def lacking_part(name: str, kind: Kind, read: Columns) -> Values:
    """Return a column that is not there as the part of a date; InputError if it is none of one."""
    column, part = part_named(name)
    if part:
        return date_part(read(column, "date"), part, kind)
    sentence = (
        "there is no column '{column}', which the predictor takes; add it, or give a table that "
        "has it"
    )
    raise InputError("saved.column", sentence, column=name) from None


def texts_of(parts: Iterable[Encoded | Division]) -> dict[str, set[str]]:
    """Return the texts that encoded columns and divisions tell apart, by column."""
    found = dict[str, set[str]]()
    for each in parts:
        for part in (each, *getattr(each, "conditions", ())):
            told = (getattr(part, name, None) or () for name in ("texts", "groups", "kept"))
            some = {text for text in chain(*told) if isinstance(text, str)} - {MISSING, OTHERS}
            found.setdefault(getattr(part, "column", ""), set()).update(some)
    return found


def _shown(division: Division, code: int) -> str:
    return f"{division.name}: {division.shown(code)}"


def as_json(rows: list[Any]) -> NDArray[Any]:
    """Return each of some lists as JSON, shape (n,)."""
    written = {each: json.dumps(each, ensure_ascii=False) for each in set(map(tuple, rows))}
    return np.array([written[tuple(row)] for row in rows], dtype=object)


def schema() -> dict[str, Any]:
    """Return the JSON schema of the header of a file."""
    title = "The header of a predictor saved by Evencover, version 1"
    found = schema_of(SavedPredictor)
    (whole,) = found["$defs"][SavedPredictor.__name__]["anyOf"]
    names = {"type": "array", "items": {"type": "string"}}
    whole["properties"]["arrays"] = names | {"description": "the members that end in .npy"}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title} | found
