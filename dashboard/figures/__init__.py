"""Charts as functions of the result's rows; may import wording."""
