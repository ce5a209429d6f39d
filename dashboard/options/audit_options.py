"""The options of ``evencover audit`` on how correctness is estimated."""

from collections.abc import Callable
from typing import Any

from evencover.core.coverage.estimators import ESTIMATORS, IFACM_ESTIMATORS


def add_estimators(add: Callable[..., Any]) -> None:
    """Add the options by a parser's ``add_argument``."""
    add(
        "--estimator",
        choices=tuple(ESTIMATORS),
        help="of the probability of a correct set, on which DCV rests: logistic (default); ridge "
        "or lasso: held back as far as that predicts other rows better; knn: nearest neighbours; "
        "trees: boosted trees. All but logistic take longer, knn minutes for 20,000 test rows",
    )
    add(
        "--ifacm-estimator",
        choices=IFACM_ESTIMATORS,
        help="the same within IFACM (default logistic); knn and trees mend bends too",
    )
    add(
        "--permutations",
        type=int,
        metavar="N",
        help="simulate the floor of DCV, and a p-value, by N draws each on the test rows "
        "(default 0: neither; 200 are a good number)",
    )
