"""A comparison of remedies as rows: means over seeds, and what is said beside them."""

from collections.abc import Iterable, Iterator

from evencover.core.experiment.compared_rows import (
    Difference,
    RemedyComparison,
    group_means,
    mean_of,
)

from .formatting import signed_points
from .rows import Row
from .tables import COMPARED, ShownColumn, TableSpec

_FORMS = {one.key: one.form for block in COMPARED.columns for one in block if one.form}
"""Of the figures of which a table shows the mean over seeds."""


def mean_rows(comparison: RemedyComparison) -> list[Row]:
    """Return a row for each remedy that has figures: means of test figures over its seeds."""
    rows = []
    for remedy in comparison.remedies:
        found = comparison.test_rows(remedy)
        if not found:
            continue
        row: Row = {"remedy": found[0].title}
        row |= {name: mean_of(found, name) for name in _FORMS}
        row["guarantee"] = found[0].guarantee
        rows.append(row)
    return rows


def promises(rows: Iterable[Row]) -> dict[str, list[str]]:
    """Return each guarantee with the titles of the remedies that give it."""
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["guarantee"], []).append(row["remedy"])
    return found


def change_in_words(difference: Difference) -> str:
    """Return a mean difference with its 95 % interval, where it has one."""
    is_share = _FORMS.get(difference.figure) == "percent"
    unit = " points" if is_share else ""
    mean, low, high = (
        "" if value is None else signed_points(value) if is_share else f"{value:+z.4f}"
        for value in (difference.mean, difference.low, difference.high)
    )
    return f"{mean}{unit} ({low} to {high})" if low and high else f"{mean}{unit}"


def difference_rows(comparison: RemedyComparison) -> list[Row]:
    """Return a row for each remedy, with its differences from the base in words."""
    titles = {row.remedy: row.title for row in comparison.rows}
    rows: dict[str, Row] = {}
    for each in comparison.differences:
        row = rows.setdefault(each.remedy, {"remedy": titles[each.remedy]})
        row[each.figure] = change_in_words(each)
    return list(rows.values())


def refusals(comparison: RemedyComparison) -> Iterator[str]:
    """Yield why a remedy, or the base by some seed, could not be applied."""
    for remedy in comparison.remedies:
        seeds = [row.seed for row in comparison.rows if row.remedy == remedy and row.problem]
        if not seeds:
            continue
        some = (
            "" if len(seeds) == len(comparison.seeds) else f", seeds {', '.join(map(str, seeds))}"
        )
        yield f"{remedy}{some}: {comparison.problem(remedy)}."


def group_table(comparison: RemedyComparison) -> tuple[TableSpec, list[Row]]:
    """Return a table of the groups that were clearly too low by the base, with mean accuracies."""
    titles = {row.remedy: row.title for row in comparison.rows}
    rows: list[Row] = [
        {
            "group": f"{group.variable} = {group.value}",
            "low": f"{group.low} of {len(comparison.seeds)} seeds",
            **{titles[remedy]: mean for remedy, mean in group.accuracies.items()},
        }
        for group in group_means(comparison)
    ]
    names = list(rows[0]) if rows else []
    columns = tuple(
        ShownColumn(name, name, "percent" if name in titles.values() else "") for name in names
    )
    return TableSpec("compared_groups", lambda _: rows, (columns,)), rows
