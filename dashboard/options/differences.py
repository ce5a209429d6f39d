"""What the results shown are for, where the choices have changed since; no streamlit here."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from evencover.core import AuditSettings

NAMES = {
    "target": "label",
    "task": "task",
    "penalty_form": "form of the penalty",
    "search": "search",
    "estimator": "estimator of correctness",
    "ifacm_estimator": "estimator within IFACM",
    "permutations": "permutations",
    "measure": "conformity measure",
    "features": "features",
    "drop": "left out",
    "audit_only": "audit only",
    "categorical": "codes",
    "numeric": "read as numbers",
    "log_target": "logarithm of the label",
    "split": "split",
    "split_column": "column that divides the rows",
    "stratify": "stratified by class",
    "group": "split by group",
    "time": "split by time",
    "seed": "seed",
    "repeats": "repeats",
    "pairs": "pairs of columns",
    "bins": "bands of a number",
    "cuts": "cut points",
    "reference": "groups to compare with",
    "cohorts": "cohorts",
}
"""What the page calls the settings other than CL and C."""

_UNORDERED = ("drop", "audit_only", "categorical", "numeric", "cuts", "reference")
"""Those that say the same in any order."""


def level_and_penalty(settings: AuditSettings) -> str:
    """Return CL and C as every page writes them."""
    return f"CL = {settings.confidence_level:g}, C = {settings.penalty:g}"


def results_are_for(shown: AuditSettings, chosen: AuditSettings | None) -> str | None:
    """Return of which settings the results are, or None where they are of those chosen now.

    Parameters
    ----------
    shown
        The settings of the run whose results are shown.
    chosen
        Those chosen since; None where what is chosen cannot be run.
    """
    if chosen is not None and say_the_same(shown, chosen):
        return None
    told = [level_and_penalty(shown)]
    if chosen is not None:
        told += [
            f"{NAMES.get(name, name)}: {_words(getattr(shown, name))}"
            for name in _differing(shown, chosen)
            if name not in ("confidence_level", "penalty")
        ]
    return f"These results are for {'; '.join(told)}."


def say_the_same(one: AuditSettings, other: AuditSettings) -> bool:
    """Say whether settings differ in nothing but how they are written."""
    return not any(_differing(one, other))


def _differing(one: AuditSettings, other: AuditSettings) -> Iterator[str]:
    for field in fields(AuditSettings):
        name = field.name
        if _meaning(name, getattr(one, name)) != _meaning(name, getattr(other, name)):
            yield name


def _meaning(name: str, value: Any) -> object:  # noqa: ANN401 - of any field
    if name in _UNORDERED:
        return frozenset(value)
    return _parts(value) if name == "split" else value


def _parts(split: str) -> list[float] | str:
    """Return the three numbers, however they are spaced and written."""
    try:
        return [float(part) for part in split.split(",")]
    except ValueError:
        return split


def _words(value: object) -> str:
    match value:
        case None:
            return "automatic"
        case True | False:
            return "yes" if value else "no"
        case tuple():
            return ", ".join(_item(item) for item in value) if value else "none"
        case _:
            return str(value)


def _item(item: object) -> str:
    return " ".join(map(_words, item)) if isinstance(item, tuple) else str(item)
