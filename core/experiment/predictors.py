"""The predictors that an audit is of, and how each is fitted."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.frozen import FrozenEstimator

from ..arrays import as_python
from ..conformal.measures import ConformityMeasure, Task
from ..conformal.models import MODELS, weight_argument
from ..conformal.names import MEASURES
from ..conformal.predictor import MeasurePredictor, Predictor, ReadyMade
from ..coverage.estimators import ESTIMATORS
from ..events import Listener, Stage, StageStarted, StopRequest
from ..messages import InputError, told_apart
from ..preparation.column_names import protected_attributes
from ..preparation.hints import with_leak_named
from ..preparation.options import OUTPUT_FIELDS, check_takes_remedies
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings, check_takes_weights
from ..remedies.auto import Auto
from ..remedies.base import Remedy
from ..remedies.ifacm.choices import PENALTY_FORMS, SEARCHES
from ..remedies.names import AUTO, NONE, asked_for, name_of, parse_remedy, title_of
from ..segments.grouping import SegmentVariables
from ..segments.tally import ColumnSegments
from ..tables.grammar import write_columns
from ..threads import single_blas_thread
from .evaluation import Evaluator
from .replay import Replay
from .result import ReplayStep

_NO_MEASURE = (
    "{given} is no conformity measure; give an object of a class derived from ConformityMeasure, "
    "such as NormalizedMeasure()"
)
_IDLE = "'{option}' has no meaning beside a measure given as an object; leave out one of both"
_NO_REMEDIES = (
    "{given} is no list of remedies, or none of one; give a list of names such as quantile, and of "
    "objects of classes derived from Remedy, such as IFACM()"
)

_INCOMPLETE = (
    "remedy {remedy} has no title, or no parameter base; write title = '...' in its class, and "
    "__init__(self, base=None), which sets self.base"
)


@dataclass(frozen=True)
class OwnAlgorithms:
    """What is given to an audit as objects, in place of what its settings name.

    ``remedies`` go by their names in data, and may be names of the settings' kind, too.
    """

    measure: ConformityMeasure | None = None
    remedies: Mapping[str, str | Remedy] | None = None

    @classmethod
    def of(
        cls, measure: ConformityMeasure | None, remedies: Iterable[str | Remedy] | None
    ) -> "OwnAlgorithms":
        """Name the remedies, each of them otherwise; InputError if one of these is none."""
        if not isinstance(measure, ConformityMeasure | None) or isinstance(measure, Remedy):
            raise InputError("argument.measure", _NO_MEASURE, given=repr(as_python(measure)))
        if remedies is None:
            return cls(measure)
        is_list = isinstance(remedies, Iterable) and not isinstance(remedies, str)
        listed: list[Any] = list(remedies) if is_list else [remedies]
        for each in listed:
            if not (is_list and isinstance(each, str | Remedy)):
                given = repr(as_python(each))
                raise InputError("argument.remedies", _NO_REMEDIES, given=given)
            if isinstance(each, Remedy) and not (hasattr(each, "title") and hasattr(each, "base")):
                raise InputError("argument.remedy", _INCOMPLETE, remedy=type(each).__name__)
        names = told_apart([r if isinstance(r, str) else name_of(r) for r in listed])
        return cls(measure, dict(zip(names, listed, strict=True)))

    def settings(self, settings: object) -> AuditSettings:
        """Return settings that name what they can; InputError if they do not go with the rest."""
        if not isinstance(settings, AuditSettings):
            sentence = "settings are of type {type}; give them as AuditSettings(target='...')"
            raise InputError("argument.settings", sentence, type=type(settings).__name__)
        if self.remedies is not None:
            if self.remedies:
                check_takes_remedies(settings.outputs)
            known = tuple(name for name in self.remedies if title_of(name) != name)
            settings = replace(settings, remedies=known or (NONE,))
        if self.measure is not None:
            _check_is_alone(settings)
            if settings.task == "auto":
                settings = replace(settings, task=self.measure.task)
        if settings.weight is not None:
            for option, name, algorithm in self._algorithms():
                parts = [algorithm, *algorithm.get_params().values()]
                takes = all(getattr(part, "takes_weights", True) for part in parts)
                check_takes_weights(option, name, takes=takes)
                for model in _models(algorithm):
                    takes = weight_argument(model) is not None
                    check_takes_weights("model", type(model).__name__, takes=takes)
        return settings

    def check_task(self, task: Task) -> None:
        """Raise :class:`InputError` if one does not serve a task."""
        for option, name, algorithm in self._algorithms():
            serves = algorithm.tasks if isinstance(algorithm, Remedy) else (algorithm.task,)
            if task not in serves:
                sentence = "{option} '{name}' does not serve {task}; choose another"
                about = {"option": option, "name": name, "task": task}
                raise InputError("algorithm.other_task", sentence, **about)

    def names(self) -> dict[str, Any]:
        """Return what the record of settings has in place of names."""
        names: dict[str, Any] = {}
        if self.remedies is not None:
            names["remedy"] = list(self.remedies)
        if self.measure is not None:
            names["measure"] = _name_of_measure(self.measure)
            if (model := self.measure.get_params(deep=False).get("model")) is not None:
                names["model"] = type(getattr(model, "estimator", model)).__name__
        return names

    def _algorithms(self) -> Iterator[tuple[str, str, ConformityMeasure]]:
        if self.measure is not None:
            yield "measure", _name_of_measure(self.measure), self.measure
        for name, remedy in (self.remedies or {}).items():
            if isinstance(remedy, Remedy):
                yield "remedy", name, remedy


def _name_of_measure(measure: ConformityMeasure) -> str:
    known = (name for name, entry in MEASURES.items() if type(measure) is entry)
    return next(known, type(measure).__name__)


def _check_is_alone(settings: AuditSettings) -> None:
    """Raise :class:`InputError` of options that say what a measure given as an object does."""
    for about, value in settings.by_option():
        is_other = about.field in ("model", "measure", "never_empty", *OUTPUT_FIELDS)
        if is_other and value != about.default:
            raise InputError("measure.idle_option", _IDLE, option=about.name)


def _models(part: BaseEstimator) -> Iterator[BaseEstimator]:
    for value in part.get_params(deep=False).values():
        if isinstance(value, BaseEstimator) and not isinstance(value, FrozenEstimator):
            yield from _models(value) if hasattr(value, "takes_weights") else (value,)


@dataclass
class Fitting:
    """What predictors are fitted from; nothing is fitted until it is asked for."""

    data: PreparedData
    settings: AuditSettings
    on_event: Listener
    should_stop: StopRequest
    with_replay: bool = True  # whether to tell what each layer does to the test rows
    own: OwnAlgorithms = field(default_factory=OwnAlgorithms)
    replays: dict[str, Sequence[ReplayStep]] = field(default_factory=dict)
    """What was told of predictors that came about by layers, by their names."""

    def __post_init__(self) -> None:
        self.own.check_task(self.data.label.task)

    @cached_property
    def divisions(self) -> SegmentVariables:
        """What the test rows are divided by; see :class:`SegmentVariables` for its errors."""
        return SegmentVariables(self.data, self.settings)

    @cached_property
    def evaluator(self) -> Evaluator:
        """What evaluates all predictors in the same way."""
        return Evaluator(self.data, self.settings)

    @cached_property
    def base_measure(self) -> ConformityMeasure:
        """The fitted measure that the settings name, or that of what a user's model said."""
        settings, label, train = self.settings, self.data.label, self.data.train
        if (given := settings.given_measure) is not None:
            return given.fit(train, train.y)
        told = label.measure_parameters | {"confidence_level": settings.confidence_level}
        measure: ConformityMeasure
        if self.own.measure is None:
            measure = MEASURES[settings.measure_for(label.task) or ""]()
            told |= MODELS[settings.model](label.task, settings.seed)
            told["never_empty"] = settings.never_empty
        else:
            measure = clone(self.own.measure)
        has = measure.get_params(deep=False)
        lacking = {n: value for n, value in told.items() if has.get(n, value) in (None, False)}
        measure.set_params(**{n: value for n, value in lacking.items() if n in has})
        fitted: ConformityMeasure = measure.fit(train, train.y)
        return fitted

    def _groups(self) -> list[str]:
        """Return thresholds for audit-only and protected columns, if remedies may go by them."""
        settings, seen = self.settings, self.data.encoder.columns_
        columns = *settings.audit_only, *protected_attributes(seen, settings.not_protected)
        may_be = settings.use_protected and columns
        return [f"groups:{write_columns(columns, '+')}"] if may_be else []

    def remedy(self, asked: str | Remedy) -> Remedy:
        """Return a remedy over the base measure, as it is but for its level; by name as set."""
        if isinstance(asked, str):
            parsed, settings = parse_remedy(asked), self.settings
            parameters = {
                "penalty": settings.penalty_for(self.data.label.task),
                "estimator": ESTIMATORS[settings.ifacm_estimator](),
                "penalty_form": PENALTY_FORMS[settings.penalty_form],
                "search": SEARCHES[settings.search],
                "by_value": parsed.column in settings.categorical,
                "below": settings.below,
                "cohorts": dict(settings.all_cohorts),
                "codes": settings.categorical,
            }
            if parsed.remedy is Auto:
                named = {name: parse_remedy(name) for name in (*AUTO, *self._groups())}
                parameters["candidates"] = {n: of.made(parameters) for n, of in named.items()}
            asked = parsed.made(parameters)
        frozen, level = FrozenEstimator(self.base_measure), self.settings.confidence_level
        given: dict[str, Any] = {}
        for name, value in asked.get_params().items():  # those of a remedy within it, too
            parameter = name.rpartition("__")[2]
            if parameter == "base" and value is None:
                given[name] = frozen
            elif parameter == "confidence_level":
                given[name] = level
            elif parameter == "below" and value is None:
                given[name] = self.settings.below
        remedy: Remedy = clone(asked).set_params(**given)
        return remedy


@dataclass(frozen=True)
class Candidate:
    """A predictor to be audited: its name, and how it is fitted."""

    name: str
    fit: Callable[[Fitting], Predictor]
    is_reference: bool = True

    def fitted(self, fitting: Fitting) -> tuple[Predictor, float] | InputError:
        """Return the predictor and the seconds of its fit; or why not, with a leak that may be."""
        began = time.perf_counter()
        stage: Stage = "base_model" if self.is_reference else "remedy"
        fitting.on_event(StageStarted(stage, self.name))
        try:
            with single_blas_thread():
                return self.fit(fitting), time.perf_counter() - began
        except InputError as error:
            return with_leak_named(error, fitting.data.hints)


def base(fitting: Fitting) -> Predictor:
    """Return the predictor of the base measure."""
    return MeasurePredictor("base", "base", fitting.base_measure, fitting.settings.confidence_level)


def remedy(asked: str | Remedy, name: str = "") -> Candidate:
    """Return the predictor of a remedy, fitted over the base measure, under a name in data."""
    name = name or (asked if isinstance(asked, str) else name_of(asked))
    return Candidate(name, partial(_fit_remedy, asked, name), is_reference=False)


def _fit_remedy(asked: str | Remedy, name: str, fitting: Fitting) -> Predictor:
    train, remedy = fitting.data.train, fitting.remedy(asked)
    replay = None
    if fitting.with_replay:
        groups = ColumnSegments(fitting.divisions)
        replay = Replay(name, remedy, fitting.evaluator, groups, fitting.on_event)
    listen = fitting.on_event if replay is None else replay.listen
    remedy.fit(train, train.y, on_event=listen, should_stop=fitting.should_stop)
    if replay is not None and replay.steps:
        fitting.replays[name] = replay.steps
    title = title_of(name)
    shown, level = remedy.title if title == name else title, fitting.settings.confidence_level
    if remedy.fit_.choice is not None:
        shown = f"{remedy.title}: {title_of(remedy.fit_.choice.remedy)}"
    return MeasurePredictor(name, shown, remedy, level)


def candidates(settings: AuditSettings, own: OwnAlgorithms = OwnAlgorithms()) -> list[Candidate]:
    """Return what an audit with these settings is of; the first is the reference."""
    if settings.outputs is not None and settings.is_ready_made:
        given = ReadyMade(f"the table's own {settings.outputs.title}")
        return [Candidate(given.name, lambda _: given)]
    names = [each.name for each in asked_for(settings.remedies)]
    remedies = dict(zip(names, names, strict=True)) if own.remedies is None else own.remedies
    return [Candidate("base", base), *(remedy(each, name) for name, each in remedies.items())]
