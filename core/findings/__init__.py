"""What an audit found: the result, its JSON form, and its sentences; after exploration."""
