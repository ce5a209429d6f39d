"""How a person writes the value of an option, on the command line and on Setup."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from evencover.core import AuditSettings, InputError
from evencover.core.preparation import options as kinds
from evencover.core.report.cohorts import cohorts_replaced
from evencover.core.tables.grammar import (
    lines_of,
    parse_cohort,
    parse_columns,
    parse_cuts,
    parse_pairs,
    parse_reference,
    write_cohorts,
    write_columns,
    write_cuts,
    write_pairs,
    write_reference,
)

_AUTO = "auto"


def parse_by_label(text: str) -> float | None:
    """Read a number, or ``auto`` for one that goes by the label, or raise :class:`InputError`."""
    try:
        return None if text == _AUTO else float(text)
    except ValueError:
        advice = f"is no number; give one, or {_AUTO}, by which it goes by the label"
        raise InputError("number.unreadable", f"'{{text}}' {advice}", text=text) from None


def write_by_label(number: float | None) -> str:
    """Write a number as :func:`parse_by_label` reads it."""
    return _AUTO if number is None else str(number)


def references_left(
    text: str, before: AuditSettings, cohorts: Sequence[tuple[str, str]], columns: Iterable[str]
) -> str:
    """Return the lines about groups to compare with that the cohorts there are now leave.

    The text was written for those of ``before``; a column may be called like a cohort's variable.
    """
    others = list(columns)

    def is_left(line: str) -> bool:
        try:
            reference = (parse_reference(line),)
        except InputError:  # said where the text is read
            return True
        asked = replace(before, reference=reference)
        return bool(cohorts_replaced(asked, cohorts, others).reference)

    return "\n".join(filter(is_left, lines_of(text)))


@dataclass(frozen=True)
class Form:
    """How the options of one kind are written."""

    parse: Callable[[str], Any]  # what is given to the option on the command line once
    metavar: str | None = None  # stands for that in its help; None for the option's own name
    write: Callable[[Any], str] = str  # a whole value, with a line for each item of "append"
    action: str = "store"  # of argparse
    example: str | None = None  # what is shown on Setup where nothing is written

    def read(self, text: str) -> Any:  # noqa: ANN401 - of any option
        """Return the value that :attr:`write` writes so, or raise :class:`InputError`."""
        if self.action == "append":
            return tuple(map(self.parse, lines_of(text)))
        return self.parse(text) if text.strip() or self.action == "store" else ()

    def texts(self, value: Any) -> list[str]:  # noqa: ANN401 - of any option
        """Return what is given to the option, each time that it is."""
        if self.action == "append":
            return [self.write([item]) for item in value]
        return [self.write(value)]


_List = partial(Form, action="extend")
_Each = partial(Form, action="append")

FORMS: Mapping[kinds.ValueKind, Form] = {
    kinds.TEXT: Form(str),
    kinds.COLUMN: Form(str, "COL"),
    kinds.NUMBER: Form(float),
    kinds.NUMBER_BY_LABEL: Form(parse_by_label, "NUMBER|auto", write_by_label),
    kinds.WHOLE: Form(int, "N"),
    kinds.COLUMNS: _List(parse_columns, "A,B", write_columns),
    kinds.REMEDIES: _List(parse_columns, "A,B", write_columns, example="ifacm, quantile"),
    kinds.WORDS: _List(parse_columns, "A,B", write_columns),
    kinds.PAIRS: _List(parse_pairs, "A:B,C:D", write_pairs, example="A:B, C:D"),
    kinds.CUTS: _Each(parse_cuts, "COL=X,Y", write_cuts, example="age=18,40,65"),
    kinds.REFERENCE: _Each(parse_reference, "COL=SEGMENT", write_reference, example="owner=agency"),
    kinds.COHORTS: _Each(parse_cohort, "'NAME: RULE'", write_cohorts),
}
"""Of every kind but flags, which are given or not."""
