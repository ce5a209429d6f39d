"""A page from its template."""

from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup


def render(
    package: str,
    values: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> str:
    """Return the page that a package's ``page.html`` makes of values.

    All that is not marked as HTML is escaped. The template is given the common look as ``style``,
    and can use the functions both as such and as filters.
    """
    template = files(package).joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=DictLoader({"page": template}),
    )
    style = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    environment.globals |= {"style": Markup(style), **(functions or {})}  # noqa: S704 - our own
    environment.filters |= dict(functions or {})
    return environment.get_template("page").render(values)
