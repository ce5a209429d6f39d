"""Names that must not be mistaken for each other."""

from collections.abc import Iterable


def told_apart(names: Iterable[str]) -> list[str]:
    """Return the names, a later one with a number behind it where it is taken."""
    taken: set[str] = set()
    unique: list[str] = []
    for name in names:
        free, number = name, 1
        while free in taken:
            number += 1
            free = f"{name} ({number})"
        taken.add(free)
        unique.append(free)
    return unique
