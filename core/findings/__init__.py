"""What an audit found: the one result, its JSON form, and the sentences about it.

May import exploration, and what exploration may.
"""
