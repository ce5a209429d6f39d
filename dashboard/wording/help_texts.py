"""What the dashboard says of each choice, beside its name."""

SETTINGS_FILE = (
    "As the page Export gives it, or a whole JSON result. It holds choices, no data, and is put to "
    "the table in use or, if it does not go with that, to the one chosen next. A link with "
    "settings does the same when it is opened."
)
UPLOAD = (
    "CSV, Parquet or the first sheet of an Excel or OpenDocument workbook, as it is, packed with "
    "gzip or alone in a zip archive; one row for each example."
)
SHAPE = (
    "At random, as the guarantee asks for; by group, so that all rows of one value (a person, a "
    "house) are in one set; or by time, the earliest rows for training and the latest for test; or "
    "as a column says, whose values are train, calibration and test."
)
REPEATS = "Audit with so many seeds, to see how much of each figure hangs on the split."
LABEL = (
    "The column to predict. Numbers with many values are predicted by intervals, anything else by "
    "sets of labels."
)
LOG = "Model the logarithm of the label: right for prices, times and other positive numbers."
CL = "The share of prediction sets that are to hold the true label, for example 0.9 for 90 %."
C = (
    "How dearly wider intervals, or larger label sets, are paid for. 0: only even coverage "
    "counts. 0.5: a fair balance. 5: hardly any widening is accepted."
)
LEFT_OUT = (
    "Columns the model does not see. Filled in with those that look useless (identifiers, dates, "
    "free text, constants); change it as you like."
)
AUDIT_ONLY = (
    "Columns that neither the model nor the adjustment may see, such as a protected attribute; "
    "coverage is still shown for their groups."
)
CODES = "Numbers that are really codes, such as a postcode: each value is its own group."
NUMERIC = (
    "Text columns whose values are really numbers. What is no number, such as 'n/k', counts as "
    "missing; how many there were is told with the results."
)
ESTIMATOR = (
    "Estimates the probability of a correct set, on which DCV rests. logistic: straight lines, in "
    "seconds. ridge, lasso: straight lines, held back as far as that predicts other rows better. "
    "knn, trees: see bends and interactions too; knn takes minutes for 20,000 test rows."
)
IFACM_ESTIMATOR = (
    "The same within the adjustment. knn and trees mend bends and interactions, which logistic "
    "does not see; they need some thousands of training rows, and a minute or more."
)
PERMUTATIONS = (
    "Simulate the floor of DCV, and a p-value, by so many draws each on the test rows; 200 are a "
    "good number, 0 leaves them out."
)
TASK = (
    "auto: numbers with many values are predicted by intervals (regression), anything else by sets "
    "of labels (classification)."
)
SEED = "Of the random split: the same seed gives the same result, to the last digit."
SPLIT = (
    "Training, calibration and test rows: three shares that sum to 1, or three whole numbers of "
    "rows. Training fits the model and the adjustment, calibration sets the threshold, and test "
    "rows judge."
)
MEASURE = (
    "What the base predictor's intervals look like. normalized: wider where prediction is harder; "
    "standard: one width for all; scoring: label sets, for classes."
)
STRATIFY = (
    "Divide every class in the same proportions. This breaks the exact exchangeability of "
    "calibration and test rows on which the guarantee rests."
)
PENALTY_FORM = (
    "What an increase in width or set size counts: linear, as the paper prints it; squared, which "
    "is mild on small increases; per-label, divided by the number of classes (label sets alone)."
)
SEARCH = (
    "How each layer's gamma and delta are looked for. restarted: the paper's search, set going "
    "again from other starts where it stalls, so that the objective is never higher; paper: that "
    "search alone."
)
PAIRS = (
    "Segments where two columns meet, such as sex and race: A:B, C:D. The label may be one of "
    "them. Names that hold a comma or colon are put in double quotes."
)
BINS = (
    "A number of more than 12 values is divided into so many bands, of equally many training rows."
)
CUTS = (
    "Bounds of the bands of a number instead, a line for each column: age=18,40,65 makes the bands "
    "below 18, 18 to 40, 40 to 65, and 65 and above."
)
REFERENCE = (
    "The segment that the others of its variable are compared with, a line for each variable: "
    "owner=agency. Without it, it is the one with the most test rows."
)
