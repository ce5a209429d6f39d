"""Coverage over two variables at once."""

from dataclasses import dataclass

import numpy as np

from ..segments.test_rows import AuditedObjects
from .groups import GroupFigures, Where, figures_by_code
from .lookup import find_variable


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
    first, second = (find_variable(objects, name) for name in (one, other))
    parts = first.partition, second.partition
    width = len(parts[1].names)
    crossed = parts[0].codes.astype(np.int64) * width + parts[1].codes
    # numbered anew: of many times many segments few meet
    present, codes = np.unique(crossed, return_inverse=True)
    cells = [
        Cell(one=parts[0].names[code // width], other=parts[1].names[code % width], **figures)
        for code, figures in zip(
            present.tolist(), figures_by_code(objects, codes, len(present), where), strict=True
        )
        if figures["n"]
    ]
    filled = {cell.one for cell in cells}, {cell.other for cell in cells}
    ones, others = (
        [name for name in part.names if name in names]
        for part, names in zip(parts, filled, strict=True)
    )
    return CoverageOver(first.name, second.name, ones, others, cells)
