"""What an option is: its kind, names, help and values; and the ways to say what a model said."""

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import cache, partial, wraps
from itertools import chain, pairwise
from typing import Annotated, Any, TypeAlias, TypeVar, get_args

from pydantic import AfterValidator, BeforeValidator, Strict, ValidationError
from pydantic import Field as Constraint

from ..arrays import as_python
from ..conformal import measures
from ..conformal.label_measures import GivenProbabilities
from ..messages import (
    MOST_TEXT,
    MOST_WHOLE,
    InputError,
    Names,
    check_whole,
    is_unwritable,
    perhaps,
    within,
)
from ..remedies.names import NONE, asked_for
from ..tables import grammar

_BY_LABEL = "auto"
MOST_COHORTS = 200  # a page that lists them is drawn in a second
_Settings = TypeVar("_Settings")


@dataclass(frozen=True, eq=False)
class ValueKind:
    """What values an option has; a field's type names it. In JSON they are ``wanted``, in words.

    On the command line, ``parse`` reads what is given once, for which ``stands_for`` stands in
    help, and ``write`` writes a whole value.
    """

    wanted: str
    parse: Callable[[str], Any] = str
    write: Callable[[Any], str] = str
    stands_for: str | None = None  # None for the option's own name
    is_list: bool = False  # whether what is given once holds several items
    by_name: bool = False
    """Whether it has pairs, each given by itself, in a line of its own; in JSON, an object."""
    example: str | None = None
    check: Callable[[Any], object] = lambda _: None
    """Refuses a value that is unusable whatever the table."""
    meaning: Callable[[Any], object] = lambda value: value
    """Returns what two values share that say the same, however they are written."""
    columns: Callable[[Any], Iterable[str]] = lambda _: ()  # returns the columns that a value names

    def read(self, text: str) -> Any:  # noqa: ANN401 - of any option
        """Return the value that :attr:`write` writes so, or raise :class:`InputError`."""
        check_length("what is written", [text])
        if self.by_name:
            return tuple(map(self.parse, grammar.lines_of(text)))
        return () if self.is_list and not text.strip() else self.parse(text)

    def texts(self, value: Any) -> list[str]:  # noqa: ANN401 - of any option
        """Return what is given on the command line, each time that it is."""
        return [self.write([item]) for item in value] if self.by_name else [self.write(value)]


def check_length(what: str, texts: Iterable[str]) -> None:
    """Raise :class:`InputError` of more text than an option may have, wherever it is from."""
    count = sum(map(len, texts))
    if count > MOST_TEXT:
        sentence = "{what} has {count} characters; give at most {most}"
        raise InputError("option.too_long", sentence, what=what, count=count, most=MOST_TEXT)


def _parse_by_label(text: str) -> float | None:
    try:
        return None if text == _BY_LABEL else float(text)
    except ValueError:
        advice = f"is no number; give one, or {_BY_LABEL}, by which it goes by the label"
        raise InputError("number.unreadable", f"'{{text}}' {advice}", text=text) from None


def _write_by_label(number: float | None) -> str:
    return _BY_LABEL if number is None else str(number)


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


def _check_cohorts(cohorts: Collection[tuple[str, str]]) -> None:
    if len(cohorts) > MOST_COHORTS:
        sentence = "there are {count} cohorts; name {most} at most, or give them as a column"
        raise InputError("cohort.too_many", sentence, count=len(cohorts), most=MOST_COHORTS)
    for name, rule in cohorts:
        if not name.strip():
            sentence = "the cohort '{rule}' has no name; give it one"
            raise InputError("cohort.no_name", sentence, rule=rule)
        if is_unwritable(name):
            sentence = "the cohort's name '{name}' cannot be written as UTF-8; write it anew"
            raise InputError("cohort.unwritable", sentence, name=name)
        try:
            grammar.parse_rule(rule)
        except InputError as error:
            sentence = "cohort '{name}': {problem}"
            raise InputError("cohort.rule", sentence, name=name, problem=error) from None
    _check_once((f"'{name}'" for name, _ in cohorts), "cohort")


def check_called_otherwise(cohorts: Iterable[tuple[str, str]], names: Collection[str]) -> None:
    """Refuse cohorts with the name of a column, by which a remedy might mean either."""
    if called := [name for name, _ in cohorts if name in names]:
        sentence = "the cohort '{name}' has the name of a column; give it another"
        raise InputError("cohort.column", sentence, name=called[0])


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


def _plainly(value: object) -> object:
    plain = as_python(value)
    return str(value) if plain is value else plain


def _items(by_name: object) -> object:
    return tuple(by_name.items()) if isinstance(by_name, dict) else by_name


TEXT = ValueKind("a text in quotes")
FLAG = ValueKind("true or false")
NUMBER = ValueKind("a number", float)
NUMBER_BY_LABEL = ValueKind("a number", _parse_by_label, _write_by_label, "NUMBER|auto")
"""None is a number that goes by the label."""

WHOLE = ValueKind("a whole number", int, stands_for="N")
_NUMBERS = (NUMBER, NUMBER_BY_LABEL, WHOLE)
COLUMN = ValueKind(TEXT.wanted, stands_for="COL", columns=lambda column: (column,))
_listed = partial(
    ValueKind,
    parse=grammar.parse_columns,
    write=grammar.write_columns,
    stands_for="A,B",
    is_list=True,
)
COLUMN_LIST = _listed("a list of columns' names", meaning=frozenset, columns=tuple)
WORDS = _listed(
    "a list of words",
    parse=grammar.parse_words,
    write=grammar.write_words,
    stands_for="A,B|COL=A,B",
    meaning=lambda words: None if words is None else frozenset(words),
)
REMEDY_LIST = _listed(
    "a list of remedies' names",
    example="ifacm, quantile",
    check=_check_remedies,
    columns=lambda names: chain.from_iterable(remedy.divisions for remedy in asked_for(names)),
)
PAIRS = _listed(
    """a list of pairs, each a list of two columns' names, such as [["sex", "race"]]""",
    parse=grammar.parse_pairs,
    write=grammar.write_pairs,
    stands_for="A:B,C:D",
    example="A:B, C:D",
    check=_check_pairs,
    columns=chain.from_iterable,
)
_named = partial(ValueKind, by_name=True)
CUTS = _named(
    "an object of columns' names and lists of numbers",
    grammar.parse_cuts,
    grammar.write_cuts,
    "COL=X,Y",
    example="age=18,40,65",
    check=_check_cuts,
    meaning=frozenset,
    columns=dict,
)
WORDS_OF = _named(
    "an object of columns' names and lists of words, none empty",
    grammar.parse_words_of,
    grammar.write_words_of,
    "COL=A,B",
    example="income=-99,-98",
    check=lambda words: _check_once((f"'{c}'" for c, _ in words), "list of missing words of"),
    meaning=frozenset,
    columns=dict,
)
REFERENCE = _named(
    "an object of names and texts",
    grammar.parse_reference,
    grammar.write_reference,
    "COL=SEGMENT",
    example="owner=agency",
    check=lambda reference: _check_once((f"'{v}'" for v, _ in reference), "reference group of"),
    meaning=frozenset,
)
COHORTS = _named(
    REFERENCE.wanted,
    grammar.parse_cohort,
    grammar.write_cohorts,
    "'NAME: RULE'",
    check=_check_cohorts,
    columns=lambda cohorts: chain(*(grammar.parse_rule(rule).columns for _, rule in cohorts)),
)

NotEmpty = Constraint(min_length=1)
Flag: TypeAlias = Annotated[bool, Strict(), BeforeValidator(as_python), FLAG]
_Float: TypeAlias = Annotated[float, Strict(), BeforeValidator(as_python)]
Number: TypeAlias = Annotated[_Float, NUMBER]
NumberByLabel: TypeAlias = Annotated[_Float, NUMBER_BY_LABEL] | None
Whole: TypeAlias = Annotated[int, Strict(), BeforeValidator(as_python), WHOLE]
ColumnName: TypeAlias = Annotated[str, COLUMN]
ColumnNames: TypeAlias = Annotated[tuple[str, ...], COLUMN_LIST]
Words: TypeAlias = Annotated[tuple[str, ...], WORDS]
WordsOf: TypeAlias = Annotated[
    tuple[tuple[str, Annotated[tuple[str, ...], NotEmpty]], ...], BeforeValidator(_items), WORDS_OF
]
RemedyNames: TypeAlias = Annotated[tuple[str, ...], REMEDY_LIST]
ColumnPairs: TypeAlias = Annotated[tuple[tuple[str, str], ...], PAIRS]
CutPoints: TypeAlias = Annotated[
    tuple[tuple[str, tuple[_Float, ...]], ...], BeforeValidator(_items), CUTS
]
References: TypeAlias = Annotated[tuple[tuple[str, str], ...], BeforeValidator(_items), REFERENCE]
# the command line has no spaces around a rule
CohortRules: TypeAlias = Annotated[
    tuple[tuple[str, Annotated[str, AfterValidator(str.strip)]], ...],
    BeforeValidator(_items),
    COHORTS,
]


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
    most: int = MOST_WHOLE
    step: float = 1
    refuse: Callable[[Any], object] = lambda _: None
    """Refuses a value that is unusable whatever the table, for a reason of this option alone."""
    tasks: Callable[[Any], Collection[measures.Task]] | None = None
    """Returns the tasks that a value serves, unless it is empty; None if each serves both."""
    unfit: str | Mapping[measures.Task, str] = (
        "{name} '{value}' does not serve a {task}; choose {serving}"
    )

    def of_other_kind(self, value: object) -> InputError:
        """Return the refusal of a value that is not of the option's kind."""
        try:
            written = json.dumps(value, ensure_ascii=False, default=_plainly)
        except RecursionError:
            written = "nested too deeply"
        bounds = f" {within(self.least, self.most)}" if self.kind in _NUMBERS else ""
        wanted = self.kind.wanted + bounds + (", or null" if self.default is None else "")
        about = {"key": self.key, "value": written, "wanted": wanted}
        sentence = "the setting '{key}' is {value}; give {wanted}"
        if isinstance(value, str) and self.kind.is_list and self.kind is not PAIRS:
            sentence += ", such as ['{text}']" if value.strip() else ", or leave it out"
            return InputError("option.text", sentence, **about, text=value)
        return InputError("settings.value", sentence, **about)

    def check(self, value: Any) -> None:  # noqa: ANN401 - of any option
        """Raise :class:`InputError` if a value is unusable whatever the table."""
        self.refuse(value)
        if value is None:
            return
        self.kind.check(value)
        check_length(self.name, self.kind.texts(value))
        if self.kind is WHOLE:
            check_whole(self.key, value, self.least, self.most)
        elif self.kind in _NUMBERS and not (math.isfinite(value) and value >= self.least):
            sentence = f"{{name}} is {{value}}; give a number {within(self.least, self.most)}"
            raise InputError("option.number", sentence, name=self.name, value=value)
        if self.allowed and value not in self.allowed:
            sentence = f"there is no {self.name} '{{value}}'; choose {one_of(self.allowed)}"
            sentence += perhaps(value, self.allowed)
            raise InputError("option.unknown_name", sentence, value=value)

    def check_task(self, value: Any, task: measures.Task, target: str) -> None:  # noqa: ANN401 - as above
        """Raise :class:`InputError` if a value does not serve a task."""
        if self.tasks is None or not value or task in self.tasks(value):
            return
        serving = one_of(name for name in self.allowed if task in self.tasks(name))
        given = {"name": self.name, "value": value, "serving": serving}
        unfit = self.unfit if isinstance(self.unfit, str) else self.unfit[task]
        raise InputError("option.other_task", unfit, **given, task=task, target=target)


def option(default: Any, help_: str, **more: Any) -> Any:  # noqa: ANN401 - of any type
    """Return a field of settings; ``more`` are attributes of :class:`Option` that it does not say.

    Its kind is that of the field's type, and its name by default that of the field.
    """
    return field(default=default, metadata={"help": help_, **more})


def in_own_words(settings: type[_Settings]) -> type[_Settings]:
    """Let a class of settings, made by pydantic, refuse values by an :class:`InputError`."""
    init = settings.__init__

    @wraps(init)
    def checked(self: _Settings, **given: object) -> None:
        try:
            init(self, **given)
        except ValidationError as error:
            first, known = error.errors(include_url=False)[0], options_of(settings)
            own = first.get("ctx", {}).get("error")
            if isinstance(own, Exception):
                raise own from None
            field = str(first["loc"][0])
            if field in known and field in given:
                if known[field].allowed and isinstance(given[field], str):
                    known[field].check(given[field])
                raise known[field].of_other_kind(given[field]) from None
            told = first["msg"] if field in known else _unknown(field, known)
            raise TypeError(f"'{field}': {told}") from None  # a mistake of the program's

    settings.__init__ = checked  # type: ignore[assignment]
    return settings


def _unknown(name: str, known: Mapping[str, Option]) -> str:
    """Say which option is meant by a name that none has in Python, such as its key or flag."""
    for option in known.values():
        if name in (option.key, option.flag.removeprefix("--")):
            return f"so it is called in files and commands; in Python it is '{option.field}'"
    return f"there is no such option{perhaps(name, known)}"


def options_of(settings: type) -> Mapping[str, Option]:
    """Return the options of a class of settings by the names of its fields, in their order."""
    return _options_of(settings)  # cached, but typed as a function of any class


@cache
def _options_of(settings: type) -> Mapping[str, Option]:
    return {each.name: _option(each) for each in fields(settings)}


def _option(of: "Field[Any]") -> Option:
    key = of.metadata.get("key", of.name)
    name = of.metadata.get("name", of.name.replace("_", " "))
    kind = next(_kinds_in(of.type), TEXT)
    flag, title = f"--{key.replace('_', '-')}", name[0].upper() + name[1:]
    words = {"name": name, "key": key, "flag": flag, "title": title}
    made = {"field": of.name, "default": of.default, "kind": kind, "meaning": kind.meaning, **words}
    return Option(**made | of.metadata)


def _kinds_in(annotation: object) -> Iterator[ValueKind]:
    for part in get_args(annotation):
        if isinstance(part, ValueKind):
            yield part
        else:
            yield from _kinds_in(part)


def one_of(names: Iterable[str]) -> str:
    """Return names to choose from, joined by or."""
    return " or ".join(f"'{name}'" for name in names)


@dataclass(frozen=True)
class OutputWay:
    """A way to give the outputs of a user's own model: the options that do, the first ones needed.

    ``measure`` is what such outputs are scored by; None for sets that are taken as they are, of
    which ``instead`` tells what could be mended.
    """

    title: str
    task: measures.Task
    needed: tuple[str, ...]
    more: tuple[str, ...] = ()
    measure: type[measures.ConformityMeasure] | None = None
    instead: str = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """All its options."""
        return (*self.needed, *self.more)

    @property
    def idle(self) -> tuple[str, ...]:
        """The options that have no meaning beside it."""
        of_sets = ("remedies", "split", "stratify", "repeats", "cap_width")
        of_fits = ("measure", "never_empty") if self.measure is not GivenProbabilities else ()
        return ("model", *of_fits, *(of_sets if self.measure is None else ()))


OUTPUT_WAYS = (
    OutputWay("intervals", "regression", ("lower", "upper"), instead="their ends as quantiles"),
    OutputWay("sets", "classification", ("label_set",), instead="the model's probabilities"),
    OutputWay("sets", "classification", ("set_columns",), instead="probabilities"),
    OutputWay("predictions", "regression", ("prediction",), ("sigma",), measures.GivenPrediction),
    OutputWay("quantiles", "regression", ("quantiles",), measure=measures.GivenQuantiles),
    OutputWay("probabilities", "classification", ("probabilities",), measure=GivenProbabilities),
)

OUTPUT_FIELDS = tuple(field for way in OUTPUT_WAYS for field in way.fields)
"""Options that name columns of outputs."""


def check_takes_remedies(way: OutputWay | None) -> None:
    """Refuse to mend sets that are taken as they are, or to compare what does."""
    if way is not None and way.measure is None:
        sentence = (
            "{what} of your own model are audited as they are, and take no remedy; give {instead}, "
            "which can be mended"
        )
        raise InputError("outputs.no_remedy", sentence, what=way.title, instead=way.instead)


def check_two_quantiles(quantiles: tuple[str, ...]) -> None:
    """Refuse anything but two columns, or none."""
    if len({*quantiles}) not in (0, 2) or len(quantiles) > 2:  # noqa: PLR2004 - two ends
        sentence = "the quantiles are columns {names}; give two of them, the lower one first"
        raise InputError("outputs.two_quantiles", sentence, names=Names(quantiles))


def of_task(task: measures.Task) -> dict[str, Any]:
    """Return what refuses an option of what a model said of labels of the other task."""
    kind = {"regression": "a numeric label", "classification": "classes"}[task]
    unfit = f"{{name}} is of a model for {kind}; choose the task {task}, or leave it to auto"
    return {"tasks": lambda _: (task,), "unfit": unfit}
