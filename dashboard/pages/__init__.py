"""What the browser shows: a script for each page; may import lessons and below."""
