"""HTML pages that need nothing but themselves: no network, no other file."""

from .charts import chart, charts_script
from .page import render
from .prose import in_html

__all__ = ["chart", "charts_script", "in_html", "render"]
