"""Numbers written as text: decimal commas, thousands separators, spaces between groups.

``1.234`` is a number with three decimals in one country and one thousand in another. A column
is read by what its own values leave no doubt about, then by what the file's delimiter says of
its country; what stays in doubt is refused, never guessed.
"""

import re
from collections.abc import Callable
from enum import Enum

import numpy as np
import pandas as pd

from ..prediction_sets import BoolArray

_SIGN = r"[-+]?"
_EXPONENT = r"([eE][-+]?\d+)?"
_PLAIN = rf"({_SIGN}(\d+\.?\d*|\.\d+){_EXPONENT})"
_COMMA_GROUPS = rf"({_SIGN}[1-9]\d{{0,2}}(,\d{{3}})+(\.\d*)?)"
_POINT_GROUPS = rf"({_SIGN}[1-9]\d{{0,2}}(\.\d{{3}})+(,\d*)?)"
_DECIMAL_COMMA = rf"({_SIGN}\d*,\d+{_EXPONENT}|{_SIGN}\d{{1,3}}(\.\d{{3}})+,\d*)"
_POINT_NUMBER = rf"({_PLAIN}|{_COMMA_GROUPS})"
_COMMA_NUMBER = rf"({_SIGN}\d+|{_DECIMAL_COMMA}|{_POINT_GROUPS})"
_EITHER = rf"({_SIGN}[1-9]\d{{0,2}}[.,]\d{{3}})"
_SPACE_SIGNS = "[ '’\u00a0\u202f]"
_GROUP_SPACE = re.compile(rf"(?<=\d){_SPACE_SIGNS}(?=\d{{3}}(\D|$))")
_FIRST_VALUES = 100


class Style(Enum):
    """How the numbers of a column are written."""

    POINT = "decimal point"
    COMMA = "decimal comma"
    IN_DOUBT = "in doubt"


def style_of(texts: pd.Series) -> Style | None:
    """Return how a column of texts, none missing, writes numbers; None if it does not."""
    # the first values tell nearly always that a column holds no numbers, and without pandas,
    # whose millisecond for each pattern counts where there are thousands of columns
    few = [_GROUP_SPACE.sub("", value.strip()) for value in texts.head(_FIRST_VALUES)]
    style = _style(lambda pattern: np.array([bool(re.fullmatch(pattern, v)) for v in few]))
    if style is None or len(texts) <= _FIRST_VALUES:
        return style
    values = _ungrouped(texts)
    return _style(lambda pattern: values.str.fullmatch(pattern).to_numpy(dtype=bool))


def _style(matching: Callable[[str], BoolArray]) -> Style | None:
    """Return the style of values of which ``matching`` says which match a pattern."""
    as_point, as_comma = matching(_POINT_NUMBER).all(), matching(_COMMA_NUMBER).all()
    if as_point and as_comma:
        plain = matching(_PLAIN) & ~matching(_EITHER)
        return Style.POINT if plain.all() else Style.IN_DOUBT
    if as_point:
        return Style.POINT
    return Style.COMMA if as_comma else None


def to_numbers(texts: pd.Series, style: Style) -> pd.Series:
    """Return texts, missing ones among them, of a certain style as numbers."""
    decimal, groups = (",", ".") if style is Style.COMMA else (".", ",")
    plain = _ungrouped(texts).str.replace(groups, "", regex=False)
    return pd.to_numeric(plain.str.replace(decimal, ".", regex=False))


def has_comma(texts: pd.Series) -> bool:
    """Say whether a comma is what is in doubt in a column, rather than a point."""
    return bool(texts.str.contains(",", regex=False).any())


def doubt(texts: pd.Series, file: str) -> str:
    """Return a sentence on a column of which it is in doubt what its numbers are."""
    value = texts[_ungrouped(texts).str.fullmatch(_EITHER)].iloc[0]
    low, high = re.sub(r"[.,]", ".", value), re.sub(r"[.,]", "", value)
    return (
        f"column '{texts.name}' of '{file}' holds '{value}', which may be {low} or {high}; write "
        "numbers without thousands separators"
    )


def _ungrouped(texts: pd.Series) -> pd.Series:
    texts = texts.str.strip()
    grouped = texts.str.contains(_SPACE_SIGNS, na=False)
    if grouped.any():  # only there: what looks ahead and behind is done value by value
        texts = texts.where(~grouped, texts[grouped].str.replace(_GROUP_SPACE, "", regex=True))
    return texts
