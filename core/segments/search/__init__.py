"""Rules of low coverage, searched for on one half of the rows and judged on the other."""
