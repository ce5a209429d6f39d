"""Whether an audit would be refused, found out without doing it."""

import pandas as pd

from ..preparation.prepare import Plan, plan
from ..preparation.settings import AuditSettings
from ..rows.weights import weights_of
from ..segments.grouping import SegmentVariables
from ..tables.table import Table


def check(table: pd.DataFrame | Table, settings: AuditSettings) -> Plan:
    """Return what an audit would be of; raise the :class:`InputError` that it would raise.

    All that takes encoded rows is left out: no column may be left for the model.
    """
    made = plan(table, settings)
    columns, learning, test = made.roles.segment_columns, made.split.learning, made.split.test
    weights = weights_of(made.weights, learning)
    SegmentVariables(made.table, columns, learning, test, settings, made.label.task, weights)
    return made
