"""The paper's tables and figure again: run, compared line by line, and written down."""
