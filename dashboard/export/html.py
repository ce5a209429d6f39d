"""HTML pages with charts from a template, that need nothing but themselves: no network, no file."""

import base64
import functools
import re
import zlib
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

import plotly.graph_objects as go
from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape
from plotly.io import to_json
from plotly.offline import get_plotlyjs

from ..figures.style import ALONG, buttons, in_words

_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_ITALIC = re.compile(r"\*(.+?)\*", re.DOTALL)


def render(
    package: str, values: Mapping[str, Any], functions: tuple[Callable[..., Any], ...] = ()
) -> str:
    """Return the page that a package's ``page.html`` makes of values, all of it escaped.

    The template has the common look as ``style``, and the functions by their names.
    """
    return _template(package, functions).render(values)


@functools.cache
def _template(package: str, functions: tuple[Callable[..., Any], ...]) -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    style = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    environment.globals["style"] = Markup(style)  # noqa: S704 - our own
    environment.globals |= {function.__name__: function for function in functions}
    return environment.from_string(files(package).joinpath("page.html").read_text(encoding="utf-8"))


def in_html(text: str) -> Markup:
    """Return one of our own texts, with ``**bold**`` and ``*italic*``, as HTML."""
    escaped = str(escape(text))
    return Markup(_ITALIC.sub(r"<i>\1</i>", _BOLD.sub(r"<b>\1</b>", escaped)))  # noqa: S704


def chart(figure: go.Figure, name: str, about: str) -> Markup:
    """Return the place of a chart, with what is drawn there as JSON; ``name`` is its id.

    Its file is named by what it is ``about``.
    """
    height = f"{figure.layout.height:g}px"
    plain = figure.to_dict() | {"config": buttons(figure, about)}
    plain["layout"]["autosize"] = True
    # as JSON knows the escape, no value of a table can end the element
    drawn = to_json(plain, validate=False).replace("<", "\\u003c")
    return Markup(  # noqa: S704 - see above; figures escape what they show
        f'<div class="chart plotly-graph-div" id="{Markup.escape(name)}" style="height:{height}" '
        f'role="figure" aria-label="{Markup.escape(in_words(figure))}">'
        f'<script type="application/json">{drawn}</script></div>'
    )


@functools.cache
def charts_script() -> Markup:
    """Return what draws the charts of a page, once: plotly.js, packed to less than half.

    Browsers unpack it since 2023 (``DecompressionStream``); one that cannot says so in the page.
    """
    packed = base64.b64encode(zlib.compress(get_plotlyjs().encode(), 9)).decode()
    draw = ALONG + files(__package__).joinpath("draw.js").read_text(encoding="utf-8")
    return Markup(  # noqa: S704 - our own
        f'<script type="text/plain" id="plotly-packed">{packed}</script>\n<script>{draw}</script>'
    )
