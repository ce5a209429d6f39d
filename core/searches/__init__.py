"""Searches for a layer's gamma and delta, and the names by which they are chosen.

A new search is one class in one file of this folder and one line in the registry.
"""

from .base import Search
from .paper import PaperSearch
from .restarted import RestartedSearch

SEARCHES: dict[str, type[Search]] = {"restarted": RestartedSearch, "paper": PaperSearch}
"""By name; the first is an audit's default."""

__all__ = ["SEARCHES", "PaperSearch", "RestartedSearch", "Search"]
