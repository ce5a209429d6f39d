"""The ways to say what a user's own model said, as options do."""

from dataclasses import dataclass
from typing import Any

from ..conformal.measures import (
    ConformityMeasure,
    GivenPrediction,
    GivenProbabilities,
    GivenQuantiles,
    Task,
)
from ..messages import InputError


@dataclass(frozen=True)
class OutputWay:
    """A way to give the outputs of a user's own model: the options that do, the first ones needed.

    ``measure`` is what such outputs are scored by; None for sets that are taken as they are, of
    which ``instead`` tells what could be mended.
    """

    title: str
    task: Task
    needed: tuple[str, ...]
    more: tuple[str, ...] = ()
    measure: type[ConformityMeasure] | None = None
    instead: str = ""

    @property
    def fields(self) -> tuple[str, ...]:
        """All its options."""
        return (*self.needed, *self.more)


OUTPUT_WAYS = (
    OutputWay("intervals", "regression", ("lower", "upper"), instead="their ends as quantiles"),
    OutputWay("sets", "classification", ("label_set",), instead="the model's probabilities"),
    OutputWay("predictions", "regression", ("prediction",), ("sigma",), GivenPrediction),
    OutputWay("quantiles", "regression", ("quantiles",), measure=GivenQuantiles),
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
        raise InputError("outputs.two_quantiles", sentence, names=", ".join(quantiles))


def of_task(task: Task) -> dict[str, Any]:
    """Return what refuses an option of what a model said of labels of the other task."""
    kind = {"regression": "a numeric label", "classification": "classes"}[task]
    unfit = f"{{name}} is of a model for {kind}; choose the task {task}, or leave it to auto"
    return {"tasks": lambda _: (task,), "unfit": unfit}
