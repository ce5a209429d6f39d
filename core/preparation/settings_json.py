"""An audit's settings as JSON, by their names on the command line, and back."""

import importlib.metadata
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from ..errors import InputError
from ..messages import is_unwritable, shown
from .settings import AuditSettings

_Type = TypeVar("_Type")
_Json = Any
"""Whatever JSON can hold."""

_MOST_DIGITS = 400
"""Beyond those of any float."""


def settings_to_json(settings: AuditSettings) -> dict[str, Any]:
    """Return every option by its name on the command line, as JSON can hold it."""
    plain = {key: _plain(getattr(settings, field)) for key, (field, _, _) in _KEYS.items()}
    return plain | {key: dict(plain[key]) for key in _BY_NAME}


def settings_from_json(content: dict[str, Any]) -> AuditSettings:
    """Return the settings that :func:`settings_to_json` or a whole JSON result tells.

    What is not there has its default; "table" and "version" play no part.

    Raises
    ------
    InputError
        If the label is not named, a key is unknown, or a value is unusable.
    """
    content = content["settings"] if isinstance(content.get("settings"), dict) else content
    _check_writable(content)
    unknown = [key for key in content if key not in {*_KEYS, *_NO_OPTIONS}]
    if unknown:
        raise InputError(
            f"evencover {importlib.metadata.version('evencover')} knows no setting "
            f"'{shown(unknown[0])}'; take it out, or use the version that wrote the settings"
        )
    if "target" not in content:
        raise InputError("the settings do not name the label; add 'target' with its column")
    given: dict[str, Any] = {}
    for key, value in content.items():
        if key == "split" and value is None:  # a split column says it
            continue
        if key in _KEYS:
            field, read, wanted = _KEYS[key]
            given[field] = _read(key, value, read, wanted)
    return AuditSettings(**given)


def parse_settings(content: bytes, name: str) -> AuditSettings:
    """Return the settings in the bytes of a JSON file called ``name``.

    Raises
    ------
    InputError
        If they are none; the message names the file, and key and value.
    """
    try:
        text = content.decode("utf-8-sig")
        found = json.loads(text, object_pairs_hook=_each_once, parse_int=_whole_number)
    except InputError as error:
        raise InputError(f"'{name}': {error}") from None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InputError(
            f"'{name}' holds no settings, which are written in JSON as an object in braces; use a "
            "file of settings, or a JSON result"
        )
    try:
        return settings_from_json(found)
    except InputError as error:
        raise InputError(f"'{name}': {error}") from None


def read_settings(path: Path) -> AuditSettings:
    """Read settings from a file.

    Raises
    ------
    InputError
        If it cannot be read, or as :func:`parse_settings` does.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"the settings '{path}' cannot be read: {error.strerror}; check the path"
        ) from None
    return parse_settings(content, str(path))


class _UnusableError(Exception):
    """A value is not of the type that it is to be."""


def _read(key: str, value: _Json, read: Callable[[_Json], Any], wanted: str) -> _Json:
    try:
        return read(value)
    except _UnusableError:
        raise InputError(f"the setting '{key}' is {_written(value)}; give {wanted}") from None


def _written(value: _Json) -> str:
    try:
        return shown(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return "nested too deeply"


def _check_writable(content: dict[str, Any]) -> None:
    for key, value in content.items():
        for text in _texts_in([key, value]):
            if is_unwritable(text):
                raise InputError(
                    f"the setting '{shown(key)}' holds '{shown(text)}', which cannot be written "
                    "as UTF-8; write it anew"
                )


def _texts_in(value: _Json) -> Iterator[str]:
    left = [value]  # no recursion, as what is read may be nested as deeply as that goes
    while left:
        match left.pop():
            case str(text):
                yield text
            case dict(by_name):
                left += [*by_name, *by_name.values()]
            case list(items) | tuple(items):
                left += items


def _text(value: _Json) -> str:
    return _of_type(value, str)


def _number(value: _Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _UnusableError
    try:
        number = float(value)
    except OverflowError:
        raise _UnusableError from None
    if not math.isfinite(number):
        raise _UnusableError
    return number


def _whole(value: _Json) -> int:
    if isinstance(value, bool):
        raise _UnusableError
    return _of_type(value, int)


def _flag(value: _Json) -> bool:
    return _of_type(value, bool)


def _names(value: _Json) -> tuple[str, ...]:
    return tuple(_text(item) for item in _items(value))


def _pairs(value: _Json) -> tuple[tuple[str, str], ...]:
    pairs = [_names(item) for item in _items(value)]
    if any(len(pair) != len(("one", "other")) for pair in pairs):
        raise _UnusableError
    return tuple((one, other) for one, other in pairs)


def _cuts(value: _Json) -> tuple[tuple[str, tuple[float, ...]], ...]:
    return tuple(
        (name, tuple(_number(point) for point in _items(points)))
        for name, points in _of_type(value, dict).items()
    )


def _texts_by_name(value: _Json) -> tuple[tuple[str, str], ...]:
    return tuple((name, _text(text)) for name, text in _of_type(value, dict).items())


def _cohorts(value: _Json) -> tuple[tuple[str, str], ...]:
    # spaces around a rule say nothing, and the command line has none
    return tuple((name, rule.strip()) for name, rule in _texts_by_name(value))


def _or_none(read: Callable[[_Json], Any]) -> Callable[[_Json], Any]:
    return lambda value: None if value is None else read(value)


def _items(value: _Json) -> list[Any] | tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _UnusableError
    return value


def _of_type(value: _Json, type_: type[_Type]) -> _Type:
    if not isinstance(value, type_):
        raise _UnusableError
    return value


def _plain(value: _Json) -> _Json:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _whole_number(digits: str) -> int:
    # Python refuses to read thousands of digits; so many are as unusable
    return int(digits[:_MOST_DIGITS])


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"'{shown(key)}' is given twice; give it once")
        found[key] = value
    return found


_TEXT = "a text in quotes"
_TEXT_OR_NONE = f"{_TEXT}, or null"
_COLUMNS = "a list of columns' names"
_RULES = "an object of names and texts"

_KEYS: dict[str, tuple[str, Callable[[_Json], Any], str]] = {
    "target": ("target", _text, _TEXT),
    "task": ("task", _text, _TEXT),
    "cl": ("confidence_level", _number, "a number"),
    "c": ("penalty", _number, "a number"),
    "penalty": ("penalty_form", _text, _TEXT),
    "search": ("search", _text, _TEXT),
    "estimator": ("estimator", _text, _TEXT),
    "ifacm_estimator": ("ifacm_estimator", _text, _TEXT),
    "permutations": ("permutations", _whole, "a whole number"),
    "measure": ("measure", _or_none(_text), _TEXT_OR_NONE),
    "features": ("features", _or_none(_names), f"{_COLUMNS}, or null"),
    "drop": ("drop", _names, _COLUMNS),
    "audit_only": ("audit_only", _names, _COLUMNS),
    "categorical": ("categorical", _names, _COLUMNS),
    "numeric": ("numeric", _names, _COLUMNS),
    "log_target": ("log_target", _flag, "true or false"),
    "split": ("split", _text, _TEXT),
    "split_column": ("split_column", _or_none(_text), _TEXT_OR_NONE),
    "stratify": ("stratify", _flag, "true or false"),
    "group": ("group", _or_none(_text), _TEXT_OR_NONE),
    "time": ("time", _or_none(_text), _TEXT_OR_NONE),
    "seed": ("seed", _whole, "a whole number"),
    "repeats": ("repeats", _whole, "a whole number"),
    "pairs": ("pairs", _pairs, "a list of pairs, each a list of two columns' names"),
    "bins": ("bins", _whole, "a whole number"),
    "cuts": ("cuts", _cuts, "an object of columns' names and lists of numbers"),
    "reference": ("reference", _texts_by_name, _RULES),
    "cohorts": ("cohorts", _cohorts, _RULES),
}
"""By key: the field of :class:`AuditSettings`, how its value is read, and what it is to be."""

_BY_NAME = ("cuts", "reference", "cohorts")
_NO_OPTIONS = ("table", "version")
