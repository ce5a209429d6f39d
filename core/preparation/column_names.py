"""What the name of a column says of its values."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_SOMEBODY = {
    *("account", "applicant", "borrower", "client", "customer", "driver", "employee", "guest"),
    *("household", "member", "owner", "participant", "passenger", "patient", "person", "player"),
    *("policyholder", "respondent", "student", "subject", "tenant", "user", "worker"),
}
_ROLES_OF_PERSONS = _SOMEBODY | {
    *("agent", "analyst", "assignee", "author", "broker", "buyer", "candidate", "caregiver"),
    *("coach", "contact", "dentist", "director", "doctor", "editor", "father"),
    *("husband", "inspector", "instructor", "landlord", "lawyer", "manager", "mother", "nurse"),
    *("officer", "operator", "physician", "pilot", "principal", "provider", "referee"),
    *("rep", "representative", "salesman", "salesperson", "seller", "supervisor", "surgeon"),
    *("teacher", "technician", "therapist", "trainer", "tutor", "wife", "winner", "writer"),
}
"""A person may be named by them."""
_NUMBERED = {*("id", "ids", "uid", "uuid", "guid", "key", "no", "nr", "nbr", "number")}
_CODES = {
    *("zip", "postal", "plz", "fips", "icd", "diag", "diagnosis", "sic", "naics"),
    *("type", "category", "region", "district", "county", "state", "country", "province"),
    *("department", "dept", "store", "shop", "branch", "sector", "occupation", "industry"),
}
"""Of last words, those of numbers that are names."""

_CYCLES = {
    **dict.fromkeys(("hour", "hr", "hour_of_day"), 24),
    **dict.fromkeys(("month", "mnth", "month_of_year"), 12),
    **dict.fromkeys(("weekday", "dow", "day_of_week", "dayofweek"), 7),
    **dict.fromkeys(("quarter", "season"), 4),
}
"""By last words, the largest number that such a part of a day, week or year has."""

_MEASURES = {
    *("amount", "average", "avg", "count", "dist", "distance", "max", "mean", "min", "n", "num"),
    *("per", "rate", "share", "since", "size", "sum", "total"),
}
"""A name with one of them is of a quantity, whatever its last word."""

_OF_NAMES = {"first", "last", "given", "family", "full", "middle", "maiden"}
_NAMES = {"forename", "surname"}

_KNOWN = {
    *(*_SOMEBODY, *_NUMBERED, *_CODES, *_OF_NAMES),
    *("age", "sex", "race", "gender", "male", "female", "ethnic", "religion", "disability"),
    *("birth", "country", "native", "marital", "civil", "status", "national", "origin", "skin"),
    *("code", "codes", "color", "colour", "date", "group", "has", "is", "name", "of", "year"),
    *("years", "citizen"),
}
"""A word made of these alone is several, as customerage is."""

_PROTECTED = {
    "race": "race races racial ethnic ethnicity ethnicities skin_color skin_colour hispanic tribe "
    "caste",
    "sex": "sex gender male female",
    "sexual orientation": "sexual_orientation transgender",
    "age": "age ages birth_date birthdate birthday dob date_of_birth year_of_birth birth_year "
    "birthyear",
    "religion": "religion religious faith",
    "disability": "disability disabilities disabled handicap",
    "nationality": "nationality citizenship citizen native_country national_origin "
    "country_of_birth immigrant",
    "marital status": "marital married civil_status",
    "pregnancy": "pregnant pregnancy",
}
"""By a protected attribute, the words of which a column that holds it has one in its name."""

_THINGS = {
    *("house", "housing", "home", "building", "property", "flat", "apartment", "roof", "kitchen"),
    *("bathroom", "car", "vehicle", "engine", "machine", "device", "tree", "forest", "account"),
    "loan",
}
"""Words beside which an age is not a person's."""

_LONGEST = 30


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
    """Say whether a name is that of an id, such as ``order_no``."""
    return bool(words_of(name)) and words_of(name)[-1] in _NUMBERED | _SOMEBODY


def says_somebody(name: str) -> bool:
    """Say whether a name is that of an id of persons or the like, such as ``patient_nbr``."""
    return says_identifier(name) and bool(_SOMEBODY.intersection(words_of(name)))


def says_code(name: str, values: Iterable[float] = ()) -> bool:
    """Say whether a name is that of codes; of hours, months and the like by the values, too."""
    words = words_of(name)
    if not words or _MEASURES.intersection(words):
        return False
    if words[-1] in _CODES | _NUMBERED or any(word.endswith(("code", "codes")) for word in words):
        return True
    most = next((n for last, n in _CYCLES.items() if f"_{'_'.join(words)}".endswith(f"_{last}")), 0)
    return most > 0 and all(0.0 <= value <= most for value in values)


def says_person(name: str) -> bool:
    """Say whether a column with such a name holds the names of persons."""
    words = words_of(name)
    if not words:
        return False
    if words[-1] == "name":
        return len(words) == 1 or bool({*words} & (_OF_NAMES | _ROLES_OF_PERSONS))
    return words[-1] in _NAMES or words in (("first",), ("last",))


def says_role_of_person(name: str) -> bool:
    """Say whether a name is of somebody, who may be told by a name: ``manager``, ``sold_by``."""
    words = words_of(name)
    return bool(words) and (words[-1] in _ROLES_OF_PERSONS or words[-1] == "by")


def says_one_of(name: str, words: str) -> bool:
    """Say whether a name has one of these words, each one or several of :func:`words_of`."""
    said = f"_{'_'.join(words_of(name))}_"
    return any(f"_{word}_" in said for word in words.split())


def protected_attributes(names: Iterable[str]) -> dict[str, str]:
    """Return the columns whose names say a protected attribute, and which.

    Whole words count, see :func:`words_of`: ``applicantSex``, ``customerage`` and ``age_years`` do,
    ``page`` and ``sexton`` do not, nor does ``house_age``, which is no person's.
    """
    found = {name: _attribute(name) for name in names}
    return {name: attribute for name, attribute in found.items() if attribute is not None}


def _attribute(name: str) -> str | None:
    said = (attribute for attribute, words in _PROTECTED.items() if says_one_of(name, words))
    return next((a for a in said if a != "age" or not _THINGS.intersection(words_of(name))), None)
