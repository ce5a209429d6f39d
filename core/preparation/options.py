"""What an option of an audit is: its kind, names, help, and the values it may have."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, AllowInfNan, Strict, TypeAdapter

from ..conformal.measures import Task
from ..errors import InputError
from ..tables.rules.parsing import parse_rule
from .settings_checks import check_cohorts, check_cuts, check_pairs, check_reference

MOST = 2**53 - 1
"""Of whole numbers: larger ones do not come through JSON unchanged everywhere."""

_Number = Annotated[float, Strict(), AllowInfNan(allow_inf_nan=False)]
_Items = AfterValidator(lambda by_name: tuple(by_name.items()))
_Rule = Annotated[str, AfterValidator(str.strip)]  # the command line has no spaces around it


def _nothing(_: object) -> tuple[str, ...]:
    return ()


def _itself(value: object) -> object:
    return value


def _of_pairs(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (column for pair in pairs for column in pair)


def _of_rules(cohorts: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (column for _, rule in cohorts for column in parse_rule(rule).columns)


@dataclass(frozen=True, eq=False)
class ValueKind:
    """What values an option has.

    Attributes
    ----------
    json
        The type that reads its JSON form, as pydantic has it.
    wanted
        What it is in JSON, in words.
    columns
        Returns the columns that a value names.
    check
        Refuses a value that is unusable whatever the table.
    meaning
        Returns what two values share that say the same, however they are written.
    by_name
        Whether its pairs are an object in JSON.
    """

    json: Any
    wanted: str
    columns: Callable[[Any], Iterable[str]] = _nothing
    check: Callable[[Any], object] = _nothing
    meaning: Callable[[Any], object] = _itself
    by_name: bool = False


_WORDS = "an object of names and texts"

TEXT = ValueKind(str, "a text in quotes")
NUMBER = ValueKind(_Number, "a number")
WHOLE = ValueKind(Annotated[int, Strict()], "a whole number")
FLAG = ValueKind(Annotated[bool, Strict()], "true or false")
COLUMN = ValueKind(str, "a text in quotes", lambda column: (column,))
COLUMNS = ValueKind(tuple[str, ...], "a list of columns' names", tuple, meaning=frozenset)
PAIRS = ValueKind(
    tuple[tuple[str, str], ...],
    "a list of pairs, each a list of two columns' names",
    _of_pairs,
    check_pairs,
)
CUTS = ValueKind(
    Annotated[dict[str, tuple[_Number, ...]], _Items],
    "an object of columns' names and lists of numbers",
    dict,
    check_cuts,
    frozenset,
    by_name=True,
)
REFERENCE = ValueKind(
    Annotated[dict[str, str], _Items], _WORDS, _nothing, check_reference, frozenset, by_name=True
)
COHORTS = ValueKind(
    Annotated[dict[str, _Rule], _Items], _WORDS, _of_rules, check_cohorts, by_name=True
)

_KINDS: Mapping[Any, ValueKind] = {
    bool: FLAG,
    int: WHOLE,
    float: NUMBER,
    tuple[str, ...]: COLUMNS,
    tuple[str, ...] | None: COLUMNS,
    tuple[tuple[str, str], ...]: PAIRS,
    tuple[tuple[str, tuple[float, ...]], ...]: CUTS,
}
"""By a field's type; of any other type are texts."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option, from which command line, Setup, JSON and comparisons are made.

    Attributes
    ----------
    field, default
        Of :class:`AuditSettings`; with no default, it has to be given.
    name
        What it is called in a sentence.
    help
        Its meaning, in whole sentences, for the command line and Setup.
    key, flag, title
        In JSON, on the command line and on Setup.
    meaning
        As that of a kind.
    allowed
        Names, if it is one of them.
    least, most, step
        Of a number; the step is that of Setup's arrows.
    tasks
        Returns the tasks that a value serves; None if each serves both.
    unfit
        The sentence for a value that does not serve the task.
    """

    field: str
    default: Any
    kind: ValueKind
    name: str
    help: str
    key: str
    flag: str
    title: str
    meaning: Callable[[Any], object]
    allowed: Collection[str] = ()
    least: int = 0
    most: int = MOST
    step: float = 1
    tasks: Callable[[Any], Collection[Task]] | None = None
    unfit: str = "{name} '{value}' does not serve a {task}; choose {serving}"

    def read_json(self, value: object) -> Any:  # noqa: ANN401 - of any option
        """Return the value of a JSON form, or raise pydantic's ``ValidationError``."""
        if value is None and self.default is None:
            return None
        return _reader(self.kind).validate_python(value)

    def check(self, value: Any) -> None:  # noqa: ANN401 - as above
        """Raise :class:`InputError` if a value is unusable whatever the table."""
        self.kind.check(value)
        if self.kind is WHOLE:
            check_whole(self.key, value, self.least, self.most)
        if self.kind is NUMBER and not (math.isfinite(value) and value >= self.least):
            sentence = "{name} is {value}; give a number of {least} or more"
            given = {"name": self.name, "value": value, "least": self.least}
            raise InputError("option.number", sentence, **given)
        if self.allowed and value is not None and value not in self.allowed:
            sentence = f"there is no {self.name} '{{value}}'; choose {one_of(self.allowed)}"
            raise InputError("option.unknown_name", sentence, value=value)

    def check_task(self, value: Any, task: Task, target: str) -> None:  # noqa: ANN401 - as above
        """Raise :class:`InputError` if a value does not serve a task."""
        if self.tasks is None or value is None or task in self.tasks(value):
            return
        serving = one_of(name for name in self.allowed if task in self.tasks(name))
        given = {"name": self.name, "value": value, "serving": serving}
        raise InputError("option.other_task", self.unfit, **given, task=task, target=target)


@cache
def _reader(kind: ValueKind) -> TypeAdapter[Any]:
    return TypeAdapter(kind.json)


def option(default: Any, help_: str, **more: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a field of settings; ``more`` are other attributes of :class:`Option`.

    Its kind is that of the field's type, and its name that of the field, unless they are given.
    """
    return field(default=default, metadata={"help": help_, **more})


def options_of(settings: type) -> Mapping[str, Option]:
    """Return the options of a class of settings by the names of its fields, in their order."""
    return _options_of(settings)


@cache
def _options_of(settings: type) -> Mapping[str, Option]:
    return {each.name: _option(each) for each in fields(settings)}


def _option(of: "Field[Any]") -> Option:
    key = of.metadata.get("key", of.name)
    name = of.metadata.get("name", of.name.replace("_", " "))
    kind = of.metadata.get("kind", _KINDS.get(of.type, TEXT))
    made = {
        "field": of.name,
        "default": of.default,
        "kind": kind,
        "meaning": kind.meaning,
        "name": name,
        "key": key,
        "flag": f"--{key.replace('_', '-')}",
        "title": name[0].upper() + name[1:],
    }
    return Option(**made | of.metadata)


def check_whole(what: str, number: object, least: int, most: int = MOST) -> None:
    """Raise :class:`InputError` if it is no whole number between these bounds."""
    if isinstance(number, int) and least <= number <= most:
        return
    advice = f"a whole number from {least} to {most}"
    if most == MOST:
        is_more = isinstance(number, int) and number > most
        advice = f"at most {most}" if is_more else f"a whole number of {least} or more"
    sentence = "{what} is {number}; give {advice}"
    raise InputError("option.whole", sentence, what=what, number=str(number), advice=advice)


def one_of(names: Iterable[str]) -> str:
    """Return names to choose from, in words."""
    return " or ".join(f"'{name}'" for name in names)


def one_task(task: Task) -> Callable[[bool], Collection[Task]]:
    """Return the tasks of a flag that serves one task alone, when it is up."""
    return lambda is_up: (task,) if is_up else ("regression", "classification")
