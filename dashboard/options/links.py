"""Settings to pass on, in a link or a file: never data. No streamlit here."""

import base64
import contextlib
import json
import zlib
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.settings_json import parse_settings, settings_to_json

from .command_line import SAMPLE_PREFIX

SETTINGS_PARAMETER = "settings"
"""Of the address: the settings, as JSON, packed."""

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
