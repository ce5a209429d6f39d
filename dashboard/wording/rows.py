"""Rows of a result as tables, charts and sentences read them.

A row is a dict with the fields' names of the JSON result. Figures of several predictors side by
side end in their suffixes.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

from evencover.core import AuditResult
from evencover.core.events import AfterLayers
from evencover.core.experiment.figures import ResultRow, SubsetName
from evencover.core.exploration import GroupFigures
from evencover.core.messages import counted, listed
from evencover.core.preparation.column_names import protected_attribute
from evencover.core.report.json_rows import json_row, suffix
from evencover.core.report.layer_sentences import layer_sentence
from evencover.core.report.repeats import repeat_sentences
from evencover.core.report.result import SECTIONS
from evencover.core.report.wording import group_in_words, segment_in_words
from evencover.core.segments.binning import INSIDE, OUTSIDE
from evencover.core.segments.by_segment import SegmentRow
from evencover.core.segments.statistics import FEWEST_JUDGED

from .predictors import Predictor, predictors

Row = dict[str, Any]

SEGMENTS_SHOWN = 20
"""So many segments in one chart, unless more are asked for."""

NOT_LOW = "not clearly low"
"""The word for the status "fine": chance may hide a shortfall."""

TOO_FEW = "too few rows to say"
TOO_FEW_INDEPENDENT = "too few independent rows to say"
LOOK = "a look: not judged"
BY_LABEL = "by the label: not judged"


def fields_of(row: object) -> Row:
    """Return the fields of a row; of a group's figures those of every predictor."""
    if not isinstance(row, GroupFigures):
        return json_row(row)
    shared = {name: value for name, value in vars(row).items() if name != "figures"}
    return shared | {
        f"{key}_{suffix(place, name)}": value
        for place, (name, figures) in enumerate(row.figures.items())
        for key, value in vars(figures).items()
    }


def paired(result: AuditResult, section: str) -> list[Row]:
    """Return the rows of a section of the result."""
    rows: list[Row] = SECTIONS[section](result)
    return rows


def figure(row: Row, key: str, predictor: Predictor) -> Any:  # noqa: ANN401 - of any field
    """Return a predictor's figure."""
    return row[f"{key}_{predictor.suffix}"]


def with_titles(rows: Iterable[Row], shown: Iterable[Predictor]) -> list[Row]:
    """Return the rows with the predictors' titles in place of their names, statuses in words."""
    titles = {by.name: {"algorithm": by.title} for by in shown}
    return [
        row | titles[row["algorithm"]] if "algorithm" in row else row for row in with_words(rows)
    ]


def with_words(rows: Iterable[Row]) -> list[Row]:
    """Return the rows with their statuses in words."""
    return [row | {"status": NOT_LOW} if row.get("status") == "fine" else row for row in rows]


def reference_row(result: AuditResult) -> ResultRow:
    """Return the figures of the reference on the test rows."""
    return result.row("test", result.reference)


def has_path(result: AuditResult) -> bool:
    """Say whether layers were added, or sought in vain."""
    in_vain = any(predictor.no_layer_reason for predictor in result.predictors)
    return bool(result.iterations) or in_vain


def notes_on(result: AuditResult, name: str) -> str:
    """Return what the notes say of a remedy's fit, such as why it has no layer."""
    return " ".join(note for note in result.notes if note.values.get("remedy") == name)


def replay_of(result: AuditResult) -> Sequence[AfterLayers]:
    """Return what the sets are like after each layer of the first predictor that has any."""
    return next((steps for steps in result.replays.values() if len(steps) > 1), ())


def step_rows(steps: Sequence[AfterLayers]) -> list[Row]:
    """Return the steps of a replay, each with what its layer did, and the worst group."""
    return [
        vars(step)
        | {
            "did": layer_sentence(steps[: step.layers + 1]),
            "group": None if step.worst is None else group_in_words(step.worst.name),
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


def segments(result: AuditResult) -> list[Row]:
    """Return all segments, with what each is in words, and why it is not judged, if it is not."""
    ones = result.of(result.segments, result.reference)
    return [
        row | {"group": marked(segment_in_words(one), one.kind)} | _unless_judged(one)
        for row, one in zip(paired(result, "segments"), ones, strict=True)
    ]


def _unless_judged(row: SegmentRow) -> Row:
    """Return a remark on why a segment has no status, or is too small to show any."""
    is_rest = row.kind == "cohort" and row.value == OUTSIDE
    remarks = {"look": LOOK, "label": BY_LABEL}
    few = TOO_FEW_INDEPENDENT if row.n_effective < row.n >= FEWEST_JUDGED else TOO_FEW
    too_few = few if math.isnan(row.detectable) and not is_rest else None
    return {"remark": remarks.get(row.kind, too_few)}


def gaps(result: AuditResult) -> list[Row]:
    """Return the gaps within each variable, with a remark on those made after looking."""
    rows = paired(result, "gaps")
    return [row | {"remark": LOOK if row["kind"] == "look" else None} for row in rows]


def size_strata(result: AuditResult) -> list[Row]:
    """Return coverage by size of the sets, with what sizes are counted in."""
    is_number = result.settings["task"] == "regression"
    unit = {"unit": "standard deviations of the label, as modelled" if is_number else "labels"}
    return [row | unit for row in paired(result, "size_strata")]


def asked_cohorts(result: AuditResult) -> list[Row]:
    """Return what is inside of each cohort, those made after looking too."""
    kinds, inside = ("cohort", "look"), INSIDE
    return [r for r in segments(result) if r["kind"] in kinds and r["value"] == inside]


def lead_and_advice(result: AuditResult) -> tuple[list[str], str]:
    """Return the headline's paragraphs on what is so, and what to do now, if there is advice."""
    return [told for told in result.headline if told != result.advice], result.advice


def object_segments(result: AuditResult) -> list[Row]:
    """Return those that go by columns or cohorts and hold test rows."""
    return _segments(result, result.object_segments(result.reference))


def watched(result: AuditResult) -> dict[str, list[Row]]:
    """Return the segments of audit-only columns, and of features that may be protected, by name.

    Those of a column come with the lowest coverage by the reference first: of many the few that are
    shown, those of the largest shortfalls.
    """
    features = (name for name in result.data.features if protected_attribute(name) is not None)
    names = dict.fromkeys([*result.settings["audit_only"], *features])
    found: dict[str, list[Row]] = {name: [] for name in names}
    for row in segments(result):
        if row["n"] and row["kind"] in ("column", "group") and row["variable"] in found:
            found[row["variable"]].append(row)
    return {name: _lowest_first(by_shortfall(rows, result)) for name, rows in found.items() if rows}


def _lowest_first(rows: Sequence[Row]) -> list[Row]:
    shown = sorted(rows[:SEGMENTS_SHOWN], key=lambda row: row["accuracy_base"])
    return [*shown, *rows[SEGMENTS_SHOWN:]]


def by_shortfall(rows: Iterable[Row], result: AuditResult) -> list[Row]:
    """Return segments, those first by which the reference misses most rows, looks and label last.

    Nothing is promised for each label, and a look was chosen for what it shows.
    """
    level = result.settings["cl"]

    def place(row: Row) -> tuple[bool, float]:
        off = row["n"] * (row["accuracy_base"] - level) if row["n"] else math.inf
        return row["kind"] in ("label", "look"), off

    return sorted(rows, key=place)


def worst_first(rows: Sequence[Row], result: AuditResult) -> Sequence[Row]:
    """Return a variable's segments in order; where a chart cannot show all, the worst first."""
    return by_shortfall(rows, result) if len(rows) > SEGMENTS_SHOWN else rows


def too_low(result: AuditResult) -> list[Row]:
    """Return those clearly under-covered by any predictor, most rows missed by the first first."""
    return _segments(result, [row for name in result.names for row in result.too_low(name)])


def _segments(result: AuditResult, chosen: Iterable[SegmentRow]) -> list[Row]:
    every = {(row["variable"], row["value"]): row for row in segments(result)}
    return [every[group] for group in dict.fromkeys(row.group for row in chosen)]


def rules_found(result: AuditResult) -> list[Row]:
    """Return the rules under which coverage is clearly low by any predictor."""
    low = {row.rule for name in result.names for row in result.rules_too_low(name)}
    return [row for row in paired(result, "worst_segments") if row["rule"] in low]


def rules_counted(result: AuditResult) -> str:
    """Return such as "Coverage is clearly low under 3 of 20 rules before, 2 after."."""
    rules = counted(len(result.of(result.worst_segments, result.reference)), "rule")
    first, *others = [(len(result.rules_too_low(by.name)), by.at) for by in predictors(result)]
    start = f"Coverage is clearly low under {first[0]} of {rules}{first[1]}"
    return ", ".join([start, *(f"{count}{at}" for count, at in others)]) + "."


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
        "a weight above 0": data.rows_without_weight,
    }
    return " and ".join(
        f"{rows:,} of them without {what}" for what, rows in lacking.items() if rows
    )


def feature_order(coefficients: Sequence[Row]) -> list[str]:
    """Return the features by the size of the coefficients that come first, largest first.

    Those are the reference's on training rows, if there are training figures.
    """
    firsts = [(row["segment"], row["algorithm"]) for row in coefficients[:1]]
    sizes = {
        row["feature"]: -1.0 if math.isnan(row["coefficient"]) else abs(row["coefficient"])
        for row in coefficients
        if (row["segment"], row["algorithm"]) in firsts
    }
    return sorted(sizes, key=sizes.__getitem__, reverse=True)


def subsets_of(coefficients: Sequence[Row]) -> list[SubsetName]:
    """Return the subsets that there are coefficients of."""
    subsets: tuple[SubsetName, ...] = ("training", "test")
    return [name for name in subsets if any(row["segment"] == name for row in coefficients)]


def on_test_rows(result: AuditResult) -> list[tuple[Predictor, ResultRow]]:
    """Return each predictor with its figures on the test rows."""
    return [(by, result.row("test", by.name)) for by in predictors(result)]
