"""Cohorts asked about after an audit: its tables with them, without doing the audit again."""

import math
from collections.abc import Sequence
from dataclasses import replace

from .gaps import gap_rows
from .headline import headline
from .judged import Judged
from .objects import AuditedObjects, ObjectSets
from .result import AuditResult
from .roles import check_exists
from .segment_rules import rule_of_segment
from .segments import segment_rows
from .variables import check_reference, cohort_notes, cohort_variables, compared_with

__all__ = ["rule_of_segment", "with_cohorts"]


def with_cohorts(result: AuditResult, cohorts: Sequence[tuple[str, str]]) -> AuditResult:
    """Return the result of the audit with these cohorts instead of those it has.

    It equals the audit done with them, but for the times and ``repeats``, where the cohorts of
    the audit stay: the rows of the other seeds are no longer there.

    Parameters
    ----------
    result
        Of an audit, with its test rows in memory.
    cohorts
        Names and rules.

    Raises
    ------
    InputError
        If cohorts are unusable, as :class:`AuditSettings` and :func:`audit` tell.
    """
    objects, asked = result.objects, result.asked
    if objects is None or asked is None:
        raise ValueError("the result holds no test rows; take it as the audit gave it")
    settings = replace(asked, cohorts=tuple(cohorts))
    others = [variable for variable in objects.variables if not variable.rule]
    names = [variable.name for variable in others]
    added = cohort_variables(objects.frame, names, settings, objects.task)
    variables = {variable.name: variable for variable in (*others, *added)}
    for name, group in settings.reference:
        check_exists(list(variables), name, "variable")
        check_reference(variables[name], group)
    segments = segment_rows(
        variables.values(),
        base=_judged(objects.base, objects),
        adjusted=_judged(objects.adjusted, objects),
    )
    told_before = cohort_notes(objects.variables)
    found = replace(
        result,
        settings=result.settings | {"cohorts": dict(cohorts)},
        asked=settings,
        objects=replace(objects, variables=tuple(variables.values())),
        segments=segments,
        gaps=gap_rows(
            segments, settings.confidence_level, compared_with(variables.values(), settings)
        ),
        notes=[
            *(note for note in result.notes if note not in told_before),
            *cohort_notes(variables.values()),
        ],
    )
    return replace(found, headline=headline(found))


def _judged(sets: ObjectSets, objects: AuditedObjects) -> Judged:
    return Judged(sets.correct, sets.sizes, len(objects.classes) or math.inf)
