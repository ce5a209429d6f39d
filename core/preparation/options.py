"""What an option of an audit is: its kind, names, help, and the values it may have."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache
from itertools import chain, pairwise
from typing import Annotated, Any, get_origin

from pydantic import AfterValidator, AllowInfNan, Strict, TypeAdapter

from ..conformal.measures import Task
from ..errors import InputError
from ..messages import is_unwritable
from ..remedies.names import NONE, asked_for
from ..tables.grammar import parse_rule

MOST = 2**53 - 1
"""Of whole numbers: larger ones do not come through JSON unchanged everywhere."""

_Number = Annotated[float, Strict(), AllowInfNan(allow_inf_nan=False)]
_Items = AfterValidator(lambda by_name: tuple(by_name.items()))
_Rule = Annotated[str, AfterValidator(str.strip)]  # the command line has no spaces around it


@dataclass(frozen=True, eq=False)
class ValueKind:
    """What values an option has: the type that reads their JSON form, and that form in words."""

    json: Any
    wanted: str
    check: Callable[[Any], object] = lambda _: None
    """Refuses a value that is unusable whatever the table."""
    meaning: Callable[[Any], object] = lambda value: value
    """Returns what two values share that say the same, however they are written."""
    columns: Callable[[Any], Iterable[str]] = lambda _: ()
    """Returns the columns that a value names."""
    by_name: bool = False
    """Whether its pairs are an object in JSON."""


def _rule_columns(cohorts: Iterable[tuple[str, str]]) -> list[str]:
    return [column for _, rule in cohorts for column in parse_rule(rule).columns]


def _check_pairs(pairs: Iterable[tuple[str, str]]) -> None:
    for one, other in pairs:
        if one == other:
            sentence = "column '{column}' is paired with itself; pair it with another"
            raise InputError("pairs.with_itself", sentence, column=one)
    _check_once((" and ".join(f"'{c}'" for c in sorted(pair)) for pair in pairs), "pair")


def _check_cuts(cuts: Iterable[tuple[str, tuple[float, ...]]]) -> None:
    _check_once((f"'{column}'" for column, _ in cuts), "list of cut points of")
    for column, points in cuts:
        if not points:
            sentence = "'{column}' is given no cut points; give numbers in ascending order"
            raise InputError("cuts.none", sentence, column=column)
        finite = all(map(math.isfinite, points))
        if not finite or any(low >= high for low, high in pairwise(points)):
            wanted = "numbers in ascending order" if finite else "finite numbers"
            given = ", ".join(f"{point:g}" for point in points)
            sentence = f"the cut points of '{{column}}' are {{points}}; give {wanted}"
            raise InputError("cuts.unusable", sentence, column=column, points=given)


def _check_reference(reference: Iterable[tuple[str, str]]) -> None:
    _check_once((f"'{variable}'" for variable, _ in reference), "reference group of")


def _check_cohorts(cohorts: Iterable[tuple[str, str]]) -> None:
    for name, rule in cohorts:
        if not name.strip():
            sentence = "the cohort '{rule}' has no name; give it one"
            raise InputError("cohort.no_name", sentence, rule=rule)
        if is_unwritable(name):
            sentence = "the cohort's name '{name}' cannot be written as UTF-8; write it anew"
            raise InputError("cohort.unwritable", sentence, name=name)
        try:
            parse_rule(rule)
        except InputError as error:
            sentence = "cohort '{name}': {problem}"
            raise InputError("cohort.rule", sentence, name=name, problem=error) from None
    _check_once((f"'{name}'" for name, _ in cohorts), "cohort")


def _check_remedies(names: tuple[str, ...]) -> None:
    asked_for(names)
    if not names:
        sentence = "no remedy is named; write '{none}' for none"
        raise InputError("remedy.empty", sentence, none=NONE)
    if NONE in names and len(names) > 1:
        sentence = "the remedy '{none}' is given beside others; leave it out, or them"
        raise InputError("remedy.none_and_others", sentence, none=NONE)
    _check_once((f"'{name}'" for name in names), "remedy")


def _check_once(names: Iterable[str], what: str) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            sentence = "the {what} {name} is given twice; give it once"
            raise InputError("option.twice", sentence, what=what, name=name)


_WORDS = "an object of names and texts"
TEXT = ValueKind(str, "a text in quotes")
NUMBER = ValueKind(_Number, "a number")
WHOLE = ValueKind(Annotated[int, Strict()], "a whole number")
NUMBER_BY_LABEL = ValueKind(_Number, "a number")
"""None is a number that goes by the label."""

FLAG = ValueKind(Annotated[bool, Strict()], "true or false")
COLUMN = ValueKind(str, "a text in quotes", columns=lambda column: (column,))
COLUMNS = ValueKind(tuple[str, ...], "a list of columns' names", meaning=frozenset, columns=tuple)
WORDS = ValueKind(
    tuple[str, ...],
    "a list of words",
    meaning=lambda words: None if words is None else frozenset(words),
)
PAIRS = ValueKind(
    tuple[tuple[str, str], ...],
    "a list of pairs, each a list of two columns' names",
    _check_pairs,
    columns=chain.from_iterable,
)
CUTS = ValueKind(
    Annotated[dict[str, tuple[_Number, ...]], _Items],
    "an object of columns' names and lists of numbers",
    _check_cuts,
    frozenset,
    dict,
    by_name=True,
)
REFERENCE = ValueKind(
    Annotated[dict[str, str], _Items], _WORDS, _check_reference, frozenset, by_name=True
)
COHORTS = ValueKind(
    Annotated[dict[str, _Rule], _Items],
    _WORDS,
    _check_cohorts,
    columns=_rule_columns,
    by_name=True,
)
REMEDIES = ValueKind(
    tuple[str, ...],
    "a list of remedies' names",
    _check_remedies,
    columns=lambda names: chain.from_iterable(remedy.columns for remedy in asked_for(names)),
)

_KINDS: Mapping[Any, ValueKind] = {
    bool: FLAG,
    int: WHOLE,
    float: NUMBER,
    float | None: NUMBER_BY_LABEL,
    tuple[str, ...]: COLUMNS,
    tuple[str, ...] | None: COLUMNS,
    tuple[tuple[str, str], ...]: PAIRS,
    tuple[tuple[str, tuple[float, ...]], ...]: CUTS,
}
"""By a field's type; of any other type are texts."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """One option, from which command line, Setup, JSON and comparisons are made.

    It is called ``name`` in a sentence, ``key`` in JSON, ``flag`` on the command line and ``title``
    on Setup. ``field`` and ``default`` are those of :class:`AuditSettings`; with no default, it has
    to be given. ``step`` is that of Setup's arrows.
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
    refuse: Callable[[Any], object] = lambda _: None
    """Refuses a value that is unusable whatever the table, for a reason of this option alone."""
    tasks: Callable[[Any], Collection[Task]] | None = None
    """Returns the tasks that a value serves, unless it is empty; None if each serves both."""
    unfit: str = "{name} '{value}' does not serve a {task}; choose {serving}"

    def read_json(self, value: object) -> Any:  # noqa: ANN401 - of any option
        """Return the value of a JSON form, or raise pydantic's ``ValidationError``."""
        if value is None and self.default is None:
            return None
        return _reader(self.kind.json).validate_python(value)

    def check(self, value: Any) -> None:  # noqa: ANN401 - as above
        """Raise :class:`InputError` if a value is unusable whatever the table."""
        if isinstance(value, str) and get_origin(self.kind.json) is tuple:  # else its letters
            sentence = "{name} is the text '{value}'; give {wanted}, such as ['{value}']"
            about = {"name": self.name, "value": value, "wanted": self.kind.wanted}
            raise InputError("option.text", sentence, **about)
        self.refuse(value)
        if value is None:
            return
        self.kind.check(value)
        if self.kind is WHOLE:
            check_whole(self.key, value, self.least, self.most)
        is_number = self.kind in (NUMBER, NUMBER_BY_LABEL)
        if is_number and not (math.isfinite(value) and value >= self.least):
            sentence = "{name} is {value}; give a number of {least} or more"
            given = {"name": self.name, "value": value, "least": self.least}
            raise InputError("option.number", sentence, **given)
        if self.allowed and value not in self.allowed:
            sentence = f"there is no {self.name} '{{value}}'; choose {one_of(self.allowed)}"
            raise InputError("option.unknown_name", sentence, value=value)

    def check_task(self, value: Any, task: Task, target: str) -> None:  # noqa: ANN401 - as above
        """Raise :class:`InputError` if a value does not serve a task."""
        if self.tasks is None or not value or task in self.tasks(value):
            return
        serving = one_of(name for name in self.allowed if task in self.tasks(name))
        given = {"name": self.name, "value": value, "serving": serving}
        raise InputError("option.other_task", self.unfit, **given, task=task, target=target)


_reader: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def option(default: Any, help_: str, **more: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a field of settings; ``more`` are attributes of :class:`Option` that it does not say.

    Its kind is by default that of the field's type, and its name that of the field.
    """
    return field(default=default, metadata={"help": help_, **more})


def options_of(settings: type) -> Mapping[str, Option]:
    """Return the options of a class of settings by the names of its fields, in their order."""
    return _options_of(settings)  # cached, but typed as a function of any class


@cache
def _options_of(settings: type) -> Mapping[str, Option]:
    return {each.name: _option(each) for each in fields(settings)}


def _option(of: "Field[Any]") -> Option:
    key = of.metadata.get("key", of.name)
    name = of.metadata.get("name", of.name.replace("_", " "))
    kind = of.metadata.get("kind", _KINDS.get(of.type, TEXT))
    flag, title = f"--{key.replace('_', '-')}", name[0].upper() + name[1:]
    words = {"name": name, "key": key, "flag": flag, "title": title}
    made = {"field": of.name, "default": of.default, "kind": kind, "meaning": kind.meaning, **words}
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
    """Return names to choose from, joined by or."""
    return " or ".join(f"'{name}'" for name in names)
