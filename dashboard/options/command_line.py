"""The options of an audit on the command line, and the command that repeats an audit."""

import argparse
import shlex
from collections.abc import Callable, Collection, Iterator
from dataclasses import MISSING
from typing import Any

from evencover.core import AuditSettings, InputError
from evencover.core.messages import is_unwritable
from evencover.core.preparation.hints import Hint
from evencover.core.preparation.options import FLAG, Option, options_of
from evencover.core.preparation.settings import OPTIONS

SAMPLE_PREFIX = "sample:"  # of what names a table, which then is a sample's name and no file

BY_SAMPLES = frozenset(
    ("target", "log_target", "drop", "audit_only", "confidence_level", "penalty", "split")
)
"""The options that a sample brings where they are not given."""

_IN_DOLLAR_QUOTES = {
    # Python reads a byte that is no UTF-8, as in a file's name of another encoding, as one of these
    **{0xDC00 + byte: f"\\x{byte:02x}" for byte in range(0x80, 0x100)},
    ord("'"): r"\'",
    ord("\\"): r"\\",
}


def file_source(name: str) -> str:
    """Return what names a table from a file, which the command line takes for no sample."""
    return f"./{name}" if name.startswith(SAMPLE_PREFIX) else name


def add_options(add: Callable[..., Any], without: Collection[str] = ()) -> None:
    """Add every option but some by a parser's ``add_argument``; one that is not given is absent."""
    for option in options_of(AuditSettings).values():
        if option.field in without:
            continue
        kind = option.kind
        form: dict[str, Any] = {"choices": tuple(option.allowed)}
        if kind is FLAG:
            form = {"action": argparse.BooleanOptionalAction}
        elif not option.allowed:
            form = {
                "type": complaining(kind.parse),
                "metavar": kind.stands_for or option.key.upper(),
                "action": "append" if kind.by_name else "extend" if kind.is_list else "store",
            }
        form["default"] = argparse.SUPPRESS  # as None says "by the label"
        add(option.flag, dest=option.field, help=_help(option), **form)


def _help(option: Option) -> str:
    text = option.help.removesuffix(".")
    if option.default is MISSING:
        text += "; needed unless TABLE is a sample"
    elif option.default not in (None, ()):
        is_flag = option.kind is FLAG
        shown = ("no", "yes")[option.default] if is_flag else option.kind.write(option.default)
        text += f" (default {shown})"
    if option.kind.by_name:
        text += "; may be repeated"
    return text.replace("%", "%%") + (" *" if option.field in BY_SAMPLES else "")


def complaining(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a type of an option whose complaint argparse passes on."""

    def parsed(text: str) -> Any:  # noqa: ANN401 - of any option
        try:
            return parse(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    parsed.__name__ = parse.__name__  # argparse names the type
    return parsed


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
    if hint.changes is None:
        return hint.sentence
    given = [word for f, value in hint.changes.items() for word in _given(OPTIONS[f], value)]
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
    for text in option.kind.texts(value):
        # with = in between, so that a value may begin with a dash
        yield f"{option.flag}={text}"
