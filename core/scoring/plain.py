"""Values that are written down: dataclasses of numbers, texts, arrays and others of their kind.

What a field may hold is said by its type alone: by it a value becomes JSON, with its arrays beside
that, and is read again; and the schema that is published says the same.
"""

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Self, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
Array = NDArray[np.float64]
Whole = NDArray[np.int32]

_DTYPES = {Array: "<f8", Whole: "<i4"}
_SIMPLE = {float: "number", int: "integer", bool: "boolean", str: "string", type(None): "null"}
_MOST_DEEP = 50
_KNOWN: dict[type[Any], dict[str, Any]] = {}  # types of fields by class, which take long to find


class DamagedError(Exception):
    """What was read is no value of its type, and why."""


@dataclass(frozen=True)
class Plain:
    """A value that is written down; a class of several has a ``kind``."""

    kind: ClassVar[str] = ""

    def check(self) -> None:
        """Raise :class:`DamagedError` if fields, each of its type, do not go together."""

    def to_json(self, arrays: dict[str, NDArray[Any]]) -> dict[str, Any]:
        """Return the value as JSON has it, and put its arrays beside others, by new names."""
        own = {each.name: _written(getattr(self, each.name), arrays) for each in fields(self)}
        return {"kind": self.kind, **own} if self.kind else own

    @classmethod
    def of_json(cls, found: Any, arrays: Arrays, depth: int = 0) -> Self:  # noqa: ANN401 - whatever was read
        """Read what :meth:`to_json` wrote; DamagedError if it is something else."""
        if not isinstance(found, dict) or depth > _MOST_DEEP:
            raise DamagedError(f"no {cls.__name__} is where one should be")
        kinds = {each.kind: each for each in _kinds_of(cls)}
        made = kinds.get(found.get("kind", "")) if isinstance(found.get("kind", ""), str) else None
        if made is None:
            raise DamagedError(f"a {cls.__name__} is of an unknown kind")
        types_, there = _types(made), {*found} - {"kind"}
        # a later version may have fields more, which are by themselves as they were before
        if not {*_needed(made)} <= there <= {*types_}:
            raise DamagedError(f"a {made.__name__} has other fields than it should")
        read = {name: _read(types_[name], found[name], arrays, depth + 1) for name in there}
        value = made(**read)
        value.check()
        return value


def _written(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:  # noqa: ANN401 - of any field
    if isinstance(value, Plain):
        return value.to_json(arrays)
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return name
    if isinstance(value, tuple):
        return [_written(each, arrays) for each in value]
    return value


def _read(of: Any, found: Any, arrays: Arrays, depth: int) -> Any:  # noqa: ANN401 - of any field
    """Return what was read as a value of a type."""
    if get_origin(of) in (Union, types.UnionType):
        fits = [part for part in get_args(of) if part in _SIMPLE and _is_simple(part, found)]
        values = [part for part in get_args(of) if part not in _SIMPLE]
        of = (fits or values or [None])[0]
    if of in _SIMPLE and _is_simple(of, found):
        return float(found) if of is float else found
    if of in _DTYPES and isinstance(found, str) and found in arrays:
        if arrays[found].dtype.str == _DTYPES[of]:
            return arrays[found]
    elif isinstance(of, type) and issubclass(of, Plain):
        return of.of_json(found, arrays, depth)
    elif get_origin(of) is tuple and isinstance(found, list):
        return tuple(_read(get_args(of)[0], each, arrays, depth) for each in found)
    elif of is dict and isinstance(found, dict):
        return found
    raise DamagedError("a value is of another type than it should be")


def _is_simple(of: type, found: Any) -> bool:  # noqa: ANN401 - of any field
    if of is float:
        return type(found) in (float, int) and abs(found) < math.inf
    return type(found) is of


def _types(cls: type[Plain]) -> dict[str, Any]:
    if cls not in _KNOWN:
        hints = get_type_hints(cls)
        _KNOWN[cls] = {each.name: hints[each.name] for each in fields(cls)}
    return _KNOWN[cls]


def _needed(cls: type[Plain]) -> list[str]:
    """Return the fields that have no default."""
    return [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]


def _kinds_of(cls: "type[_Kind]") -> "list[type[_Kind]]":
    """Return a class, or those derived from it that have a kind."""
    below = [kind for each in cls.__subclasses__() for kind in _kinds_of(each) if kind.kind]
    return [cls, *below] if cls.kind else below or [cls]


_Kind = TypeVar("_Kind", bound=Plain)


def schema_of(cls: type[Plain]) -> dict[str, Any]:
    """Return the JSON schema of a class of values."""
    known: dict[str, Any] = {}
    found = _schema(cls, known)
    return {**found, "$defs": known}


def _schema(of: Any, known: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - of any field
    origin, parts = get_origin(of), get_args(of)
    if of in _SIMPLE:
        return {"type": _SIMPLE[of]}
    if of in _DTYPES:
        return {"type": "string", "description": f"the name of an array, {_DTYPES[of]}"}
    if origin is tuple:
        return {"type": "array", "items": _schema(parts[0], known)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(part, known) for part in parts]}
    if not (isinstance(of, type) and issubclass(of, Plain)):
        return {"type": "object"}
    if of.__name__ not in known:
        known[of.__name__] = {}
        known[of.__name__] = {"anyOf": [_of_class(each, known) for each in _kinds_of(of)]}
    return {"$ref": f"#/$defs/{of.__name__}"}


def _of_class(cls: type[Plain], known: dict[str, Any]) -> dict[str, Any]:
    own = {name: _schema(of, known) for name, of in _types(cls).items()}
    own = {"kind": {"const": cls.kind}, **own} if cls.kind else own
    about = {"description": (cls.__doc__ or "").partition("\n")[0]}
    return {
        "type": "object",
        **about,
        "properties": own,
        "required": [*_needed(cls), *(["kind"] if cls.kind else [])],
        "additionalProperties": False,
    }
