"""Settings, and a table made ready by them; may import remedies and below."""
