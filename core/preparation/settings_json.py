"""An audit's settings as JSON, by their names on the command line, and back."""

import importlib.metadata
import json
import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..messages import InputError, is_unwritable, perhaps
from .options import Option, options_of
from .settings import AuditSettings

_MOST_DIGITS = 400  # beyond those of any float: Python refuses to read thousands of them
_MOST_BYTES = 2**26  # a whole JSON result may hold the settings


def settings_to_json(settings: AuditSettings) -> dict[str, Any]:
    """Return every option by its name on the command line, as JSON can hold it."""
    pairs = settings.by_option()
    values = {about.key: dict(value) if about.kind.by_name else value for about, value in pairs}
    plain: dict[str, Any] = json.loads(json.dumps(values))  # JSON has no tuples
    return plain


def settings_from_json(content: dict[str, Any]) -> AuditSettings:
    """Return the settings of :func:`settings_to_json` or of a whole JSON result.

    What is not there has its default; "table" and "version" play no part. Raises
    :class:`InputError` if the label is not named, a key is unknown, or a value is unusable.
    """
    content = content["settings"] if isinstance(content.get("settings"), dict) else content
    options = {option.key: option for option in options_of(AuditSettings).values()}
    _check_values(content, options)
    for unknown in (key for key in content if key not in {*options, "table", "version"}):
        version = importlib.metadata.version("evencover")
        sentence = (
            "evencover {version} knows no setting '{key}'; take it out, or use the version that "
            "wrote the settings"
        ) + perhaps(unknown, options)
        raise InputError("settings.unknown", sentence, version=version, key=unknown)
    if "target" not in content:
        sentence = "the settings do not name the label; add 'target' with its column"
        raise InputError("settings.no_label", sentence)
    given = {option.field: content[key] for key, option in options.items() if key in content}
    if given.get("split") is None:  # not used
        given.pop("split", None)
    return AuditSettings(**given)


def parse_settings(content: bytes, name: str | Path) -> AuditSettings:
    """Return the settings in the bytes of a JSON file called ``name``, which a refusal names."""
    try:
        return settings_from_json(_object(content, name))
    except InputError as error:
        if error.sentence.code == "settings.none":
            raise
        sentence = "'{name}': {problem}"
        raise InputError("settings.unusable", sentence, name=name, problem=error) from None


def read_settings(path: Path) -> AuditSettings:
    """Return the settings in a file; see :func:`parse_settings`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        sentence = "the settings '{path}' cannot be read: {why}; check the path"
        raise InputError("settings.unreadable", sentence, path=path, why=error.strerror) from None
    return parse_settings(content, path)


def _object(content: bytes, name: str | Path) -> dict[str, Any]:
    if len(content) > _MOST_BYTES:
        sentence = "'{name}' has {count:,} bytes, more than the {most:,} of settings that are read"
        about = {"count": len(content), "most": _MOST_BYTES}
        raise InputError("settings.too_long", f"{sentence}; leave out all else", name=name, **about)
    try:
        found = json.loads(
            content.decode("utf-8-sig"),
            object_pairs_hook=_each_once,
            parse_int=lambda digits: int(digits[:_MOST_DIGITS]),
        )
    except InputError:
        raise
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        sentence = (
            "'{name}' holds no settings, which are written in JSON as an object in braces; use a "
            "file of settings, or a JSON result"
        )
        raise InputError("settings.none", sentence, name=name)
    return found


def _check_values(content: dict[str, Any], options: Mapping[str, Option]) -> None:
    """Refuse what no other program can hold, and lists in the place of objects."""
    for key, value in content.items():
        if key in options and options[key].kind.by_name and not isinstance(value, dict):
            raise options[key].of_other_kind(value)
        left: list[object] = [key, value]
        while left:  # no recursion, as what is read may be nested as deeply as that goes
            match left.pop():
                case str(text) if is_unwritable(text):
                    sentence = (
                        "the setting '{key}' holds '{text}', which cannot be written as UTF-8; "
                        "write it anew"
                    )
                    raise InputError("settings.unwritable", sentence, key=key, text=text)
                case float(number) if not math.isfinite(number) and key in options:
                    raise options[key].of_other_kind(value)
                case dict(by_name):
                    left += [*by_name, *by_name.values()]
                case list(items) | tuple(items):
                    left += items


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for key, times in Counter(key for key, _ in pairs).items():
        if times > 1:
            raise InputError("settings.twice", "'{key}' is given twice; give it once", key=key)
    return dict(pairs)
