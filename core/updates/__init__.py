"""Update functions, and the names by which they are chosen.

A new update function is one class in one file of this folder and one line in the registry.
"""

from .base import UpdateFunction
from .sign import SignUpdate

UPDATES: dict[str, type[UpdateFunction]] = {"sign": SignUpdate}

__all__ = ["UPDATES", "SignUpdate", "UpdateFunction"]
