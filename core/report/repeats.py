"""Audits with different seeds: how much of every figure hangs on the random split."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..experiment.compared_rows import spread
from ..messages import counted
from ..segments.by_segment import SegmentRow
from .advice_findings import ADVICE_IN_BRIEF
from .effects import EFFECTS
from .groups import holds_all, named_group
from .result import AuditResult, RepeatedClaim, Repeats, json_row, side_by_side
from .wording import in_brief

_CLAIMS = ("group", "coverage", "choice", "effect", "advice")  # in the order of reading
_MOST_NAMED = 3

_KEYS = ("segment", "algorithm", "feature", "variable", "value", "kind")


def summarise(results: Sequence[AuditResult]) -> Repeats:
    """Return mean and spread of every figure over audits that differ in their seed."""
    return Repeats(
        seeds=[result.settings["seed"] for result in results],
        layers_mean=float(np.mean([len(result.iterations) for result in results])),
        layers_sd=spread([len(result.iterations) for result in results]),
        results=_summaries(json_row(row) for r in results for row in r.results),
        coefficients=_summaries(json_row(row) for r in results for row in r.coefficients),
        segments=_summaries(row for r in results for row in side_by_side(r.segments, r.names)),
        verdict=_verdict(results),
    )


def _verdict(results: Sequence[AuditResult]) -> list[RepeatedClaim]:
    """Return what the seeds say: whom they name, what adjustments do, and what they advise."""
    claims: dict[tuple[object, ...], RepeatedClaim] = {}
    for result in results:
        for key, claim in _claims(result):
            one = claims.setdefault((claim.about, claim.algorithm, key), claim)
            one.seeds.append(result.settings["seed"])
    with_rows = {
        result.settings["seed"]: {row.group for row in result.segments if row.n > 0}
        for result in results
    }
    for (about, _, key), claim in claims.items():
        # seeds whose test rows have some of a segment; all of what is none
        is_segment = about == "group" and any(key in groups for groups in with_rows.values())
        claim.tested[:] = [s for s, groups in with_rows.items() if not is_segment or key in groups]
    ordered = sorted(claims.values(), key=lambda claim: -len(claim.seeds))
    return [claim for about in _CLAIMS for claim in ordered if claim.about == about]


def _claims(result: AuditResult) -> Iterator[tuple[object, RepeatedClaim]]:
    """Yield each claim, with what it has in common with the same one by another seed."""
    named = None if holds_all(result) else named_group(result)
    group = "" if named is None else in_brief(named)
    key: object = None if named is None else named.group
    if isinstance(named, SegmentRow) and named.is_band:  # whose bounds hang on the split
        rows = result.of(result.segments, named.predictor)
        bands = [row.group for row in rows if row.variable == named.variable and row.is_band]
        key = named.variable, bands.index(named.group)
    yield key, RepeatedClaim("group", result.reference, group, [], [])
    if result.coverage(result.reference).is_low:
        yield "low", RepeatedClaim("coverage", result.reference, "low", [], [])
    for by in result.predictors:
        if choice := by.fit.choice:
            yield choice.remedy, RepeatedClaim("choice", by.name, choice.remedy, [], [])
    for finding in result.findings:
        if finding.kind == "effect":
            effect = finding.figures["effect"]
            yield effect, RepeatedClaim("effect", finding.predictor, effect, [], [])
        if finding.topic == "advice":
            advice = finding.advice
            yield advice, RepeatedClaim("advice", finding.predictor, advice, [], [])


def _summaries(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each set of keys that occurs, with mean and spread of what are figures.

    Words and lists have neither. Segments at quartiles have other bounds with another split:
    ``repeats`` counts the audits that have the row.
    """
    figures: defaultdict[tuple[tuple[str, Any], ...], list[dict[str, Any]]] = defaultdict(list)
    for fields in rows:
        figures[tuple((key, fields.pop(key)) for key in _KEYS if key in fields)].append(fields)
    summaries = []
    for keys, found in figures.items():
        summary: dict[str, Any] = {**dict(keys), "repeats": len(found)}
        for name, first in found[0].items():
            if isinstance(first, str | list) or name.startswith("status"):
                continue
            values = [np.nan if fields[name] is None else float(fields[name]) for fields in found]
            summary[f"{name}_mean"] = statistics.mean(values)
            summary[f"{name}_sd"] = spread(values)
        summaries.append(summary)
    return summaries


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
    low = [claim for claim in claims if claim.about == "coverage"]
    sentences += [f"{over}: coverage of all rows is too low in {len(c.seeds)}." for c in low]
    for name in dict.fromkeys(c.algorithm for c in claims if c.about == "choice"):
        own = [(c.value, c) for c in claims if (c.about, c.algorithm) == ("choice", name)]
        sentences.append(f"{over} {name} chooses {_counted(own)}.")
    for name in adjustments:
        effects = [c for c in claims if (c.about, c.algorithm) == ("effect", name)]
        own = [(EFFECTS[c.value], c) for c in effects]
        whose = "the adjustment" if len(adjustments) == 1 else f"the adjustment {name}"
        sentences.append(f"{over} {whose} {_counted(own)}.")
    advice = [(ADVICE_IN_BRIEF[c.value], c) for c in claims if c.about == "advice"]
    if advice:
        several = ", as a seed may have several" * (sum(len(c.seeds) for _, c in advice) > n)
        sentences.append(f"{over} the advice is {_counted(advice)}{several}.")
    sentences += [f"Seed {of.seed} is not possible: {of.reason}." for of in repeats.impossible]
    return sentences


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
