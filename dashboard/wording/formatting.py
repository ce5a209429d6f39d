"""How figures and names are written."""

import re
from collections.abc import Sequence

from evencover.core.messages import visible

_TOO_LONG = 1e15
"""A number whose digits nobody counts, and of which a computer knows no more."""

_DRAWN_AS_OTHERS = re.compile(r"\\[<>~-](?=\\?[>=-])|\\:(?=//)|www(?=\\\.)|@", re.IGNORECASE)
"""Signs in escaped text behind which it is to be parted."""


def signed_points(share: float) -> str:
    """Return a difference of shares in percentage points, with its sign: +1.8."""
    return f"{100.0 * share:+z.1f}"


def number(value: float, digits: int = 4) -> str:
    """Return a number of so many digits, whole where it has as many before the point, up to 15."""
    whole = 10.0 ** (digits - 1) <= abs(value) < _TOO_LONG
    return f"{value:,.0f}" if whole else f"{value:,.{digits}g}".replace("inf", "infinite")


def inefficiency_name(task: str) -> str:
    """Return what inefficiency is for a task, in words."""
    return "mean width (standardised)" if task == "regression" else "mean set size"


def size_name(task: str) -> str:
    """Return what inefficiency in the label's own units is for a task, in words."""
    return "mean width, label's units" if task == "regression" else "mean set size"


def one_line(text: str) -> str:
    """Return text without line ends and control signs; names and values may hold both."""
    return visible(" ".join(text.splitlines()))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines of text, in columns as wide as their widest cells."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def plain(text: str) -> str:
    """Return text that Markdown shows as it is: names and values of a table may hold anything."""
    escaped = re.sub(r"([\\`*_{}\[\]()<>#+\-.!|$~:^&])", r"\\\1", one_line(text))
    # Escaped or not, streamlit draws an arrow for -> and one sign for >=, and makes links of
    # addresses, unless they are parted; :small[] draws nothing, and is copied as nothing.
    return _DRAWN_AS_OTHERS.sub(r"\g<0>:small[]", escaped)
