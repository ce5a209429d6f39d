"""What the browser shows: a file for each page; may import lessons and below."""
