"""The commands ``evencover``, ``audit``, ``reproduce``, ``dashboard``; may import all the rest."""
