"""What a sample is: a table, what to predict in it and how it is meant to be audited."""

from dataclasses import dataclass

import pandas as pd

from evencover.core.conformal.measures import Task


@dataclass(frozen=True, eq=False)
class Sample:
    """A table with the settings that suit an audit of it.

    Attributes
    ----------
    description
        One paragraph in plain language: what a row is, what is predicted, what to look for.
    penalty
        IFACM's C, the weight on wider prediction sets.
    split
        Training, calibration and test rows, as shares or as counts.
    """

    description: str
    frame: pd.DataFrame
    target: str
    task: Task
    log_target: bool = False
    drop: tuple[str, ...] = ()
    audit_only: tuple[str, ...] = ()
    confidence_level: float = 0.9
    penalty: float = 0.5
    split: str = "0.4,0.3,0.3"
