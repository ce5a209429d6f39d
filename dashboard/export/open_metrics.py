"""What a watch has seen, as OpenMetrics text, which Prometheus and its like read."""

import math

from evencover.core.messages import visible
from evencover.core.watching.verdict import WatchReport, WatchRow

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\""})

_GAUGES = (
    ("all", "rows", "n", "Rows counted with their labels."),
    ("all", "rows_waiting", "waiting", "Rows whose labels are to come."),
    ("all", "coverage", "share", "Share of rows with labels whose sets hold them."),
    ("all", "promised", "confidence_level", "Share of rows whose sets are to hold their labels."),
    ("check", "evidence_log", "evidence", "Natural logarithm of the evidence of a change."),
    ("check", "moved", "moved", "1 where there is an alarm, else 0."),
    ("share", "coverage_since", "share_since", "Coverage since a change most likely began."),
    ("share", "visible_drop", "visible", "Smallest fall from the first row on that can show."),
)
"""Each of all rows, of a check, or of one of coverage: its name, field, and what it is."""


def to_open_metrics(found: WatchReport) -> str:
    """Return a report as gauges, by its predictor, and what and whom each check is about."""
    lines = list[str]()
    of: dict[str, list[WatchReport | WatchRow]] = {"all": [found], "check": [*found.checks]}
    of["share"] = [*found.of("coverage"), *found.of("group")]
    for what, short, field, help_ in _GAUGES:
        name = f"evencover_watch_{short}"
        lines += [f"# TYPE {name} gauge", f"# HELP {name} {help_}"]
        values = [(_labels(found, row), float(getattr(row, field))) for row in of[what]]
        lines += [f"{name}{{{told}}} {'NaN' if math.isnan(n) else n}" for told, n in values]
    return "\n".join([*lines, "# EOF\n"])


def _labels(found: WatchReport, row: WatchReport | WatchRow) -> str:
    told = {"predictor": found.predictor}
    if isinstance(row, WatchRow):
        told |= {"about": row.about, "name": row.name}
    return ",".join(f'{key}="{visible(text).translate(_ESCAPES)}"' for key, text in told.items())
