"""Names of columns that say a protected attribute."""

import re
import unicodedata

ATTRIBUTES: dict[str, str] = {
    **dict.fromkeys(
        ("race", "races", "racial", "ethnic", "ethnicity", "ethnicities", "skin color"), "race"
    ),
    **dict.fromkeys(("skin colour", "hispanic", "tribe", "caste"), "race"),
    **dict.fromkeys(("sex", "gender", "male", "female"), "sex"),
    **dict.fromkeys(("sexual orientation", "transgender"), "sexual orientation"),
    **dict.fromkeys(("age", "ages", "birth date", "birthdate", "birthday", "dob"), "age"),
    **dict.fromkeys(("date of birth", "year of birth", "birth year", "birthyear"), "age"),
    **dict.fromkeys(("religion", "religious", "faith"), "religion"),
    **dict.fromkeys(("disability", "disabilities", "disabled", "handicap"), "disability"),
    **dict.fromkeys(("nationality", "citizenship", "citizen", "native country"), "nationality"),
    **dict.fromkeys(("national origin", "country of birth", "immigrant"), "nationality"),
    **dict.fromkeys(("marital", "married", "civil status"), "marital status"),
    **dict.fromkeys(("pregnant", "pregnancy"), "pregnancy"),
}
"""By a word, or words in a row, the attribute that a column with them in its name may hold."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def protected_attribute(name: str) -> str | None:
    """Return the protected attribute that a column's name says; None if it says none.

    Whole words count, as divided by signs, digits and capitals: ``applicantSex`` and ``age_years``
    do, ``page`` and ``sexton`` do not.
    """
    letters = unicodedata.normalize("NFKD", name)  # accents are signs of their own, left out here
    letters = "".join(c for c in letters if not unicodedata.combining(c))
    words = f" {' '.join(_WORD.findall(letters)).lower()} "
    found = (attribute for said, attribute in ATTRIBUTES.items() if f" {said} " in words)
    return next(found, None)
