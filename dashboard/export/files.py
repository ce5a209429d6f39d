"""An audit's result as JSON text and as tables, for files and downloads."""

import csv
import io
import json
import zipfile
from collections.abc import Mapping

import numpy as np
import pandas as pd

from evencover.core import AuditResult, InputError
from evencover.core.events import LayerAccepted
from evencover.core.experiment.result import CoefficientRow, ResultRow
from evencover.core.messages import as_json, told_apart
from evencover.core.report.result import SECTIONS, columns, to_json
from evencover.core.rows.outcomes import IntervalSets
from evencover.core.segments.audited_rows import TestRows
from evencover.core.segments.by_audit_only import AuditOnlyRow
from evencover.core.segments.by_period import PeriodRow
from evencover.core.segments.by_segment import GapRow, SegmentRow, SizeStratumRow
from evencover.core.segments.worst_segments import WorstSegmentRow
from evencover.core.tables.columns import as_levels

from ..wording.formatting import predictors

ROW_TYPES = {
    "results": ResultRow,
    "iterations": LayerAccepted,
    "coefficients": CoefficientRow,
    "segments": SegmentRow,
    "gaps": GapRow,
    "size_strata": SizeStratumRow,
    "worst_segments": WorstSegmentRow,
    "audit_only": AuditOnlyRow,
    "periods": PeriodRow,
}
"""What each table has a row of."""


def to_json_text(result: AuditResult) -> str:
    """Return the result as JSON text."""
    return as_json(to_json(result))


def to_table(result: AuditResult, name: str) -> pd.DataFrame:
    """Return one of these tables; a list in a cell is written as JSON."""
    names = columns(ROW_TYPES[name], result.names)
    table = pd.DataFrame(SECTIONS[name](result), columns=names)
    for column in names:
        if any(isinstance(value, list) for value in table[column]):
            table[column] = [json.dumps(value, ensure_ascii=False) for value in table[column]]
    return table


def to_csv_texts(result: AuditResult) -> dict[str, str]:
    """Return the result's tables as CSV texts, by file name."""
    return {f"{name}.csv": csv_text(to_table(result, name)) for name in ROW_TYPES}


def csv_text(table: pd.DataFrame) -> str:
    """Return a table as CSV text."""
    text = table.to_csv(index=False)
    if "\r" in text:  # of itself pandas does not quote it, and readers take it for a line's end
        return table.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC)
    return text


def zipped(texts: Mapping[str, str]) -> bytes:
    """Return texts, by file name, in one zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def to_rows_csv(result: AuditResult) -> str:
    """Return a line for each test row, in the order of the table.

    ``row`` counts the rows below the header from 1; ``correct_``, ``probability_`` (p(x)) and the
    set end in each predictor's suffix: ``lower_`` and ``upper_`` in the label's units, or
    ``set_`` as a JSON list of labels; ``layer_1``, ... are what each layer added to the scores.
    Then come the columns that segments go by, as they are in the table, parts of dates, and those
    of time and weight; one that is called like one of these has a number behind its name.
    """
    test_rows = result.test_rows
    if test_rows is None:
        gone = "the result holds no test rows; run the audit again to save them"
        raise InputError("result.no_rows", gone)
    label = test_rows.table.frame[test_rows.target]
    if test_rows.task == "classification":
        label = as_levels(label)  # spelt as in the sets
    table = pd.DataFrame({"row": test_rows.rows + 1, "label": label.to_numpy()})
    for by in predictors(result):
        table = table.join(_sets(test_rows, by.name).add_suffix(f"_{by.suffix}"))
    first = next(iter(test_rows.steps.values()), ())
    layers = pd.DataFrame({f"layer_{i}": step for i, step in enumerate(first, 1)})
    table = table.join(layers)
    told = test_rows.table.frame.drop(columns=test_rows.target), test_rows.beside.frame
    columns = pd.concat([each.reset_index(drop=True) for each in told], axis=1)
    columns.columns = pd.Index(told_apart([*table, *columns])[len(table.columns) :])
    return csv_text(table.join(columns).sort_values("row", kind="stable"))


def _sets(test_rows: TestRows, name: str) -> pd.DataFrame:
    sets, correct = test_rows.sets[name], test_rows.outcomes[name].correct
    table = pd.DataFrame({"correct": correct, "probability": test_rows.probabilities[name]})
    if isinstance(sets, IntervalSets):
        return table.assign(lower=sets.lower, upper=sets.upper)
    labels = ([test_rows.classes[i] for i in np.flatnonzero(row)] for row in sets.members)
    return table.assign(set=[json.dumps(some, ensure_ascii=False) for some in labels])
