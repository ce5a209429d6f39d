"""The command that repeats an audit."""

from collections.abc import Iterator
from typing import Any

from evencover.core import AuditSettings
from evencover.core.preparation.options import FLAG, Option

from .forms import FORMS
from .shell import command_line
from .source import BY_SAMPLES, SAMPLE_PREFIX


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
    given = [
        text
        for option, value in settings.by_option()
        if value != option.default or (of_sample and option.field in BY_SAMPLES)
        for text in _given(option, value)
    ]
    return _audit(source, given)


def repeat_with_settings(file: str, source: str) -> str:
    """Return the command line that audits the same table with the settings in a file."""
    return _audit(source, ["--settings", file])


def _audit(source: str, options: list[str]) -> str:
    # a name that begins with a dash would be taken for an option
    table = ["--", source] if source.startswith("-") else []
    first = [] if table else [source]
    return command_line(["evencover", "audit", *first, *options, *table])


def _given(option: Option, value: Any) -> Iterator[str]:  # noqa: ANN401 - of any option
    if option.kind is FLAG:
        yield option.flag if value else option.flag.replace("--", "--no-", 1)
        return
    for text in FORMS[option.kind].texts(value):
        # with = in between, so that a value may begin with a dash
        yield f"{option.flag}={text}"
