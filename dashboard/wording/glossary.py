"""What the terms mean, once: pages explain them in a click, tables by their heads, the report all.

A cell of ``columns.csv`` that is a term's name alone stands for its meaning.
"""

GLOSSARY = {
    "label": "What is to be predicted of each row: a number, such as a price, or a class.",
    "coverage": (
        "The share of rows whose interval or set holds the true label. It is to be the confidence "
        "level (CL), such as 90 %."
    ),
    "conformal predictor": (
        "It learns on rows set aside, the calibration rows, how wide intervals or sets have to be. "
        "If new rows are like those, coverage is CL on average over all rows; of a group by "
        "itself it may be more or less."
    ),
    "score": (
        "How typical a label is for a row, the higher the more. A set holds the labels that score "
        "high enough."
    ),
    "inefficiency": (
        "How little sets tell: their mean number of labels, or the mean width of intervals, in "
        "standard deviations of the label (of its logarithm, if that is modelled). Its increase "
        "has a price in the objective, C."
    ),
    "p(x)": (
        "The probability that the set of a row with features x is right, estimated from which sets "
        "were. Best is CL for all."
    ),
    "log-odds": (
        "log(p / (1 − p)): 0 for a probability of 50 %, 2.2 for 90 %. A feature's coefficient is "
        "what a standard deviation of it adds to the log-odds of a right set: 0 is best."
    ),
    "DCV": (
        "Deviation from conditional validity: how far p(x) strays from CL, as a root mean square "
        "over the rows. 0 is even. Bends, interactions and audit-only columns escape it."
    ),
    "floor": (
        "What DCV is by chance alone, the draw of the calibration rows included; none where DCV "
        "was optimised. A remedy's holds the unevenness that the remedy itself brings: to be near "
        "it is no sign of health."
    ),
    "q": (
        "A p-value corrected for how many groups are looked at (Benjamini and Hochberg): of all "
        "groups with a q as small, about that share at most differ from all rows by chance alone."
    ),
    "gamma": (
        "What a layer adds to scores where p(x) is too low, and takes off where it is too high. "
        "Intervals become exp(gamma) times as wide, or as narrow."
    ),
    "delta": "How far p(x) has to be from CL for a layer to change a row's scores.",
    "objective": (
        "What a layer makes small: the training DCV, and C times the increase in inefficiency."
    ),
}


def meaning(text: str) -> str:
    """Return what a term means, and any other text as it is."""
    return GLOSSARY.get(text, text)
