"""The command that repeats an audit."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from typing import Any

from evencover.core import AuditSettings

from .column_lists import write_columns
from .segment_options import write_cohorts, write_cuts, write_pairs, write_reference
from .shell import command_line
from .source import SAMPLE_PREFIX

_BY_SAMPLES = frozenset(
    ("target", "log_target", "drop", "audit_only", "confidence_level", "penalty", "split")
)
"""What a sample fills in where it is not given, so what has to be given."""

_NAMES = {
    "confidence_level": "cl",
    "penalty": "c",
    "penalty_form": "penalty",
    "cohorts": "cohort",
}
"""Of those options that are not called as the setting is."""


def repeat_command(settings: AuditSettings, source: str) -> str:
    """Return the command line that audits the same table with the same settings.

    Parameters
    ----------
    settings
        As they were asked for.
    source
        The table's file, or ``sample:`` and a sample's name.
    """
    of_sample = source.startswith(SAMPLE_PREFIX)
    options = [
        option
        for field in fields(settings)
        if getattr(settings, field.name) != field.default
        or (of_sample and field.name in _BY_SAMPLES)
        for option in _options(field.name, getattr(settings, field.name))
    ]
    return _audit(source, options)


def repeat_with_settings(file: str, source: str) -> str:
    """Return the command line that audits the same table with the settings in a file."""
    return _audit(source, ["--settings", file])


def _audit(source: str, options: list[str]) -> str:
    # a name that begins with a dash would be taken for an option
    table = ["--", source] if source.startswith("-") else []
    first = [] if table else [source]
    return command_line(["evencover", "audit", *first, *options, *table])


def _options(name: str, value: Any) -> Iterator[str]:  # noqa: ANN401 - of any setting
    option = f"--{_NAMES.get(name, name).replace('_', '-')}"
    if isinstance(value, bool):
        yield option if value else option.replace("--", "--no-", 1)
        return
    for text in _WRITERS.get(name, _one)(value):
        # with = in between, so that a value may begin with a dash
        yield f"{option}={text}"


def _one(value: object) -> list[str]:
    return [str(value)]


def _columns(names: Iterable[str]) -> list[str]:
    return [write_columns(names)]


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [write_pairs(pairs)]


def _cuts(cuts: Iterable[tuple[str, tuple[float, ...]]]) -> list[str]:
    return [write_cuts([one]) for one in cuts]


def _reference(reference: Iterable[tuple[str, str]]) -> list[str]:
    return [write_reference([one]) for one in reference]


def _cohorts(cohorts: Iterable[tuple[str, str]]) -> list[str]:
    return [write_cohorts([one]) for one in cohorts]


_WRITERS: dict[str, Callable[[Any], list[str]]] = {
    **dict.fromkeys(("features", "drop", "audit_only", "categorical", "numeric"), _columns),
    "pairs": _pairs,
    "cuts": _cuts,
    "reference": _reference,
    "cohorts": _cohorts,
}
