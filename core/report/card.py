"""What the model card of an audited predictor says, beside the figures of its segments.

As Mitchell and others (2019), "Model cards for model reporting", and Article 13 and Annex IV of the
European AI Act ask: accuracy by groups of persons, how sure it is, and limits to be foreseen.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..messages import counted, listed
from ..preparation.column_names import protected_attributes
from ..preparation.settings import OPTIONS
from ..segments.by_segment import SegmentRow
from ..segments.group_sizes import Estimate, mean_size
from ..segments.statistics import FEWEST_JUDGED, LEVEL, NORMAL
from ..tables.rules import Rule
from .repeats import repeat_sentences
from .result import AuditResult
from .wording import brief, points

_TO_ADD = (
    "To be added by its maker, as no table tells it: who uses it, for which decisions and for "
    "which not, whom these concern, and who watches over it."
)
_GROUPS = (
    "Figures of test rows{}, each with its 95 % interval: of many groups the truth of one in 20 "
    "lies outside. Protected and audit-only columns come first, then what is clearly too low, and "
    "the others, by their shortfall in rows."
)
_OWN = "That the model was not fitted on these rows is for its maker to vouch for."
_CHOSEN = (
    "Adjustments are made, and choose, by training and calibration rows; test rows judge them, and "
    "say which of several is advised, so that its figures may be a little too good."
)
_NOT_SHOWN = (
    "Nothing is shown of groups that no column tells, nor of rows unlike these, of a later time, "
    "another place or source: audit again on such rows. Coverage and size are all that is "
    "measured: whether a use is fair or lawful no figure here tells."
)
_OF_ADJUSTMENTS = "penalty", "penalty_form", "search", "ifacm_estimator"


class CardSection(NamedTuple):
    """What is said under a title, and facts by their names: text, numbers, or lists of text."""

    title: str
    sentences: Sequence[str]
    facts: Mapping[str, Any] = {}


def model_card(result: AuditResult) -> dict[str, CardSection]:
    """Return the sections of a result's card, without values of single rows; names may be long."""
    form = "an interval" if result.is_regression else "a set of classes"
    aim = f"that is to hold the true {brief(result.settings['target'])}, in {result.promised}"
    repeats = result.repeats
    told, by = (repeat_sentences(repeats), f" by seed {repeats.seeds[0]}") if repeats else ([], "")
    gates = [gate.sentence.without_cells() for gate in result.gates]
    found = [*result.headline, *told, *result.explanations, *gates]
    purpose = [f"For each row {form} {aim} of cases on average.", _TO_ADD]
    return {
        "purpose": CardSection("What it is for", purpose),
        "method": CardSection("Data and method", [], _facts(result)),
        "promise": CardSection("What is promised, and what is not", [*_promises(result)]),
        "findings": CardSection("Whom it fails, and what to do", found),
        "groups": CardSection("Figures by group", [_GROUPS.format(by)]),
        "notes": CardSection("Notes", [note.without_cells() for note in result.notes]),
    }


def _facts(result: AuditResult) -> dict[str, Any]:
    """Return what the data are, and the settings as used but those that do nothing."""
    data, used, asked = result.data, result.settings, result.asked
    idle = {"features", "drop", "sample", *(() if result.adjustments else _OF_ADJUSTMENTS)}
    idle |= {*(asked.outputs.idle if asked and asked.outputs else ())}
    columns = [*data.features, *used["audit_only"]]
    protected = protected_attributes(columns, used["not_protected"])
    told = {
        "table": used["table"],
        "fingerprint": data.fingerprint,
        "rows": data.rows,
        "training, calibration and test rows": [data.train, data.calibration, data.test],
        "rows drawn of these": data.sample,
        "features": data.features,
        "protected by name": [f"{name} ({of})" for name, of in protected.items()],
        "left out": [f"{of.column} ({of.reason})" for of in data.dropped],
        **{option.name: used[option.key] for f, option in OPTIONS.items() if f not in idle},
        "version": f"Evencover {used['version']}",
    }
    return {name: of for name, of in told.items() if of or type(of) in (int, float)}


def _promises(result: AuditResult) -> Iterator[str]:
    """Yield what each predictor promises, and what that does not say."""
    promises: dict[str, list[str]] = {}
    for by in result.predictors:
        promises.setdefault(by.guarantee, []).append(f"'{brief(by.title)}'")
    yield from (f"Promised by {listed(names)}: {told}" for told, names in promises.items())
    law = None if result.test_rows is None else result.test_rows.law
    if law is not None and not law.is_fixed:
        low, high = map(points, law.interval(LEVEL))
        drawn = f"{counted(result.data.calibration, 'calibration row')}, if drawn by chance, bring"
        like = f"coverage of rows like them by '{brief(result.predictors[0].title)}'"
        yield f"{drawn} {like} to between {low} and {high} % in 95 of 100 cases."
    yield from [_OWN] * bool(result.asked and result.asked.outputs)
    yield from [_CHOSEN] * bool(result.adjustments)
    yield _NOT_SHOWN


def of_all_rows(result: AuditResult) -> list[SegmentRow]:
    """Return each predictor's figures of all test rows; none where these are gone."""
    rows = result.test_rows
    return [] if rows is None else [rows.coverage(name, Rule(())) for name in result.names]


def size_in_units(result: AuditResult, row: Mapping[str, Any]) -> Estimate:
    """Return the mean size of a segment's sets in the label's units, and its 95 % interval.

    NaN where test rows are gone, and ends where they are few, or not known one by one.
    """
    rows, mean, reach = result.test_rows, math.nan, math.nan
    if result.data.sample is not None:  # all rows are counted, and single ones not known
        whole = result.row("test", row["algorithm"])
        mean = row["inefficiency"] * whole.inefficiency_original_units / (whole.inefficiency or 1.0)
    elif rows is not None:
        inside = np.ones(len(rows.rows), dtype=bool)
        parts = {of.name: of.partition for of in rows.variables}
        if (of := parts.get(row["variable"])) is not None:  # else it is of all rows
            inside = of.codes == of.names.index(row["value"])
        mean, error = mean_size(rows, row["algorithm"], inside)
        reach = NORMAL * error if inside.sum() >= FEWEST_JUDGED else math.nan
    return mean, mean * math.exp(-reach), mean * math.exp(reach)
