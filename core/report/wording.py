"""How sentences write predictors, groups, layers and shares: long names cut, figures whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..experiment.result import ChangedRows, ReplayStep
from ..messages import counted, listed
from ..segments.by_segment import SegmentRow
from ..segments.under_coverage import ChangeRow, JudgedRow
from ..segments.worst_segments import WorstSegmentRow
from ..tables.rules import in_a_rule

LONGEST_NAME = 100
_LONGEST_RULE = 400
_SMALLEST = 0.001
_LEAST_DCV = 0.0001
_MANY = 10.0  # percent that are written without a fraction


@dataclass(frozen=True)
class PredictorWords:
    """Words for predictors beside each other: ``titles`` by their names, the reference first."""

    titles: Mapping[str, str]

    def when(self, name: str) -> str:
        """Return "before" for the reference, and "after" for what adjusts it, named if several do.

        Nothing for the only predictor.
        """
        first, *others = self.titles
        if name == first:
            return "before" if others else ""
        return "after" if len(others) == 1 else f"after {self.titles[name]}"

    def at(self, name: str) -> str:
        """Return the same as the end of a clause."""
        return f" {self.when(name)}".rstrip()

    def each(self, values: Mapping[str, Any], form: Callable[[Any], str] = str) -> str:
        """Return a value of each predictor, such as "3 before and 2 after"."""
        return listed([f"{form(value)}{self.at(name)}" for name, value in values.items()])


def segment_in_words(row: SegmentRow) -> str:
    """Return what a segment is, such as "county = Devon" or "age >= 65"."""
    if row.kind in ("cohort", "look"):
        return row.variable
    if row.rule and len(row.rule) <= LONGEST_NAME:
        return row.rule
    if row.kind == "pair":
        return f"{row.variable}: {row.value}"
    variable, (low, to, high) = in_a_rule(row.variable), row.value.partition(" to ")
    if not row.is_band:
        return f"{variable} = {in_a_rule(row.value)}"
    return f"{low} <= {variable} < {high}" if to else f"{variable} {low}"


def in_brief(group: JudgedRow) -> str:
    """Return what a segment or rule is, its names and values cut where they are very long."""
    if isinstance(group, WorstSegmentRow):
        return brief(group.rule, _LONGEST_RULE)
    return segment_in_words(
        replace(group, variable=brief(group.variable), value=brief(group.value))
    )


def brief(name: str, longest: int = LONGEST_NAME) -> str:
    """Return a name of so many signs at most."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def rows_in_words(group: JudgedRow) -> str:
    """Return which test rows are meant, and how many."""
    rows = "1 test row" if group.n == 1 else f"{group.n:,} test rows"
    if isinstance(group, WorstSegmentRow):
        return f"those {rows} with {in_brief(group)} that had no part in the search for this rule"
    relation = "of" if group.kind == "cohort" else "with"
    return f"the {rows} {relation} {in_brief(group)}"


def percent(share: float, form: str = "z.1f") -> str:
    """Return a share in percent as everything here writes it: 90.5 %."""
    return f"{100.0 * share:{form}} %"


def about_percent(share: float) -> str:
    """Return a share in percent, of two digits where it is small."""
    percent = 100.0 * share
    return f"{percent:,.0f} %" if percent >= _MANY else f"{percent:.2g} %"


def certainty_in_words(name: str, value: float) -> str:
    """Return a p- or q-value under its name; it is never shown as zero."""
    return f"{name} < {_SMALLEST}" if value < _SMALLEST else f"{name} = {value:#.2g}"


def points(share: float | None) -> str:
    """Return a share in percentage points."""
    return "?" if share is None else f"{100.0 * share:z.1f}"


def spread_moves(before: float, after: float) -> str:
    """Return from which spread to which, in points; nothing where they read alike.

    A spread of 0 is one that other rows do not confirm.
    """
    was, now = points(before), points(after)
    if was == now:
        return ""
    if not after:
        return f"from {was} points to none that can be told from chance"
    return f"from {was} to {now} points" if before else f"up to {now} points"


def gain_in_words(made: ChangeRow) -> str:
    """Return by how much coverage of a group changes, in points, with its interval."""
    if made.change == 0.0:
        return "as before"
    low, high = map(signed_end, (made.low, made.high))
    return f"{100.0 * made.change:+z.1f} points, 95 % interval {low} to {high}"


def signed_end(share: float) -> str:
    """Return an end of an interval in points, with its sign, by which 0 is within or not."""
    return f"{100.0 * share + 0.0:+.1f}"


def clearly(made: ChangeRow) -> str:
    """Return which way a clear change goes."""
    return f"clearly {'worse' if made.high < 0.0 else 'better'}"


def layer_sentence(steps: Sequence[ReplayStep]) -> str:
    """Return what the last layer of a replay did; of no layer, what the sets set out from."""
    after, dcv = steps[-1], _dcv(steps[-1].training_dcv)
    if len(steps) == 1:
        text = f"Without a layer the training DCV is {dcv}."
        if after.worst is None:
            return text
        name, rows = brief(after.worst.name), counted(after.worst.n, "test row")
        coverage = percent(after.worst.coverage)
        return f"{text} Chance allowed for, coverage is lowest for {name}: {coverage} of {rows}."
    more, fewer = "gave more labels to", "gave fewer labels to"
    if after.are_intervals:
        more, fewer = "widened", "narrowed"
    parts = [_changed(more, after.wider, after), _changed(fewer, after.narrower, after)]
    changes = ", and ".join(filter(None, parts)) or "changed no set of the test rows"
    before = _dcv(steps[-2].training_dcv)
    return f"Layer {after.layers} {changes}; training DCV {before} to {dcv}."


def _changed(verb: str, changed: ChangedRows | None, step: ReplayStep) -> str:
    if changed is None or changed.n == 0:
        return ""
    by = among = ""
    if changed.change is not None:
        size = abs(changed.change)
        by = f" by {about_percent(size)}" if step.are_intervals else f" by {size:.2g} on average"
    if changed.among is not None:
        part = changed.among
        among = f" (among them {part.n:,} of the {part.size:,} of {brief(part.name)})"
    return f"{verb} {counted(changed.n, 'test row')}{by}{among}"


def _dcv(value: float) -> str:
    return f"{value:.4f}" if value >= _LEAST_DCV else f"below {_LEAST_DCV}"
