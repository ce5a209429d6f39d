"""What the command's exit status says; 0 is done."""

BUG = 1
UNUSABLE = 2
INTERRUPTED = 130
