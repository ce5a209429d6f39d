"""The tables of results, layers and segments that Bellotti (2021) printed, and their settings.

Figures stay the text that was printed, whose last digit says how far it is rounded.
"""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

from pydantic import TypeAdapter

from evencover.core.experiment.result import SubsetName

Data = Literal["covtype", "gpu", "kc"]

SAMPLE_NAMES: dict[Data, str] = {"covtype": "covtype", "gpu": "gpu", "kc": "king_county"}
"""The sample that holds the data; it brings label, sizes of the split and columns to leave out."""

VARIABLES = {"V1": "Elevation", "V43": "Soil_Type29"}  # what the paper calls by number


@dataclass(frozen=True)
class Case:
    """One setting of the paper: IFACM on one data set, with the base measure it adjusts."""

    data: Data
    measure: str
    confidence_level: float
    penalty: float


@dataclass(frozen=True)
class PaperLine:
    """One line of the table of results; a base predictor's has no penalty."""

    line: int
    data: Data
    segment: SubsetName
    algorithm: str
    measure: str
    confidence_level: float
    penalty: float | None
    accuracy: str
    inefficiency: str
    dcv: str

    @property
    def description(self) -> str:
        """What the line is about, briefly."""
        penalty = "" if self.penalty is None else f" C {self.penalty:g}"
        level = f"CL {self.confidence_level:g}{penalty}"
        return f"{self.data} {self.segment}, {self.algorithm} {self.measure}, {level}"

    def is_of(self, case: Case) -> bool:
        """Say whether a case gives this line's figures."""
        if self.penalty not in (None, case.penalty):
            return False
        same = (case.data, case.measure, case.confidence_level)
        return same == (self.data, self.measure, self.confidence_level)

    def base(self, lines: Iterable["PaperLine"], measure: str) -> "PaperLine | None":
        """Return the base predictor's line, on the same rows, with a measure of its own."""
        case = Case(self.data, measure, self.confidence_level, 0.0)
        bases = (line for line in lines if line.algorithm == "base" and line.is_of(case))
        return next((line for line in bases if line.segment == self.segment), None)


@dataclass(frozen=True)
class PaperLayer:
    """One layer of IFACM, from the table of gammas and deltas."""

    case: Case
    layer: int
    gamma: str
    delta: str


@dataclass(frozen=True)
class PaperSegment:
    """Accuracy in one segment of test rows, before and after."""

    case: Case
    variable: str
    value: str
    n: int
    accuracy_base: str
    accuracy_ifacm: str


def columns_of(of: Case | PaperLine) -> dict[str, Any]:
    """Return a case or line as it is written in our tables."""
    return {"C" if name == "penalty" else name: value for name, value in vars(of).items()}


def paper_lines() -> list[PaperLine]:
    """Return the table of results."""
    return TypeAdapter(list[PaperLine]).validate_python(printed_rows("results"))


def paper_cases() -> list[Case]:
    """Return the settings of the table of results, in its order."""
    every = (
        Case(line.data, line.measure, line.confidence_level, line.penalty)
        for line in paper_lines()
        if line.penalty is not None
    )
    return list(dict.fromkeys(every))


def paper_layers() -> list[PaperLayer]:
    """Return the table of gammas and deltas."""
    return TypeAdapter(list[PaperLayer]).validate_python(printed_rows("layers"))


def paper_segments() -> list[PaperSegment]:
    """Return the table of segments."""
    return TypeAdapter(list[PaperSegment]).validate_python(printed_rows("segments"))


def printed_rows(table: str) -> list[dict[str, Any]]:
    """Return a table of the files beside this one, its case also as ``case``."""
    text = files(__package__).joinpath(f"{table}.csv").read_text(encoding="utf-8")
    rows = [row | {"penalty": row.get("C") or None} for row in csv.DictReader(text.splitlines())]
    return [row | {"case": row} for row in rows]
