"""Notes on features by which a model could act on what it had better not see."""

from collections.abc import Sequence

from ...messages import Sentence
from ...tables.table import Table
from .protected_names import protected_attribute
from .proxies import proxies

_ADVICE = "as an audit-only column it would be kept out of both"


def sensitive_notes(
    table: Table, features: Sequence[str], audit_only: tuple[str, ...]
) -> list[str]:
    """Return a note on each feature whose name says a protected attribute, or that stands in.

    Parameters
    ----------
    table
        The training rows.
    features
        The columns that model and remedy use.
    audit_only
        The columns they do not see.
    """
    notes: list[str] = [
        Sentence(
            "feature.protected",
            "The model and the adjustment use '{feature}', which by its name may be a protected "
            f"attribute ({{attribute}}); {_ADVICE}.",
            feature=feature,
            attribute=attribute,
        )
        for feature in features
        if (attribute := protected_attribute(feature)) is not None
    ]
    return notes + [
        Sentence(
            "feature.proxy",
            "The model and the adjustment use '{feature}', which alone tells the audit-only column "
            f"'{{column}}' almost perfectly ({{percent:.0f}} % of it); {_ADVICE}.",
            feature=feature,
            column=hidden,
            percent=100.0 * told,
        )
        for feature, hidden, told in proxies(table, list(features), audit_only)
    ]
