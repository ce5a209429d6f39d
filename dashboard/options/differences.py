"""What the results shown are for, where the choices have changed since; no streamlit here."""

from collections.abc import Iterator

from evencover.core import AuditSettings
from evencover.core.preparation.options import Option


def level_and_penalty(settings: AuditSettings, used: float | None) -> str:
    """Return CL and C as every page writes them; ``used`` is C where it is known.

    What is taken as it is has no C.
    """
    level = f"CL = {settings.confidence_level:g}"
    if settings.is_ready_made:
        return level
    return f"{level}, C by the label" if used is None else f"{level}, C = {used:g}"


def results_are_for(
    shown: AuditSettings, chosen: AuditSettings | None, used: float | None = None
) -> str | None:
    """Return of which settings the results shown are, or None where they are of those chosen now.

    Nothing is chosen (None) where what is chosen cannot be run; ``used`` is the C of the results.
    """
    if chosen is not None and say_the_same(shown, chosen):
        return None
    differing = () if chosen is None else _differing(shown, chosen)
    others = [
        f"{option.name}: {_words(getattr(shown, option.field))}"
        for option in differing
        if option.field not in ("confidence_level", "penalty")
    ]
    return f"These results are for {'; '.join([level_and_penalty(shown, used), *others])}."


def differences_in_words(one: AuditSettings, other: AuditSettings) -> list[str]:
    """Return each option in which settings differ, with the values of both."""
    return [
        f"{option.name}: {_words(getattr(one, option.field))}, then "
        f"{_words(getattr(other, option.field))}"
        for option in _differing(one, other)
    ]


def say_the_same(one: AuditSettings, other: AuditSettings) -> bool:
    """Say whether settings differ in nothing but how they are written."""
    return not any(_differing(one, other))


def _differing(one: AuditSettings, other: AuditSettings) -> Iterator[Option]:
    for (option, mine), (_, theirs) in zip(one.by_option(), other.by_option(), strict=True):
        if option.meaning(mine) != option.meaning(theirs):
            yield option


def _words(value: object) -> str:
    match value:
        case None:
            return "not given"
        case True | False:
            return "yes" if value else "no"
        case tuple():
            items = (" ".join(map(_words, i)) if isinstance(i, tuple) else str(i) for i in value)
            return ", ".join(items) or "none"
        case float():
            return f"{value:g}"
        case _:
            return str(value)
