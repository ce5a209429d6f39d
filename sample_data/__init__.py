"""Samples to try the program on, and the names by which they are loaded.

A new sample that is made up here, with a known true coverage, is one file of this folder and one
line in ``GENERATED``; one of published data is an entry in :mod:`.real`.
"""

from collections.abc import Callable
from functools import partial

from evencover.core.messages import InputError, perhaps

from . import houses, kernels, real, triage
from .real import DATA_VARIABLE
from .sample import Sample

GENERATED: dict[str, Callable[[], Sample]] = {
    "houses": houses.sample,
    "kernels": kernels.sample,
    "triage": triage.sample,
}

REAL: dict[str, Callable[[], Sample]] = {name: partial(real.load, name) for name in real.SOURCES}

__all__ = [
    "DATA_VARIABLE",
    "GENERATED",
    "REAL",
    "Sample",
    "is_downloaded",
    "load_sample",
    "sample_names",
]


def load_sample(name: str) -> Sample:
    """Return the sample of that name.

    Raises
    ------
    InputError
        If there is no such sample, or it is a real one that cannot be had.
    """
    if name not in sample_names():
        raise InputError(
            "sample.unknown",
            "there is no sample {name!r}; choose one of {names}" + perhaps(name, sample_names()),
            name=name,
            names=", ".join(sample_names()),
        )
    return (GENERATED | REAL)[name]()


def sample_names() -> list[str]:
    """Return the names of all samples, the generated ones first."""
    return [*GENERATED, *REAL]


def is_downloaded(name: str) -> bool:
    """Say whether a sample is a real one that is not in the user's own folder."""
    return name in REAL and not real.is_present(name)
