"""Samples to try the program on, and the names by which they are loaded.

A new sample is one file of this folder and one line in a registry: ``GENERATED`` for tables
made up here, whose true coverage is known, ``REAL`` for data the user has downloaded.
"""

from collections.abc import Callable

from evencover.core.errors import InputError

from . import houses, kernels, real, triage
from .sample import Sample

GENERATED: dict[str, Callable[[], Sample]] = {
    "houses": houses.sample,
    "kernels": kernels.sample,
    "triage": triage.sample,
}

REAL: dict[str, Callable[[], Sample]] = {
    "king_county": real.king_county,
    "gpu": real.gpu,
    "covtype": real.covtype,
}

__all__ = ["GENERATED", "REAL", "Sample", "available_samples", "load_sample"]


def load_sample(name: str) -> Sample:
    """Return the sample of that name.

    Raises
    ------
    InputError
        If there is no such sample, or it is a real one whose file cannot be used.
    """
    samples = GENERATED | REAL
    if name not in samples:
        raise InputError(f"there is no sample {name!r}; choose one of {', '.join(samples)}")
    return samples[name]()


def available_samples() -> list[str]:
    """Return the names of the generated samples and of those real ones whose file is there."""
    return [*GENERATED, *(name for name in REAL if real.is_present(name))]
