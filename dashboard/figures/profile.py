"""Coverage along a variable, before and after, beside the confidence level."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from evencover.core.exploration import Band, CoverageAlong

from ..wording.page_texts import NAMES
from .style import COLOURS, brief, draw, interval_bars, level_across, literal

_SUFFIXES = {"base": "base", "ifacm": "adjusted"}
_SYMBOLS = {"base": "circle", "ifacm": "diamond"}
_ASIDE = {"base": -0.12, "ifacm": 0.12}


def along_figure(found: CoverageAlong, confidence_level: float) -> go.Figure:
    """Return coverage with its 95 % intervals: a line along numbers and dates, else points.

    Rows whose value is missing have no place along a line; the page tells of them.
    """
    bands = [band for band in found.bands if band.middle is not None] or found.bands
    in_order = bands[0].middle is not None if bands else False
    points = []
    for algorithm, name in NAMES.items():
        accuracy = [getattr(band, f"accuracy_{_SUFFIXES[algorithm]}") for band in bands]
        low = [getattr(band, f"low_{_SUFFIXES[algorithm]}") for band in bands]
        high = [getattr(band, f"high_{_SUFFIXES[algorithm]}") for band in bands]
        points.append(
            go.Scatter(
                x=_places(bands, found) if in_order else _beside(bands, algorithm),
                y=accuracy,
                error_y=interval_bars(accuracy, low, high) | {"thickness": 1, "width": 2},
                mode="lines+markers" if in_order else "markers",
                line={"color": COLOURS[algorithm], "width": 2},
                marker={"color": COLOURS[algorithm], "size": 8, "symbol": _SYMBOLS[algorithm]},
                name=name,
                customdata=[
                    [literal(band.value), band.n, b, h]
                    for band, b, h in zip(bands, low, high, strict=True)
                ],
                hovertemplate="%{customdata[0]} (n = %{customdata[1]}): %{y:.3f}, 95 % interval "
                f"%{{customdata[2]:.3f}} to %{{customdata[3]:.3f}}<extra>{name}</extra>",
            )
        )
    return draw(
        points,
        height=380,
        x={"title": {"text": brief(found.variable)}, **({} if in_order else _ticks(bands))},
        y={"title": {"text": "coverage"}},
        **level_across(confidence_level),
    )


def _ticks(bands: Sequence[Band]) -> dict[str, Any]:
    return {
        "tickvals": list(range(len(bands))),
        "ticktext": [brief(band.value) for band in bands],
    }


def _places(bands: Sequence[Band], found: CoverageAlong) -> list[Any]:
    middles = [band.middle for band in bands if band.middle is not None]
    if found.kind != "date":
        return middles
    seconds = np.round(np.array(middles) * 86_400.0).astype("datetime64[s]")
    return [str(moment) for moment in seconds]


def _beside(bands: Sequence[Band], algorithm: str) -> list[float]:
    return [place + _ASIDE[algorithm] for place in range(len(bands))]
