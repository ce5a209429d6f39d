"""The predictors that an audit is of, and how each is fitted."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..conformal.measures import MEASURES, ConformityMeasure
from ..conformal.predictor import MeasurePredictor, Predictor, ReadyMade
from ..errors import InputError
from ..events import Listener, StopRequest
from ..preparation.hints import with_leak_named
from ..preparation.prepare import PreparedData
from ..preparation.settings import AuditSettings
from ..remedies import RemedyPredictor, asked_for, parse_remedy
from ..remedies.base import Remedy
from ..segments.grouping import SegmentVariables
from ..segments.tally import ColumnSegments
from .evaluation import Evaluator
from .replay import Replay


@dataclass
class Fitting:
    """What predictors are fitted from; nothing is fitted until it is asked for."""

    data: PreparedData
    settings: AuditSettings
    on_event: Listener
    should_stop: StopRequest
    with_replay: bool = True
    """Whether to tell what each layer does to the test rows."""

    @cached_property
    def divisions(self) -> SegmentVariables:
        """What the test rows are divided by; see :class:`SegmentVariables` for its errors."""
        return SegmentVariables(self.data.plan, self.settings)

    @cached_property
    def evaluator(self) -> Evaluator:
        """What evaluates all predictors in the same way."""
        return Evaluator(self.data, self.settings)

    @cached_property
    def base_measure(self) -> ConformityMeasure:
        """The fitted measure that the settings name, or that of what a user's model said."""
        given, train = self.settings.outputs, self.data.train
        if given is not None and given.measure is not None:
            return given.measure().fit(train, train.y)
        name = self.settings.measure_for(self.data.label.task)
        assert name is not None  # noqa: S101 - one is fitted
        return MEASURES[name](**self.data.label.measure_parameters).fit(train, train.y)


@dataclass(frozen=True)
class Candidate:
    """A predictor to be audited: its name, and how it is fitted."""

    name: str
    fit: Callable[[Fitting], Predictor]
    is_reference: bool = True


def fitted(candidate: Candidate, fitting: Fitting) -> tuple[Predictor, float]:
    """Return a candidate's predictor, and the seconds that its fit took.

    Raises :class:`InputError`, with a leak that may be why, if it cannot be fitted to the data.
    """
    began = time.perf_counter()
    try:
        predictor = candidate.fit(fitting)
    except InputError as error:
        raise with_leak_named(error, fitting.data.hints) from None
    return predictor, time.perf_counter() - began


def base(fitting: Fitting) -> Predictor:
    """Return the predictor of the base measure."""
    return MeasurePredictor("base", "base", fitting.base_measure, fitting.settings.confidence_level)


def remedy(name: str) -> Candidate:
    """Return the predictor of a remedy, fitted over the base measure."""
    parsed = parse_remedy(name)

    def fit(fitting: Fitting) -> Predictor:
        settings, train = fitting.settings, fitting.data.train
        penalty = settings.penalty_for(fitting.data.label.task)
        with_penalty = replace(settings, penalty=penalty)
        fitted = parsed.of_settings(fitting.base_measure, with_penalty)
        replay = _replay(name, fitted, fitting)
        listen = fitting.on_event if replay is None else replay.listen
        fitted.fit(train, train.y, on_event=listen, should_stop=fitting.should_stop)
        steps = () if replay is None else replay.finished()
        return RemedyPredictor(name, fitted, settings.confidence_level, parsed.title, steps)

    return Candidate(name, fit, is_reference=False)


def _replay(name: str, fitted: Remedy, fitting: Fitting) -> Replay | None:
    if not fitting.with_replay:
        return None
    groups = ColumnSegments(fitting.divisions)
    return Replay(name, fitted, fitting.evaluator, groups, fitting.on_event)


def ready_made(fitting: Fitting) -> Predictor:
    """Return the predictor of the sets that stand in the table."""
    given = fitting.settings.outputs
    return ReadyMade(f"the table's own {'sets' if given is None else given.title}")


def candidates(settings: AuditSettings) -> Sequence[Candidate]:
    """Return what an audit with these settings is of; the first is the reference."""
    if settings.is_ready_made:
        return [Candidate(ReadyMade.name, ready_made)]
    remedies = asked_for(settings.remedies)
    return [Candidate("base", base), *(remedy(asked.name) for asked in remedies)]
