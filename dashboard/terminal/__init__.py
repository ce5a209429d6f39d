"""How commands speak to the terminal and choose places to write.

May import runs, and what runs may.
"""
