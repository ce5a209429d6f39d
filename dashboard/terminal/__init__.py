"""How commands speak to the terminal and choose places to write; may import runs and below."""

BUG = 1
UNUSABLE = 2
INTERRUPTED = 130
"""Exit statuses of the commands; 0 is done."""
