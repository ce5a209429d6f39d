"""Settings as a person writes, shares and compares them; may import figures and below."""
