"""The result as JSON, CSV, terminal summary and HTML report; may import options and below."""
