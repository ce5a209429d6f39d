"""What the name of a column says of its values."""

import re
import tomllib
import unicodedata
from collections.abc import Container, Iterable
from functools import lru_cache
from pathlib import Path

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_TOLD = tomllib.loads(Path(__file__).with_name("column_words.toml").read_text(encoding="utf-8"))
_WORDS = {kind: {*words.split()} for part in _TOLD.values() for kind, words in part.items()}
_ROLES_OF_PERSONS = _WORDS["somebody"] | _WORDS["other_roles"]
_KNOWN = set().union(*(_WORDS[of] for of in ("known", "somebody", "ids", "codes", "names")))
_CYCLES = {word: int(most) for most, words in _TOLD["cycles"].items() for word in words.split()}
"""By last words, the largest number that such a part of a day, week or year has."""

_LONGEST = 30
_ONE = 0.005  # the mean of weights that were divided by it is 1, but for rounding


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """Return a name's words in small letters without accents.

    They are divided by signs, digits and capitals, and where known words are written together.
    """
    letters = unicodedata.normalize("NFKD", name)  # accents are signs of their own, left out here
    letters = "".join(c for c in letters if not unicodedata.combining(c))
    return tuple(part for word in _WORD.findall(letters) for part in _divided(word.lower()))


def _divided(word: str) -> list[str]:
    """Return the known words that a word is made of, or else the word alone."""
    if word in _KNOWN or len(word) > _LONGEST:
        return [word]
    for end in range(2, len(word) - 1):
        if word[:end] in _KNOWN:
            rest = _divided(word[end:])
            if _KNOWN.issuperset(rest):
                return [word[:end], *rest]
    return [word]


def says_identifier(name: str) -> bool:
    """Say whether a name is that of an id, such as ``order_no`` or ``idcode``."""
    *before, last = words_of(name) or ("",)
    of_ids = _WORDS["ids"] | _WORDS["somebody"]
    return last in of_ids or (last == "code" and not of_ids.isdisjoint(before[-1:]))


def says_somebody(name: str) -> bool:
    """Say whether a name is that of an id of persons or the like, such as ``patient_nbr``."""
    return says_identifier(name) and bool(_WORDS["somebody"].intersection(words_of(name)))


def says_code(name: str, values: Iterable[float] = ()) -> bool:
    """Say whether a name is that of codes; of hours, months and the like by the values, too."""
    words = words_of(name)
    if not words or _WORDS["measures"].intersection(words):
        return False
    ends_in_code = any(word.endswith(("code", "codes")) for word in words)
    if ends_in_code or words[-1] in _WORDS["codes"] | _WORDS["ids"]:
        return True
    most = next((n for last, n in _CYCLES.items() if f"_{'_'.join(words)}".endswith(f"_{last}")), 0)
    return most > 0 and all(0.0 <= value <= most for value in values)


def says_unit(name: str) -> bool:
    """Say whether a name is of what a panel may see at each of its times, such as ``firm``."""
    last = words_of(name)[-1:]
    return not (_WORDS["units"] | _WORDS["somebody"]).isdisjoint(last) or says_code(name)


def says_weight(name: str, mean: float) -> bool:
    """Say whether a name is that of weights of rows; of what may be a body's, by a mean of 1."""
    *before, last = words_of(name) or ("",)
    is_of_rows = not _WORDS["of_rows"].isdisjoint(before) or abs(mean - 1.0) < _ONE
    of_surveys = _WORDS["of_surveys"].intersection((*before, last))
    return bool(of_surveys) or (last in _WORDS["bodies"] and is_of_rows)


def says_time(name: str, kind: str = "times") -> bool:
    """Say whether a name is that of times, or of what tells each by itself (``moments``)."""
    words = words_of(name)
    return bool(words) and words[-1] in _WORDS[kind] and _WORDS["times"].issuperset(words)


def says_person(name: str) -> bool:
    """Say whether a column with such a name holds the names of persons."""
    words = words_of(name)
    if not words:
        return False
    if words[-1] == "name":
        return len(words) == 1 or bool({*words} & (_WORDS["names"] | _ROLES_OF_PERSONS))
    return words[-1] in ("forename", "surname") or words in (("first",), ("last",))


def says_role_of_person(name: str) -> bool:
    """Say whether a name is of somebody, who may be told by a name: ``manager``, ``sold_by``."""
    words = words_of(name)
    return bool(words) and (words[-1] in _ROLES_OF_PERSONS or words[-1] == "by")


def says_one_of(name: str, words: str) -> bool:
    """Say whether a name has one of these words, each one or several of :func:`words_of`."""
    said = f"_{'_'.join(words_of(name))}_"
    return any(f"_{word}_" in said for word in words.split())


def protected_attributes(names: Iterable[str], spared: Container[str] = ()) -> dict[str, str]:
    """Return the columns whose names say a protected attribute, and which.

    Whole words count, see :func:`words_of`: ``applicantSex``, ``customerage`` and ``age_years`` do,
    ``page`` and ``sexton`` do not, nor does ``house_age``, which is no person's. ``spared`` are
    those of which a person said that it is not so.
    """
    found = {}
    for name in names:
        words = {*words_of(name)}
        ages = not words & _WORDS["things"]
        said = [a for a, of in _TOLD["protected"].items() if says_one_of(name, of)]
        said = [attribute for attribute in said if ages or attribute != "age"]
        for attribute, alone in _TOLD["protected_by_itself"].items():
            others = words.difference(alone.split())
            said += [attribute] * (others < words and others <= _WORDS["beside"])
        if said and name not in spared:
            found[name] = said[0]
    return found
