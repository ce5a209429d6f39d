"""How a person writes the value of an option, on the command line and on Setup.

What holds a sign that divides items, or a line end, is put in double quotes, within which a double
quote is written twice.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from evencover.core import AuditSettings, InputError
from evencover.core.preparation import options as kinds
from evencover.core.report.cohorts import cohorts_replaced

_QUOTED = r'"(?:[^"]|"")*"'
_COLUMN = re.compile(rf"\s*({_QUOTED}|[^,\r\n]*?)\s*(?:,|\Z)")
_NAME = r'\s*("(?:[^"]|"")+"|[^\s",:](?:[^",:]*[^\s",:])?)\s*'
_PAIR = f"{_NAME}:{_NAME}"
_NAMED = re.compile(r'\s*("(?:[^"]|"")+"|[^":]+?)\s*:\s*(.+?)\s*', re.DOTALL)
_ASSIGNED = re.compile(r'\s*("(?:[^"]|"")+"|[^"=]+?)\s*=\s*(.*?)\s*', re.DOTALL)
_AUTO = "auto"
_BLANKS = r"[^\S\n]*"
_LINE = re.compile(
    rf"{_BLANKS}(?:{_QUOTED})?(?:[^=\n]*={_BLANKS}{_QUOTED}(?={_BLANKS}(?:\n|\Z)))?[^\n]*"
)
"""Quotes hold a line end together where they stand around a name or a segment."""


def parse_columns(text: str) -> tuple[str, ...]:
    """Read ``a,b,c``, or raise :class:`InputError`; quotes keep spaces around a name, too."""
    names: list[str] = []
    place = 0
    while place < len(text):
        item = _COLUMN.match(text, place)
        if item is None:
            advice = "is no list of columns; put a name that holds a line end in double quotes"
            raise _refused("columns.unreadable", text, advice)
        if item[1]:
            names.append(_unquoted(item[1]))
        place = item.end()
    return tuple(names)


def write_columns(names: Iterable[str]) -> str:
    """Write names as :func:`parse_columns` reads them."""
    return ",".join(_quoted(name, ",") for name in names)


def parse_pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Read ``a:b,c:d``, or raise :class:`InputError`."""
    if not re.fullmatch(f"{_PAIR}(?:,{_PAIR})*", text):
        advice = "write A:B,C:D, with names that hold a comma or colon in double quotes"
        raise _refused("pairs.unreadable", text, f"is no list of pairs; {advice}")
    found = re.findall(f"{_PAIR}(?:,|$)", text)
    return tuple((_unquoted(one), _unquoted(other)) for one, other in found)


def write_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Write pairs as :func:`parse_pairs` reads them."""
    return ", ".join(f"{_quoted(one, ',:')}:{_quoted(other, ',:')}" for one, other in pairs)


def parse_cuts(text: str) -> tuple[str, tuple[float, ...]]:
    """Read ``column=18,40,65``, or raise :class:`InputError`."""
    column, points = _assigned(text)
    try:
        return column, tuple(float(point) for point in points.split(","))
    except ValueError:
        advice = "gives no cut points; write a column, = and numbers, as in age=18,40,65"
        raise _refused("cuts.unreadable", text, advice) from None


def write_cuts(cuts: Iterable[tuple[str, tuple[float, ...]]]) -> str:
    """Write a line for each list of cut points, as :func:`parse_cuts` reads it."""
    return "\n".join(
        f"{_quoted(column, '=')}={','.join(f'{point:.17g}' for point in points)}"
        for column, points in cuts
    )


def parse_reference(text: str) -> tuple[str, str]:
    """Read ``variable=segment``, or raise :class:`InputError`."""
    variable, written = _assigned(text)
    if not written:
        example = 'as in owner=agency, or owner="" where it is empty'
        advice = f"names no segment; write a variable, = and its segment, {example}"
        raise _refused("reference.no_segment", text, advice)
    return variable, _unquoted(written)


def write_reference(reference: Iterable[tuple[str, str]]) -> str:
    """Write a line for each reference group, as :func:`parse_reference` reads it."""
    return "\n".join(
        f"{_quoted(variable, '=')}={_quoted(segment, '')}" for variable, segment in reference
    )


def parse_cohort(text: str) -> tuple[str, str]:
    """Read ``name: rule``, whatever the rule, or raise :class:`InputError`."""
    found = _NAMED.fullmatch(text)
    if found is None:
        example = "as in old homes: age >= 65, with a name that holds a colon in double quotes"
        advice = f"names no cohort before a colon; write NAME: RULE, {example}"
        raise _refused("cohort.unreadable", text, advice)
    return _unquoted(found[1]), found[2]


def write_cohorts(cohorts: Iterable[tuple[str, str]]) -> str:
    """Write a line for each cohort, as :func:`parse_cohort` reads it."""
    return "\n".join(f"{_quoted(name, ':')}: {rule}" for name, rule in cohorts)


def parse_by_label(text: str) -> float | None:
    """Read a number, or ``auto`` for one that goes by the label, or raise :class:`InputError`."""
    try:
        return None if text == _AUTO else float(text)
    except ValueError:
        advice = f"is no number; give one, or {_AUTO}, by which it goes by the label"
        raise _refused("number.unreadable", text, advice) from None


def write_by_label(number: float | None) -> str:
    """Write a number as :func:`parse_by_label` reads it."""
    return _AUTO if number is None else str(number)


def lines_of(text: str) -> list[str]:
    """Return the lines that hold something; what is in double quotes may hold a line end."""
    return [line for line in _LINE.findall(text) if line.strip()]


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


def _assigned(text: str) -> tuple[str, str]:
    found = _ASSIGNED.fullmatch(text)
    if found is None:
        advice = "write COL=..., with a name that holds an = in double quotes"
        raise _refused("column.unassigned", text, f"names no column before an =; {advice}")
    return _unquoted(found[1]), found[2]


def _refused(code: str, text: str, advice: str) -> InputError:
    return InputError(code, f"'{{text}}' {advice}", text=text)


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if re.fullmatch(_QUOTED, name) else name


def _quoted(name: str, special: str) -> str:
    odd = not name or name != name.strip() or any(sign in name for sign in special + '"\n\r')
    return '"' + name.replace('"', '""') + '"' if odd else name
