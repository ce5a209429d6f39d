"""Choices about segments as a person writes them: pairs, cuts, reference groups, cohorts."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from evencover.core import AuditSettings, InputError
from evencover.core.audit.cohorts import cohorts_replaced

_Choice = TypeVar("_Choice")
_NAME = r'\s*("(?:[^"]|"")+"|[^\s",:](?:[^",:]*[^\s",:])?)\s*'
_PAIR = f"{_NAME}:{_NAME}"
_NAMED = re.compile(r'\s*("(?:[^"]|"")+"|[^":]+?)\s*:\s*(.+?)\s*', re.DOTALL)
_IN_QUOTES = re.compile(r'"(?:[^"]|"")*"')
_BLANKS = r"[^\S\n]*"
_LINE = re.compile(
    rf'{_BLANKS}(?:"(?:[^"]|"")*")?'
    rf'(?:[^=\n]*={_BLANKS}"(?:[^"]|"")*"(?={_BLANKS}(?:\n|\Z)))?[^\n]*'
)
"""Quotes hold a line end together where they stand around a name or a segment."""
_ASSIGNED = re.compile(r'\s*("(?:[^"]|"")+"|[^"=]+?)\s*=\s*(.*?)\s*', re.DOTALL)


def parse_pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of ``a:b,c:d``; a name that holds a comma or colon is put in quotes.

    Raises
    ------
    InputError
        If the text is no list of pairs.
    """
    if not re.fullmatch(f"{_PAIR}(?:,{_PAIR})*", text):
        raise InputError(
            "pairs.unreadable",
            "'{text}' is no list of pairs; write A:B,C:D, with names that hold a comma or colon in "
            "double quotes",
            text=text,
        )
    found = re.findall(f"{_PAIR}(?:,|$)", text)
    return tuple((_unquoted(one), _unquoted(other)) for one, other in found)


def parse_cuts(text: str) -> tuple[str, tuple[float, ...]]:
    """Return the column and the numbers of ``column=18,40,65``.

    Raises
    ------
    InputError
        If the text is not of this form.
    """
    column, points = _assigned(text)
    try:
        return column, tuple(float(point) for point in points.split(","))
    except ValueError:
        raise InputError(
            "cuts.unreadable",
            "'{text}' gives no cut points; write a column, = and numbers, as in age=18,40,65",
            text=text,
        ) from None


def parse_reference(text: str) -> tuple[str, str]:
    """Return the variable and the segment of ``variable=segment``, either of them in quotes or not.

    Raises
    ------
    InputError
        If the text is not of this form.
    """
    variable, written = _assigned(text)
    if not written:
        raise InputError(
            "reference.no_segment",
            "'{text}' names no segment; write a variable, = and its segment, as in owner=agency, "
            'or owner="" where it is empty',
            text=text,
        )
    return variable, _unquoted(written) if _IN_QUOTES.fullmatch(written) else written


def parse_cohort(text: str) -> tuple[str, str]:
    """Return the name and the rule of ``name: rule``.

    Raises
    ------
    InputError
        If the text is not of this form; whether the rule can be read is not looked at.
    """
    found = _NAMED.fullmatch(text)
    if found is None:
        raise InputError(
            "cohort.unreadable",
            "'{text}' names no cohort before a colon; write NAME: RULE, as in old homes: age >= "
            "65, with a name that holds a colon in double quotes",
            text=text,
        )
    return _unquoted(found[1]), found[2]


def parse_lines(text: str, parse: Callable[[str], _Choice]) -> tuple[_Choice, ...]:
    """Return what the lines of a text say, each a name, = and more, without those that are empty.

    A name or segment in double quotes may hold a line end.
    """
    return tuple(parse(line) for line in _lines(text))


def references_left(
    text: str, before: AuditSettings, cohorts: Sequence[tuple[str, str]], columns: Iterable[str]
) -> str:
    """Return the lines about groups to compare with that other cohorts leave.

    Parameters
    ----------
    before
        Settings with the cohorts that the text was written for.
    cohorts
        Names and rules of those that there are now.
    columns
        Of the table, of which one may be called like a cohort's variable.
    """
    others = list(columns)

    def is_left(line: str) -> bool:
        try:
            reference = (parse_reference(line),)
        except InputError:  # told where the text is read
            return True
        asked = replace(before, reference=reference)
        return bool(cohorts_replaced(asked, cohorts, others).reference)

    return "\n".join(filter(is_left, _lines(text)))


def _lines(text: str) -> list[str]:
    return [line for line in _LINE.findall(text) if line.strip()]


def write_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Write pairs as :func:`parse_pairs` reads them."""
    return ", ".join(f"{_quoted(one, ',:')}:{_quoted(other, ',:')}" for one, other in pairs)


def write_cuts(cuts: Iterable[tuple[str, tuple[float, ...]]]) -> str:
    """Write a line for each list of cut points, as :func:`parse_cuts` reads it."""
    return "\n".join(
        f"{_quoted(column, '=')}={','.join(f'{point:.17g}' for point in points)}"
        for column, points in cuts
    )


def write_cohorts(cohorts: Iterable[tuple[str, str]]) -> str:
    """Write a line for each cohort, as :func:`parse_cohort` reads it."""
    return "\n".join(f"{_quoted(name, ':')}: {rule}" for name, rule in cohorts)


def write_reference(reference: Iterable[tuple[str, str]]) -> str:
    """Write a line for each reference group, as :func:`parse_reference` reads it."""
    return "\n".join(
        f"{_quoted(variable, '=')}={_quoted(segment, '')}" for variable, segment in reference
    )


def _assigned(text: str) -> tuple[str, str]:
    found = _ASSIGNED.fullmatch(text)
    if found is None:
        raise InputError(
            "column.unassigned",
            "'{text}' names no column before an =; write COL=..., with a name that holds an = in "
            "double quotes",
            text=text,
        )
    return _unquoted(found[1]), found[2]


def _unquoted(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name


def _quoted(name: str, special: str) -> str:
    odd = not name or name != name.strip() or any(sign in name for sign in special + '"\n\r')
    return '"' + name.replace('"', '""') + '"' if odd else name
