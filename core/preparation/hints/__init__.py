"""What an analyst may want to choose otherwise, and what names and values tell of it."""
