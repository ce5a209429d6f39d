"""The file formats a table may come in, one file each; :mod:`..reading` chooses."""

from collections import Counter
from pathlib import Path

from ...errors import InputError


def clean_names(names: list[str], file: Path) -> list[str]:
    """Return the columns' names, no two of them the same; one without a name is given one."""
    clean = [name.strip() for name in names]
    for position, name in enumerate(clean):
        if not name:  # such as that of a saved index
            clean[position] = _free_name(f"column {position + 1}", clean)
    for name, times in Counter(clean).items():
        if times > 1:
            sentence = "'{file}' has two columns called '{column}'; rename one"
            raise InputError("columns.same_name", sentence, file=file, column=name)
    return clean


def _free_name(wanted: str, taken: list[str]) -> str:
    return wanted if wanted not in taken else _free_name(f"{wanted} (unnamed)", taken)
