"""Values as JSON can hold them: it knows neither infinities nor NaN."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

_OddValues = dict[tuple[str, str], Counter[str]]
"""By section and kind of value: how often each field holds one."""


def plain_sections(sections: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return sections with None for infinities and NaN, and a sentence on each field with any."""
    odd: _OddValues = {}
    plain = {name: _plain(section, name, name, odd) for name, section in sections.items()}
    told = [
        f"{word.capitalize()} in {_rows(max(counts.values()))} of {section}: {', '.join(counts)}."
        for (section, word), counts in odd.items()
    ]
    return plain, told


def _plain(value: Any, section: str, name: str, odd: _OddValues) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _plain(item, section, key, odd) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, section, name, odd) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        word = "not defined" if math.isnan(value) else "infinite"
        odd.setdefault((section, word), Counter())[name] += 1
        return None
    return value


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"
