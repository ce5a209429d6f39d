"""HTML pages that need nothing but themselves: no network, no other file."""

from .page import chart, charts_script, in_html, render

__all__ = ["chart", "charts_script", "in_html", "render"]
