"""What the page says in sentences: bounded, and without values of single rows."""

import re
from collections.abc import Sequence

LONGEST_SENTENCE = 2000
_MOST_SENTENCES = 100
_VALUE = re.compile(r"(holds|the first of them) '.*' in row ", re.DOTALL)


def cut(text: str, longest: int) -> str:
    """Return text of so many signs at most."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def without_values(sentence: str) -> str:
    """Return a sentence that told what a row holds with the number of that row alone."""
    return _VALUE.sub(r"\1 a value in row ", sentence)


def sentences(told: Sequence[str]) -> list[str]:
    """Return the first of many sentences, each so long at most."""
    shown = [cut(without_values(one), LONGEST_SENTENCE) for one in told[:_MOST_SENTENCES]]
    more = len(told) - len(shown)
    return [*shown, f"The JSON result holds {more:,} more."] if more else shown
