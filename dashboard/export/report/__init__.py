"""An audit's result as one HTML page to mail: figures and charts, and no row of the table."""

from .cells import check_examples
from .page import file_name, to_first_screen, to_html

__all__ = ["check_examples", "file_name", "to_first_screen", "to_html"]
