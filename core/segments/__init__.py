"""Test rows in groups, and the worst found by search; may import preparation and below."""
