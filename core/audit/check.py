"""Whether an audit would be refused, found out without doing it."""

import pandas as pd

from ..preparation.prepare import Plan, plan
from ..preparation.settings import AuditSettings
from ..segments.grouping import SegmentVariables
from ..tables.table import Table


def check(table: pd.DataFrame | Table, settings: AuditSettings) -> Plan:
    """Return what an audit would be of; raise the :class:`InputError` that it would raise.

    All that takes encoded rows is left out: columns may be left out of the model, so that a pair
    of them has no segments, or none be left.
    """
    made = plan(table, settings)
    columns = [*made.roles.features, *made.roles.audit_only]
    train, test = made.split.train, made.split.test
    SegmentVariables(made.table, columns, train, test, settings, made.label.task)
    return made
