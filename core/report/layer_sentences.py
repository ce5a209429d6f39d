"""What a layer did to the prediction sets of the test rows, in one sentence."""

from collections.abc import Sequence

from ..experiment.figures import ChangedRows, ReplayStep
from ..messages import counted
from ..segments.tally import PartOfSegment, SegmentName
from .wording import about_percent, brief, group_in_words, percent

_LEAST_DCV = 0.0001


def layer_sentence(steps: Sequence[ReplayStep]) -> str:
    """Return what the last of the steps of a replay did; of the only one, where layers set out."""
    after, dcv = steps[-1], _dcv(steps[-1].training_dcv)
    if len(steps) == 1:
        return f"Without a layer the training DCV is {dcv}.{_worst(after)}"
    parts = [
        _part("widened", "gave more labels to", after.wider, after),
        _part("narrowed", "gave fewer labels to", after.narrower, after),
    ]
    changes = ", and ".join(filter(None, parts)) or "changed no set of the test rows"
    before = _dcv(steps[-2].training_dcv)
    return f"Layer {after.layers} {changes}; training DCV {before} to {dcv}."


def _part(intervals: str, labels: str, changed: ChangedRows | None, step: ReplayStep) -> str:
    if changed is None or changed.n == 0:
        return ""
    verb = intervals if step.are_intervals else labels
    by, among = _by(changed.change, step), _among(changed.among)
    return f"{verb} {counted(changed.n, 'test row')}{by}{among}"


def _among(part: PartOfSegment | None) -> str:
    if part is None:
        return ""
    return f" (among them {part.n:,} of the {part.size:,} of {_in_brief(part.name)})"


def _in_brief(name: SegmentName) -> str:
    return group_in_words(name._replace(variable=brief(name.variable), value=brief(name.value)))


def _by(change: float | None, step: ReplayStep) -> str:
    if change is None:
        return ""
    if not step.are_intervals:
        return f" by {abs(change):.2g} on average"
    return f" by {about_percent(abs(change))}"


def _worst(step: ReplayStep) -> str:
    if step.worst is None:
        return ""
    group, rows = _in_brief(step.worst.name), counted(step.worst.n, "test row")
    coverage = percent(step.worst.coverage)
    return f" Chance allowed for, coverage is lowest for {group}: {coverage} of {rows}."


def _dcv(value: float) -> str:
    return f"{value:.4f}" if value >= _LEAST_DCV else f"below {_LEAST_DCV}"
