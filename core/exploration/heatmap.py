"""Coverage over two variables at once."""

from dataclasses import dataclass

import numpy as np

from ..segments.test_rows import AuditedObjects
from .groups import GroupFigures, Where, figures_by_code
from .values import find_variable


@dataclass(frozen=True, kw_only=True)
class Cell(GroupFigures):
    """The test rows where a segment of one variable meets a segment of another."""

    one: str
    other: str


@dataclass(frozen=True)
class CoverageOver:
    """Coverage over two variables: ``ones`` and ``others`` are their segments.

    Segments and cells without rows are left out.
    """

    one: str
    other: str
    ones: list[str]
    others: list[str]
    cells: list[Cell]


def coverage_over(
    objects: AuditedObjects, one: str, other: str, where: Where = None
) -> CoverageOver:
    """Return coverage before and after wherever segments of two variables meet.

    The figures are those that ``AuditSettings.pairs`` gives for the two. Raises :class:`InputError`
    if there is no variable of such a name.
    """
    variables = find_variable(objects, one), find_variable(objects, other)
    first, second = (variable.partition for variable in variables)
    width = len(second.names)
    # numbered anew: of many times many segments few meet
    present, codes = np.unique(
        first.codes.astype(np.int64) * width + second.codes, return_inverse=True
    )
    found = figures_by_code(objects, codes, len(present), where)
    cells = [
        Cell(one=first.names[code // width], other=second.names[code % width], **figures)
        for code, figures in zip(present.tolist(), found, strict=True)
        if figures["n"]
    ]
    filled = {cell.one for cell in cells}, {cell.other for cell in cells}
    ones = [name for name in first.names if name in filled[0]]
    others = [name for name in second.names if name in filled[1]]
    return CoverageOver(variables[0].name, variables[1].name, ones, others, cells)
