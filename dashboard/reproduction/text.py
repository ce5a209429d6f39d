"""A reproduction's table of results as text for a terminal."""

import math

from .agreement import Comparison
from .result import Reproduction
from .results_table import FIGURES, LineResult

_NAMES = ["line", "what", "accuracy", "", "inefficiency", "", "DCV", "", "floor"]
_SECOND = ["", "", "paper", "ours", "paper", "ours", "paper", "ours", ""]


def to_text(reproduction: Reproduction) -> str:
    """Return the comparison line by line, and what to know of it."""
    rows = [_NAMES, _SECOND, *map(_row, reproduction.lines)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_NAMES))]
    written = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    verdicts = [f"{'':{widths[0]}}  {result.verdict}" for result in reproduction.lines]
    pairs = zip(written[2:], verdicts, strict=True)
    table = "\n".join([*written[:2], *(line for pair in pairs for line in pair)])
    sentences = [*reproduction.summary(), *reproduction.notes]
    return "\n\n".join([table, "\n".join(sentences)]) + "\n"


def described(result: LineResult) -> str:
    """Return what a line is about, briefly."""
    line = result.line
    penalty = "" if line.penalty is None else f" C {line.penalty:g}"
    level = f"CL {line.confidence_level:g}{penalty}"
    return f"{line.data} {line.segment}, {line.algorithm} {line.measure}, {level}"


def with_spread(figure: Comparison, form: str) -> str:
    """Return our figure with its spread, if there is one."""
    if math.isnan(figure.mean):
        return ""
    if math.isnan(figure.sd):
        return format(figure.mean, form)
    return f"{figure.mean:{form}} ± {figure.sd:.2g}"


def _row(result: LineResult) -> list[str]:
    line = result.line
    written = [str(line.line), described(result)]
    for name, form in zip(FIGURES, (".4f", ".3f", ".3g"), strict=True):
        written += [getattr(line, name), with_spread(result.figures[name], form)]
    return [*written, "" if result.floor is None else f"{result.floor:.3g}"]
