"""What the dashboard says in Markdown, as HTML."""

import re

from markupsafe import Markup, escape

_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_ITALIC = re.compile(r"\*(.+?)\*", re.DOTALL)


def in_html(text: str) -> Markup:
    """Return one of our own texts, with ``**bold**`` and ``*italic*``, as HTML."""
    escaped = str(escape(text))
    return Markup(_ITALIC.sub(r"<i>\1</i>", _BOLD.sub(r"<b>\1</b>", escaped)))  # noqa: S704
