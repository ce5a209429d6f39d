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
LEFT_OUT = (
    "Columns the model does not see. Filled in with those that look useless (identifiers, dates, "
    "free text, constants); change it as you like."
)
