"""What the pages Compare and Runs say beside figures."""

ABOUT_COMPARISON = (
    "Remedies on the same splits: with each seed the base model is fitted once, every remedy over "
    "it, and all are judged on the same test rows. Figures are means over the seeds."
)
REMEDIES_LABEL = "Remedies"
REMEDIES_HELP = (
    "By their names, separated by commas: ifacm, quantile, quantile-pairs, mondrian:COL, label, "
    "label:COL, ifacm-smooth, ifacm-crossfitted, ifacm-floor, or one that adjusts scores behind "
    "guarded:, as in guarded:ifacm. The base is always there."
)
SEEDS = "Seeds"
SEEDS_HELP = "So many random splits of the same table; differences are paired by them."
COMPARED_OTHERS = "These figures are for other choices than those on Setup now."
NONE_BETTER = (
    "By these seeds no remedy has a clearly lower DCV than {default}, which stays the default."
)
ABOUT_FIGURE = (
    "Lower is more even, further left is smaller. Bars are standard deviations over the seeds."
)
ABOUT_DIFFERENCES = (
    "Differences from the base over the same seeds, with 95 % intervals. Splits of one table share "
    "rows, which the intervals allow for (Nadeau and Bengio 2003)."
)
ABOUT_GROUPS = (
    "Groups with clearly too little coverage by the base with one seed or more, and their mean "
    "accuracy by each remedy."
)
CHOOSING_C = "Choosing C"
ABOUT_C = (
    "{title} with one penalty C after the other, on the split of Setup's seed. The knee is that of "
    "the training rows, so that nothing is chosen by test rows: from there on a lower DCV costs "
    "most. DCV below what fitting itself costs counts as equal. A click on a point takes its C."
)
NO_KNEE = "On the training rows no C is worth what it costs: the base may stay as it is."
KNEE = "The knee is at C = {knee:g}."
TAKEN = "C = {penalty:g} is taken to Setup; press Run there."
NO_RUNS = "No run of this browser is kept. Press Run on Setup; what has ended is listed here."
ABOUT_RUNS = (
    "The runs of this browser that the server still keeps, the last one first. They are found "
    "again after a reload, by a cookie that holds a random number and nothing else."
)
TWO_RUNS = "Two runs side by side"
ONE_RUN = "Two runs side by side need a second one: change something on Setup and run again."
SAME_ROWS = (
    "Both are judged on the same {n:,} test rows: of these {gained:,} are right with the second "
    "alone and {lost:,} with the first alone, {change:+z.1f} points of accuracy (95 % interval "
    "{low:+z.1f} to {high:+z.1f}, McNemar's {by_chance})."
)
OTHER_ROWS = "They have different test rows, so that differences are partly those of the rows."
ROWS_LET_GO = (
    "The test rows of one of them were let go to save memory, so that they cannot be paired."
)
