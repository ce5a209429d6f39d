"""Rows of a result as charts, sentences and tables read them.

A row of a table is a dict with the fields' names of the JSON result, where figures of several
predictors side by side end in their suffixes, and with what is said beside; all else reads figures
by the predictors' names.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from evencover.core import AuditResult
from evencover.core.experiment.result import CoefficientRow, ReplayStep, ResultRow, SubsetName
from evencover.core.messages import counted, listed
from evencover.core.preparation.column_names import protected_attributes
from evencover.core.report.card import of_all_rows, size_in_units
from evencover.core.report.groups import low_groups, once
from evencover.core.report.repeats import repeat_sentences
from evencover.core.report.result import SECTIONS, grouped, json_row
from evencover.core.report.wording import layer_sentence, segment_in_words
from evencover.core.segments.binning import OUTSIDE
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.segments.grouping import VariableKind
from evencover.core.segments.statistics import FEWEST_JUDGED, Status
from evencover.core.watching.report import MOST_TOLD
from evencover.core.watching.verdict import About, WatchReport

from .formatting import ShownPredictor, predictors

Row = dict[str, Any]

SEGMENTS_SHOWN = 20  # so many segments in one chart, unless more are asked for
NOT_LOW = "not clearly low"  # the word for the status "fine": chance may hide a shortfall

TOO_FEW = "too few rows to say"
TOO_FEW_INDEPENDENT = "too few independent rows to say"
LOOK = "a look: not judged"
BY_LABEL = "by the label: not judged"
_NOT_JUDGED = {"look": LOOK, "label": BY_LABEL, "group": "a single value: not judged"}


@dataclass(frozen=True)
class ShownSegment:
    """A segment with its figures by each predictor's name, and what it is in words.

    ``first`` are the reference's, of n test rows. ``value`` names it beside its variable and
    ``group`` without; ``status`` says what became of it by the first adjustment, if there is one;
    ``fields`` are all of these as a row of a table, with the remark why it is not judged, if it is
    not.
    """

    first: SegmentRow
    figures: Mapping[str, SegmentRow]
    variable: str
    kind: VariableKind
    n: int
    value: str
    group: str
    status: Status | None
    fields: Row = field(repr=False)


def with_titles(rows: Iterable[Row], shown: Iterable[ShownPredictor]) -> list[Row]:
    """Return the rows with the predictors' titles in place of their names, statuses in words."""
    titles = {by.name: {"algorithm": by.title} for by in shown}
    return [
        row | titles[row["algorithm"]] if "algorithm" in row else row for row in with_words(rows)
    ]


def with_words(rows: Iterable[Row]) -> list[Row]:
    """Return the rows with their statuses in words."""
    return [
        row | {key: NOT_LOW for key in row if key.startswith("status") and row[key] == "fine"}
        for row in rows
    ]


def has_path(result: AuditResult) -> bool:
    """Say whether layers were added, or sought in vain."""
    in_vain = any(predictor.fit.no_layer_reason for predictor in result.predictors)
    return bool(result.iterations) or in_vain


def notes_on(result: AuditResult, name: str) -> str:
    """Return what the notes say of a remedy's fit, such as why it has no layer."""
    return " ".join(note for note in result.notes if note.values.get("remedy") == name)


def replay_of(result: AuditResult) -> Sequence[ReplayStep]:
    """Return what the sets are like after each layer of the first predictor that has any."""
    return next((steps for steps in result.replays.values() if len(steps) > 1), ())


def step_rows(steps: Sequence[ReplayStep]) -> list[Row]:
    """Return the steps of a replay, each with what its layer did, and the worst group."""
    return [
        vars(step)
        | {
            "did": layer_sentence(steps[: step.layers + 1]),
            "group": None if step.worst is None else step.worst.name,
            "group_coverage": None if step.worst is None else step.worst.coverage,
        }
        for step in steps
    ]


def over_seeds(result: AuditResult) -> list[str]:
    """Return what audits with several seeds say together."""
    return [] if result.repeats is None else repeat_sentences(result.repeats)


def marked(name: str, kind: str) -> str:
    """Return the name of a variable of a kind, with a mark on one that was made after looking."""
    return f"{name} (a look)" if kind == "look" else name


def segments(result: AuditResult) -> list[ShownSegment]:
    """Return all segments."""
    shown = []
    rows = SECTIONS["segments"](result)
    for figures, fields in zip(grouped(result.segments), rows, strict=True):
        first = next(iter(figures.values()))
        variable, kind, n, value = first.variable, first.kind, first.n, first.value
        group, remark = marked(segment_in_words(first), kind), None
        if kind in _NOT_JUDGED:
            remark = _NOT_JUDGED[kind]
        elif math.isnan(first.detectable) and (kind, value) != ("cohort", OUTSIDE):
            remark = TOO_FEW_INDEPENDENT if first.n_effective < n >= FEWEST_JUDGED else TOO_FEW
        row = fields | {"group": group, "remark": remark}
        known = first, figures, variable, kind, n, value, group
        shown.append(ShownSegment(*known, row["status"], row))
    return shown


def gaps(result: AuditResult) -> list[Row]:
    """Return the gaps within each variable, largest first, with a remark on those not judged."""
    rows: list[Row] = SECTIONS["gaps"](result)
    sizes = [abs(row.gap) for row in result.of(result.gaps, result.reference)]
    order = sorted(range(len(rows)), key=lambda i: 1.0 if math.isnan(sizes[i]) else -sizes[i])
    remarks = {kind: remark for kind, remark in _NOT_JUDGED.items() if kind != "label"}
    return [rows[i] | {"remark": remarks.get(rows[i]["kind"])} for i in order]


def size_strata(result: AuditResult) -> list[Row]:
    """Return coverage by size of the sets, with what sizes are counted in."""
    of_numbers = "standard deviations of the label, as modelled"
    unit = {"unit": of_numbers if result.is_regression else "labels"}
    return [row | unit for row in SECTIONS["size_strata"](result)]


def object_segments(result: AuditResult) -> list[ShownSegment]:
    """Return those that go by columns or cohorts and hold test rows."""
    return _segments(result, result.object_segments(result.reference))


def watched(result: AuditResult) -> dict[str, list[ShownSegment]]:
    """Return the segments of audit-only columns, and of features that may be protected, by name.

    Those of a column come in the order of :func:`in_order`.
    """
    features = protected_attributes(result.data.features, result.settings["not_protected"])
    names = dict.fromkeys([*result.settings["audit_only"], *features])
    found: dict[str, list[ShownSegment]] = {name: [] for name in names}
    for one in segments(result):
        if one.n and one.kind in ("column", "group") and one.variable in found:
            found[one.variable].append(one)
    return {name: in_order(rows, result) for name, rows in found.items() if rows}


def by_shortfall(rows: Iterable[ShownSegment], result: AuditResult) -> list[ShownSegment]:
    """Return segments, those first by which the reference misses most rows, looks and label last.

    Nothing is promised for each label, and a look was chosen for what it shows.
    """
    level = result.settings["cl"]

    def place(one: ShownSegment) -> tuple[bool, float]:
        off = one.n * (one.first.accuracy - level) if one.n else math.inf
        return one.kind in ("label", "look"), off

    return sorted(rows, key=place)


def in_order(
    rows: Sequence[ShownSegment], result: AuditResult, most: int = SEGMENTS_SHOWN
) -> list[ShownSegment]:
    """Return a variable's segments, bands as they follow each other, others by their shortfall.

    The first ``most``, which a chart shows, are those of the largest shortfalls.
    """
    worst = by_shortfall(rows, result)
    if not any(one.first.is_band for one in rows):
        return worst
    shown = {one.value for one in worst[:most]}
    return [*(one for one in rows if one.value in shown), *worst[most:]]


def too_low(result: AuditResult) -> list[ShownSegment]:
    """Return those clearly under-covered by any predictor, most rows missed by the first first."""
    return _segments(result, [row for name in result.names for row in result.too_low(name)])


def low_rows(result: AuditResult) -> list[Row]:
    """Return the groups that are too low by any predictor, as counted and ordered everywhere."""
    rows: dict[tuple[str, str], Row] = {one.first.group: one.fields for one in segments(result)}
    for rule in SECTIONS["worst_segments"](result):
        rows[rule["rule"], ""] = rule | {"group": rule["rule"]}
    return [
        rows[low.group] for low in once([r for n in result.names for r in low_groups(result, n)])
    ]


def _segments(result: AuditResult, chosen: Iterable[SegmentRow]) -> list[ShownSegment]:
    every = {one.first.group: one for one in segments(result)}
    return [every[group] for group in dict.fromkeys(row.group for row in chosen)]


def rules_counted(result: AuditResult) -> str:
    """Return such as "Coverage is clearly low under 3 of 20 rules before, 2 after."."""
    rules = counted(len(result.of(result.worst_segments, result.reference)), "rule")
    first, *others = [(len(result.rules_too_low(by.name)), by.at) for by in predictors(result)]
    start = f"Coverage is clearly low under {first[0]} of {rules}{first[1]}"
    return ", ".join([start, *(f"{count}{at}" for count, at in others)]) + "."


def card_rows(result: AuditResult) -> list[Row]:
    """Return figures of all test rows and of groups, whom to watch over first, by each predictor.

    Where test rows are gone nothing tells those of all, nor mean sizes in the label's units.
    """
    told = [json_row(row) | {"group": "all", "remark": None} for row in of_all_rows(result)]
    first = [*chain.from_iterable(watched(result).values()), *too_low(result)]
    others = (one for one in by_shortfall(segments(result), result) if one.n)
    for one in {one.first.group: one for one in (*first, *others)}.values():
        is_rest = one.kind in ("cohort", "look") and one.value == OUTSIDE
        about = {"group": one.group + f" ({OUTSIDE})" * is_rest, "remark": one.fields["remark"]}
        told += [json_row(row) | about for row in one.figures.values()]
    names = ("size", "size_low", "size_high")
    return [row | dict(zip(names, size_in_units(result, row), strict=True)) for row in told]


def rows_by_set(result: AuditResult) -> str:
    """Return such as "40 for training, 30 for calibration and 30 for test", of sets used.

    Where rows have weights, with the effective sample sizes.
    """
    data = result.data
    used = {"training": data.train, "calibration": data.calibration, "test": data.test}
    if not any(by.is_calibrated for by in result.predictors):
        used = {"test": data.test}
    says = {"training" if name == "train" else name: n for name, n in data.effective.items()}
    by_weight = {name: f" (by weight as good as {n:,.0f})" for name, n in says.items()}
    return listed([f"{n:,} for {name}{by_weight.get(name, '')}" for name, n in used.items()])


def rows_left_out(result: AuditResult) -> str:
    """Return which rows of the table were left out, such as "3 of them without a label"."""
    data = result.data
    lacking = {
        "a label": data.rows_without_label,
        "what your model said": data.rows_without_output,
        "a weight that counts": data.rows_without_weight,
    }
    return " and ".join(
        f"{rows:,} of them without {what}" for what, rows in lacking.items() if rows
    )


def watch_rows(report: WatchReport, about: About) -> list[Row]:
    """Return the checks of a watch about something, those of most evidence first.

    Of those that no row has come for nothing is said, nor since when, where there is no alarm.
    """
    found = []
    for row in sorted(report.of(about), key=lambda row: -row.evidence):
        evidence, alarm = math.exp(min(row.evidence, MOST_TOLD)), ("no " * (not row.moved))
        of_new = {"n": row.n, "evidence": evidence, "alarm": f"{alarm}alarm"}
        told = of_new if row.n else dict.fromkeys(of_new)
        since = (row.since or None, row.share_since) if row.moved else (None, None)
        found.append(vars(row) | told | dict(zip(("since", "share_since"), since, strict=True)))
    return found


def feature_order(coefficients: Sequence[CoefficientRow]) -> list[str]:
    """Return the features by the size of the coefficients that come first, largest first.

    Those are the reference's on training rows, if there are training figures.
    """
    firsts = [(row.subset, row.predictor) for row in coefficients[:1]]
    sizes = {
        row.feature: -1.0 if math.isnan(row.coefficient) else abs(row.coefficient)
        for row in coefficients
        if (row.subset, row.predictor) in firsts
    }
    return sorted(sizes, key=sizes.__getitem__, reverse=True)


def subsets_of(coefficients: Sequence[CoefficientRow]) -> list[SubsetName]:
    """Return the subsets that there are coefficients of."""
    subsets: tuple[SubsetName, ...] = ("training", "test")
    return [name for name in subsets if any(row.subset == name for row in coefficients)]


def on_test_rows(result: AuditResult) -> list[tuple[ShownPredictor, ResultRow]]:
    """Return each predictor with its figures on the test rows."""
    return [(by, result.row("test", by.name)) for by in predictors(result)]
