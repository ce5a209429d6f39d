"""Every word and every table's columns, once, for page, report and terminal; may import core."""
