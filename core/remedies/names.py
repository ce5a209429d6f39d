"""Remedies by the names that they are asked for by."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from ..conformal.measures import Task
from ..messages import InputError, Passage, perhaps
from ..tables.grammar import parse_columns, write_columns
from .auto import Auto
from .base import Remedy, ScoreAdjustment
from .guard import Guarded
from .ifacm.ifacm import IFACM, CrossFittedIFACM, FloorIFACM, SmoothIFACM, check_penalty
from .mondrian import LabelConditional, Mondrian, OverlappingGroups
from .quantile import PairsAdjustment, QuantileAdjustment, QuantileTrees
from .two_sided import TwoSided

REMEDIES: dict[str, type[Remedy]] = {
    "ifacm": IFACM,
    "quantile": QuantileAdjustment,
    "quantile-pairs": PairsAdjustment,
    "quantile-trees": QuantileTrees,
    "mondrian": Mondrian,
    "label": LabelConditional,
    "groups": OverlappingGroups,
    "two-sided": TwoSided,
    "auto": Auto,
    "guarded": Guarded,
    "ifacm-smooth": SmoothIFACM,
    "ifacm-crossfitted": CrossFittedIFACM,
    "ifacm-floor": FloorIFACM,
}
"""By what a name has before its colon, if it has one."""

DEFAULT, NONE = "ifacm", "none"
"""The paper's, which every audit compares with the base by itself, and what asks for nothing."""

WRITTEN = (
    "ifacm, quantile, quantile-pairs, quantile-trees, mondrian:COL, label, label:COL, "
    "groups:COL+COL, two-sided, auto, ifacm-smooth, ifacm-crossfitted, ifacm-floor, "
    "or one that adjusts scores behind guarded:, as in guarded:ifacm; "
    "with a penalty C of its own as in ifacm@0.2"
)

AUTO = ("quantile", "quantile-trees", "ifacm")
"""What auto chooses from, beside groups where remedies may divide rows by them."""

_EXAMPLES = {"adjustment": ("adjustment", "quantile"), "columns": ("columns", "COL+COL")}


@dataclass(frozen=True)
class RemedyName:
    """A name taken apart: the remedy, and the parameters that the name itself says."""

    name: str
    remedy: type[Remedy]
    column: str | None = None
    penalty: float | None = None
    inner: "RemedyName | None" = None

    @property
    def title(self) -> str:
        """The remedy's name for a reader."""
        title = self.remedy.title
        if self.inner is not None:
            return f"{title} {self.inner.title}"
        if self.penalty is not None:
            title += f" with C = {self.penalty:g}"
        return title if self.column is None else f"{title} by {self.column}"

    @property
    def divisions(self) -> tuple[str, ...]:
        """The columns, rules and cohorts by which it divides rows."""
        of = self.column or ""
        return parse_columns(of, "+") if self.remedy.wants == "columns" else (of,) * bool(of)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that it serves."""
        return self.remedy.tasks if self.inner is None else self.inner.tasks

    def made(self, parameters: Mapping[str, Any]) -> Remedy:
        """Return the remedy with those of the parameters that it has, and with the name's own."""
        if self.inner is not None:
            return self.remedy(self.inner.made(parameters))
        own = {"column": self.column, "columns": self.divisions or None, "penalty": self.penalty}
        given = {**parameters, **{name: value for name, value in own.items() if value is not None}}
        remedy = self.remedy()
        has = remedy.get_params(deep=False)
        made: Remedy = remedy.set_params(**{n: value for n, value in given.items() if n in has})
        return made


def name_of(remedy: Remedy) -> str:
    """Return the name in data of a remedy that is given as such: its class, if that has none."""
    known = (name for name, entry in REMEDIES.items() if type(remedy) is entry)
    name, has = next(known, type(remedy).__name__), remedy.get_params(deep=False)
    if has.get("penalty") is not None:
        name += f"@{has['penalty']!r}"
    inner = has.get("inner")
    of = has.get("column") or write_columns(has.get("columns", ()), "+") or None
    of = name_of(inner) if isinstance(inner, Remedy) else of
    return name if of is None else f"{name}:{of}"


def asked_for(names: Iterable[str]) -> list[RemedyName]:
    """Return the remedies of a list of names, none for "none"; see :func:`parse_remedy`."""
    return [parse_remedy(name) for name in names if name != NONE]


def title_of(name: str) -> str:
    """Return the title of a remedy's name; of any other the name itself."""
    try:
        return parse_remedy(name).title
    except InputError:
        return name


def parse_remedy(name: str) -> RemedyName:
    """Take a name apart, or raise :class:`InputError`."""
    head, colon, of = name.partition(":")
    kind, at, penalty = head.partition("@")
    remedy = REMEDIES.get(kind)
    if remedy is None:
        sentence = "there is no remedy '{name}'; choose {written}" + perhaps(kind, REMEDIES)
        raise InputError("remedy.unknown", sentence, name=name, written=WRITTEN)
    own = _penalty(name, remedy, penalty) if at else None
    wants = remedy.wants
    if not of:
        if colon or "nothing" not in wants:
            sentence = "remedy '{name}' names no {wanted} behind a colon; write {kind}:{example}"
            wanted, example = _EXAMPLES.get(wants, ("column", "COL"))
            about = {"name": name, "kind": kind, "wanted": wanted, "example": example}
            raise InputError("remedy.incomplete", sentence, **about)
        return RemedyName(name, remedy, penalty=own)
    if wants == "nothing":
        sentence = "remedy '{kind}' takes nothing behind a colon, but is given '{of}'; leave it out"
        raise InputError("remedy.superfluous", sentence, kind=kind, of=of)
    if wants != "adjustment":
        return RemedyName(name, remedy, of, own)
    # one within itself is refused before it is read: it may be so a thousand times
    own = of.partition(":")[0].partition("@")[0] == kind
    inner = RemedyName(of, remedy) if own else parse_remedy(of)
    if own or not issubclass(inner.remedy, ScoreAdjustment):
        sentence = "remedy '{of}' adjusts no scores, so that it cannot be {kind}; choose {written}"
        others = (n for n, r in REMEDIES.items() if issubclass(r, ScoreAdjustment) and r != remedy)
        about = {"of": of, "kind": kind, "written": Passage("one of " + ", ".join(others))}
        raise InputError("remedy.not_adjusting", sentence, **about)
    return RemedyName(name, remedy, inner=inner)


def _penalty(name: str, remedy: type[Remedy], written: str) -> float:
    """Return the C behind an @; refused if it is none, or the remedy has none."""
    if "penalty" not in signature(remedy).parameters:
        sentence = "remedy '{name}' has no penalty C; leave out '@{written}'"
        raise InputError("remedy.no_penalty", sentence, name=name, written=written)
    try:
        penalty = float(written)
    except ValueError:
        penalty = math.nan
    check_penalty(penalty, written)
    return penalty
