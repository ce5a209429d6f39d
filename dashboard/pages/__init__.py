"""What the browser shows: a folder for each page; may import reproduction and below."""
