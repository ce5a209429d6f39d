"""What audits with several seeds say together, in sentences."""

from collections.abc import Sequence

from ..messages import counted
from .result import RepeatedClaim, Repeats
from .templates import ADVICE_IN_BRIEF, EFFECTS

_MOST_NAMED = 3


def repeat_sentences(repeats: Repeats) -> list[str]:
    """Return whom the seeds name as under-covered, what adjustments do, and what to do.

    Of each, what most seeds say comes first. Seeds without an audit are told.
    """
    n = len(repeats.seeds)
    over = f"Over {counted(n, 'seed')}"
    claims = repeats.verdict
    sentences = []
    groups = [claim for claim in claims if claim.about == "group"]
    if groups:
        sentences.append(f"{over}: {_named(groups, n)}.")
    adjustments = list(dict.fromkeys(c.algorithm for c in claims if c.about == "effect"))
    for name in adjustments:
        own = [(EFFECTS[c.value], c) for c in claims if _is(c, "effect", name)]
        whose = "the adjustment" if len(adjustments) == 1 else f"the adjustment {name}"
        sentences.append(f"{over} {whose} {_counted(own)}.")
    advice = [(ADVICE_IN_BRIEF[c.value], c) for c in claims if c.about == "advice"]
    if advice:
        sentences.append(f"{over} the advice is {_counted(advice)}.")
    sentences += [f"Seed {of.seed} is not possible: {of.reason}." for of in repeats.impossible]
    return sentences


def _is(claim: RepeatedClaim, about: str, algorithm: str) -> bool:
    return claim.about == about and claim.algorithm == algorithm


def _named(groups: Sequence[RepeatedClaim], n: int) -> str:
    """Return such as "county = Devon is named as under-covered in 4, no group in 1"."""
    named = [claim for claim in groups if claim.value]
    words = [(claim.value, claim) for claim in named[:_MOST_NAMED]]
    words += [("another group", claim) for claim in named[_MOST_NAMED:]]
    words += [("no group", claim) for claim in groups if not claim.value]
    first, claim = words[0]
    told = _counted([(f"{first} is named as under-covered", claim), *words[1:]])
    rarely = [c for c in named[:_MOST_NAMED] if len(c.tested) < n]
    few = "; ".join(f"{c.value} has test rows in {len(c.tested)} of {n} seeds only" for c in rarely)
    return f"{told}; {few}" if few else told


def _counted(words: Sequence[tuple[str, RepeatedClaim]]) -> str:
    """Return each with the number of seeds, those of the same words together."""
    counts: dict[str, int] = {}
    for text, claim in words:
        counts[text] = counts.get(text, 0) + len(claim.seeds)
    return ", ".join(f"{text} in {count}" for text, count in counts.items())
