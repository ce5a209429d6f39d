"""What the dashboard says, apart from the code that says it."""

import re

TITLE = "Evencover"
TAGLINE = "For whom do prediction intervals fail, and what mends it?"

WELCOME = """
A conformal predictor promises, say, 90 % coverage **on average**. It may deliver 75 % for one
county or one group of people and 96 % for the rest, and nobody notices. Evencover shows for whom
the promise is broken and adjusts the predictor so that it is kept more evenly.

1. **Choose a table** in the bar on the left: a sample, or your own CSV or Parquet file.
2. **Choose the label** to predict, the confidence level and the penalty.
3. **Run**, watch the adjustment arrive layer by layer, and read for whom coverage was wrong
   before and what it is after.

Your table stays in the memory of this server: it is not stored, logged or sent anywhere. A run's
page has an address of its own, by which the run, its results and its table can be found again for
a while: whoever has the address can see them, nobody else.
"""

WATCHING = "It was started on another page that is still open, and can be stopped only there."
TABLE_GONE = "The run's table is no longer kept. Choose it again to run it with other settings."
CUT_ABANDONED = (
    "The run was stopped early because no page watched it for minutes; the layers found until "
    "then are kept."
)
CUT_OVERDUE = (
    "The run was stopped early because it reached this server's time limit; the layers found "
    "until then are kept."
)

HELP_UPLOAD = "CSV (comma, semicolon or tab) or Parquet; one row for each example."
HELP_LABEL = (
    "The column to predict. Numbers with many values are predicted by intervals, anything else by "
    "sets of labels."
)
HELP_LOG = "Model the logarithm of the label: right for prices, times and other positive numbers."
HELP_CL = "The share of prediction sets that are to hold the true label, for example 0.9 for 90 %."
HELP_C = (
    "How dearly wider intervals, or larger label sets, are paid for. 0: only even coverage "
    "counts. 0.5: a fair balance. 5: hardly any widening is accepted."
)
HELP_LEFT_OUT = (
    "Columns the model does not see. Filled in with those that look useless (identifiers, dates, "
    "free text, constants); change it as you like."
)
HELP_AUDIT_ONLY = (
    "Columns that neither the model nor the adjustment may see, such as a protected attribute; "
    "coverage is still shown for their groups."
)
HELP_CATEGORICAL = "Numbers that are really codes, such as a postcode: each value is its own group."
HELP_SPLIT = (
    "Training, calibration and test rows: three shares that sum to 1, or three whole numbers of "
    "rows. Training fits the model and the adjustment, calibration sets the threshold, and test "
    "rows judge."
)
HELP_MEASURE = (
    "What the base predictor's intervals look like. normalized: wider where prediction is harder; "
    "standard: one width for all; scoring: label sets, for classes."
)
HELP_STRATIFY = (
    "Divide every class in the same proportions. This breaks the exact exchangeability of "
    "calibration and test rows on which the guarantee rests."
)

ABOUT_DCV = (
    "**DCV**, the deviation from conditional validity, is how far the estimated probability of a "
    "correct prediction set strays from the confidence level, on average over the rows. The "
    "**floor** is what a predictor without any fault shows by estimation noise alone: a DCV near "
    "its floor is no evidence of a problem. After an adjustment the floor is higher, because the "
    "adjustment carries the training rows' noise; training figures after it were optimised and "
    "have no floor."
)
ABOUT_COEFFICIENTS = (
    "Each bar says how the odds of a correct prediction set change with a feature, for one "
    "standard deviation of it. **Zero is good**: correctness does not depend on the feature. "
    "Sorted by the size on training rows before; whiskers are 1.96 standard errors. On test rows "
    "the bars cannot be expected to vanish, since they carry estimation noise."
)
ABOUT_LAYERS = (
    "Each layer raises the scores by gamma where the estimated probability of being correct is "
    "below the confidence level by more than delta, and lowers them by gamma where it is above by "
    "more than delta. Figures are those of the training rows with the layer in place."
)
ABOUT_SEGMENTS = (
    "Share of test rows in each segment whose prediction set holds the true label, with 95 % "
    "(Wilson) intervals. An interval misses its segment's true coverage about once in twenty "
    "times, so look for several, or for one far from the line."
)
ALL_VARIABLES = "all variables"


def plain(text: str) -> str:
    """Return text that Markdown shows as it is: names and values of a table may hold anything."""
    return re.sub(r"([\\`*_{}\[\]()<>#+\-.!|$~:^&])", r"\\\1", text)
