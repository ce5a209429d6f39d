"""Colours of coverage: dark where it is below the level, light blue where it is above.

The two sides differ in lightness, too, so that grey print and colour blindness keep them apart.
"""

from collections.abc import Iterable
from typing import Any

TOO_FEW_COLOUR = "#D5D8DC"
_BELOW, _HALFWAY, _AT_LEVEL, _ABOVE = "#6B2A00", "#D98A3D", "#F7F5F2", "#7FB2E5"
_LEAST_REACH, _MOST_REACH = 0.05, 0.3


def coverage_axis(accuracies: Iterable[float], confidence_level: float) -> dict[str, Any]:
    """Return the colours and their ends, with the lightest colour at the level.

    They reach as far below it as the accuracies stray from it, within bounds, and above it as far
    as that, or to 1.
    """
    farthest = max((abs(value - confidence_level) for value in accuracies), default=0.0)
    reach = min(max(farthest, _LEAST_REACH), _MOST_REACH)
    low, high = max(0.0, confidence_level - reach), min(1.0, confidence_level + reach)
    middle = (confidence_level - low) / (high - low)
    return {
        "zmin": low,
        "zmax": high,
        "colorscale": [
            [0.0, _BELOW],
            [middle / 2.0, _HALFWAY],
            [middle, _AT_LEVEL],
            [1.0, _ABOVE],
        ],
    }
