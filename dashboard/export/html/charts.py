"""Charts within a page, which carries the code that draws them once."""

import base64
import functools
import zlib
from importlib.resources import files

import plotly.graph_objects as go
from markupsafe import Markup
from plotly.io import to_json
from plotly.offline import get_plotlyjs


def chart(figure: go.Figure, name: str) -> Markup:
    """Return the place of a chart, with what is drawn there as JSON; ``name`` is its id."""
    height = f"{figure.layout.height:g}px"
    plain = figure.to_dict()
    plain["layout"]["autosize"] = True
    # as JSON knows the escape, no value of a table can end the element
    drawn = to_json(plain, validate=False).replace("<", "\\u003c")
    return Markup(  # noqa: S704 - see above; figures escape what they show
        f'<div class="chart plotly-graph-div" id="{Markup.escape(name)}" style="height:{height}">'
        f'<script type="application/json">{drawn}</script></div>'
    )


@functools.cache
def charts_script() -> Markup:
    """Return what draws the charts of a page: plotly.js, packed to less than half, and when.

    Browsers unpack it since 2023 (``DecompressionStream``); one that cannot says so in the page.
    """
    packed = base64.b64encode(zlib.compress(get_plotlyjs().encode(), 9)).decode()
    draw = files(__package__).joinpath("draw.js").read_text(encoding="utf-8")
    return Markup(  # noqa: S704 - our own
        f'<script type="text/plain" id="plotly-packed">{packed}</script>\n<script>{draw}</script>'
    )
