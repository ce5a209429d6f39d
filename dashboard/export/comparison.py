"""A comparison of remedies: rows of means, JSON text, CSV tables and text for a terminal."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields

import numpy as np
import pandas as pd

from evencover.core.experiment.compared_rows import (
    BASE,
    ComparedRow,
    Difference,
    GroupRow,
    RemedyComparison,
    mean_of,
)
from evencover.core.messages import as_json, counted, one_line
from evencover.core.report.result import plain_sections

from ..wording.formatting import number, signed_points
from ..wording.rows import Row
from ..wording.tables import COMPARED, COMPARED_CHANGES, ShownColumn, TableSpec, text_table
from .files import csv_text

ROW_TYPES = {"rows": ComparedRow, "groups": GroupRow, "differences": Difference}
"""What each table has a row of."""

_FORMS = {one.key: one.form for block in COMPARED.columns for one in block if one.form}
"""Of the figures of which a table shows the mean over seeds."""
_SIGNED: Mapping[str, Callable[[float], str]] = {
    "percent": signed_points,
    "number": lambda value: "+" * (value > 0.0) + number(value),
}
_BY = "ERT by trees"
_CHANGES = "Differences from {first}, with 95 % intervals {how}:"
_GROUPS = "Groups with clearly too little coverage by {first}, their mean accuracy:"
_HOW = "that allow for the rows splits share", "by the same test rows as pairs"


def comparison_to_json_text(comparison: RemedyComparison) -> str:
    """Return it as JSON text, as a result's ``to_json`` makes plain dicts and lists of it."""
    plain, notes = plain_sections(asdict(comparison))
    plain["notes"] += notes
    return as_json(plain)


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
    penalty = f", C {settings['c']}" if "models" not in settings else ""
    level = f"Confidence level {settings['cl']}{penalty}"
    heading = f"{level}: means of test figures over {seeds}, {order(comparison)}"
    changes, (spec, groups) = difference_rows(comparison), group_table(comparison)
    of_changes, of_groups = headings(comparison)
    blocks = [
        "\n".join([heading, *map(one_line, comparison.verdict)]),
        _text(COMPARED, rows),
        *([f"{of_changes}\n\n{_text(COMPARED_CHANGES, changes)}"] if changes else []),
        *([f"{of_groups}\n\n{_text(spec, groups)}"] if groups else []),
        "\n".join(f"{', '.join(names)}: {promise}" for promise, names in promises(rows).items()),
        "\n".join(map(one_line, [*refusals(comparison), *comparison.notes])),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def headings(comparison: RemedyComparison) -> tuple[str, str]:
    """Return what stands above the differences, and above the groups that were too low."""
    first = "the base" if comparison.remedies[0] == BASE else comparison.remedies[0]
    how = _HOW[len(comparison.seeds) == 1]
    return _CHANGES.format(first=first, how=how), _GROUPS.format(first=first)


def order(comparison: RemedyComparison) -> str:
    """Return in which order remedies are, and what of it tells nothing, as the end of a clause."""
    tied, n = comparison.tied, sum(map(bool, map(comparison.test_rows, comparison.remedies)))
    if tied == n > 1:
        return f"the smallest sets first, as none has a clearly higher {_BY} than the lowest"
    alike = f", but by size the first {tied}, which it cannot tell apart" * (tied > 1)
    return f"the lowest {_BY} first{alike}"


def _text(spec: TableSpec, rows: Sequence[Row]) -> str:
    return text_table(rows, spec.shown(rows, []))


def mean_rows(comparison: RemedyComparison) -> list[Row]:
    """Return a row for each remedy that has figures, the best first: means over its seeds."""
    return [
        {
            "remedy": rows[0].title,
            **{name: mean_of(rows, name) for name in _FORMS},
            "guarantee": rows[0].guarantee,
        }
        for rows in map(comparison.test_rows, comparison.ranking)
        if rows
    ]


def promises(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Return each guarantee with the titles of the remedies that give it."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["guarantee"], []).append(row["remedy"])
    return found


def difference_rows(comparison: RemedyComparison) -> list[Row]:
    """Return a row for each remedy, with its differences from the base in words.

    Those are means with their 95 % intervals, where they have any.
    """
    titles = {row.remedy: row.title for row in comparison.rows}
    rows: dict[str, Row] = {}
    unknown = {one.key: None for block in COMPARED_CHANGES.columns for one in block}
    for each in comparison.differences:
        row = rows.setdefault(each.remedy, unknown | {"remedy": titles[each.remedy]})
        form = _FORMS.get(each.figure, "")
        write = _SIGNED.get(form, "{:+z.4f}".format)
        ends = (each.mean, each.low, each.high)
        mean, low, high = ("" if value is None else write(value) for value in ends)
        told = f"{mean} points" if form == "percent" else mean
        row[each.figure] = f"{told} ({low} to {high})" if low and high else told
    return list(rows.values())


def refusals(comparison: RemedyComparison) -> Iterator[str]:
    """Yield why a remedy, or the base by some seed, could not be applied."""
    for remedy in comparison.remedies:
        seeds = [row.seed for row in comparison.rows if row.remedy == remedy and row.problem]
        if not seeds:
            continue
        some = f", seeds {', '.join(map(str, seeds))}" * (seeds != comparison.seeds)
        yield f"{remedy}{some}: {comparison.problem(remedy)}."


def group_table(comparison: RemedyComparison) -> tuple[TableSpec, list[Row]]:
    """Return a table of the groups that were clearly too low by the base, the lowest by it first.

    Mean accuracies are over the seeds by which a group has test rows; ``low`` counts those by which
    the base was clearly too low for it.
    """
    titles = {row.remedy: row.title for row in comparison.rows}
    seeds, first = len(comparison.seeds), comparison.remedies[0]
    of_groups: dict[tuple[str, str], dict[str, list[GroupRow]]] = {}
    for row in comparison.groups:
        by_remedy = of_groups.setdefault((row.variable, row.value), {})
        by_remedy.setdefault(row.remedy, []).append(row)
    rows: list[Row] = [
        {
            "group": f"{variable} = {value}",
            "low": f"{sum(row.status == 'low' for row in of[first])} of {seeds} seeds",
            **{
                titles[remedy]: float(np.mean([row.accuracy for row in of[remedy]]))
                for remedy in comparison.remedies
                if remedy in of
            },
        }
        for (variable, value), of in of_groups.items()
    ]
    rows.sort(key=lambda row: row[titles[first]])
    columns = tuple(
        ShownColumn(name, name, "percent" if name in titles.values() else "")
        for name in (rows[0] if rows else ())
    )
    return TableSpec("compared_groups", lambda _: rows, (columns,)), rows
