"""What the page says in sentences: bounded, and without values of single rows."""

from collections.abc import Sequence

from evencover.core.messages import Sentence

LONGEST_SENTENCE = 2000
_MOST_SENTENCES = 100


def cut(text: str, longest: int) -> str:
    """Return text of so many signs at most."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def without_cells(text: str) -> str:
    """Return a text without what single rows hold, as far as it knows."""
    return text.without_cells() if isinstance(text, Sentence) else text


def sentences(texts: Sequence[str]) -> list[str]:
    """Return the first of many sentences, each so long at most."""
    shown = [cut(without_cells(one), LONGEST_SENTENCE) for one in texts[:_MOST_SENTENCES]]
    more = len(texts) - len(shown)
    return [*shown, f"The JSON result holds {more:,} more."] if more else shown
