"""Numbers written as text: decimal commas, thousands separators, currency signs, accounting.

``1.234`` has three decimals in one country and is one thousand in another. A column is read by
what its values leave no doubt about, then by the file's delimiter; doubt is refused, not guessed.

A currency or percent sign is dropped where all values carry the same. A minus may be typographic,
behind a decimal number (1.50-) or, among numbers without them, brackets. A dash, which may be a
zero, does not mean a missing value. Whole numbers with leading zeros (007) are codes: text.
"""

import re
from enum import Enum
from pathlib import Path

import pandas as pd

from ..errors import InputError
from ..messages import Cell

_LONGEST = 1000
"""Characters of a number; text that is longer is no number, and Python's own stop at 4,300."""

_SIGN = r"[-+]?"  # digits of other scripts, which \d means as well, stay text: re.ASCII
_INFINITE = r"(?i:inf(inity)?)"
_PLAIN = re.compile(_SIGN + rf"((\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|{_INFINITE})", re.ASCII)
_WHOLE = re.compile(_SIGN + rf"(\d+|{_INFINITE})", re.ASCII)
_COMMA_GROUPS = re.compile(_SIGN + r"[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)
_INDIAN_GROUPS = re.compile(_SIGN + r"[1-9]\d?(,\d{2})+,\d{3}(\.\d*)?", re.ASCII)
_POINT_GROUPS = re.compile(_SIGN + r"[1-9]\d{0,2}(\.\d{3})+(,\d*)?", re.ASCII)
_DECIMAL_COMMA = re.compile(_SIGN + r"(\d*,\d+([eE][-+]?\d+)?|\d{1,3}(\.\d{3})+,\d*)", re.ASCII)
_WITH_POINT = (_PLAIN, _COMMA_GROUPS, _INDIAN_GROUPS)
_WITH_COMMA = (_WHOLE, _DECIMAL_COMMA, _POINT_GROUPS)
_EITHER_COMMA = re.compile(_SIGN + r"[1-9]\d{0,2},\d{3}", re.ASCII)
_EITHER_POINT = re.compile(_SIGN + r"[1-9]\d{0,2}\.\d{3}", re.ASCII)
_GROUP_SPACE = re.compile(r"(?<=\d)[ '’\u00a0\u2009\u202f](?=\d{3}(\D|$))")
_CODE = re.compile(r"0\d+")
_UNIT = re.compile(r"[%‰$¢£¤¥€₩₪₫₱₴₹₺₽₿]")
_UNIT_BEFORE = re.compile(rf"^([-+(]*)\s?{_UNIT.pattern}\s?")
_UNIT_BEHIND = re.compile(rf"\s?{_UNIT.pattern}(-?\)?)$")
_MINUS_BEHIND = re.compile(r"^(\d[\d.,]*[.,]\d+)-$")  # 2- may be a grade, and 12.- is a price
_BRACKETS = re.compile(r"^\((\d.*|[.,]\d.*)\)$")
_WORD_BEHIND = re.compile(_SIGN + r"\d[\d.,]*\s?(?P<word>[^\W\d_]+[²³]?)")
_MISSING_WORDS = {
    *("?", ".", "..", "...", "nan", "na", "n/a", "n.a.", "<na>", "#n/a", "null", "(null)"),
    *("missing", "(missing)", "(blank)", "(empty)", "unknown", "not available"),
    *("#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"),
}


class Style(Enum):
    """How the numbers of a column are written."""

    POINT = "decimal point"
    COMMA = "decimal comma"
    IN_DOUBT = "in doubt"


def known(texts: pd.Series) -> pd.Series:
    """Return those of a column's texts that are neither missing nor a word for that."""
    texts = texts.dropna()
    words = [value for value in _distinct(texts) if value.strip().lower() in _MISSING_WORDS]
    return texts[~texts.isin(words)] if words else texts


def first_known(texts: pd.Series) -> str | None:
    """Return the first of :func:`known`, enough to see that most columns hold no numbers."""
    return next((v for v in texts.dropna() if v.strip().lower() not in _MISSING_WORDS), None)


def are_codes(texts: pd.Series) -> bool:
    """Say whether texts, none missing, are whole numbers of which some have leading zeros."""
    values = [text.strip() for text in _distinct(texts)]
    return any(_CODE.fullmatch(v) for v in values) and all(v.isdecimal() for v in values)


def style_of(texts: pd.Series) -> Style | None:
    """Return how a column of texts, none missing, writes numbers; None if it does not."""
    distinct = _distinct(texts)
    if not all(map(is_number, distinct)):  # most columns of text end at their first value
        return None
    values = [_bare(value) for value in distinct]
    as_point = all(_is_written(v, *_WITH_POINT) for v in values)
    as_comma = all(_is_written(v, *_WITH_COMMA) for v in values)
    if not (as_point or as_comma) or len(set(map(unit, distinct))) > 1 or are_codes(texts):
        return None
    if all(value.strip().endswith(")") for value in distinct):  # then brackets are no minus
        return None
    if as_point and as_comma:
        plain = all(_PLAIN.fullmatch(v) and not _EITHER_POINT.fullmatch(v) for v in values)
        return Style.POINT if plain else Style.IN_DOUBT
    return Style.POINT if as_point else Style.COMMA


def is_number(value: str) -> bool:
    """Say whether a text is a number in some style, in doubt or not."""
    if len(value) > _LONGEST or (value[:1].isalpha() and value[:1] not in "iI"):  # not infinity
        return False
    return _is_written(_bare(value), *_WITH_POINT, *_WITH_COMMA)


def to_numbers(texts: pd.Series, style: Style) -> pd.Series:
    """Return texts, missing ones among them, of a certain style as numbers."""
    decimal, groups = (",", ".") if style is Style.COMMA else (".", ",")
    distinct = _distinct(known(texts))
    values = {v: _bare(v).replace(groups, "").replace(decimal, ".") for v in distinct}
    numbers = pd.to_numeric(texts.map(values))
    # texts still, where a whole number needs all 64 bits and another value is missing or negative
    return numbers.astype(float) if pd.api.types.is_string_dtype(numbers) else numbers


def unit(value: str) -> str:
    """Return the currency or percent sign of a text; "" where there is none."""
    return "".join(_UNIT.findall(value))


def common_word(texts: pd.Series) -> str | None:
    """Return the word that is behind each of a column's numbers, such as kg; None if none is."""
    matches = (_WORD_BEHIND.fullmatch(value.strip()) for value in _distinct(texts))
    words = (match and match["word"] for match in matches)
    first = next(words, None)
    return first if first is not None and all(word == first for word in words) else None


def doubt(texts: pd.Series, file: Path) -> InputError:
    """Return the refusal of a column of which it is in doubt what its numbers are."""
    value = next(v for v in _distinct(texts) if _is_written(_bare(v), _EITHER_COMMA, _EITHER_POINT))
    low, high = re.sub(r"[.,]", ".", value), re.sub(r"[.,]", "", value)
    cells = {"value": Cell(value), "low": Cell(low), "high": Cell(high)}
    sentence = (
        "column '{column}' of '{file}' holds '{value}', which may be {low} or {high}; write "
        "numbers without thousands separators"
    )
    return InputError("column.in_doubt", sentence, column=str(texts.name), file=file, **cells)


def _distinct(texts: pd.Series) -> list[str]:
    values: list[str] = texts.unique().tolist()  # pandas' own text is slow to loop over
    return values


def _bare(value: str) -> str:
    """Return a number without unit and group spaces, its minus in front."""
    bare = value.strip()
    body = bare.lstrip("+-")
    if not (body[:1].isalnum() and body[-1:].isalnum()):
        signed = bare.replace("\u2212", "-")
        bare = _UNIT_BEFORE.sub(r"\1", signed)
        if bare == signed:  # one unit alone
            bare = _UNIT_BEHIND.sub(r"\1", signed)
        bare = _BRACKETS.sub(r"-\1", _MINUS_BEHIND.sub(r"-\1", bare))
    return _GROUP_SPACE.sub("", bare)


def _is_written(value: str, *ways: re.Pattern[str]) -> bool:
    return any(way.fullmatch(value) for way in ways)
