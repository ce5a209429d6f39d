"""What a person writes about rows and columns, read and written: one pass over each text.

Rules select rows, such as "age >= 65 and district = Old or New"; worst segments are written in the
same language. Conditions are joined by "and":

- ``age >= 65``, with any of ``= != < <= > >=``, or a range, ``18 <= age < 65``;
- ``district = Old, New or "Upper and Lower"``, one of several values; ``!=`` for none of them;
- ``income is missing``, ``income is not missing``.

Names and values that hold a comma, a quote, one of the signs, or "and", "or" or "is" as a word of
its own are put in double quotes, as JSON has them. Days are written as 2014-10-13, of which all
moments are meant, and moments as 2014-10-13 18:30:05.

Options name columns and segments in lists (``a,b``), in pairs (``a:b,c:d``), before an equals sign
(``age=18,40``, ``owner=agency``) or before the colon of a cohort (``old homes: age >= 65``). There,
what holds a sign that divides items, or a line end, is put in double quotes, within which a double
quote is written twice.

Limits hold a quantity against a bound: ``ifacm.coverage(sex = F) < 0.88``.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

from ..messages import InputError, is_unwritable
from .columns import check_exists
from .rules import Between, Bound, Condition, Missing, OneOf, Rule

_TOKEN = re.compile(
    r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<sign>!=|<=|>=|[=<>])|(?P<comma>,)'
    r'|(?P<word>(?:(?!!=)[^\s"=<>,])+))',
    re.DOTALL,
)
_Token = re.Match[str]
_BLANKS = r"[^\S\n]*+"
_QUOTED = r'"(?:[^"]|"")*"'
_LINE = re.compile(
    rf"{_BLANKS}(?:{_QUOTED})?+(?:[^=\n]*+={_BLANKS}{_QUOTED}(?={_BLANKS}(?:\n|\Z)))?+[^\n]*+"
)
"""Quotes hold a line end together where they stand around a name or a segment."""

_LIMIT = re.compile(
    r"\s*+(?:(?P<predictor>[^()<>=\s][^()<>=]*)\.)?(?P<quantity>[^.()<>=]*)"
    r"(?:\((?P<of>.*)\)\s*)?(?P<sign><=|>=|<|>)(?P<bound>[^()<>=]*+)",
    re.DOTALL,
)
_BOUND = re.compile(
    r"(?P<number>\d{1,20}(\.\d{0,20})?|\.\d{1,20})?\s*+(?P<unit>%|(?:\*\s*+)?floor)?", re.ASCII
)
_KEYWORDS = ("and", "or", "is")
_HOW_TO_WRITE = (
    "write conditions such as age >= 65, 18 <= age < 65, district = Old or New, or income is "
    "missing, joined by and"
)
_HOW_TO_QUOTE = (
    "put a name or value that holds a comma, a quote, a sign, or and, or, is as a word, in double "
    "quotes"
)
_HOW_TO_JOIN = (
    "write a number with a decimal point, join the last two of several values by or, and "
    f"{_HOW_TO_QUOTE}"
)


def parse_rule(text: str) -> Rule:
    """Read a rule, or refuse it by quoting the part that cannot be read."""
    _check_writable(text)
    if not text.strip():
        raise InputError("rule.empty", f"the rule is empty; {_HOW_TO_WRITE}")
    conditions = _divided(_tokens(text), lambda token: token["word"] == "and")
    if not all(conditions):
        _refuse(text, text.strip(), f"a condition is missing; {_HOW_TO_WRITE}")
    return Rule(tuple(map(_condition, conditions)))


def rule_columns(text: str) -> tuple[str, ...]:
    """Return the columns that a rule names; of a text that is none, the text as one."""
    try:
        return parse_rule(text).columns
    except InputError:
        return (text,)


def check_column_or_rule(names: Sequence[str], text: str) -> None:
    """Raise :class:`InputError` of what is no column, or else of what is broken of a rule."""
    if text not in names and {*text} & {*"<>="}:
        parse_rule(text)
    check_exists(names, text)


def _tokens(text: str) -> Iterator[_Token]:
    position, end = 0, len(text.rstrip())
    while position < end:
        token = _TOKEN.match(text, position)
        if token is None:
            _refuse(text, text[position:].strip(), "close its double quote")
        yield token
        position = token.end()


def _divided(tokens: Iterable[_Token], is_between: Callable[[_Token], bool]) -> list[list[_Token]]:
    parts: list[list[_Token]] = [[]]
    for token in tokens:
        if is_between(token):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _divides(token: _Token) -> bool:
    return bool(token["comma"]) or token["word"] == "or"


def _condition(tokens: Sequence[_Token]) -> Condition:
    places = [place for place, token in enumerate(tokens) if token["sign"]]
    signs = [tokens[place]["sign"] for place in places]
    parts = [tokens[start + 1 : end] for start, end in pairwise([-1, *places, len(tokens)])]
    match signs:
        case []:
            return _missing(tokens)
        case ["=" | "!=" as sign]:
            name = _one(parts[0], tokens)
            last = next((token for token in reversed(parts[1]) if _divides(token)), None)
            if last and last["comma"]:  # 1,5 may be a number
                _refuse_part(tokens, _HOW_TO_JOIN)
            values = tuple(_one(value, tokens) for value in _divided(parts[1], _divides))
            return OneOf(name, values, negated=sign == "!=")
        case [sign]:
            name, bound = _one(parts[0], tokens), Bound(_one(parts[1], tokens), "=" in sign)
            return Between(name, bound, None) if ">" in sign else Between(name, None, bound)
        case ["<" | "<=" as first, "<" | "<=" as second]:
            name = _one(parts[1], tokens)
            low = Bound(_one(parts[0], tokens), first == "<=")
            return Between(name, low, Bound(_one(parts[2], tokens), second == "<="))
    return _refuse_part(tokens, f"{_HOW_TO_WRITE}, and {_HOW_TO_QUOTE}")


def _missing(tokens: Sequence[_Token]) -> Missing:
    for words in (["is", "not", "missing"], ["is", "missing"]):
        end = [token["word"] for token in tokens[-len(words) :]]
        if len(tokens) > len(words) and end == words:
            name = _one(tokens[: -len(words)], tokens)
            return Missing(name, negated="not" in words)
    return _refuse_part(tokens, _HOW_TO_WRITE)


def _one(tokens: Sequence[_Token], whole: Sequence[_Token]) -> str:
    """Read one name or value: in quotes, or words as they stand."""
    if not tokens:
        _refuse_part(whole, f"a name or value is missing; {_HOW_TO_WRITE}")
    if len(tokens) == 1 and tokens[0]["quoted"]:
        try:
            text = str(json.loads(tokens[0]["quoted"], strict=False))
        except json.JSONDecodeError:
            _refuse_part(tokens, 'write a quote within quotes as \\", and a backslash as \\\\')
        _check_writable(text)
        return text
    if any(token["word"] in (None, *_KEYWORDS) for token in tokens):
        _refuse_part(tokens, _HOW_TO_QUOTE)
    return _part(tokens)


def _part(tokens: Sequence[_Token]) -> str:
    return tokens[0].string[tokens[0].start() : tokens[-1].end()].lstrip()


def _refuse_part(tokens: Sequence[_Token], advice: str) -> NoReturn:
    _refuse(tokens[0].string, _part(tokens), advice)


def _check_writable(text: str) -> None:
    if is_unwritable(text):
        sentence = "the rule holds '{rule}', which cannot be written as UTF-8; write it anew"
        raise InputError("rule.unwritable", sentence, rule=text)


def _refuse(text: str, part: str, advice: str) -> NoReturn:
    whole = text.strip()
    where = "'{part}'" if part == whole else "'{part}' of '{rule}'"
    sentence = f"the rule {where} cannot be read; {advice}"
    raise InputError("rule.unreadable", sentence, part=part, rule=whole)


class _Item(NamedTuple):
    """What stands before a sign, or at the end of a text, and where the next one begins."""

    name: str
    is_quoted: bool
    sign: str
    end: int

    @property
    def is_name(self) -> bool:
        """Whether it can be read in one way only."""
        return bool(self.name) and (self.is_quoted or '"' not in self.name)


@cache
def _item_before(signs: str) -> re.Pattern[str]:
    quoted = r'"(?P<quoted>(?:[^"]|"")*+)"\s*+'
    return re.compile(rf"\s*+(?:{quoted}|(?P<plain>[^{signs}]*+))(?P<sign>[{signs}]|\Z)")


def _item(text: str, signs: str, start: int = 0) -> _Item:
    found = _item_before(signs).match(text, start)
    assert found is not None  # noqa: S101 - whatever comes before a sign is an item
    quoted, plain = found["quoted"], found["plain"]
    name = plain.strip() if quoted is None else quoted.replace('""', '"')
    return _Item(name, quoted is not None, found["sign"], found.end())


def _items(text: str, signs: str) -> Iterator[_Item]:
    item = _Item("", is_quoted=False, sign=signs, end=0)
    while item.sign:
        item = _item(text, signs, item.end)
        yield item


def _in_quotes(name: str, signs: str) -> str:
    odd = not name or name != name.strip() or any(sign in name for sign in signs + '"\n\r')
    return '"' + name.replace('"', '""') + '"' if odd else name


def _refused(code: str, text: str, advice: str) -> InputError:
    return InputError(code, f"'{{text}}' {advice}", text=text)


def parse_columns(text: str, sign: str = ",") -> tuple[str, ...]:
    """Read ``a,b,c``, or raise :class:`InputError`; quotes keep spaces around a name, too."""
    items = [item for item in _items(text, sign) if item.name or item.is_quoted]
    if any(not item.is_quoted and {*"\n\r"} & {*item.name} for item in items):
        advice = "is no list of columns; put a name that holds a line end in double quotes"
        raise _refused("columns.unreadable", text, advice)
    return tuple(item.name for item in items)


def write_columns(names: Iterable[str], sign: str = ",") -> str:
    """Write names as :func:`parse_columns` reads them."""
    return sign.join(_in_quotes(name, sign) for name in names)


def parse_words(text: str) -> tuple[str | tuple[str, tuple[str, ...]], ...]:
    """Read words, ``a,b``, or the words of a column, ``column=a,b``, or raise InputError."""
    column = _item(text, "=")
    if column.sign and column.is_name and (column.is_quoted or "," not in column.name):
        return (parse_words_of(text),)
    return parse_columns(text)


def parse_words_of(text: str) -> tuple[str, tuple[str, ...]]:
    """Read ``column=a,b``, or raise :class:`InputError`."""
    column, words = _assigned(text)
    return column, parse_columns(words)


def write_words(words: Iterable[str]) -> str:
    """Write words as :func:`parse_words` reads them."""
    return ",".join(_in_quotes(word, ",=") for word in words)


def parse_pairs(text: str) -> tuple[tuple[str, str], ...]:
    """Read ``a:b,c:d``, or raise :class:`InputError`."""
    items = list(_items(text, ",:"))
    ones, others = items[::2], items[1::2]
    in_pairs = [one.sign == ":" for one in ones] == [other.sign != ":" for other in others]
    if not (in_pairs and all(item.is_name for item in items)):
        advice = "write A:B,C:D, with names that hold a comma or colon in double quotes"
        raise _refused("pairs.unreadable", text, f"is no list of pairs; {advice}")
    return tuple((one.name, other.name) for one, other in zip(ones, others, strict=True))


def write_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Write pairs as :func:`parse_pairs` reads them."""
    return ", ".join(f"{_in_quotes(one, ',:')}:{_in_quotes(other, ',:')}" for one, other in pairs)


def parse_cuts(text: str) -> tuple[str, tuple[float, ...]]:
    """Read ``column=18,40,65``, or raise :class:`InputError`."""
    column, points = _assigned(text)
    try:
        return column, tuple(float(point) for point in points.split(","))
    except ValueError:
        advice = "gives no cut points; write a column, = and numbers, as in age=18,40,65"
        raise _refused("cuts.unreadable", text, advice) from None


def parse_reference(text: str) -> tuple[str, str]:
    """Read ``variable=segment``, or raise :class:`InputError`."""
    variable, written = _assigned(text)
    if not written:
        example = 'as in owner=agency, or owner="" where it is empty'
        advice = f"names no segment; write a variable, = and its segment, {example}"
        raise _refused("reference.no_segment", text, advice)
    whole = _item(written, "=")  # of which quotes are taken off where they stand around it all
    return variable, whole.name if whole.is_quoted and not whole.sign else written


def _assigned(text: str) -> tuple[str, str]:
    column = _item(text, "=")
    if not (column.is_name and column.sign):
        advice = "write COL=..., with a name that holds an = in double quotes"
        raise _refused("column.unassigned", text, f"names no column before an =; {advice}")
    return column.name, text[column.end :].strip()


def parse_cohort(text: str) -> tuple[str, str]:
    """Read ``name: rule``, whatever the rule, or raise :class:`InputError`."""
    cohort = _item(text, ":")
    if not (cohort.is_name and cohort.sign):
        example = "as in old homes: age >= 65, with a name that holds a colon in double quotes"
        advice = f"names no cohort before a colon; write NAME: RULE, {example}"
        raise _refused("cohort.unreadable", text, advice)
    return cohort.name, text[cohort.end :].strip()


def _write_lines(
    pairs: Iterable[tuple[str, Any]], sign: str, write: Callable[[Any], str], avoided: str = ""
) -> str:
    """Write a line for each pair: a name, in quotes where it holds the sign or one avoided."""
    names = ((_in_quotes(name, sign.strip() + avoided), of) for name, of in pairs)
    return "\n".join(f"{name}{sign}{write(of)}" for name, of in names)


write_words_of = partial(_write_lines, sign="=", write=write_columns, avoided=",")
write_cuts = partial(
    _write_lines, sign="=", write=lambda points: ",".join(f"{point:.17g}" for point in points)
)
write_reference = partial(_write_lines, sign="=", write=partial(_in_quotes, signs=""))
write_cohorts = partial(_write_lines, sign=": ", write=str)
"""Each writes lines as the function that parses one of its kind reads them."""


def lines_of(text: str) -> list[str]:
    """Return the lines that hold something; what is in double quotes may hold a line end."""
    return [line for line in _LINE.findall(text) if line.strip()]


class Limit(NamedTuple):
    """A predictor's quantity, of what in brackets, a sign and a bound, as they are written."""

    predictor: str | None
    quantity: str
    of: str
    sign: str
    number: float | None
    unit: str | None
    """Of the bound: "%", "floor", "* floor" or nothing; None if it is none that can be read."""


def parse_limit(text: str) -> Limit | None:
    """Read ``predictor.quantity(of) < 2*floor``; None if it has not that form."""
    found = _LIMIT.fullmatch(text)
    if found is None:
        return None
    predictor, quantity, of, sign, bound = found.groups(default="")
    said = _BOUND.fullmatch(bound.strip()) if bound.strip() else None
    number = float(said["number"]) if said and said["number"] else None
    unit = (said["unit"] or "") if said else None
    return Limit(predictor.strip() or None, quantity.rstrip(), of.strip(), sign, number, unit)
