"""The audit's one result: the command line, the dashboard and reports are views of it.

What shows it to a person is built upon it, so that it cannot be imported here. A distribution that
shows results says so by an entry point of the group ``evencover.presentation``: Python keeps those
where what is installed is written down, so that nobody has to import the dashboard, with its
charts, before a result is shown, and core names nothing above it. A service without a screen may
install another one, or none.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Literal, Protocol, Self, TypeVar

import pandas as pd

from ..experiment.result import AuditedPredictor, Examination
from ..messages import InputError, Names, Sentence
from ..scoring.predictor import SavedPredictor
from ..segments.by_segment import GapRow, SegmentRow
from ..segments.under_coverage import JudgedRow
from ..segments.worst_segments import WorstSegmentRow
from .wording import PredictorWords

Topic = Literal["coverage", "remedy", "advice", "groups", "dependence", "audit-only"]
"""What it is about, in the order of reading; the first three make the headline."""

HEADLINE: tuple[Topic, ...] = ("coverage", "remedy", "advice")

Severity = Literal["problem", "good", "neutral"]


@dataclass(frozen=True)
class RepeatedClaim:
    """What audits with some of the seeds say of the predictor ``algorithm``.

    ``value`` is the group that the headline names as under-covered, in words, empty for none; an
    adjustment's effect; what a remedy chose; a kind of advice, as :class:`Finding` has it; or that
    coverage is low.
    ``tested`` are the seeds that could say so: those with test rows of the group.
    """

    about: Literal["group", "coverage", "choice", "effect", "advice"]
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
    ``FIGURE_sd`` (with n - 1) of every figure: how far one split may be off, and no error of the
    mean, as splits of one table share rows. ``verdict`` has, of each kind of claim, what most
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
    """One thing that the test rows say of a predictor's sets, and its ``sentence``.

    ``kind`` is such as "group-low"; ``who`` the group of rows it is of, None for all of them or
    none in particular; ``figures`` what it says, by name; ``certainty`` the p- or q-value behind
    it; ``advice`` a kind of advice, empty for none.
    """

    kind: str
    topic: Topic
    predictor: str
    sentence: str
    severity: Severity = "neutral"
    who: JudgedRow | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    certainty: float | None = None
    advice: str = ""


GateOutcome = Literal["kept", "broken", "unsure"]


@dataclass(frozen=True)
class Verdict:
    """What became of a ``rule`` to fail of a predictor, and one line that says so.

    ``value`` is what was found, with the ends of its 95 % interval; NaN where nothing tells it.
    """

    rule: str
    predictor: str
    outcome: GateOutcome
    sentence: Sentence
    value: float
    low: float
    high: float
    bound: float


@dataclass(frozen=True, repr=False)
class AuditResult(Examination):
    """Everything an audit found: the examination of its predictors, and what is said of it.

    >>> from evencover.core import AuditSettings, audit
    >>> rows = pd.DataFrame({"x": [i % 50 for i in range(900)]})
    >>> rows["y"] = [(1 + 9 * (i % 50 > 40)) * (-1) ** (i // 50) * (i % 13) for i in range(900)]
    >>> asked = AuditSettings(target="y", measure="standard", remedies=("none",))
    >>> result = audit(rows, asked)
    >>> [(row.variable, row.value) for row in result.too_low("base")]
    [('x', '>= 36')]
    """

    findings: list[Finding] = field(default_factory=list)
    repeats: Repeats | None = None
    gates: list[Verdict] = field(default_factory=list)

    @classmethod
    def about(cls, examination: Examination) -> Self:
        """Return the result of an examination of which nothing is said yet."""
        values = {each.name: getattr(examination, each.name) for each in fields(Examination)}
        return cls(**values)

    @cached_property
    def _paragraphs(self) -> dict[tuple[str, str], str]:
        """What findings say first, by topic, and by predictor where it is of a remedy."""
        told: dict[tuple[str, str], list[str]] = {}
        for one in self.findings:
            if one.topic in HEADLINE:
                whose = one.predictor if one.topic == "remedy" else ""
                told.setdefault((one.topic, whose), []).append(one.sentence)
        return {about: " ".join(sentences) for about, sentences in told.items()}

    @property
    def headline(self) -> list[str]:
        """In a paragraph each: for whom coverage is too low, what remedies make of it, advice."""
        return list(self._paragraphs.values())

    @property
    def advice(self) -> str:
        """What to do now; empty where there is nothing."""
        return self._paragraphs.get(("advice", ""), "")

    @property
    def advised(self) -> str:
        """The predictor that the advice is to use; without one, the reference."""
        used = (one.predictor for one in self.findings if one.advice == "use")
        return next(used, self.reference)

    def predictor(self, name: str = "") -> SavedPredictor:
        """Return a predictor as it is written down, by default that which the advice is to use.

        InputError if there is none of that name, or it cannot be written.
        """
        name = name or self.advised
        if name not in self.saved:
            sentence = "there is no predictor '{name}' to save; choose one of {names}"
            names = Names(self.saved) or "an audit that has just been"
            raise InputError("saved.none", sentence, name=name, names=names)
        found = self.saved[name]
        if isinstance(found, InputError):
            raise found
        return found

    @property
    def explanations(self) -> list[str]:
        """What findings say beside the headline."""
        return [one.sentence for one in self.findings if one.topic not in HEADLINE]

    @cached_property
    def words(self) -> PredictorWords:
        """What its predictors are called in sentences."""
        return PredictorWords({predictor.name: predictor.title for predictor in self.predictors})

    @property
    def is_regression(self) -> bool:
        """Whether sets are intervals, and not sets of labels."""
        return bool(self.settings["task"] == "regression")

    @property
    def sets(self) -> str:
        """The word for its sets."""
        return "intervals" if self.is_regression else "sets"

    @property
    def promised(self) -> str:
        """The confidence level in percent, with its digits: it may be very near to 1."""
        return f"{100.0 * self.settings['cl']:.12g} %"

    def to_frame(self, section: str) -> pd.DataFrame:
        """Return the rows of a section, such as "segments", "gaps" or "findings", as a table.

        The sections are those of the JSON form; figures that JSON has no numbers for are NaN or
        infinite. Raises :class:`InputError` if no section of that name holds rows.

        >>> from evencover.core import AuditSettings, audit
        >>> rows = pd.DataFrame({"x": [i % 50 for i in range(200)], "y": range(200)})
        >>> result = audit(rows, AuditSettings(target="y", remedies=("none",)))
        >>> result.to_frame("results")[["segment", "algorithm", "parameters"]]
            segment algorithm  parameters
        0  training      base           2
        1      test      base           2
        """
        tables = {name: make for name, make in SECTIONS.items() if name not in NO_ROWS}
        if section not in tables:
            sentence = "the result has no section '{section}' of rows; choose one of {sections}"
            named = Names(tables)
            raise InputError("result.no_section", sentence, section=section, sections=named)
        return pd.DataFrame(tables[section](self))

    def report(self, path: str | Path, *, examples: int = 0) -> Path:
        """Write the report of ``evencover audit --html`` with so many test rows, and return where.

        Raises :class:`InputError` if it cannot be, or nothing is installed that writes reports.
        """
        try:
            needed_presentation().report(self, Path(path), examples)
        except OSError as error:
            sentence, why = "'{path}' cannot be written: {why}", error.strerror
            raise InputError("report.unwritable", sentence, path=path, why=why) from None
        return Path(path)

    def figure(self, name: str, **choice: Any) -> Any:  # noqa: ANN401 - a figure of plotly
        """Return a chart of the report.

        "groups"; "coefficients", of the ``subset`` "test" or "training"; "probabilities"; or
        "segments", of a ``variable``. Raises :class:`InputError` if there is none of that name.
        """
        return needed_presentation().figure(self, name, **choice)

    def __repr__(self) -> str:
        """Return what it says in words: all of its rows would fill screens."""
        return "\n\n".join([*self.headline, *self.explanations])

    def _repr_html_(self) -> str | None:
        """Return the report's first screen for a notebook; None if nothing shows it."""
        shown = installed_presentation()
        return None if shown is None else shown.first_screen(self)


GROUP = "evencover.presentation"


class Presentation(Protocol):
    """What the entry point names offers, a module or an object."""

    def first_screen(self, result: AuditResult) -> str:
        """Return what a notebook shows of a result, as HTML that needs nothing but itself."""

    def report(self, result: AuditResult, path: Path, examples: int) -> None:
        """Write a report of a result, with so many test rows."""

    def figure(self, result: AuditResult, name: str, **choice: Any) -> Any:  # noqa: ANN401
        """Return a chart of a result."""


def installed_presentation() -> Presentation | None:
    """Return what is installed to show results; None if nothing is."""
    return next((point.load() for point in entry_points(group=GROUP)), None)


def needed_presentation() -> Presentation:
    """Return the same; InputError if nothing is installed."""
    found = installed_presentation()
    if found is None:
        sentence = "nothing is installed that shows results; install evencover anew with pip"
        raise InputError("presentation.none", sentence)
    return found


def _predictor(by: AuditedPredictor) -> dict[str, Any]:
    row = {name: value for name, value in json_row(by).items() if name != "fit"}
    of_fit = "no_layer_reason", "suggested_penalty"
    return row | {name: getattr(by.fit, name) for name in of_fit}


def _json_rows(name: str) -> Callable[[AuditResult], list[dict[str, Any]]]:
    return lambda result: [json_row(row) for row in getattr(result, name)]


def _seconds(result: AuditResult) -> dict[str, float]:
    seconds = result.seconds
    fits = {("base_model" if name == "base" else name): s for name, s in seconds.fits.items()}
    return {"read": seconds.read, **fits, "audit": seconds.audit, "total": seconds.total}


def _judged(result: AuditResult, rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return groups with what became of each: by the first adjustment, if there is one."""
    key = f"status_{suffix(1, result.names[1])}" if result.adjustments else "status_base"
    return [row | {"status": row[key]} for row in side_by_side(rows, result.names)]


def _worst_segments(result: AuditResult) -> list[dict[str, Any]]:
    rows, names = _judged(result, result.worst_segments), result.names
    for row in rows:
        found = row["found_on"]
        by = ", ".join(suffix(names.index(name), name) for name in found)
        row["found_on"] = "both" if len(found) == len(names) == 2 else by  # noqa: PLR2004 - so called
    return rows


SECTIONS: dict[str, Callable[[AuditResult], Any]] = {
    "settings": lambda result: result.settings,
    "data": lambda result: asdict(result.data),
    "predictors": lambda result: [_predictor(by) for by in result.predictors],
    "results": _json_rows("results"),
    "iterations": _json_rows("iterations"),
    "coefficients": _json_rows("coefficients"),
    "segments": lambda result: _judged(result, result.segments),
    "drift": lambda result: asdict(result.drift),
    "seconds": _seconds,
    "notes": lambda result: list(result.notes),
    "findings": lambda result: list(map(finding_to_json, result.findings)),
    "gates": _json_rows("gates"),
    "stopped": lambda result: result.stopped,
    "repeats": lambda result: None if result.repeats is None else asdict(result.repeats),
    "gaps": lambda result: side_by_side(result.gaps, result.names),
    "size_strata": _json_rows("size_strata"),
    "worst_segments": _worst_segments,
    "audit_only": _json_rows("audit_only"),
    "changes": _json_rows("changes"),
    "comparisons": _json_rows("comparisons"),
    "headline": lambda result: result.headline,
    "probabilities": _json_rows("probabilities"),
    "periods": _json_rows("periods"),
    "chosen": lambda result: next(map(asdict, filter(None, result.choices)), None),
}
"""All of a result but the test rows: each section in plain dicts and lists."""

NO_ROWS = (
    "settings",
    "data",
    "drift",
    "seconds",
    "notes",
    "stopped",
    "repeats",
    "headline",
    "chosen",
)


def to_json(result: AuditResult) -> dict[str, Any]:
    """Return each section of a result by its name, as plain dicts and lists that JSON can hold.

    Infinities and NaN are None, with a sentence in "notes" that says where.

    >>> from evencover.core import AuditSettings, audit
    >>> rows = pd.DataFrame({"x": [i % 50 for i in range(200)], "y": range(200)})
    >>> plain = to_json(audit(rows, AuditSettings(target="y", remedies=("none",))))
    >>> plain["settings"]["cl"], [row["algorithm"] for row in plain["results"]]
    (0.9, ['base', 'base'])
    """
    plain, notes = plain_sections({name: make(result) for name, make in SECTIONS.items()})
    plain["notes"] += notes
    return plain


def finding_to_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON has it, with its sentence."""
    return {name: _named(value) for name, value in json_row(finding).items()}


def _named(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, SegmentRow):
        return {name: getattr(value, name) for name in ("variable", "value", "kind", "n")}
    if isinstance(value, WorstSegmentRow):
        return {"rule": value.rule, "n": value.n}
    if isinstance(value, Mapping):
        return {name: _named(item) for name, item in value.items()}
    return [_named(item) for item in value] if isinstance(value, list) else value


_OddValues = dict[tuple[str, str], Counter[str]]
"""By section and kind of value: how often each field holds one."""

_WRITTEN = {"subset": "segment", "predictor": "algorithm"}
"""Fields called otherwise in JSON.

There, and in tables, which others rely on, a figure of the first of predictors side by side ends in
"_base", one of the second, the chosen remedy, in "_adjusted", and of any further one in its name.
"""


def suffix(place: int, predictor: str) -> str:
    """Return what the figures of a predictor end in, by its place among them from 0."""
    return ("base", "adjusted")[place] if place < 2 else predictor  # noqa: PLR2004 - names of two


def columns(row: type[Any] | Any, predictors: Sequence[str]) -> list[str]:  # noqa: ANN401
    """Return the names under which the fields of a class of rows, or of a row, are written."""
    names = [field.name for field in fields(row)]
    if not hasattr(row, "shared"):
        return [_WRITTEN.get(name, name) for name in names]
    written: list[str] = []
    for name in (name for name in names if name != "predictor"):
        ends = [""] if name in row.shared else [f"_{suffix(*by)}" for by in enumerate(predictors)]
        written += [f"{name}{end}" for end in ends]
    return [*written, "status"] if "status" in names else written


_Row = TypeVar("_Row", bound=SegmentRow | GapRow)


def grouped(rows: Iterable[_Row]) -> list[dict[str, _Row]]:
    """Return for each group its rows by the predictors' names, in the order of the first."""
    groups: dict[object, dict[str, _Row]] = {}
    for row in rows:
        groups.setdefault(row.group, {})[row.predictor] = row
    return list(groups.values())


def side_by_side(rows: Iterable[Any], predictors: Sequence[str]) -> list[dict[str, Any]]:
    """Return a dict for each group, with the figures of every predictor in it.

    ``rows`` are of one class that names its ``shared`` fields and its ``group``.
    """
    found = []
    for group in grouped(rows):
        values: dict[str, Any] = {}
        for name, row in group.items():
            end = suffix(predictors.index(name), name)
            for key, value in vars(row).items():  # what is shared is the first's
                values.setdefault(key if key in row.shared else f"{key}_{end}", value)
        found.append({key: values[key] for key in columns(row, predictors) if key in values})
    return found


def json_row(row: Any) -> dict[str, Any]:  # noqa: ANN401 - of any table
    """Return a row of one predictor under the names that it has in JSON."""
    return {_WRITTEN.get(name, name): value for name, value in vars(row).items()}


def plain_sections(sections: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return sections with None for infinities and NaN, and a sentence on each field with any."""
    odd: _OddValues = {}
    plain = {name: _plain(section, name, name, odd) for name, section in sections.items()}
    notes = []
    for (section, word), counts in odd.items():
        rows = max(counts.values())
        where = f"{rows} row{'' if rows == 1 else 's'} of {section}"
        notes.append(f"{word.capitalize()} in {where}: {', '.join(counts)}.")
    return plain, notes


def _plain(value: Any, section: str, name: str, odd: _OddValues) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _plain(item, section, key, odd) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, section, name, odd) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        word = "not defined" if math.isnan(value) else "infinite"
        odd.setdefault((section, word), Counter())[name] += 1
        return None
    return value
