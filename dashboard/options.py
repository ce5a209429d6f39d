"""Settings as a person writes, shares and compares them; may import figures and below.

As options on the command line, with the command that repeats an audit, and to pass on, in a link or
a file: never data; and what two differ in. No streamlit.
"""

import argparse
import base64
import contextlib
import json
import shlex
import zlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import MISSING, dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from evencover.core import AuditSettings, InputError
from evencover.core.messages import MOST_TEXT, as_json, is_unwritable
from evencover.core.preparation.hint import Hint
from evencover.core.preparation.options import FLAG, WORDS, Option, options_of
from evencover.core.preparation.settings import OPTIONS
from evencover.core.preparation.settings_json import parse_settings, settings_to_json

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

SETTINGS_PARAMETER = "settings"  # of the address: the settings, as JSON, packed

_BROKEN = (
    "The link's settings cannot be read; perhaps it was copied in part. Copy it again, or choose "
    "a table and make the choices anew."
)


def file_source(name: str) -> str:
    """Return what names a table from a file, which the command line takes for no sample."""
    return f"./{name}" if name.startswith(SAMPLE_PREFIX) else name


def add_options(add: Callable[..., Any], without: Collection[str] = ()) -> None:
    """Add every option but some by a parser's ``add_argument``; one that is not given is absent."""
    for option in options_of(AuditSettings).values():
        if option.field in (*without, "missing_in"):  # which WORDS are, with a column before them
            continue
        kind, by_itself = option.kind, option.kind.by_name or option.kind is WORDS
        form: dict[str, Any] = {"choices": tuple(option.allowed)}
        if kind is FLAG:
            form = {"action": argparse.BooleanOptionalAction}
        elif not option.allowed:
            form = {
                "type": complaining(kind.parse),
                "metavar": kind.stands_for or option.key.upper(),
                "action": "append" if by_itself else "extend" if kind.is_list else "store",
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


@dataclass(frozen=True)
class SharedSettings:
    """Settings that were passed on, and the source of the table they are for, if it is known."""

    settings: AuditSettings
    source: str | None = None

    @property
    def sample(self) -> str | None:
        """The sample they are for, if they are for one."""
        source = self.source or ""
        return source.removeprefix(SAMPLE_PREFIX) if source.startswith(SAMPLE_PREFIX) else None


def settings_text(settings: AuditSettings, source: str | None) -> str:
    """Return the settings and the name of their table as JSON, the content of a settings file."""
    content = {"table": source, **settings_to_json(settings)}
    return as_json(content)


def read_text(content: bytes, name: str) -> SharedSettings:
    """Return what :func:`settings_text`, or a whole JSON result, says.

    Raises InputError, which names the file, if it holds no settings, or unusable ones.
    """
    settings = parse_settings(content, name)
    found = json.loads(content.decode("utf-8-sig"))
    inner = found.get("settings")
    source = (inner if isinstance(inner, dict) else found).get("table")
    return SharedSettings(settings, source if isinstance(source, str) else None)


def link(address: str, settings: AuditSettings, source: str) -> str:
    """Return a link to the first page with these settings, from the address of any page."""
    scheme, host, path, _, _ = urlsplit(address)
    query = f"{SETTINGS_PARAMETER}={pack(settings, source)}"
    return urlunsplit((scheme, host, path.rpartition("/")[0] + "/", query, ""))


def pack(settings: AuditSettings, source: str | None) -> str:
    """Return the settings as text that an address can hold."""
    packed = zlib.compress(settings_text(settings, source).encode(), level=9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unpack(text: str) -> SharedSettings:
    """Return what :func:`pack` has packed; raise InputError if it is none of its, or unusable."""
    reader = zlib.decompressobj()
    content = b""
    if len(text) <= MOST_TEXT:
        with contextlib.suppress(ValueError, zlib.error):
            packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            # a small text may unpack to gigabytes
            content = reader.decompress(packed, MOST_TEXT)
    if not reader.eof or reader.unused_data:
        raise InputError("link.broken", _BROKEN)
    return read_text(content, "the link's settings")


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
