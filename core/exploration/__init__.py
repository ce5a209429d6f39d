"""Coverage of any part of the test rows, when somebody asks; may import report and below."""
