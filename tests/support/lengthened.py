"""All patterns and parsers of the code, and for each the texts that may cost it most.

They are found, not listed: a new one is tried as soon as it is written.
"""

import ast
import builtins
import contextlib
import importlib
import inspect
import itertools
import pkgutil
import re
import time
from collections import ChainMap, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from re import _constants as signs  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import pandas as pd

import evencover.core
import evencover.dashboard
from evencover.core.preparation.settings import OPTIONS
from evencover.core.tables.columns import Column
from evencover.core.tables.formats import Bounds
from evencover.core.tables.table import Table
from evencover.core.tables.text_values import Reading

_METHODS = ("search", "match", "fullmatch", "sub", "split", "findall", "finditer")
_OF_PANDAS = {
    "replace": "sub",
    "extract": "search",
    "contains": "search",
    "match": "match",
    "fullmatch": "fullmatch",
}
_HAS_PATTERNS = re.compile(r"^import re$|\.str\.", re.MULTILINE)
_NO_MODULES = ("__main__", ".pages.app", ".pages.heading")  # which are run, not imported


class Used(NamedTuple):
    """A pattern, what is asked of it, and where."""

    where: str
    pattern: str
    flags: int
    method: str

    def run(self, text: str | bytes) -> object:
        """Ask it of a text."""
        compiled = re.compile(self.pattern, self.flags)
        if self.method == "sub":
            return compiled.sub("", text)
        found = getattr(compiled, self.method)(text)
        return list(found) if self.method == "finditer" else found


@cache
def modules(*, of_patterns: bool = False) -> list[ModuleType]:
    """Return the modules of the code that can be imported; or those alone that have patterns."""
    found = []
    for package in (evencover.core, evencover.dashboard):
        for each in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            place = Path(str(getattr(each.module_finder, "path", ""))) / each.name.split(".")[-1]
            file = place / "__init__.py" if each.ispkg else place.with_suffix(".py")
            may_have = not of_patterns or re.search(
                r"^import re$|\.str\.", file.read_text(), re.MULTILINE
            )
            if may_have and not each.name.endswith(_NO_MODULES):
                found.append(importlib.import_module(each.name))
    return found


class _Anything(dict[str, object]):
    """Names that are known only when a function runs: a short text, which is a pattern, too."""

    def __missing__(self, name: str) -> object:
        if hasattr(builtins, name):
            raise KeyError(name)
        return "ab"


def _value(node: ast.expr, module: ModuleType) -> Any:
    code = compile(ast.Expression(node), module.__name__, "eval")
    return eval(code, {}, ChainMap(vars(module), _Anything()))  # type: ignore[arg-type]  # noqa: S307


@cache
def patterns() -> list[Used]:
    """Return every pattern in the code with every way in which it is asked."""
    found: dict[Used, None] = {}
    for module in modules(of_patterns=True):
        tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"))
        for used in _in_module(tree, module):
            found[used] = None
    return list(found)


def _in_module(tree: ast.Module, module: ModuleType) -> Iterator[Used]:  # noqa: C901, PLR0912
    where = module.__name__.removeprefix("evencover.")
    asked: defaultdict[str, set[str]] = defaultdict(set)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            asked[node.value.id] |= {node.attr} & {*_METHODS}
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        name, of = node.func.attr, node.func.value
        if isinstance(of, ast.Name) and of.id == "re" and name in _METHODS:
            given = _value(node.args[0], module)
            for flags in [_value(k.value, module) for k in node.keywords if k.arg == "flags"] or [
                0
            ]:
                yield _used(f"{where}:{node.lineno}", given, flags, name)
        elif isinstance(of, ast.Name) and of.id == "re" and name == "compile":
            flags = _value(node.args[1], module) if len(node.args) > 1 else 0
            compiled = re.compile(_value(node.args[0], module), flags)
            if not any(compiled is value for value in vars(module).values()):
                yield _used(f"{where}:{node.lineno}", compiled, 0, "fullmatch")
        elif isinstance(of, ast.Attribute) and of.attr == "str" and name in _OF_PANDAS:
            plain = any(k.arg == "regex" and not _value(k.value, module) for k in node.keywords)
            if not plain:
                given = _value(node.args[0], module)
                yield _used(f"{where}:{node.lineno}", given, 0, _OF_PANDAS[name])
    for name, value in vars(module).items():
        ways = asked[name]
        for pattern in value if isinstance(value, tuple) else [value]:
            if isinstance(pattern, re.Pattern):
                for method in ways or {"fullmatch"}:
                    yield _used(f"{where}.{name}", pattern, 0, method)


def _used(where: str, given: object, flags: int, method: str) -> Used:
    if isinstance(given, re.Pattern):
        return Used(where, given.pattern, given.flags, method)
    return Used(where, str(given), int(flags), method)


_OF_CATEGORIES = {
    signs.CATEGORY_DIGIT: "1",
    signs.CATEGORY_SPACE: " ",
    signs.CATEGORY_WORD: "a",
    signs.CATEGORY_NOT_DIGIT: "a",
    signs.CATEGORY_NOT_SPACE: "a",
    signs.CATEGORY_NOT_WORD: " ",
}
_ANY = (*"a1 ._-", "\n")


class _Texts:
    """Of a pattern: signs that it looks for, what its repeats repeat, and what comes before."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.letters: dict[str, None] = {}
        self.bodies: dict[str, None] = {}
        self.before: dict[str, None] = {"": None}
        self.bodies[self._walk(parser.parse(pattern, flags), "")] = None

    def _walk(self, tree: Iterable[Any], before: str) -> str:
        """Return a short text that fits, noting what is met on the way."""
        text = ""
        for kind, given in tree:
            text += self._one(kind, given, before + text)
        return text

    def _one(self, kind: Any, given: Any, before: str) -> str:  # noqa: PLR0911
        if kind in (signs.LITERAL, signs.NOT_LITERAL):
            self.letters[chr(given)] = None
            return chr(given) if kind is signs.LITERAL else self._other([chr(given)])
        if kind is signs.ANY:
            return "a"
        if kind is signs.IN:
            return self._set(given)
        if kind in (signs.MAX_REPEAT, signs.MIN_REPEAT, signs.POSSESSIVE_REPEAT):
            least, most, body = given
            text = self._walk(body, before)
            if most > 20:
                since = before.removeprefix([*self.before][-1])
                self.bodies |= dict.fromkeys([text, since])
                self.before[before] = None
            return text * max(least, 1)
        if kind is signs.SUBPATTERN:
            return self._walk(given[-1], before)
        if kind is signs.ATOMIC_GROUP:
            return self._walk(given, before)
        if kind is signs.BRANCH:
            texts = [self._walk(branch, before) for branch in given[1]]
            self.bodies |= dict.fromkeys(texts)
            return texts[0]
        if kind in (signs.ASSERT, signs.ASSERT_NOT):
            self._walk(given[1], before)
        return ""

    def _set(self, given: list[Any]) -> str:
        inside: list[str] = []
        for kind, value in given:
            if kind is signs.LITERAL:
                inside.append(chr(value))
            elif kind is signs.RANGE:
                inside += map(chr, value)
            elif kind is signs.CATEGORY:
                inside.append(_OF_CATEGORIES[value])
        self.letters |= dict.fromkeys(inside[:8])
        is_other = given[0][0] is signs.NEGATE
        return self._other(inside) if is_other else inside[0]

    def _other(self, avoided: list[str]) -> str:
        return next(sign for sign in _ANY if sign not in avoided)


def worst_of_pattern(used: Used, *, thorough: bool) -> Iterator[tuple[str, str, str]]:
    """Yield beginnings, what is repeated, and ends."""
    texts = _Texts(used.pattern, used.flags)
    letters = [*texts.letters, *(sign for sign in _ANY if sign not in texts.letters)][:16]
    repeated = dict.fromkeys([*texts.bodies, *texts.before, *letters])
    if thorough:
        pairs = itertools.product(letters, repeat=2)
        repeated |= dict.fromkeys(map("".join, pairs))
    yield from itertools.product(texts.before, filter(None, repeated), ("\0", "", "\n!"))


def seconds(call: Callable[[], object]) -> float:
    """Return the seconds of CPU that a call takes, whatever it says."""
    began = time.process_time()
    with contextlib.suppress(Exception):  # how long it takes is asked alone
        call()
    return time.process_time() - began


def grows_too_fast(cost: Callable[[int], float], start: int, bearable: float) -> str:
    """Say how much more twice the length costs where it is three times as much; "" else."""
    if cost(20) > bearable and cost(22) > 3.0 * cost(20):  # doubled by each sign or two
        return "no end in sight"
    n = start // 8 if cost(start // 8) > bearable else start
    if cost(n) <= bearable:
        return ""
    one = min(cost(n) for _ in range(3))
    other = min(cost(2 * n) for _ in range(3))
    return f"{one:.4f} s of {n}, {other:.4f} s of {2 * n}" if other > 3 * one > bearable else ""


class Parser(NamedTuple):
    """A function that can be called with one text, or bytes, and nothing else that matters."""

    name: str
    call: Callable[[str], object]


_ELSEWHERE = (
    ".formats.excel.",  # in a process of its own, with a bound on its time
    ".commands.main._fill",  # names of modules
)


def parsers() -> list[Parser]:
    """Return the functions of the code, and the readers of its options, that take a text."""
    found: list[Parser] = []
    for module in modules():
        for function in _functions(module):
            name = f"{module.__name__}.{function.__qualname__}"
            call = _caller(function)
            if call is not None and not any(part in name for part in _ELSEWHERE):
                found.append(Parser(name.removeprefix("evencover."), call))
    kinds = {id(option.kind): option for option in OPTIONS.values()}
    found += [Parser(f"option {option.name}", option.kind.read) for option in kinds.values()]
    return found


def _functions(module: ModuleType) -> Iterator[Callable[..., object]]:
    for value in vars(module).values():
        if getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(value):
            yield value
        elif inspect.isclass(value):
            made = [name for name, of in vars(value).items() if isinstance(of, classmethod)]
            yield from (getattr(value, name) for name in made)


_NAMES = ("a", "b")
_FILLED: Mapping[object, object] = {
    object: "a",
    int: 3,
    str: "a",
    Path: Path("rows.csv"),
    Reading: Reading(),
    Bounds: Bounds(),
}
_CARRIERS: Mapping[object, Callable[[str], object]] = {
    str: str,
    bytes: str.encode,
    pd.Series: lambda text: pd.Series([text, "a"], name="a"),
    Column: lambda text: Column.of(pd.Series([text, "a"], name="a")),
    Table: lambda text: Table.of(pd.DataFrame({"a": [text, "a"], text: [1.0, 2.0]})),
    pd.DataFrame: lambda text: pd.DataFrame({"a": [text, "a"], text: [1.0, 2.0]}),
}
"""What carries a text to a function."""


def _is_carrier(given: object) -> bool:
    return isinstance(given, type) and given in _CARRIERS


def _caller(function: Callable[..., object]) -> Callable[[str], object] | None:
    """Return a function with a text in its place, and something in the others; None without."""
    try:
        hints = get_type_hints(function)
    except (NameError, TypeError):
        return None
    if "pages" in function.__module__ and hints.get("return") is type(None):
        return None  # which draws or remembers
    given: list[object] = []
    for parameter in inspect.signature(function).parameters.values():
        of = hints.get(parameter.name)
        is_carried = of in _CARRIERS and not any(map(_is_carrier, given))
        if parameter.default is not parameter.empty or parameter.kind is parameter.VAR_POSITIONAL:
            continue
        types = (one for one in (of, *get_args(of)) if isinstance(one, type))
        fits = [_FILLED[one] for one in types if one in _FILLED]
        if is_carried:
            given.append(of)
        elif get_origin(of) in (Sequence, Collection, Iterable, list, tuple):
            given.append(list(_NAMES))
        elif fits and parameter.kind is not parameter.KEYWORD_ONLY:
            given.append(None if type(None) in get_args(of) else fits[0])
        else:
            return None
    place = next((at for at, one in enumerate(given) if _is_carrier(one)), None)
    if place is None:
        return None
    carry = _CARRIERS[given[place]]

    def call(text: str) -> object:
        found = function(*given[:place], carry(text), *given[place + 1 :])
        return list(found) if isinstance(found, Iterator) else found

    return call


_REPEATED = (
    *(" ", '"', '""', '" ', ",", ", ", ":", "=", " or ", "(", ")", "<", ".", "\n", '"\n', "\\"),
    *(
        "\r",
        "a",
        "1",
        "a,",
        "1,",
        "1.",
        "[",
        "{",
        "'",
        "[[",
        "A",
        "0",
        "(1",
        "-",
        "\0",
        '"\\',
        "::",
        "$",
    ),
    *('{"a":', "np.a(", "\ud800", "www.", "@", "a=1 and ", "<c ", "##", "a b "),
)
_AROUND = (("", ""), ("a,b\n1,", "\n2,3\n"), ('{"a": "', '"}'))


def worst_of_parser() -> Iterator[tuple[str, str, str]]:
    """Yield beginnings, what is repeated, and ends."""
    for repeated, (before, end) in itertools.product(_REPEATED, _AROUND):
        yield before, repeated, end
