"""The command that repeats an audit, as a shell reads it."""

import shlex
from collections.abc import Iterator
from typing import Any

from evencover.core import AuditSettings
from evencover.core.messages import is_unwritable
from evencover.core.preparation.hints import Hint
from evencover.core.preparation.options import FLAG, Option
from evencover.core.preparation.settings import OPTIONS

from .forms import FORMS
from .source import BY_SAMPLES, SAMPLE_PREFIX

_IN_DOLLAR_QUOTES = {
    # Python reads a byte that is no UTF-8, as in a file's name of another encoding, as one of these
    **{0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)},
    ord("'"): r"\'",
    ord("\\"): r"\\",
}


def repeat_command(settings: AuditSettings, source: str) -> str:
    """Return the command line that audits the same table with the settings as asked for."""
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


def hint_line(hint: Hint) -> str:
    """Return what a hint says, with the option to give for it, if there is one."""
    fix = hint.fix
    if fix is None:
        return hint.sentence
    given = [word for f, value in fix.changes.items() for word in _given(OPTIONS[f], value)]
    return f"{hint.sentence} Option: {' '.join(map(quoted, given))}"


def quoted(word: str) -> str:
    """Return a word as a shell reads it, with what is no UTF-8 written by its bytes."""
    return f"$'{word.translate(_IN_DOLLAR_QUOTES)}'" if is_unwritable(word) else shlex.quote(word)


def _audit(source: str, options: list[str]) -> str:
    # a name that begins with a dash would be taken for an option
    words = [*options, "--", source] if source.startswith("-") else [source, *options]
    return " ".join(map(quoted, ["evencover", "audit", *words]))


def _given(option: Option, value: Any) -> Iterator[str]:  # noqa: ANN401 - of any option
    if option.kind is FLAG:
        yield option.flag if value else option.flag.replace("--", "--no-", 1)
        return
    for text in FORMS[option.kind].texts(value):
        # with = in between, so that a value may begin with a dash
        yield f"{option.flag}={text}"
