"""Rules that select rows of a table: parsed from text, and held against columns."""
