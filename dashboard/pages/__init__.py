"""What the browser shows: a folder for each page over shared parts and the session.

May import every other package of the dashboard but commands.
"""
