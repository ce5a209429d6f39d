"""How a person writes the value of an option, on the command line and on Setup."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from evencover.core.preparation import options as kinds

from .column_lists import parse_columns, write_columns
from .segment_options import (
    parse_cohort,
    parse_cuts,
    parse_lines,
    parse_pairs,
    parse_reference,
    write_cohorts,
    write_cuts,
    write_pairs,
    write_reference,
)


@dataclass(frozen=True)
class Form:
    """The form of the options of one kind.

    Attributes
    ----------
    parse
        Reads what is given to the option on the command line once.
    metavar
        Stands for that in its help; None for the option's own name.
    write
        Writes a whole value: a line for each item, where the option is given once for each.
    action
        Of argparse, where the option is given more than once.
    example
        What is shown on Setup where nothing is written.
    """

    parse: Callable[[str], Any]
    metavar: str | None = None
    write: Callable[[Any], str] = str
    action: str = "store"
    example: str | None = None

    def read(self, text: str) -> Any:  # noqa: ANN401 - of any option
        """Return the value that :attr:`write` writes so; no text is an empty one.

        Raises
        ------
        InputError
            If the text is not of the form.
        """
        if self.action == "append":
            return parse_lines(text, self.parse)
        return self.parse(text) if text.strip() or self.action == "store" else ()

    def texts(self, value: Any) -> list[str]:  # noqa: ANN401 - of any option
        """Return what is given to the option, each time that it is."""
        if self.action == "append":
            return [self.write([item]) for item in value]
        return [self.write(value)]


_Once = partial(Form, action="extend")
_Each = partial(Form, action="append")

FORMS: Mapping[kinds.Kind, Form] = {
    kinds.TEXT: Form(str),
    kinds.COLUMN: Form(str, "COL"),
    kinds.NUMBER: Form(float),
    kinds.WHOLE: Form(int, "N"),
    kinds.COLUMNS: _Once(parse_columns, "A,B", write_columns),
    kinds.PAIRS: _Once(parse_pairs, "A:B,C:D", write_pairs, example="A:B, C:D"),
    kinds.CUTS: _Each(parse_cuts, "COL=X,Y", write_cuts, example="age=18,40,65"),
    kinds.REFERENCE: _Each(parse_reference, "COL=SEGMENT", write_reference, example="owner=agency"),
    kinds.COHORTS: _Each(parse_cohort, "'NAME: RULE'", write_cohorts),
}
"""Of every kind but flags, which are given or not."""
