"""Why a fit has no layer, and the penalty under which it would have one."""

from collections.abc import Callable, Sequence

from ...events import LayerTried, Listener, ignore
from .layer_search import SMALLEST_FALL

_SHARES = (0.9, 0.5, 0.1, 0.02)
"""Of the largest penalty by the evaluations: the search under another one goes another way."""

FindsLayer = Callable[[float, Listener], bool]
"""Searches for a first layer under a penalty, told to a listener; says whether there is one."""


def penalty_with_layer(
    finds_layer: FindsLayer, dcv: float, rise: Callable[[float], float], tried: float
) -> float | None:
    """Return a penalty below ``tried`` under which a first layer is found; None if 0 finds none.

    A layer that lowers ``dcv``, that of the base, by f and widens sets by what counts as w, the
    ``rise`` of its inefficiency, pays where C < f / w. The penalty is below the largest
    f / w, of one digit, and verified: a fit with it has a layer.
    """
    if tried == 0.0:
        return None
    seen: list[LayerTried] = []

    def remember(event: object) -> None:
        if isinstance(event, LayerTried):
            seen.append(event)

    if not finds_layer(0.0, remember):
        return None
    largest = min(tried, _largest_paying(seen, dcv, rise))
    penalties = (float(f"{share * largest:.0e}") for share in _SHARES)
    return next((penalty for penalty in penalties if finds_layer(penalty, ignore)), 0.0)


def _largest_paying(
    seen: Sequence[LayerTried], dcv: float, rise: Callable[[float], float]
) -> float:
    falls = ((dcv * (1.0 - SMALLEST_FALL) - e.dcv, rise(e.inefficiency)) for e in seen)
    return max(
        fall / dearer if dearer > 0.0 else float("inf") for fall, dearer in falls if fall >= 0
    )
