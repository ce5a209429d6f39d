"""Colours of coverage: dark where it is below the level, light blue where it is above.

The two sides differ in lightness, too, so that grey print and colour blindness keep them apart.
"""

from collections.abc import Iterable

TOO_FEW_COLOUR = "#D5D8DC"
SCALE = [[0.0, "#6B2A00"], [0.25, "#D98A3D"], [0.5, "#F7F5F2"], [1.0, "#7FB2E5"]]
_LEAST_REACH, _MOST_REACH = 0.05, 0.3


def coverage_axis(accuracies: Iterable[float], confidence_level: float) -> dict[str, float]:
    """Return the ends of the colours, equally far from the level, which is in the middle."""
    farthest = max((abs(value - confidence_level) for value in accuracies), default=0.0)
    reach = min(max(farthest, _LEAST_REACH), _MOST_REACH)
    return {"zmin": confidence_level - reach, "zmax": confidence_level + reach}
