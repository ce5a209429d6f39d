"""Tables and sentences of the page: bounded, and without values of single rows unless asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evencover.core import AuditResult, InputError
from evencover.core.exploration.examples import examples
from evencover.core.messages import Sentence, visible

from ...wording.formatting import predictors
from ...wording.rows import with_titles
from ...wording.tables import ShownColumn, TableSpec, cell_text, examples_table

LONGEST = 60  # signs of a name or value that are shown; the whole is shown where the pointer rests

LONGEST_SENTENCE = 2000
_MOST_SENTENCES = 100
_MOST_EXAMPLES = 200


class ShownValue(NamedTuple):
    """A value as shown; ``whole`` is not empty where it was cut."""

    text: str
    whole: str = ""


@dataclass(frozen=True)
class ShownTable:
    """A table as shown; ``left_out`` rows are not."""

    name: str
    columns: list[ShownColumn]
    rows: list[list[ShownValue]]
    left_out: int

    def explained(self) -> list[ShownColumn]:
        """Return the columns that have an explanation, the first of those that have the same."""
        first = {column.help: column for column in reversed(self.columns) if column.help}
        return [column for column in self.columns if first.get(column.help) is column]


def make_table(spec: TableSpec, result: AuditResult) -> ShownTable | None:
    """Return the first rows of a table; None without any."""
    rows, given = spec.rows(result), predictors(result)
    if not rows:
        return None
    columns = spec.shown(rows, given)
    shown = []
    for row in with_titles(rows[: spec.most], given):
        cells = []
        for column in columns:
            value = row[column.key]
            is_text = isinstance(value, str)
            whole = visible(_without_cells(value)) if is_text else cell_text(value, column.form)
            short = cut(whole, LONGEST) if is_text else whole
            cells.append(ShownValue(short, "" if short == whole else whole))
        shown.append(cells)
    heads = [column._replace(title=cut(column.title, LONGEST)) for column in columns]
    return ShownTable(spec.name, heads, shown, max(0, len(rows) - spec.most))


def check_examples(number: int) -> None:
    """Refuse a number of test rows that a report cannot show, by an :class:`InputError`."""
    if not 0 <= number <= _MOST_EXAMPLES:
        unusable = "examples is {number}; give a whole number from 0 to {most}"
        raise InputError("examples.number", unusable, number=number, most=_MOST_EXAMPLES)


def example_table(result: AuditResult, number: int) -> ShownTable | None:
    """Return so many test rows: missed before, lowest p(x) before first; None if none are asked.

    Where fewer are missed, rows that are not follow in the same order.
    """
    check_examples(number)
    if number == 0:
        return None
    if result.test_rows is None:
        gone = "the result holds no test rows; run the audit again to show some"
        raise InputError("result.no_rows", gone)
    found = examples(result.test_rows, limit=number)
    spec = examples_table(result.test_rows, found, predictors(result), with_values=True)
    return make_table(spec, result)


def cut(text: str, longest: int) -> str:
    """Return text of so many signs at most, none of which turns or hides others."""
    text = visible(text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def sentences(texts: Sequence[str]) -> list[str]:
    """Return the first of many sentences, each so long at most."""
    shown = [cut(_without_cells(one), LONGEST_SENTENCE) for one in texts[:_MOST_SENTENCES]]
    more = len(texts) - len(shown)
    return [*shown, f"The JSON result holds {more:,} more."] if more else shown


def _without_cells(text: str) -> str:
    return text.without_cells() if isinstance(text, Sentence) else text
