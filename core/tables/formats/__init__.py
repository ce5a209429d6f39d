"""The file formats a table may come in, one file each; :mod:`..reading` chooses."""

from collections import Counter
from pathlib import Path

from ...errors import InputError
from ...messages import told_apart


def clean_names(names: list[str], file: Path) -> list[str]:
    """Return the columns' names, no two of them the same; one without a name is given one."""
    clean = [name.strip() for name in names]
    nameless = [position for position, name in enumerate(clean) if not name]  # as a saved index
    given = told_apart([f"column {position + 1}" for position in nameless], taken=clean)
    for position, name in zip(nameless, given, strict=True):
        clean[position] = name
    for name, times in Counter(clean).items():
        if times > 1:
            sentence = "'{file}' has two columns called '{column}'; rename one"
            raise InputError("columns.same_name", sentence, file=file, column=name)
    return clean
