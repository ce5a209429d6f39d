"""The ways to say what a user's own model said, as options do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..conformal.measures import (
    ConformityMeasure,
    GivenPrediction,
    GivenProbabilities,
    GivenQuantiles,
    Task,
)
from ..errors import InputError
from ..remedies.names import NONE
from .options import Option

OptionsGiven = Mapping[str, tuple[Option, Any]]
"""By field, each option of an audit and its value."""


@dataclass(frozen=True)
class OutputWay:
    """A way to say what a user's own model said: the options that do, the first ones needed.

    ``measure`` is what such outputs are scored by; None for sets that are taken as they are, of
    which ``instead`` tells what could be mended.
    """

    title: str
    task: Task
    needed: tuple[str, ...]
    more: tuple[str, ...] = ()
    measure: type[ConformityMeasure] | None = None
    instead: str = ""


OUTPUT_WAYS = (
    OutputWay("intervals", "regression", ("lower", "upper"), instead="their ends as quantiles"),
    OutputWay("sets", "classification", ("label_set",), instead="the model's probabilities"),
    OutputWay("predictions", "regression", ("prediction",), ("sigma",), GivenPrediction),
    OutputWay("quantiles", "regression", ("quantiles",), measure=GivenQuantiles),
    OutputWay("probabilities", "classification", ("probabilities",), measure=GivenProbabilities),
)

OUTPUT_FIELDS = tuple(field for way in OUTPUT_WAYS for field in (*way.needed, *way.more))
"""Options that name columns of outputs."""


def columns_by_output(options: OptionsGiven) -> dict[str, tuple[str, ...]]:
    """Return the columns of each option that says what a model said, of those given."""
    given = {field: options[field] for field in OUTPUT_FIELDS}
    return {
        field: tuple(about.kind.columns(value)) for field, (about, value) in given.items() if value
    }


def ways_begun(options: OptionsGiven) -> list[OutputWay]:
    """Return the ways of which an option is given: one at most, once they are checked."""
    given = columns_by_output(options).keys()
    return [way for way in OUTPUT_WAYS if given & {*way.needed, *way.more}]


def check_outputs(options: OptionsGiven) -> None:
    """Refuse what cannot be together of what a model said, and with it."""
    name = {field: about.name for field, (about, _) in options.items()}
    value = {field: given for field, (_, given) in options.items()}
    ways = ways_begun(options)
    for way in ways:
        lacking = [name[field] for field in way.needed if not value[field]]
        if lacking:
            begun = next(name[f] for f in (*way.needed, *way.more) if value[f])
            sentence = "'{begun}' is given without '{lacking}'; name that column, too"
            raise InputError("outputs.half", sentence, begun=begun, lacking=lacking[0])
    if len(ways) > 1:
        sentence = "{titles} of your model cannot be audited at once; choose one of them"
        titles = " and ".join(way.title for way in ways)
        raise InputError("outputs.two_ways", sentence, titles=titles)
    for field in _idle_beside(ways, options):
        if field == "remedies":
            check_takes_remedies(ways[0])
        sentence = "'{option}' has no meaning beside {what} of your own model; leave it out"
        about = {"option": name[field], "what": ways[0].title}
        raise InputError("outputs.idle_option", sentence, **about)


def check_takes_remedies(way: OutputWay | None) -> None:
    """Refuse to mend sets that are taken as they are, or to compare what does."""
    if way is not None and way.measure is None:
        sentence = (
            "{what} of your own model are audited as they are, and take no remedy; give {instead}, "
            "which can be mended"
        )
        raise InputError("outputs.no_remedy", sentence, what=way.title, instead=way.instead)


def _idle_beside(ways: list[OutputWay], options: OptionsGiven) -> list[str]:
    """Return the options given that have no meaning beside a way."""
    if not ways:
        return []
    idle = ["measure"]
    if ways[0].measure is None:
        idle += ["remedies", "split", "stratify", "repeats"]
    given = {field: options[field] for field in idle}
    return [f for f, (about, value) in given.items() if value not in (about.default, (NONE,))]


def check_two_quantiles(quantiles: tuple[str, ...]) -> None:
    """Refuse anything but two columns, or none."""
    if len({*quantiles}) not in (0, 2) or len(quantiles) > 2:  # noqa: PLR2004 - two ends
        sentence = "the quantiles are columns {names}; give two of them, the lower one first"
        raise InputError("outputs.two_quantiles", sentence, names=", ".join(quantiles))


def of_task(task: Task) -> dict[str, Any]:
    """Return what refuses an option of what a model said of labels of the other task."""
    kind = {"regression": "a numeric label", "classification": "classes"}[task]
    unfit = f"{{name}} is of a model for {kind}; choose the task {task}, or leave it to auto"
    return {"tasks": lambda _: (task,), "unfit": unfit}
