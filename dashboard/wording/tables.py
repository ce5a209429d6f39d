"""Every table of a result, once: its rows, columns and limits for page, report and terminal.

One more line of columns.csv, beside this file, shows a figure of a row: its table, its field, and
the title, number format and help on page and report (a term of the glossary stands for what it
means); without a title those that the field has first in the file. CSV and JSON hold all fields.
"""

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

import pandas as pd

from evencover.core import AuditResult
from evencover.core.exploration.examples import Example
from evencover.core.messages import one_line
from evencover.core.preparation.roles import ColumnProfile
from evencover.core.report.result import SECTIONS
from evencover.core.report.wording import percent
from evencover.core.segments.audited_rows import TestRows
from evencover.core.tables.number_text import is_large
from evencover.core.watching.verdict import About

from . import rows as found
from .formatting import ShownPredictor, aligned, number, signed_points, worded
from .page_texts import GLOSSARY
from .rows import Row

FEATURES_SHOWN = 30  # so many coefficients in one chart

_MOST_COLUMNS = 12
_SMALLEST_Q = 0.001  # a smaller q is written as being smaller; CSV and JSON hold it as it is


class ShownColumn(NamedTuple):
    """A column of a table: its field, which is its name in the terminal, and how pages show it.

    The title of one that is there for each predictor has {} in place of the predictor's word, in
    brackets for :func:`worded`, as one alone needs none; for ``form`` see :func:`cell_text`.
    """

    key: str
    title: str
    form: str = ""
    help: str = ""
    per_predictor: bool = False


Columns = tuple[ShownColumn, ...]
_Named = Iterator[tuple[str, list[str]]]


FIELDS: dict[str, ShownColumn] = {}  # how a field is written where it comes first, by its name


def _columns() -> dict[str, list[Columns]]:
    """Read the columns by the tables' names.

    Those with {} in their titles are there for each predictor; several that follow one another
    stay together unless an empty line parts them.
    """
    text = files(__package__).joinpath("columns.csv").read_text(encoding="utf-8")
    tables: dict[str, list[Columns]] = {}
    for part in text.partition("\n")[2].split("\n\n"):
        read = []
        for table, key, title, form, help_ in csv.reader(part.splitlines()):
            own = ShownColumn(key, title, form, GLOSSARY.get(help_, help_), "{}" in title)
            read.append((table, own if title else FIELDS[key]))
            FIELDS.setdefault(key, own)
        for (table, _), block in groupby(read, key=lambda row: (row[0], row[1].per_predictor)):
            tables.setdefault(table, []).append(tuple(column for _, column in block))
    return tables


@dataclass(frozen=True)
class TableSpec:
    """A table of a result; its name is its id in the report.

    Of its rows the report shows ``most``. Pages and terminal end with the column ``page_to`` or
    ``terminal_to``, if one is given; a page's toolbar has the others.
    """

    name: str
    rows: Callable[[AuditResult], list[Row]]
    columns: Sequence[Columns]
    most: int = 100
    most_in_terminal: int = 100
    page_to: str = ""
    terminal_to: str = ""
    over_seeds: bool = False

    def shown(
        self, rows: Sequence[Row], given: Sequence[ShownPredictor], last: str = ""
    ) -> list[ShownColumn]:
        """Return the columns up to the last, without those that are empty in all of the rows."""
        shown: list[ShownColumn] = []
        for block in filter(None, self.columns):
            for by in given if block[0].per_predictor else [None]:
                for one in block:
                    title, key = one.title, one.key
                    if by is not None:
                        title = worded(title, given).format(by.when)
                        key = (key if "{}" in key else f"{key}_{{}}").format(by.suffix)
                    shown.append(one._replace(key=key, title=title))
            if last in [column.key for column in block]:
                break
        filled = [one for one in shown if not all(is_missing(row[one.key]) for row in rows)]
        return [one._replace(help=worded(one.help, given)) for one in filled]


def is_missing(value: Any) -> bool:  # noqa: ANN401 - of any field
    """Say whether a cell is to be empty."""
    return value is None or (isinstance(value, float) and math.isnan(value))


_WRITTEN: dict[str, Callable[[float], str]] = {
    "percent": percent,
    "points": lambda share: f"{signed_points(share)} points",
    "q": lambda q: f"< {_SMALLEST_Q:g}" if q < _SMALLEST_Q else f"{q:#.2g}",
    "count": "{:,.0f}".format,
    "number": number,
}


def cell_text(value: Any, form: str) -> str:  # noqa: ANN401 - of any field
    """Return a cell as pages and report write it; ``form`` is a column's.

    That is in the manner of C, or "percent" for shares, "points" for their differences, "q" for p-
    and q-values, "count" for whole numbers, and "number" for sizes on any scale.
    """
    if is_missing(value):
        return ""
    if form in _WRITTEN:
        return _WRITTEN[form](value)
    if isinstance(value, float) and math.isinf(value):
        return number(value)
    written = form % value if form else str(value)
    return written.removeprefix("-") if form and not float(written) else written


def text_table(rows: Sequence[Row], columns: Iterable[ShownColumn]) -> str:
    """Return rows as a terminal shows them: fields by their names, figures as on the pages."""
    cells = {one.key: [cell_text(row[one.key], one.form) for row in rows] for one in columns}
    return pd.DataFrame(cells).map(one_line).to_string(index=False)


def _coefficients(result: AuditResult) -> list[Row]:
    rows: list[Row] = SECTIONS["coefficients"](result)
    order = found.feature_order(result.coefficients)
    place = {feature: i for i, feature in enumerate(order)}
    return sorted(rows, key=lambda row: place[row["feature"]])


def _settings(result: AuditResult) -> list[Row]:
    named = result.settings.items()
    return [{"name": key, "value": json.dumps(value, ensure_ascii=False)} for key, value in named]


_COLUMNS = _columns()


def _table(
    name: str,
    rows: Callable[[AuditResult], list[Row]] | None = None,
    **limits: Any,  # noqa: ANN401 - of a TableSpec
) -> TableSpec:
    rows = rows or SECTIONS.get(name, lambda _: [])  # without a section they are given when drawn
    return TableSpec(name, rows, _COLUMNS[name], **limits)


def _repeated(name: str, section: str) -> TableSpec:
    rows = attrgetter(f"repeats.{section}")
    return _table(name, lambda result: rows(result) if result.repeats else [], over_seeds=True)


OVERVIEW = _table("overview", SECTIONS["results"], terminal_to="dcv_crossfitted")
OTHER_MEASURES = _table(
    "other_measures",
    lambda result: [row for row in SECTIONS["results"](result) if row["segment"] == "test"],
)
SEGMENTS = _table(
    "segments",
    lambda result: [one.fields for one in found.by_shortfall(found.segments(result), result)],
    most_in_terminal=10,
    terminal_to="detectable",
)
TOO_LOW = _table(
    "too_low",
    found.low_rows,
    most=30,
    page_to="accuracy",
)
GAPS = _table(
    "gaps", found.gaps, most=30, most_in_terminal=10, page_to="lowest", terminal_to="gap_high"
)
SIZE_STRATA = _table("size_strata", found.size_strata)
WORST = _table("worst_segments", most=30, most_in_terminal=5, terminal_to="high")
AUDIT_ONLY = _table("audit_only")
PERIODS = _table("periods", most=300)
LAYERS = _table("iterations")
REPLAY = _table("replay")
TWO_FIGURES = _table("two_figures")
TWO_SEGMENTS = _table("two_segments")
TWO_COEFFICIENTS = _table("two_coefficients")
COMPARED = _table("compared")
COMPARED_CHANGES = _table("compared_changes")
COEFFICIENTS = _table("coefficients", _coefficients, most=4 * FEATURES_SHOWN)
REPEATS = _repeated("repeats", "results")
REPEATED_SEGMENTS = _repeated("repeated_segments", "segments")
REPEATED_COEFFICIENTS = _repeated("repeated_coefficients", "coefficients")
DROPPED = _table("dropped", lambda result: list(map(vars, result.data.dropped)), most=60)
SETTINGS = _table("settings", _settings)
WATCHED: dict[About, TableSpec] = {
    "group": _table("watched_groups"),
    "column": _table("watched_columns"),
}
CARD = _table("card", found.card_rows, most=300)

TABLES = (
    *(OVERVIEW, TOO_LOW, SEGMENTS, GAPS, SIZE_STRATA, WORST, AUDIT_ONLY, OTHER_MEASURES),
    *(PERIODS, LAYERS, COEFFICIENTS, REPEATS, DROPPED, SETTINGS, CARD),
)
"""Those of every result."""


def examples_table(
    test_rows: TestRows,
    examples: Sequence[Example],
    given: Sequence[ShownPredictor],
    *,
    with_values: bool = False,
) -> TableSpec:
    """Return the table of single test rows, with the steps of layers that moved any of them.

    ``with_values`` it shows the first of the rows' own columns in place of the steps.
    """
    beside = list(enumerate(_values(test_rows, examples) if with_values else _steps(examples), 1))
    rows = [
        _example_row(one, given) | {f"field_{i}": texts[place] for i, (_, texts) in beside}
        for place, one in enumerate(examples)
    ]
    fields = tuple(ShownColumn(f"field_{i}", name) for i, (name, _) in beside)
    row, sets = _COLUMNS["examples"]
    shown = (row, (ShownColumn("label", f"label {test_rows.target}"),), sets, fields)
    return TableSpec("examples", lambda _: rows, shown, most=len(rows))


def _values(test_rows: TestRows, examples: Sequence[Example]) -> _Named:
    others = test_rows.table.frame.drop(columns=test_rows.target).iloc[:, :_MOST_COLUMNS]
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


def _example_row(example: Example, given: Sequence[ShownPredictor]) -> Row:
    row: Row = {"row": example.row, "label": example.label}
    for by in given:
        one = example.sets[by.name]
        shown = ", ".join(one.labels) or "(none)"
        if one.lower is not None and one.upper is not None:
            shown = f"{number(one.lower, 5)} to {number(one.upper, 5)}"
        values = {"set": shown, "held": "yes" if one.held else "no", "probability": one.probability}
        row |= {f"{key}_{by.suffix}": value for key, value in values.items()}
    return row


def first_rows(frame: pd.DataFrame, count: int) -> pd.DataFrame:
    """Return the first rows of a table, with numbers that a browser does not hold as text."""
    rows = frame.head(count)
    large = [str(n) for n, values in rows.select_dtypes("number").items() if is_large(values)]
    texts = {name: rows[name].astype("str").where(rows[name].notna()) for name in large}
    return rows.assign(**texts)


def preview(profiles: Iterable[ColumnProfile]) -> pd.DataFrame:
    """Return what an audit will make of each column of a table, a row for each."""
    return pd.DataFrame(
        {
            "column": profile.name,
            "role": profile.role,
            "read as": profile.kind,
            "distinct": profile.distinct,
            "missing": profile.missing_share,
            "what becomes of it": profile.becomes,
        }
        for profile in profiles
    )


def preview_text(profiles: Iterable[ColumnProfile]) -> str:
    """Return the same as text."""
    table = preview(profiles)
    table["missing"] = table["missing"].map(percent)
    cells = [list(table.columns), *table.astype(str).map(one_line).to_numpy().tolist()]
    return "\n".join(aligned(cells)) + "\n"
