"""The parts of the page, each a function that draws it."""
