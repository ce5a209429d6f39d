"""Numbers written as text: decimal commas, thousands separators, currency signs, accounting.

``1.234`` has three decimals in one country and is one thousand in another. A column is read by
what its values leave no doubt about, then by the file's delimiter; doubt is refused, not guessed.

A currency or percent sign is dropped where all values carry the same. A minus may be typographic,
behind a decimal number (1.50-) or, among numbers without them, brackets. A dash, which may be a
zero, does not mean a missing value. Whole numbers with leading zeros (007) are codes: text.
"""

import re
from collections.abc import Iterable
from enum import Enum
from pathlib import Path

import pandas as pd

from ..messages import Cell, InputError

_LONGEST = 1000  # characters: longer text is no number, and Python's own stop at 4,300
_SIGN = r"[-+]?"  # digits of other scripts, which \d means as well, stay text: re.ASCII
_INFINITE = r"(?i:inf(inity)?)"
_PLAIN = re.compile(_SIGN + rf"((\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|{_INFINITE})", re.ASCII)
_WITHOUT_REST = re.compile(_SIGN + r"\d+(\.0*)?", re.ASCII)
_WHOLE = re.compile(_SIGN + rf"(\d+|{_INFINITE})", re.ASCII)
_COMMA_GROUPS = re.compile(_SIGN + r"[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)
_INDIAN_GROUPS = re.compile(_SIGN + r"[1-9]\d?(,\d{2})+,\d{3}(\.\d*)?", re.ASCII)
_POINT_GROUPS = re.compile(_SIGN + r"[1-9]\d{0,2}(\.\d{3})+(,\d*)?", re.ASCII)
_DECIMAL_COMMA = re.compile(_SIGN + r"(\d*,\d+([eE][-+]?\d+)?|\d{1,3}(\.\d{3})+,\d*)", re.ASCII)
_WITH_POINT = (_PLAIN, _COMMA_GROUPS, _INDIAN_GROUPS)
_WITH_COMMA = (_WHOLE, _DECIMAL_COMMA, _POINT_GROUPS)
_EITHER_COMMA = re.compile(_SIGN + r"[1-9]\d{0,2},\d{3}", re.ASCII)
_EITHER_POINT = re.compile(_SIGN + r"[1-9]\d{0,2}\.\d{3}", re.ASCII)
_SPACED = re.compile(r"[-+]?[1-9]\d{0,2}([ '’\u00a0\u2009\u202f]\d{3})+(?!\d)", re.ASCII)
_POWER = re.compile(r"\d+[eE]\d+", re.ASCII)
_CODE = re.compile(rf"0\d+|{_POWER.pattern}", re.ASCII)
_WHOLE_OR_CODE = re.compile(r"\d+([eE]\d+)?", re.ASCII)
_UNIT = re.compile(r"[%‰$¢£¤¥€₩₪₫₱₴₹₺₽₿]")
_UNIT_BEFORE = re.compile(rf"^([-+(]*)\s?{_UNIT.pattern}\s?")
_UNIT_BEHIND = re.compile(rf"\s?{_UNIT.pattern}(-?\)?)$")
_MINUS_BEHIND = re.compile(r"^(\d[\d.,]*[.,]\d+)-$")  # 2- may be a grade, and 12.- is a price
_BRACKETS = re.compile(r"^\((\d.*|[.,]\d.*)\)$")
_WORD_BEHIND = re.compile(_SIGN + r"\d[\d.,]*\s?(?P<word>[^\W\d_]+[²³]?)")
EXACT = 2**53  # whole numbers below it are floats as well, which hold it and the next as one


class Style(Enum):
    """How the numbers of a column are written."""

    POINT = "decimal point"
    COMMA = "decimal comma"
    IN_DOUBT = "in doubt"


def are_codes(texts: pd.Series) -> bool:
    """Say whether texts, none missing, are whole numbers, some written as no number is: 007, 7E2.

    Programs write ten millions as 1e+07 or 1.0E7, so that bare 1E7 is a part's number.
    """
    values = [text.strip() for text in _distinct(texts)]
    return any(_CODE.fullmatch(v) for v in values) and all(map(_WHOLE_OR_CODE.fullmatch, values))


def is_power(text: str) -> bool:
    """Say whether a text such as 7E2 is a code, or else a power of ten."""
    return _POWER.fullmatch(text.strip()) is not None


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
    """Return texts of a certain style, missing ones among them, as numbers that keep all digits."""
    decimal, groups = (",", ".") if style is Style.COMMA else (".", ",")
    rows, distinct = pd.factorize(texts)
    bare = [_bare(value).replace(groups, "").replace(decimal, ".") for value in distinct.tolist()]
    numbers = _exact(bare)
    if (rows < 0).any() and pd.api.types.is_integer_dtype(numbers) and is_large(numbers):
        numbers = numbers.convert_dtypes()
    return pd.Series(numbers.reindex(rows).array, index=texts.index, name=texts.name)


def is_large(numbers: pd.Series) -> bool:
    """Say whether floats cannot hold all of the whole numbers between those of a column."""
    return bool(numbers.max() >= EXACT or numbers.min() <= -EXACT)


def _exact(numbers: list[str]) -> pd.Series:
    found = pd.to_numeric(pd.Series(numbers, dtype=object))
    if found.dtype.kind == "f" and is_large(found) and all(map(_WITHOUT_REST.fullmatch, numbers)):
        numbers = [number.partition(".")[0] for number in numbers]
        found = pd.to_numeric(pd.Series(numbers, dtype=object))
    if not pd.api.types.is_string_dtype(found):
        return found
    # texts still, where one needs all 64 bits and another is negative
    if all(map(_WHOLE.fullmatch, numbers)):
        return pd.Series(list(map(int, numbers)), dtype=object)
    return found.astype(float)


def fit_both(texts: Iterable[str]) -> bool:
    """Say whether all texts are numbers with a decimal point and with a decimal comma, as 1.779."""
    values = map(_bare, texts)
    return all(_is_written(v, *_WITH_COMMA) and _is_written(v, *_WITH_POINT) for v in values)


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
    about: dict[str, object] = {"column": str(texts.name), "file": file}
    if "," not in value:
        sentence += ", or have it read as numbers (--{choice}) if the point is a decimal point"
        about["choice"] = "numeric"
    return InputError("column.in_doubt", sentence, **about, **cells)


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
    grouped = _SPACED.match(bare)  # 030 123 is no number, but a code
    return bare if grouped is None else re.sub(r"[^\d+-]", "", grouped[0]) + bare[grouped.end() :]


def _is_written(value: str, *ways: re.Pattern[str]) -> bool:
    return any(way.fullmatch(value) for way in ways)
