"""What an option of an audit is: its kind, names, help, and the values it may have."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from typing import Annotated, Any

from pydantic import AfterValidator, AllowInfNan, Strict, TypeAdapter

from ..conformal.measures import Task
from ..errors import InputError
from ..tables.rules.parsing import parse_rule

MOST = 2**53 - 1
"""Of whole numbers: larger ones do not come through JSON unchanged everywhere."""


@dataclass(frozen=True, eq=False)
class Kind:
    """What values an option has.

    Attributes
    ----------
    json
        Reads its JSON form.
    wanted
        What it is in JSON, in words.
    columns
        The columns that a value names.
    by_name
        Whether its pairs are an object in JSON.
    """

    json: TypeAdapter[Any]
    wanted: str
    columns: Callable[[Any], Iterable[str]] = lambda _: ()
    by_name: bool = False


_Number = Annotated[float, Strict(), AllowInfNan(allow_inf_nan=False)]
_Items = AfterValidator(lambda by_name: tuple(by_name.items()))
_Rule = Annotated[str, AfterValidator(str.strip)]  # the command line has no spaces around it


def _names(pairs: Iterable[Iterable[str]]) -> Iterator[str]:
    return (name for pair in pairs for name in pair)


def _of_rules(cohorts: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (column for _, rule in cohorts for column in parse_rule(rule).columns)


TEXT = Kind(TypeAdapter(str), "a text in quotes")
NUMBER = Kind(TypeAdapter(_Number), "a number")
WHOLE = Kind(TypeAdapter(Annotated[int, Strict()]), "a whole number")
FLAG = Kind(TypeAdapter(Annotated[bool, Strict()]), "true or false")
COLUMN = Kind(TypeAdapter(str), "a text in quotes", lambda column: (column,))
COLUMNS = Kind(TypeAdapter(tuple[str, ...]), "a list of columns' names", tuple)
PAIRS = Kind(
    TypeAdapter(tuple[tuple[str, str], ...]),
    "a list of pairs, each a list of two columns' names",
    _names,
)
CUTS = Kind(
    TypeAdapter(Annotated[dict[str, tuple[_Number, ...]], _Items]),
    "an object of columns' names and lists of numbers",
    dict,
    by_name=True,
)
REFERENCE = Kind(
    TypeAdapter(Annotated[dict[str, str], _Items]), "an object of names and texts", by_name=True
)
COHORTS = Kind(
    TypeAdapter(Annotated[dict[str, _Rule], _Items]),
    "an object of names and texts",
    _of_rules,
    by_name=True,
)


_KINDS = {
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
    name
        What it is called in a sentence.
    help
        Its meaning, in whole sentences, for the command line and Setup.
    field, default
        Of :class:`AuditSettings`; with no default, it has to be given.
    key, flag, title
        In JSON, on the command line and on Setup, where they are not made of field and name.
    allowed
        Names, if it is one of them.
    least, most, step
        Of a number; the step is that of Setup's arrows.
    tasks
        Of a value, the tasks that it serves; None if each serves both.
    unfit
        The sentence for a value that does not serve the task.
    meaning
        What two values share that say the same, however they are written.
    """

    field: str
    default: Any
    kind: Kind
    name: str
    help: str
    key: str
    flag: str
    title: str
    allowed: Collection[str] = ()
    least: int = 0
    most: int = MOST
    step: float = 1
    tasks: Callable[[Any], Collection[Task]] | None = None
    unfit: str = "{name} '{value}' does not serve a {task}; choose {serving}"
    meaning: Callable[[Any], object] = lambda value: value

    def check(self, value: Any) -> None:  # noqa: ANN401 - of any option
        """Raise :class:`InputError` if a value is unusable whatever the table."""
        if self.kind is WHOLE:
            check_whole(self.key, value, self.least, self.most)
        if self.allowed and value is not None and value not in self.allowed:
            raise InputError(
                "option.unknown_name",
                f"there is no {self.name} '{{value}}'; choose {one_of(self.allowed)}",
                value=value,
            )

    def check_task(self, value: Any, task: Task, target: str) -> None:  # noqa: ANN401 - as above
        """Raise :class:`InputError` if a value does not serve a task."""
        if self.tasks is None or value is None or task in self.tasks(value):
            return
        serving = one_of(name for name in self.allowed if task in self.tasks(name))
        given = {"name": self.name, "value": value, "serving": serving}
        raise InputError("option.other_task", self.unfit, **given, task=task, target=target)


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
    made = {
        "field": of.name,
        "default": of.default,
        "kind": _KINDS.get(of.type, TEXT),
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
    raise InputError("option.number", f"{what} is {{number}}; give {advice}", number=str(number))


def one_of(names: Iterable[str]) -> str:
    """Return names to choose from, in words."""
    return " or ".join(f"'{name}'" for name in names)


def one_task(task: Task) -> Callable[[bool], Collection[Task]]:
    """Return the tasks of a flag that serves one task alone, when it is up."""
    return lambda is_up: (task,) if is_up else ("regression", "classification")


def shares(split: str) -> tuple[float, ...] | str:
    """Return a split's three numbers, however they are spaced and written."""
    try:
        return tuple(map(float, split.split(",")))
    except ValueError:
        return split
