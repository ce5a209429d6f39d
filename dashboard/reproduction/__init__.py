"""The paper's tables again, compared line by line; may import terminal and below."""
