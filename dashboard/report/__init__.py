"""An audit's result as one HTML page to mail: figures and charts, and no row of the table."""

from .page import to_html

__all__ = ["to_html"]
