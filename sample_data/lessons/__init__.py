"""The small worlds of the lessons, whose truth is known in closed form: arrays and formulas."""
