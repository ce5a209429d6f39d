"""Rules as a person writes them, such as "age >= 65 and district = Old or New".

Worst segments are written in the same language. Conditions are joined by "and":

- ``age >= 65``, with any of ``= != < <= > >=``, or a range, ``18 <= age < 65``;
- ``district = Old, New or "Upper and Lower"``, one of several values; ``!=`` for none of them;
- ``income is missing``, ``income is not missing``.

Names and values that hold a comma, a quote, one of the signs, or "and", "or" or "is" as a word of
its own are put in double quotes, as JSON has them. Days are written as 2014-10-13.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NoReturn

from ...errors import InputError
from ...messages import is_unwritable
from .conditions import Between, Bound, Condition, Missing, OneOf, Rule

_TOKEN = re.compile(
    r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<sign>!=|<=|>=|[=<>])|(?P<comma>,)'
    r'|(?P<word>(?:(?!!=)[^\s"=<>,])+))',
    re.DOTALL,
)
_Token = re.Match[str]
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
    conditions = _divided(_tokens(text), lambda token: token["word"] == "and")
    return Rule(tuple(_Reader(text).condition(tokens) for tokens in conditions))


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


class _Reader:
    """Reads the conditions of one rule's text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def condition(self, tokens: Sequence[_Token]) -> Condition:
        """Read one condition."""
        if not tokens:
            _refuse(self._text, self._text.strip(), f"a condition is missing; {_HOW_TO_WRITE}")
        signs = [place for place, token in enumerate(tokens) if token["sign"]]
        match signs:
            case []:
                return self._missing(tokens)
            case [place]:
                return self._compared(tokens, place)
            case [first, second] if {tokens[i]["sign"] for i in signs} <= {"<", "<="}:
                return Between(
                    self._one(tokens[first + 1 : second], tokens),
                    Bound(self._one(tokens[:first], tokens), tokens[first]["sign"] == "<="),
                    Bound(self._one(tokens[second + 1 :], tokens), tokens[second]["sign"] == "<="),
                )
        return self._refuse(tokens, f"{_HOW_TO_WRITE}, and {_HOW_TO_QUOTE}")

    def _missing(self, tokens: Sequence[_Token]) -> Missing:
        for words in (["is", "not", "missing"], ["is", "missing"]):
            end = [token["word"] for token in tokens[-len(words) :]]
            if len(tokens) > len(words) and end == words:
                name = self._one(tokens[: -len(words)], tokens)
                return Missing(name, negated="not" in words)
        return self._refuse(tokens, _HOW_TO_WRITE)

    def _compared(self, tokens: Sequence[_Token], place: int) -> OneOf | Between:
        sign, right = tokens[place]["sign"], tokens[place + 1 :]
        name = self._one(tokens[:place], tokens)
        if sign in ("=", "!="):
            return OneOf(name, self._either(right, tokens), negated=sign == "!=")
        bound = Bound(self._one(right, tokens), included="=" in sign)
        return Between(name, bound, None) if ">" in sign else Between(name, None, bound)

    def _either(self, tokens: Sequence[_Token], whole: Sequence[_Token]) -> tuple[str, ...]:
        """Read values of which the last two are joined by "or", earlier ones by commas."""
        joints = [token for token in tokens if token["comma"] or token["word"] == "or"]
        if joints and joints[-1]["comma"]:  # 1,5 may be a number
            self._refuse(whole, _HOW_TO_JOIN)
        return tuple(self._one(value, whole) for value in _divided(tokens, joints.__contains__))

    def _one(self, tokens: Sequence[_Token], whole: Sequence[_Token]) -> str:
        """Read one name or value: in quotes, or words as they stand."""
        if not tokens:
            self._refuse(whole, f"a name or value is missing; {_HOW_TO_WRITE}")
        if len(tokens) == 1 and tokens[0]["quoted"]:
            try:
                text = str(json.loads(tokens[0]["quoted"], strict=False))
            except json.JSONDecodeError:
                self._refuse(tokens, 'write a quote within quotes as \\", and a backslash as \\\\')
            _check_writable(text)
            return text
        if any(token["word"] in (None, *_KEYWORDS) for token in tokens):
            self._refuse(tokens, _HOW_TO_QUOTE)
        return self._part(tokens)

    def _part(self, tokens: Sequence[_Token]) -> str:
        return self._text[tokens[0].start() : tokens[-1].end()].lstrip()

    def _refuse(self, tokens: Sequence[_Token], remedy: str) -> NoReturn:
        _refuse(self._text, self._part(tokens), remedy)


def _check_writable(text: str) -> None:
    if is_unwritable(text):
        sentence = "the rule holds '{rule}', which cannot be written as UTF-8; write it anew"
        raise InputError("rule.unwritable", sentence, rule=text)


def _refuse(text: str, part: str, remedy: str) -> NoReturn:
    whole = text.strip()
    where = "'{part}'" if part == whole else "'{part}' of '{rule}'"
    sentence = f"the rule {where} cannot be read; {remedy}"
    raise InputError("rule.unreadable", sentence, part=part, rule=whole)
