"""The audit's one result: the command line, the dashboard and reports are views of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Self

import pandas as pd

from ..experiment.result import Examination
from ..segments.under_coverage import Group
from .presentation import installed_presentation, needed_presentation

Topic = Literal["coverage", "remedy", "advice", "groups", "dependence", "audit-only"]
"""What it is about, in the order of reading; the first three make the headline."""

HEADLINE: tuple[Topic, ...] = ("coverage", "remedy", "advice")

Severity = Literal["problem", "good", "neutral"]


@dataclass(frozen=True)
class RepeatedClaim:
    """What audits with some of the seeds say of the predictor ``algorithm``.

    ``value`` is the group that the headline names as under-covered, in words, empty for none; an
    adjustment's effect; or a kind of advice, as :class:`Finding` has it. ``tested`` are the seeds
    that could say so: those with test rows of the group.
    """

    about: Literal["group", "effect", "advice"]
    algorithm: str
    value: str
    seeds: list[int]
    tested: list[int]


@dataclass(frozen=True)
class ImpossibleSeed:
    """A seed by which table and settings do not go together, and why."""

    seed: int
    reason: str


@dataclass(frozen=True)
class Repeats:
    """Mean and spread of every figure over audits with different seeds, and what these say.

    ``results``, ``coefficients`` and ``segments`` have a dict for each row of the table of that
    name in the JSON form: its keys, ``repeats`` (how many audits have it), and ``FIGURE_mean`` and
    ``FIGURE_sd`` (with n - 1) of every figure. ``verdict`` has, of each kind of claim, what most
    seeds say first. ``impossible`` are the seeds without an audit.
    """

    seeds: list[int]
    layers_mean: float
    layers_sd: float
    results: list[dict[str, Any]]
    coefficients: list[dict[str, Any]]
    segments: list[dict[str, Any]]
    verdict: list[RepeatedClaim] = field(default_factory=list)
    impossible: list[ImpossibleSeed] = field(default_factory=list)


@dataclass(frozen=True)
class Finding:
    """One thing that the test rows say of a predictor's sets.

    ``kind`` is such as "group-low"; ``who`` the group of rows it is of, None for all of them or
    none in particular; ``figures`` what it says, by name; ``certainty`` the p- or q-value behind
    it; ``advice`` a kind of advice, empty for none.
    """

    kind: str
    topic: Topic
    predictor: str
    severity: Severity = "neutral"
    who: Group | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    certainty: float | None = None
    advice: str = ""


@dataclass(frozen=True, repr=False)
class AuditResult(Examination):
    """Everything an audit found: the examination of its predictors, and what is said of it.

    ``headline`` and ``explanations`` are ``findings`` in words: for whom coverage is too low, by
    how much, what adjustments make of it and what to do now, which is ``advice``; and the rest.
    """

    findings: list[Finding] = field(default_factory=list)
    headline: list[str] = field(default_factory=list)
    advice: str = ""
    explanations: list[str] = field(default_factory=list)
    repeats: Repeats | None = None

    @classmethod
    def about(cls, examination: Examination) -> Self:
        """Return the result of an examination of which nothing is said yet."""
        values = {each.name: getattr(examination, each.name) for each in fields(Examination)}
        return cls(**values)

    def to_frame(self, section: str) -> pd.DataFrame:
        """Return the rows of a section of the JSON form, such as "segments", as a table.

        Figures that JSON has no numbers for are NaN or infinite. Raises :class:`InputError` if no
        section of that name holds rows.
        """
        from .result_json import rows_of  # noqa: PLC0415 - it is made of this class

        return pd.DataFrame(rows_of(self, section))

    def report(self, path: str | Path, *, examples: int = 0) -> Path:
        """Write the report of ``evencover audit --html`` with so many test rows, and return where.

        Raises :class:`InputError` if nothing is installed that writes reports.
        """
        needed_presentation().report(self, Path(path), examples)
        return Path(path)

    def figure(self, name: str, **choice: Any) -> Any:  # noqa: ANN401 - a figure of plotly
        """Return a chart of the report.

        "coefficients", of the ``subset`` "test" or "training"; "probabilities"; or "segments", of a
        ``variable``. Raises :class:`InputError` if there is none of that name.
        """
        return needed_presentation().figure(self, name, **choice)

    def __repr__(self) -> str:
        """Return what it says in words: all of its rows would fill screens."""
        return "\n\n".join([*self.headline, *self.explanations])

    def _repr_html_(self) -> str | None:
        """Return the report's first screen for a notebook; None if nothing shows it."""
        shown = installed_presentation()
        return None if shown is None else shown.first_screen(self)
