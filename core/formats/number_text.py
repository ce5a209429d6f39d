"""Numbers written as text: decimal commas, thousands separators, spaces between groups.

``1.234`` is a number with three decimals in one country and one thousand in another. A column
is read by what its own values leave no doubt about, then by what the file's delimiter says of
its country; what stays in doubt is refused, never guessed.
"""

import re
from enum import Enum

import pandas as pd

_SIGN = r"[-+]?"
_PLAIN = re.compile(_SIGN + r"(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_COMMA_GROUPS = re.compile(_SIGN + r"[1-9]\d{0,2}(,\d{3})+(\.\d*)?", re.ASCII)
_POINT_GROUPS = re.compile(_SIGN + r"[1-9]\d{0,2}(\.\d{3})+(,\d*)?", re.ASCII)
_DECIMAL_COMMA = re.compile(
    _SIGN + r"\d*,\d+([eE][-+]?\d+)?|" + _SIGN + r"\d{1,3}(\.\d{3})+,\d*", re.ASCII
)
_EITHER_COMMA = re.compile(_SIGN + r"[1-9]\d{0,2},\d{3}", re.ASCII)
_EITHER_POINT = re.compile(_SIGN + r"[1-9]\d{0,2}\.\d{3}", re.ASCII)
_GROUP_SPACE = re.compile(r"(?<=\d)[ '’\u00a0\u202f](?=\d{3}(\D|$))", re.ASCII)


class Style(Enum):
    """How the numbers of a column are written."""

    POINT = "decimal point"
    COMMA = "decimal comma"
    IN_DOUBT = "in doubt"


def style_of(texts: pd.Series) -> Style | None:
    """Return how a column of texts, none missing, writes numbers; None if it does not."""
    values = [_ungrouped(value) for value in texts.unique()]
    as_point = all(_is_point_number(v) for v in values)
    as_comma = all(_is_comma_number(v) for v in values)
    if as_point and as_comma:
        plain = all(_PLAIN.fullmatch(v) and not _EITHER_POINT.fullmatch(v) for v in values)
        return Style.POINT if plain else Style.IN_DOUBT
    if as_point:
        return Style.POINT
    return Style.COMMA if as_comma else None


def is_number(value: str) -> bool:
    """Say whether a text is a number in some style, in doubt or not."""
    ungrouped = _ungrouped(value)
    return _is_point_number(ungrouped) or _is_comma_number(ungrouped)


def to_numbers(texts: pd.Series, style: Style) -> pd.Series:
    """Return texts, missing ones among them, of a certain style as numbers."""
    decimal, groups = (",", ".") if style is Style.COMMA else (".", ",")
    values = {
        value: _ungrouped(value).replace(groups, "").replace(decimal, ".")
        for value in texts.dropna().unique()
    }
    numbers = pd.to_numeric(texts.map(values))
    # pandas gives texts back where a whole number needs all 64 bits and another value is missing
    # or negative
    return numbers.astype(float) if pd.api.types.is_string_dtype(numbers) else numbers


def has_comma(texts: pd.Series) -> bool:
    """Say whether a comma is what is in doubt in a column, rather than a point."""
    return any("," in value for value in texts.unique())


def doubt(texts: pd.Series, file: str) -> str:
    """Return a sentence on a column of which it is in doubt what its numbers are."""
    value = next(v for v in texts.unique() if _in_doubt(v))
    low, high = re.sub(r"[.,]", ".", value), re.sub(r"[.,]", "", value)
    return (
        f"column '{texts.name}' of '{file}' holds '{value}', which may be {low} or {high}; write "
        "numbers without thousands separators"
    )


def _ungrouped(value: str) -> str:
    return _GROUP_SPACE.sub("", value.strip())


def _is_point_number(value: str) -> bool:
    return bool(_PLAIN.fullmatch(value) or _COMMA_GROUPS.fullmatch(value))


def _is_comma_number(value: str) -> bool:
    whole = re.fullmatch(_SIGN + r"\d+", value, re.ASCII)
    return bool(whole or _DECIMAL_COMMA.fullmatch(value) or _POINT_GROUPS.fullmatch(value))


def _in_doubt(value: str) -> bool:
    return bool(_EITHER_COMMA.fullmatch(value) or _EITHER_POINT.fullmatch(value))
