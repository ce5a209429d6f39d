"""Twelve kinds of worlds of known truth, and what following an audit's advice comes to in them."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.stats import norm

from evencover.core import AuditSettings, audit
from evencover.core.rows.outcomes import IntervalSets

WORLDS = (
    *("valid", "linear noise", "300 rows", "seen group", "audit-only group", "interaction"),
    *("bend", "small group", "misfit", "shift", "weights", "classes"),
)
MARGIN = 0.02
"""Of the deviation of true coverage: options that are no farther apart are as good."""

_DEARER = 1.5  # times the base's size, as the advice has it
_MOST_AUDITS = 3


@dataclass(frozen=True)
class World:
    """A table with the settings of a first audit, and its truth.

    Labels are normal with ``mean`` and ``noise``; of classes ``chances``, shape (n, classes), are
    their probabilities. ``options`` are the remedies there are to choose from.
    """

    frame: pd.DataFrame
    settings: AuditSettings
    options: tuple[str, ...]
    mean: np.ndarray
    noise: np.ndarray
    chances: np.ndarray | None = None

    def unevenness(self, result, name):
        """The deviation of true coverage over the test rows, or over the classes of these."""
        rows, sets = result.test_rows.rows, result.test_rows.sets[name]
        if isinstance(sets, IntervalSets):
            low, high = (
                (ends - self.mean[rows]) / self.noise[rows] for ends in (sets.lower, sets.upper)
            )
            return float(np.std(norm.cdf(high) - norm.cdf(low)))
        chances = self.chances[rows]
        of_class = (chances * sets.members).sum(axis=0) / chances.sum(axis=0)
        return float(np.sqrt(np.average((of_class - 0.9) ** 2, weights=chances.sum(axis=0))))


def world(kind, number):  # noqa: C901 - a line or two of each kind
    """Return a world of one of the kinds."""
    rng = np.random.default_rng([number, WORLDS.index(kind)])
    n = 300 if kind == "300 rows" else int(rng.choice([2_000, 4_000]))
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("uvx"))
    frame["g"] = rng.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1])
    u, v, x, g = (frame[name].to_numpy() for name in "uvxg")
    strong = rng.uniform(0.4, 0.8)
    mean, noise = x - 0.5 * v, np.ones(n)
    options = ["ifacm", "quantile", "quantile-pairs", "quantile-trees"]
    asked = {"measure": "standard"}
    if kind in ("linear noise", "300 rows", "weights"):
        noise = np.exp(strong * u)
    if kind in ("seen group", "audit-only group"):
        noise = np.where(g == "c", 1.5 + 2.0 * strong, 1.0)
        options.append("mondrian:g")
    if kind == "audit-only group":
        asked["audit_only"] = ("g",)
    if kind == "interaction":
        noise = np.exp(strong * u * v)
    if kind == "bend":
        noise = np.where(np.abs(u) < 0.5, 1.0 + 2.0 * strong, 1.0)
    if kind == "small group":
        noise = np.where(g == "d", 1.5 + 2.0 * strong, 1.0)
        options.append("mondrian:g")
    if kind == "misfit":
        mean = mean + (1.0 + strong) * u**2
    if kind == "shift":
        frame["t"] = np.arange(n)
        noise = np.where(frame["t"] > 0.7 * n, 1.5 + strong, 1.0)
        asked["time"] = "t"
    if kind == "weights":
        frame["w"] = np.exp(0.5 * rng.normal(size=n))
        asked["weight"] = "w"
    frame["y"] = mean + noise * rng.normal(size=n)
    chances = None
    if kind == "classes":
        del asked["measure"]
        scores = np.column_stack([1.5 * x, 1.5 * v, u - 2.0])
        chances = np.exp(scores) / np.exp(scores).sum(axis=1)[:, None]
        drawn = (rng.random(n)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
        frame["y"] = np.array(["p", "q", "r"])[drawn]
        options = ["ifacm", "quantile", "quantile-trees", "label"]
    settings = AuditSettings(target="y", seed=number, **asked)
    return World(frame, settings, tuple(options), mean, noise, chances)


def followed(frame, settings):
    """Return the last audit to which advice leads, what it says to use, and all kinds of advice."""
    told = []
    for _ in range(_MOST_AUDITS):
        result = audit(frame, settings, with_replay=False)
        advice = [finding for finding in result.findings if finding.advice]
        told += [finding.advice for finding in advice]
        named = [f.figures["remedy"] for f in advice if f.figures.get("remedy")]
        if named and named[0] not in settings.remedies:
            protected = any(f.advice == "unseen" for f in advice) or settings.use_protected
            remedies = (*settings.remedies, named[0])
            settings = replace(settings, remedies=remedies, use_protected=protected)
        elif "bends" in [f.advice for f in advice] and settings.ifacm_estimator == "logistic":
            settings = replace(settings, ifacm_estimator="trees")
        else:
            break
    used = [f.predictor for f in advice if f.advice == "use"]
    return result, (used or [result.reference])[0], told


def outcome(kind, number):
    """Return how far what is advised is from the best there is, and from the base."""
    made = world(kind, number)
    result, chosen, told = followed(made.frame, made.settings)
    protected = bool(made.settings.audit_only)
    every = replace(made.settings, remedies=made.options, use_protected=protected)
    others = audit(made.frame, every, with_replay=False)
    found = {name: made.unevenness(others, name) for name in others.names}
    sizes = {name: others.row("test", name).inefficiency for name in others.names}
    found = {n: of for n, of in found.items() if sizes[n] <= _DEARER * sizes["base"]}
    taken = made.unevenness(result, chosen)
    best = min(*found.values(), taken)
    return {
        "kind": kind,
        "number": number,
        "chosen": chosen,
        "told": told,
        "taken": taken,
        "found": found,
        "right": taken <= best + MARGIN,
        "harmful": taken > found["base"] + MARGIN / 2.0,
    }
