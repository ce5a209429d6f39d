"""What the dashboard says, apart from the code that says it."""

from evencover.core import levels
from evencover.core.segments.statistics import FEWEST_JUDGED

TITLE = "Evencover"
TAGLINE = "For whom do prediction intervals fail, and what mends it?"

PROMISE = """
**What a 90 % interval promises.** Each line is an interval for the price of a house, the point:
for 90 % of the houses it is to hold it. Of these 40 houses it does for 36. But it does for all in
town, and for no more than 16 of the 20 in the country. On average the promise is kept, and nobody
notices that for some it is broken.

Evencover shows for whom, and adjusts the predictor so that it is kept more evenly. **Choose a table
to begin**, a file of your own or a sample, or see on *Learn* how it comes about.
"""

LESSON_LINK = (
    "The address of this page is a link that opens it as it stands: lesson, step and sliders."
)

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
OUTPUTS = "What your own model said"
ABOUT_OUTPUTS = (
    "Have you a model already? Name the columns that hold what it said of each row, in one of five "
    "ways: the two ends of intervals, or sets of classes, which are audited as they are; "
    "predictions, with their spread if you have it; two quantiles; or probabilities of the "
    "classes. No model is fitted then. Name none to have one fitted here."
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
READING_CUT: dict[str | None, str] = {
    "asked": "Reading was stopped; choose a table.",
    "abandoned": "Reading was given up because no page watched it for minutes; choose it again.",
    "overdue": (
        "Reading was given up at this server's time limit; choose a table of fewer rows or columns."
    ),
}
READ_DIFFERENTLY = "Read differently"
KEEP_WORDS = "Keep {} as values"
READING_HELP = {
    "sheet": "Of the workbook: the one that holds the table.",
    "encoding": (
        "Such as cp1251 or utf-16. Where it is empty: what the file's first bytes say, or UTF-8, "
        "or else cp1252."
    ),
    "missing": (
        "With commas between them, in place of the usual ones (NA, null, None and their like; "
        'among numbers also ? and unknown). "" is for empty cells alone.'
    ),
    "numeric": "Columns, with commas between them, in which a point is a decimal point: 1.779.",
}
SECOND_TABLE = "A second table, such as one of protected attributes"
SECOND_TABLE_HELP = {
    "file": "Its columns come to the rows of the table by a key, and are audit only.",
    "on": "The column of both tables whose equal values bring their rows together.",
}
NOT_JOINED = "{} is not joined yet: choose the key that both tables have, and press Join."
JOINED = "Joined with {} by {}."
STILL_READING = "Your file is still being read; the page Data shows how far it is."
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

WAITING = "Waiting for other runs to end: place {} in the queue ..."
WATCHING = "It was started on another page that is still open, and can be stopped only there."
TABLE_GONE = "The run's table is no longer kept. Choose it again to run it with other settings."
_CUT = "The run was stopped early because {}; the layers and repeats done until then are kept."
CUT_ABANDONED = _CUT.format("no page watched it for minutes")
CUT_OVERDUE = _CUT.format("it reached this server's time limit")

ABOUT_REPEATS = (
    "Mean and standard deviation of every figure over audits with different seeds, the first of "
    "which is shown in the other tabs: how much hangs on the random split."
)
FIXES = {
    "outputs": "Audit them",
    "outputs_beside": "Leave out",
    "protected": "Make audit only",
    "proxy": "Make audit only",
    "group": "Split by group",
    "codes": "Read as codes",
    "logarithm": "Model its logarithm",
    "leak": "Leave out",
}
"""What the button beside a hint says, by the hint's kind."""

ABOUT_OTHER_ESTIMATORS = (
    "By this estimator no formula tells the noise: read the **cross-fitted DCV**, or the floor "
    "simulated by permutations. The p-value and the coefficients are the logistic regression's."
)
ABOUT_PERMUTATIONS = (
    "The **simulated floor** is this estimator's DCV where coverage is the same for all rows; the "
    "**permuted p-value** the share of random reorderings in which its estimates spread as much, "
    "of N no less than 1 in N + 1."
)
STOPPED = (
    "The run was stopped: what is shown is for the [[layers accepted, and the ]]permutations and "
    "repeats done, until then."
)
ABOUT_OTHER_MEASURES = (
    "The field's other measures. Excess risks (ERT) of 0 or below: nothing is found. Empty sets "
    "have coverage 0 whatever the predictor, and uneven coverage by size is normal for this score."
)
ZERO_IS_GOOD = "Change in the log-odds of a correct set: **zero is good**."
ABOUT_COEFFICIENTS = (
    "How the odds of a correct set change with a standard deviation of each feature: **zero is "
    "good**. Whiskers are 1.96 standard errors. Values of a category are compared with its most "
    "frequent one."
)
ABOUT_STATUS = (
    "*Clearly too low*: the 95 % (Wilson) interval lies below the confidence level, and coverage "
    f"below that of all rows with q up to {levels.SEGMENTS:g} ({levels.SEARCH:g} for rules found "
    "by search); where all rows together are too low, surely below the level is enough.[[ After: "
    "*mended*, if more rows became right than wrong (by the paired 95 % interval) and the "
    "group's interval reaches the level; *better*, if it does not; else *unchanged*. *New*: not "
    "too low before.]] *Not clearly low*: any other, be it that its rows are too few to tell."
)
ABOUT_SEGMENTS = (
    "Single intervals (95 %, Wilson's) miss the confidence level by chance, too: *status* is what "
    "counts."
)
ABOUT_LABEL = (
    "By the true label: a prediction sees the object and not its label, so nothing promises the "
    "confidence level for each label, and none is judged."
)
ABOUT_GAPS = (
    f"**Gaps between groups** of {FEWEST_JUDGED} test rows or more. Intervals (Newcombe's) of all "
    "variables hold together in 95 % of cases."
)
ABOUT_SIZE_STRATA = (
    "**By size of the prediction set**[[: other rows before than after, so compare how even they "
    "are]]."
)
ABOUT_WORST = (
    "Searched for on one half of the test rows and judged on the other, whose figures these are."
)
MORE_VALUES = "{more:,} more values, of smaller shortfall in rows, are on the page Segments."
NO_WORST = (
    "There is nothing to search for: fewer than 200 test rows, or all their sets are right or all "
    "wrong."
)
ABOUT_AUDIT_ONLY = (
    "How coverage depends on these columns, which [[neither model nor adjustment sees|the model "
    "does not see]], in place of the features."
)
ALL_VARIABLES = "all variables"
BY_LABEL = "by the label"
PENALTY_BY_LABEL = "C = {:g}, by the label."

ABOUT_SEARCH = "The point of the least objective is chosen."
NO_FILTER = (
    "**No filter**: all {n:,} test rows. Click a point or cell, or choose a table's row (by "
    "keyboard: Shift + Space), to see those alone."
)
COHORTS_GIVEN_UP = "The cohorts do not go with this run, which is shown with its own:"
OTHER_COHORTS = (
    "The cohorts have changed since these results were computed, and the test rows are no longer "
    "kept: run it again to see the cohorts of now."
)
NOTHING_LEFT = "No test row is left: none has all of this in common."
ALL_ROWS = "All test rows, whatever the filter."
FINDINGS_OF_ALL = "The filter is for the histogram alone; all else is of all test rows."
ABOUT_ALONG = (
    "Bands of about equally many test rows, with 95 % (Wilson) intervals. A few are off by chance: "
    "look for what holds over several in a row."
)
_A_LOOK = (
    "Brown is below the confidence level, blue above, grey too few rows (under "
    f"{FEWEST_JUDGED}). A look and no test: of so many cells some are off by chance."
)
ABOUT_HEAT = _A_LOOK
ABOUT_MAP = f"Cells are about square on the ground. {_A_LOOK}"
BEYOND_MAP = "Left out, as they lie far from all others: {n:,} test rows."
ABOUT_HISTOGRAM = "Without any fault about 95 % of p(x) would lie in the grey band, by noise alone."
ABOUT_EXAMPLES = (
    "*row* counts from 1 below your table's header.[[ A layer's step above 0 widens the row's "
    "interval or set.]]"
)
ABOUT_COHORTS = (
    "A cohort is a segment of your own, in every table, in exports and in the next run. One made "
    "once the results were seen is a **look**."
)
ABOUT_LOOK = (
    "This cohort is a look, made once the results were seen: what is chosen for being bad on "
    "these rows proves nothing on them, so it is not judged. To have it judged, ask for it by "
    "`--cohort` before a run on other rows."
)
RULE_HELP = (
    "Conditions joined by and: age >= 65, 18 <= age < 65, district = Old or New, income is "
    "missing. Names and values with a comma, a quote or a sign are put in double quotes."
)
NOT_AS_A_RULE = "The active filter cannot be written as a rule."
ORDER_NAMES = {
    "missed before": "missed[[ before the adjustment]], lowest p(x) first",
    "moved most": "moved most by the layers",
    "widest after": "widest[[ after the adjustment]]",
    "table order": "as in the table",
}
