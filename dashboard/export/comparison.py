"""A comparison of remedies as JSON text, as CSV tables and as text for a terminal."""

import json
from collections.abc import Sequence
from dataclasses import asdict, fields

import pandas as pd

from evencover.core.experiment.compared_rows import (
    ComparedRow,
    Difference,
    GroupRow,
    RemedyComparison,
)
from evencover.core.messages import counted
from evencover.core.report.json_rows import plain_sections

from ..wording.comparison import difference_rows, group_table, mean_rows, promises, refusals
from ..wording.formatting import one_line
from ..wording.rows import Row
from ..wording.tables import COMPARED, COMPARED_CHANGES, TableSpec, text_table
from .files import csv_text

ROW_TYPES = {"rows": ComparedRow, "groups": GroupRow, "differences": Difference}
"""What each table has a row of."""

_CHANGES = "Differences from the base, with 95 % intervals that allow for the rows splits share:"
_GROUPS = "Groups with clearly too little coverage by the base, their mean accuracy:"


def comparison_to_json_text(comparison: RemedyComparison) -> str:
    """Return it as JSON text, as a result's ``to_json`` makes plain dicts and lists of it."""
    plain, notes = plain_sections(asdict(comparison))
    plain["notes"] += notes
    return json.dumps(plain, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


def comparison_to_csv_texts(comparison: RemedyComparison) -> dict[str, str]:
    """Return its tables as CSV texts, by file name."""
    texts = {}
    for name, of in ROW_TYPES.items():
        rows, columns = map(asdict, getattr(comparison, name)), [field.name for field in fields(of)]
        texts[f"{name}.csv"] = csv_text(pd.DataFrame(rows, columns=columns))
    return texts


def comparison_to_text(comparison: RemedyComparison) -> str:
    """Return the table of means, the groups, and what is promised and was found."""
    settings, seeds = comparison.settings, counted(len(comparison.seeds), "seed")
    rows = mean_rows(comparison)
    level = f"Confidence level {settings['cl']}, C {settings['c']}"
    heading = f"{level}: means of test figures over {seeds}"
    changes, (spec, groups) = difference_rows(comparison), group_table(comparison)
    blocks = [
        "\n".join([heading, *map(one_line, comparison.verdict)]),
        _text(COMPARED, rows),
        *([f"{_CHANGES}\n\n{_text(COMPARED_CHANGES, changes)}"] if changes else []),
        *([f"{_GROUPS}\n\n{_text(spec, groups)}"] if groups else []),
        "\n".join(f"{', '.join(names)}: {promise}" for promise, names in promises(rows).items()),
        "\n".join(map(one_line, [*refusals(comparison), *comparison.notes])),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _text(spec: TableSpec, rows: Sequence[Row]) -> str:
    return text_table(rows, spec.shown(rows, []))
