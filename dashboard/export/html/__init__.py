"""HTML pages that need nothing but themselves: no network, no other file."""

from .charts import chart, charts_script
from .markdown import in_html
from .page import render

__all__ = ["chart", "charts_script", "in_html", "render"]
