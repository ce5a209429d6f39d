"""What the dashboard says, apart from the code that says it."""

from evencover.core import levels

TITLE = "Evencover"
TAGLINE = "For whom do prediction intervals fail, and what mends it?"

WELCOME = """
A conformal predictor promises, say, 90 % coverage **on average**. It may deliver 75 % for one
county or one group of people and 96 % for the rest, and nobody notices. Evencover shows for whom
the promise is broken and adjusts the predictor so that it is kept more evenly.

**Choose a table to begin**: a file of your own or a sample. Each step has one button, on the right
of its heading, that leads to the next.
"""

PRIVACY = (
    "Your table stays in the memory of this server: it is not stored, logged or sent anywhere. A "
    "run's page has an address of its own, by which the run, its results and its table can be "
    "found again for a while: whoever has the address can see them, nobody else."
)

MADE_UP = "made up, so that the true coverage for everybody is known"
REAL = "published data that the paper uses"
SAMPLES = {
    "houses": f"Prices of houses in seven counties; {MADE_UP}",
    "kernels": f"Run times of programs; {MADE_UP}",
    "triage": f"Urgency of hospital visits; {MADE_UP}",
    "king_county": f"Prices of 21,613 houses; {REAL}",
    "gpu": f"Run times of 241,600 programs; {REAL}",
    "covtype": f"Kinds of forest, 581,012 patches; {REAL}",
}
DOWNLOAD_HELP = (
    "Published data, downloaded the first time you choose it (which needs a connection to the "
    "internet and may take a minute or two) and kept on this computer for later."
)
UPLOAD_HELP = (
    "CSV, Parquet or the first sheet of an Excel or OpenDocument workbook, as it is, packed with "
    "gzip or alone in a zip archive; one row for each example."
)
SETTINGS_FILE_HELP = (
    "As the page Export gives it, or a whole JSON result. It holds choices, no data, and is put to "
    "the table in use or, if it does not go with that, to the one chosen next. A link with "
    "settings does the same when it is opened."
)
SHAPE_HELP = (
    "At random, as the guarantee asks for; by group, so that all rows of one value (a person, a "
    "house) are in one set; or by time, the earliest rows for training and the latest for test; or "
    "as a column says, whose values are train, calibration and test."
)
LEFT_OUT_HELP = (
    "Columns the model does not see. Filled in with those that look useless (identifiers, dates, "
    "free text, constants); change it as you like."
)

DOWNLOADS = {
    "Download report": (
        "One page to mail, print or keep, which opens offline: findings, tables, charts, caveats "
        "and the command that repeats it. No row of the table is in it."
    ),
    "Download tables (CSV)": "The tables of the result, with all their columns, in a zip archive.",
    "Download JSON": "Everything the audit found, as programs read it.",
    "Download rows (CSV)": (
        "The test rows one by one: the interval or set of each, by every predictor, whether it "
        "held the label, and the columns of the table."
    ),
    "Download settings": (
        "The choices of this run, without any data: load the file on the page Data, or with "
        "`evencover audit TABLE --settings FILE`."
    ),
}
ABOUT_CSV = (
    "In CSV files names and values of the table stay as they are: a spreadsheet may take one that "
    "begins with =, +, - or @ for a formula and run it, so import them as text."
)
ROWS_GONE = "The test rows one by one are no longer kept; run it again to have them."
ABOUT_COMMAND = (
    "This command repeats the run on the command line, to the last digit but for the seconds:"
)
ABOUT_COMMAND_STOPPED = (
    "The run was stopped, which no command repeats. This one does on the command line what was "
    "asked for, to its end, so that its result is another one"
)
ABOUT_LINK = (
    "Or open this link, which brings the choices back; a sample comes with them, a table of your "
    "own is to be uploaded again. Names of columns are in it, and whatever values of theirs the "
    "choices name."
)
SETTINGS_WAIT = "These settings are for {}; choose or upload it, and they are put to it."
SETTINGS_TAKEN = "The choices on the page Setup are those of the settings given."
NO_TABLE = "No table is chosen yet. Choose one of your own, or a sample, on the page Data."
NO_RUN = "Nothing has been run yet. Look over the choices on the page Setup and press Run there."
STILL_RUNNING = "The run is still at work; what it finds is shown here as soon as it has ended."
RUN_FAILED = "The run has no results:"
FAILED_ADVICE = "Change what it names on the page Setup, or choose another table, and press Run."
CHANGED_SINCE = "The choices have changed since; press Run on the page Setup for new ones."
CHANGED_UNUSABLY = (
    "The choices have changed since, and cannot be run as they are: the page Setup says why."
)

WATCHING = "It was started on another page that is still open, and can be stopped only there."
TABLE_GONE = "The run's table is no longer kept. Choose it again to run it with other settings."
_CUT = "The run was stopped early because {}; the layers and repeats done until then are kept."
CUT_ABANDONED = _CUT.format("no page watched it for minutes")
CUT_OVERDUE = _CUT.format("it reached this server's time limit")

ABOUT_REPEATS = (
    "Mean and standard deviation of every figure over audits with different seeds, the first of "
    "which is shown in the other tabs: how much hangs on the random split."
)
PROTECTED_HINT = (
    "By their names, these columns may hold protected attributes: {}. The model uses them. To keep "
    "them from the model and the adjustment, and still see coverage by their values, make them "
    "audit only."
)

ABOUT_DCV = (
    "**DCV**, the deviation from conditional validity, is how far the estimated probability of a "
    "correct prediction set strays from the confidence level, as a root mean square over the rows. "
    "The **floor** is what a predictor without any fault shows by estimation noise alone: a DCV "
    "near its floor is no evidence of a problem **of the kind it can see**: dependence on the "
    "features the model uses, each taken as a straight line. A bend, an interaction or an "
    "audit-only column escapes it, so look at the segments too. [[After an adjustment the floor is "
    "higher by what adjusting costs: the training rows' noise, which is real unevenness of "
    "coverage from then on. So a DCV at that floor is no sign of health, and the **p-value** is "
    "often below 0.05 though no better adjustment can be had from so many rows. "
    "Training figures after it were optimised and have neither floor nor p-value. ]]DCV does not "
    "say why: the normalized measure, too, learns its widths from limited rows and is a little "
    "uneven by that alone. Compare with *standard* among the conformity measures."
)
ABOUT_OTHER_ESTIMATORS = (
    "Here DCV is measured by another estimator than the logistic regression, for which no formula "
    "tells the part of estimation noise: it has no floor and no correction. Read the "
    "**cross-fitted DCV**, whose estimates are judged on rows they have not seen, or the floor "
    "simulated by permutations. The p-value and the coefficients are still those of the logistic "
    "regression."
)
ABOUT_PERMUTATIONS = (
    "The **simulated floor** is the DCV that this estimator shows on these test rows where "
    "coverage is the same for all; the **permuted p-value** is the share of random reorderings of "
    "right and wrong sets in which the estimates spread as much as they do here. With N "
    "permutations it cannot be smaller than 1 in N + 1."
)
STOPPED = (
    "The run was stopped: what is shown is for the [[layers accepted, and the ]]permutations and "
    "repeats done, until then."
)
ABOUT_OTHER_MEASURES = (
    "What others in the field report. **Excess risks** (ERT) say how much better estimates of the "
    "probability of a correct set, judged on rows they have not seen, do than the confidence level "
    "itself: 0 or below where nothing is found. **Worst-slab coverage** is that between two "
    "parallel planes where it looked worst on one half of the rows, on the other half; "
    "**size-stratified coverage** the lowest among sets of one size: that of empty sets, if there "
    "are any, is 0 whatever the predictor, and by this score uneven strata are normal."
)
ABOUT_COEFFICIENTS = (
    "Each bar says how the odds of a correct prediction set change with a feature, for one "
    "standard deviation of it. **Zero is good**: correctness does not depend on the feature. "
    "Sorted by size[[ on training rows before]]; whiskers are 1.96 standard errors. On test rows "
    "the bars cannot be expected to vanish, since they carry estimation noise. A category has a "
    "bar for each value but its most frequent one, with which they are compared; missing numbers "
    "are filled with the mean, and a bar named (missing) tells of them."
)
ABOUT_LAYERS = (
    "Each layer raises the scores by gamma, which widens intervals or adds labels, where the "
    "estimated probability of being correct is below the confidence level by more than delta, and "
    "lowers them by gamma where it is above by more than delta. Figures are those of the training "
    "rows with the layer in place; the objective is what gamma and delta were to minimise: DCV "
    "plus C times the increase in width or set size."
)
_STATUS = (
    "A group is *clearly too low* where its interval lies below the confidence level and its "
    "coverage below that of all rows with a q-value (by Benjamini and Hochberg, for so many looks) "
    f"of at most {levels.SEGMENTS:g}.[[ After the adjustment such a group is *mended* if clearly "
    "more rows became right than wrong (McNemar's test at 5 %) and its interval reaches the level, "
    "*better* if only the first holds, else *unchanged*; *new* was not too low before.]]"
)
ABOUT_SEGMENTS = (
    "Share of test rows in each segment whose prediction set holds the true label, with 95 % "
    "(Wilson) intervals. Single intervals exclude the confidence level by chance, too, so what "
    f"counts is *status*. {_STATUS} *Detectable* is the smallest shortfall that would be called "
    "clearly too low in four of five cases; where it is empty the rows are too few to show any, "
    "and *remark* says so. A variable named *label:* goes by the true label. A prediction sees the "
    "object and not its label, so nothing promises the level for each label, and the verdict "
    "leaves these segments out; they tell which labels are missed."
)
ABOUT_TOO_LOW = (
    "The largest shortfall[[ before]], counted in rows, comes first[[; those only after come "
    f"last]]. {_STATUS} Where the overall coverage is too low itself, a group is clearly too low "
    "by being below the level alone, while q still compares with the overall coverage."
)
ABOUT_GAPS = (
    "**Gaps between groups.** For each variable, the segment whose accuracy differs most from that "
    "of the group it is compared with, and the 95 % (Newcombe) interval of the difference: all "
    "such intervals of all variables hold together in 95 % of cases, so that the group certainly "
    "has less coverage where it is below zero. Segments with fewer than 30 test rows are left out."
)
ABOUT_SIZE_STRATA = (
    "**By size of the prediction set.** Accuracy among the test rows whose set is of one size, "
    "with 95 % (Wilson) intervals.[[ Before and after hold different rows in each line, so compare "
    "how even the accuracies are, not one line with its namesake.]]"
)
ABOUT_WORST = (
    "Rules on one, two or three variables, searched for on one half of the test rows for low "
    "coverage[[ before or after]], and judged on the other half, which had no part in their "
    "choice: n, accuracies, intervals and q-values are that half's. *Clearly low* is as for the "
    f"groups above, with a q up to {levels.SEARCH:g}; above it nothing is known, which is no proof "
    "that all is well."
)
MORE_SEGMENTS = "Those with the largest shortfall; {more:,} more values are on the page Segments."
NO_WORST = (
    "There is nothing to search for: fewer than 200 test rows, or all their sets are right or all "
    "wrong."
)
ABOUT_AUDIT_ONLY = (
    "DCV with respect to the audit-only columns, which [[neither the model nor the adjustment "
    "sees|the model does not see]], on test rows: how coverage depends on these columns in place "
    "of the features."
)
ALL_VARIABLES = "all variables"
BY_LABEL = "by the label"
PENALTY_BY_LABEL = "C = {:g}, by the label."


def finished(layers: int | None, seconds: float) -> str:
    """Return in a sentence what a run has done; None is for a run that seeks no layers."""
    if layers is None:
        return f"The run is finished, in {seconds:.1f} s."
    count = "no layer" if layers == 0 else "1 layer" if layers == 1 else f"{layers} layers"
    return f"The run is finished: {count} of the adjustment accepted, in {seconds:.1f} s."
