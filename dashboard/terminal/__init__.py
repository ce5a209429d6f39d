"""How commands speak to the terminal and choose places to write; may import runs and below."""

DONE = 0
BUG = 1
UNUSABLE = 2
BROKEN = 3
UNSURE = 4
INTERRUPTED = 130
"""Exit statuses of the commands; the third and fourth are of an audit that a rule is to fail."""
