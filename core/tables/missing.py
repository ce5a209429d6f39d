"""Words that mean a missing value; blanks around them do not decide."""

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

_ANYWHERE = frozenset(
    {
        *("", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NaN", "-NaN", "nan", "-nan"),
        *("NULL", "null", "None", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    }
)
"""Those of pandas."""
_AMONG_NUMBERS = frozenset(
    {
        *("?", ".", "..", "...", "nan", "na", "n/a", "n.a.", "<na>", "#n/a", "null", "(null)"),
        *("missing", "(missing)", "(blank)", "(empty)", "unknown", "not available"),
        *("#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"),
    }
)


@dataclass(frozen=True)
class MissingWords:
    """What means a missing value in any column, and among numbers and dates, in small letters."""

    anywhere: frozenset[str] = _ANYWHERE
    among_numbers: frozenset[str] = _AMONG_NUMBERS

    def known(self, texts: pd.Series) -> pd.Series:
        """Return those of a column's texts that are no such word among numbers, nor missing."""
        texts = texts.dropna()
        words = [value for value in texts.unique().tolist() if self._is_one(value)]
        return texts[~texts.isin(words)] if words else texts

    def first_known(self, texts: pd.Series) -> str | None:
        """Return the first of :meth:`known`, enough to see that most columns hold no numbers."""
        return next((value for value in texts.dropna() if not self._is_one(value)), None)

    def _is_one(self, text: str) -> bool:
        bare = text.strip()
        return bare in self.anywhere or bare.lower() in self.among_numbers


USUAL = MissingWords()


def missing_words(named: Iterable[str] | None) -> MissingWords:
    """Return the words that a person names, beside the empty cell; the usual ones for None."""
    if named is None:
        return USUAL
    return MissingWords(frozenset({"", *(word.strip() for word in named)}), frozenset())
