"""Remedies by the names that they are asked for by."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..conformal.measures import ConformityMeasure, Task
from ..errors import InputError
from .base import Remedy, ScoreAdjustment
from .guard import Guarded
from .ifacm.ifacm import IFACM
from .ifacm.variants import CrossFittedIFACM, FloorIFACM, SmoothIFACM
from .mondrian import LabelConditional, Mondrian
from .quantile.pairs import PairsAdjustment
from .quantile.quantile import QuantileAdjustment

REMEDIES: dict[str, type[Remedy]] = {
    "ifacm": IFACM,
    "quantile": QuantileAdjustment,
    "quantile-pairs": PairsAdjustment,
    "mondrian": Mondrian,
    "label": LabelConditional,
    "guarded": Guarded,
    "ifacm-smooth": SmoothIFACM,
    "ifacm-crossfitted": CrossFittedIFACM,
    "ifacm-floor": FloorIFACM,
}
"""By what a name has before its colon, if it has one."""

DEFAULT, NONE = "ifacm", "none"
"""What an audit compares with the base by itself, and what asks for nothing."""

WRITTEN = (
    "ifacm, quantile, quantile-pairs, mondrian:COL, label, label:COL, ifacm-smooth, "
    "ifacm-crossfitted, ifacm-floor, "
    "or one that adjusts scores behind guarded:, as in guarded:ifacm"
)


@dataclass(frozen=True)
class RemedyName:
    """A name taken apart: ``of`` is what it has behind its colon, which a guarded one nests."""

    name: str
    remedy: type[Remedy]
    of: "str | RemedyName | None" = None

    @property
    def title(self) -> str:
        """The remedy's name for a reader."""
        if isinstance(self.of, RemedyName):
            return f"{self.remedy.title} {self.of.title}"
        return self.remedy.title if self.of is None else f"{self.remedy.title} by {self.of}"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names."""
        if isinstance(self.of, RemedyName):
            return self.of.columns
        return () if self.of is None else (self.of,)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that it serves."""
        return self.of.tasks if isinstance(self.of, RemedyName) else self.remedy.tasks

    def of_settings(self, base: ConformityMeasure, settings: Any) -> Remedy:  # noqa: ANN401
        """Return the remedy for a fitted base measure, with an audit's settings."""
        of = self.of.of_settings(base, settings) if isinstance(self.of, RemedyName) else self.of
        return self.remedy.from_settings(base, settings, of)


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
    kind, colon, of = name.partition(":")
    remedy = REMEDIES.get(kind)
    if remedy is None:
        sentence = "there is no remedy '{name}'; choose {written}"
        raise InputError("remedy.unknown", sentence, name=name, written=WRITTEN)
    wants = remedy.wants
    if not of:
        if colon or "nothing" not in wants:
            sentence = "remedy '{name}' names no {wanted} behind a colon; write {kind}:{example}"
            wanted, example = (
                ("adjustment", "quantile") if wants == "adjustment" else ("column", "COL")
            )
            about = {"name": name, "kind": kind, "wanted": wanted, "example": example}
            raise InputError("remedy.incomplete", sentence, **about)
        return RemedyName(name, remedy)
    if wants == "nothing":
        sentence = "remedy '{kind}' takes nothing behind a colon, but is given '{of}'; leave it out"
        raise InputError("remedy.superfluous", sentence, kind=kind, of=of)
    if wants != "adjustment":
        return RemedyName(name, remedy, of)
    inner = parse_remedy(of)
    if not issubclass(inner.remedy, ScoreAdjustment) or inner.remedy is remedy:
        sentence = "remedy '{of}' adjusts no scores, so that it cannot be {kind}; choose {written}"
        raise InputError("remedy.not_adjusting", sentence, of=of, kind=kind, written="quantile")
    return RemedyName(name, remedy, inner)
