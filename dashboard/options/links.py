"""Settings to pass on, in a link or a file: never data; and what two differ in. No streamlit."""

import base64
import contextlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.options import Option
from evencover.core.preparation.settings_json import parse_settings, settings_to_json

from .command_line import SAMPLE_PREFIX

SETTINGS_PARAMETER = "settings"  # of the address: the settings, as JSON, packed

_LONGEST_TEXT = 100_000
_LARGEST_JSON = 1_000_000
_BROKEN = (
    "The link's settings cannot be read; perhaps it was copied in part. Copy it again, or choose "
    "a table and make the choices anew."
)


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


def settings_text(settings: AuditSettings, source: str) -> str:
    """Return the settings and the name of their table as JSON, the content of a settings file."""
    content = {"table": source, **settings_to_json(settings)}
    return json.dumps(content, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


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


def pack(settings: AuditSettings, source: str) -> str:
    """Return the settings as text that an address can hold."""
    packed = zlib.compress(settings_text(settings, source).encode(), level=9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def unpack(text: str) -> SharedSettings:
    """Return what :func:`pack` has packed; raise InputError if it is none of its, or unusable."""
    reader = zlib.decompressobj()
    content = b""
    if len(text) <= _LONGEST_TEXT:
        with contextlib.suppress(ValueError, zlib.error):
            packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            # a small text may unpack to gigabytes
            content = reader.decompress(packed, _LARGEST_JSON)
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
