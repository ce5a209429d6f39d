"""Every table of a result, once: its rows, columns and limits for page, report and terminal.

One more line shows a figure of a row. CSV and JSON hold all fields as they are.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd

from evencover.core import AuditResult
from evencover.core.exploration import Example, ShownSet
from evencover.core.preparation.column_profile import ColumnProfile
from evencover.core.segments.test_rows import AuditedObjects

from . import rows as found
from .formatting import number, one_line, percent
from .predictors import Predictor, worded
from .rows import Row, paired

FEATURES_SHOWN = 30
"""So many coefficients in one chart."""

_MOST_COLUMNS = 12


class Column(NamedTuple):
    """A column of a table: its field, which is its name in the terminal, and how pages show it.

    One that is there ``per_predictor`` has a place for the predictor's word in its title.
    """

    key: str
    title: str
    form: str = ""
    help: str = ""
    per_predictor: bool = False


Columns = tuple[Column, ...]
_Named = Iterator[tuple[str, list[str]]]


def _columns(text: str) -> dict[str, tuple[Columns, ...]]:
    """Read columns by the tables' names, a line for each: key | title | form | help.

    Those with {} in their titles are there for each predictor; several stay together where no
    empty line parts them.
    """
    tables: dict[str, tuple[Columns, ...]] = {}
    for section in text.split("# ")[1:]:
        name, _, lines = section.partition("\n")
        blocks: list[Columns] = []
        for paragraph in lines.split("\n\n"):
            read = [_column(line) for line in paragraph.splitlines() if line.strip()]
            groups = groupby(read, key=lambda column: column.per_predictor)
            blocks += [tuple(block) for _, block in groups]
        tables[name] = tuple(blocks)
    return tables


def _column(line: str) -> Column:
    key, title, form, help_, *_ = (" ".join(cell.split()) for cell in (*line.split("|", 3), "", ""))
    return Column(key, title, form, help_, "{}" in title)


@dataclass(frozen=True)
class TableSpec:
    """A table of a result; its name is its id in the report.

    Of its rows the report shows ``most``. Pages and terminal end with the column ``page_to`` or
    ``terminal_to``, if one is given; a page's toolbar has the others.
    """

    name: str
    rows: Callable[[AuditResult], list[Row]]
    columns: tuple[Columns, ...]
    most: int = 100
    most_in_terminal: int = 100
    page_to: str = ""
    terminal_to: str = ""

    def shown(
        self, rows: Sequence[Row], given: Sequence[Predictor], last: str = ""
    ) -> list[Column]:
        """Return the columns up to the last, without those that are empty in all of the rows."""
        shown: list[Column] = []
        for block in filter(None, self.columns):
            for by in given if block[0].per_predictor else [None]:
                shown += block if by is None else [_of(one, by) for one in block]
            if last in [column.key for column in block]:
                break
        filled = [one for one in shown if not all(is_missing(row[one.key]) for row in rows)]
        return [one._replace(help=worded(one.help, given)) for one in filled]


def _of(column: Column, by: Predictor) -> Column:
    key, title = f"{column.key}_{by.suffix}", column.title.format(by.when)
    return column._replace(key=key, title=title)


def is_missing(value: Any) -> bool:  # noqa: ANN401 - of any field
    """Say whether a cell is to be empty."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _on_test_rows(result: AuditResult) -> list[Row]:
    return [row for row in paired(result, "results") if row["segment"] == "test"]


def _segments(result: AuditResult) -> list[Row]:
    level = result.settings["cl"]
    return sorted(found.segments(result), key=lambda row: -found.rows_concerned(row, level))


def _gaps(result: AuditResult) -> list[Row]:
    def size(row: Row) -> float:
        return 1.0 if is_missing(row["gap_base"]) else -abs(row["gap_base"])

    return sorted(paired(result, "gaps"), key=size)


def _coefficients(result: AuditResult) -> list[Row]:
    rows = paired(result, "coefficients")
    place = {feature: i for i, feature in enumerate(found.feature_order(rows))}
    return sorted(rows, key=lambda row: place[row["feature"]])


def _settings(result: AuditResult) -> list[Row]:
    named = result.settings.items()
    return [{"name": key, "value": json.dumps(value, ensure_ascii=False)} for key, value in named]


_COLUMNS = _columns("""
# overview
segment | rows
algorithm | predictor
accuracy | accuracy | %.4f | Share of prediction sets that hold the true label.
inefficiency | inefficiency | %.4f | Mean number of labels in a set, or mean width of an interval \
    in standard deviations of the label (of its logarithm, if that is modelled). C is the price of \
    its increase.
inefficiency_original_units | in label's units | %.5g | The mean width in the units of the label \
    itself.
dcv | DCV | %.4f | Deviation from conditional validity, see below.
dcv_floor | floor | %.4f | What DCV is by estimation noise alone; none where it was optimised.
dcv_floor_unadjusted | floor unadjusted | %.4f | The same for a faultless predictor[[ without an \
    adjustment]].
dcv_floor_simulated | floor simulated | %.4f | DCV of a faultless predictor, by drawing outcomes.
p_value | p-value | %.2g | Score test of: coverage does not depend on the features.
p_value_permuted | p-value permuted | %.2g | The same as the estimator sees it, by permuting \
    outcomes.
dcv_corrected | DCV corrected | %.4f | DCV without what estimation noise adds to it on average.
dcv_corrected_low | from | %.4f | Lower end of a 95 % interval for the DCV in the population.
dcv_corrected_high | to | %.4f | Upper end of it.
dcv_crossfitted | DCV cross-fitted | %.4f | DCV by estimates judged on other rows than they were \
    fitted on; 0 where nothing is found.

dcv_level | DCV: level | %.4f | The part of DCV that is overall accuracy: mean p(x) - CL.
dcv_spread | DCV: spread | %.4f | The part of DCV that is dependence on the features: spread of \
    p(x).
parameters | parameters | %d | Parameters of the logistic regression of correctness.

# other_measures
algorithm | predictor
ert_l1 | ERT, absolute | %.4f | The mean of |p(x) - CL| from below.
ert_under | of it too little | %.4f | Its part from rows with less coverage than CL.
ert_over | of it too much | %.4f | Its part from rows with more coverage than CL.
ert_l2 | ERT, squared | %.5f | The square of DCV from below.
ert_log | ERT, log-loss | %.5f | The mean Kullback-Leibler divergence from below, in nats.
worst_slab_coverage | worst slab | %.4f | Coverage in the worst slab, on the other half.
size_stratified_coverage | lowest by size | %.4f | The lowest accuracy among sets of one size, of \
    those that 30 rows or more have.

# segments
variable | variable
value | segment
n | n | %d | Test rows of the segment.
accuracy | {} | %.3f | Share of sets that hold the true label.

q_value | q, {} | %.2g | Up to 0.05 a difference from overall coverage is unlikely chance.
detectable | detectable | %.3f | The shortfall that so many rows would show in four of five cases.
low | from, {} | %.3f | Ends of Wilson's 95 % interval.
high | to, {} | %.3f | Ends of Wilson's 95 % interval.

inefficiency | size, {} | %.4g | Mean width, standardised, or set size.
remark | remark

# too_low
group | group
n | test rows | %d
accuracy | {} | %.3f | Share of sets that hold the true label.

low | likely from, {} | %.3f | Ends of Wilson's 95 % interval.
high | to, {} | %.3f | Ends of Wilson's 95 % interval.

q_value | q, {} | %.2g | Up to 0.05 it is unlikely to be chance.

# gaps
variable | variable
reference | compared with
gap_segment | largest gap {}
gap | gap {} | %.3f | Accuracy of that segment less that of the one compared with.
gap_low | from, {} | %.3f | Lower end of its interval.
gap_high | to, {} | %.3f | Upper end of it.

lowest | lowest {} | %.3f | Accuracy of the segment where it is lowest (feature-stratified \
    coverage).

coverage_gap | coverage gap {} | %.3f | Mean distance of the segments' accuracies from CL, \
    weighted by rows.
coverage_gap_floor | by chance | %.3f | What the coverage gap is on average by chance alone.
groups | groups | %d
left_out | too small | %d

# size_strata
algorithm | predictor
size | size
n | n | %d
accuracy | accuracy | %.3f
low | from | %.3f | Ends of Wilson's 95 % interval.
high | to | %.3f

# worst_segments
rule | rule
n | n | %d | Rows of the judging half that the rule holds for.
accuracy | {} | %.3f | Share of their sets that hold the true label.

q_value | q, {} | %.2g | Up to 0.05 low coverage is unlikely chance.

low | from, {} | %.3f | Ends of Wilson's 95 % interval.
high | to, {} | %.3f | Ends of Wilson's 95 % interval.
n_test | n, all | %d | All test rows that the rule holds for, of both halves.

# audit_only
column | column
algorithm | predictor
dcv | DCV | %.4f | Deviation from conditional validity, by these columns alone.
dcv_floor | floor | %.4f | What it is by estimation noise alone.
dcv_corrected | DCV corrected | %.4f | DCV without what estimation noise adds to it on average.
dcv_corrected_low | from | %.4f | Lower end of a 95 % interval for the DCV in the population.
dcv_corrected_high | to | %.4f | Upper end of it.
p_value | p-value | %.2g | Score test of: coverage does not depend on these columns.

# iterations
iteration | layer | %d
gamma | gamma | %.5f
delta | delta | %.5f
dcv | training DCV | %.5f
inefficiency | training inefficiency | %.4f
objective | objective | %.5f
evaluations | evaluations | %d
seconds | seconds | %.2f

# coefficients
feature | feature
segment | rows
algorithm | predictor
coefficient | coefficient | %.4f
standard_error | standard error | %.4f

# repeats
segment | rows
algorithm | predictor
repeats | audits | %d
accuracy_mean | accuracy | %.4f
accuracy_sd | ± accuracy | %.4f
inefficiency_mean | inefficiency | %.4f
inefficiency_sd | ± inefficiency | %.4f
dcv_mean | DCV | %.4f
dcv_sd | ± DCV | %.4f

# dropped
column | column
reason | why

# settings
name | setting
value | value

# examples
row | row | %d | Of the table, the first below its header being 1.
set | set {}
held | held {}
probability | p(x) {} | %.3f
""")


def _table(
    name: str,
    rows: Callable[[AuditResult], list[Row]] | None = None,
    **limits: Any,  # noqa: ANN401 - of a TableSpec
) -> TableSpec:
    return TableSpec(name, rows or partial(paired, section=name), _COLUMNS[name], **limits)


OVERVIEW = _table(
    "overview", lambda result: paired(result, "results"), terminal_to="dcv_crossfitted"
)
OTHER_MEASURES = _table("other_measures", _on_test_rows)
SEGMENTS = _table("segments", _segments, most_in_terminal=10, terminal_to="detectable")
TOO_LOW = _table("too_low", found.too_low, most=30)
GAPS = _table("gaps", _gaps, most=30, most_in_terminal=10, page_to="lowest", terminal_to="gap_high")
SIZE_STRATA = _table("size_strata")
WORST = _table("worst_segments", most=30, most_in_terminal=5, terminal_to="high")
AUDIT_ONLY = _table("audit_only")
LAYERS = _table("iterations")
COEFFICIENTS = _table("coefficients", _coefficients, most=4 * FEATURES_SHOWN)
REPEATS = _table("repeats", lambda result: result.repeats.results if result.repeats else [])
DROPPED = _table("dropped", lambda result: list(map(found.fields_of, result.data.dropped)), most=60)
SETTINGS = _table("settings", _settings)

TABLES = (
    *(OVERVIEW, TOO_LOW, SEGMENTS, GAPS, SIZE_STRATA, WORST, AUDIT_ONLY, OTHER_MEASURES),
    *(LAYERS, COEFFICIENTS, REPEATS, DROPPED, SETTINGS),
)
"""Those of every result."""


def examples_table(
    objects: AuditedObjects,
    examples: Sequence[Example],
    given: Sequence[Predictor],
    *,
    with_values: bool = False,
) -> TableSpec:
    """Return the table of single test rows, with the steps of layers that moved any of them.

    ``with_values`` it shows the first of the rows' own columns in place of the steps.
    """
    beside = list(enumerate(_values(objects, examples) if with_values else _steps(examples), 1))
    rows = [
        _example_row(one, given) | {f"field_{i}": texts[place] for i, (_, texts) in beside}
        for place, one in enumerate(examples)
    ]
    fields = tuple(Column(f"field_{i}", name) for i, (name, _) in beside)
    row, sets = _COLUMNS["examples"]
    shown = (row, (Column("label", f"label {objects.target}"),), sets, fields)
    return TableSpec("examples", lambda _: rows, shown, most=len(rows))


def _values(objects: AuditedObjects, examples: Sequence[Example]) -> _Named:
    others = objects.table.frame.drop(columns=objects.target).iloc[:, :_MOST_COLUMNS]
    chosen = others.iloc[[example.place for example in examples]].astype(str)
    return ((str(name), chosen[name].tolist()) for name in chosen)


def _steps(examples: Sequence[Example]) -> _Named:
    names = examples[0].steps if examples else {}
    for name in names:
        of_layers = zip(*(one.steps[name] for one in examples), strict=True)
        for layer, steps in enumerate(of_layers, 1):
            title = f"layer {layer}" if len(names) == 1 else f"{name}, layer {layer}"
            if any(steps):
                yield title, [f"{step:+.3g}" if step else "" for step in steps]


def _example_row(example: Example, given: Sequence[Predictor]) -> Row:
    row: Row = {"row": example.row, "label": example.label}
    for by in given:
        one = example.sets[by.name]
        held = "yes" if one.held else "no"
        shown = {"set": _set_text(one), "held": held, "probability": one.probability}
        row |= {f"{key}_{by.suffix}": value for key, value in shown.items()}
    return row


def _set_text(one: ShownSet) -> str:
    """Return an interval, its ends rounded, or a set of labels."""
    if one.lower is None or one.upper is None:
        return ", ".join(one.labels) or "(none)"
    return f"{number(one.lower, 5)} to {number(one.upper, 5)}"


def preview(profiles: Iterable[ColumnProfile]) -> pd.DataFrame:
    """Return what an audit will make of each column of a table, a row for each."""
    return pd.DataFrame(
        {
            "column": profile.name,
            "role": profile.role,
            "read as": profile.kind,
            "distinct": profile.distinct,
            "missing": profile.missing_share,
            "what becomes of it": profile.fate,
        }
        for profile in profiles
    )


def preview_text(profiles: Iterable[ColumnProfile]) -> str:
    """Return the same as text."""
    table = preview(profiles)
    table["missing"] = table["missing"].map(percent)
    cells = [list(table.columns), *table.astype(str).map(one_line).to_numpy().tolist()]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rows = ("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)
    return "\n".join(rows) + "\n"
