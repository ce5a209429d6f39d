"""The sentence of each kind of finding; what is in braces is a figure, or a word made of some."""

TEMPLATES = {
    "sets-hold-all": "The prediction {sets} {hold_all}{why}: they {say_nothing}.",
    "no-rows": "{note}",
    "coverage-overall": "{accuracy} of the prediction {sets} hold the true {target}, where "
    "{promised} was promised{remark}.",
    "group-low": "{only} {accuracy} do for {rows_of} (likely between {low} and {high}), {missed} "
    "fewer than promised. This is unlikely to be chance{q}{picked}{without}.{more_low}",
    "group-lower-still": "Coverage is lower still, {accuracy}, for {rows_of} (likely between {low} "
    "and {high}), {missed} fewer than promised. That these are worse off than the others is "
    "unlikely to be chance{q}{picked}{without}.{more_low}",
    "no-segment": "There is no segment with rows enough to judge, so nothing is known of groups.",
    "no-group": "{no_group} {conclusion}.",
    "uneven": "Yet there is clear evidence that coverage depends on {of_what} ({chance}): it is "
    "uneven without any single group that shows it.",
    "power": "{power}.",
    "effect": "The adjustment ({title}) {effect}.",
    "beside": "With {title} coverage is {overall} over all rows{low_overall}{of_group_too}.",
    "group-spoilt": "It lowers coverage to what is too low for {rows_of}: {before} before and "
    "{after} after{q}{more_spoilt}.",
    "cost": "Adjusting by itself costs about {cost_in_points} points of evenness, as only {train} "
    "training rows tell where to; they show {found_there}.",
    "advice": "{advice}",
    "groups-counted": "Coverage is clearly too low in {groups_counted}{rules_counted}.",
    "class-missed": "Of those that are truly {class_name}, {each_share} of {n} are in their set"
    "{verdicts}: "
    "nothing promises more for a single class, but it may matter to you.",
    "untested": "No row of {values_named} is a test row: nothing is known of {them}.",
    "all-alike": "All prediction sets of the test rows are {word}, so nothing can be said of how "
    "coverage depends on the features.",
    "dependence": "{start}there is {evidence} that coverage depends on {of_what} {in_a_line}"
    "({chance}). {deviation}",
    "dependence-left": "{start}{as_to}{left} ({chance}). {deviation}",
}
"""By kind."""

ADVICE = {
    "more-calibration-rows": "Use more rows, or a lower confidence level.",
    "recalibrate": "Calibrate on rows that are like the test rows: that would restore the promise.",
    "other-seeds": "Audit with other seeds (repeats) before you act on that: the split was random, "
    "so that only chance sets its test rows apart from the calibration rows.",
    "mend-intervals": "To mend these intervals here, audit their ends ({columns_named}) as two "
    "quantiles: some of the rows then calibrate and mend them, and the others judge it.",
    "mend-sets": "To mend these sets here, bring the model's probabilities in place of its sets: "
    "those made of them are calibrated and mended.",
    "keep": "Keep the predictor as it was before{keep_why}.",
    "use": "Use the adjusted predictor ({title}).",
    "try-c": "Try C = {suggested}: at C = {c} no layer pays for its larger sets, though DCV is "
    "clearly above its floor.",
    "restart": "Try the restarted search: from other starts it finds a layer.",
    "run-on": "Let the adjustment run on: it was stopped before its first layer.",
    "unseen": "Neither model nor adjustment sees {columns_named}: if that may be used, let both "
    "see it and audit again; otherwise calibrate its groups each by itself.",
    "set-apart": "Find what sets {who} apart and give the model that as a column: {columns_named} "
    "itself has other values in new rows.",
    "bends": "No straight line in a feature shows this: the estimator trees within IFACM may.",
    "audit-only": "The model uses {columns_named}, which may be protected: made audit only, "
    "neither model nor adjustment would see it.",
    "more-rows-of": "Some {rows} test rows of {who} would tell their coverage to within 5 points.",
}
"""By the finding's advice."""

ADVICE_IN_BRIEF = {
    "more-calibration-rows": "to use more rows",
    "recalibrate": "to calibrate on rows that are like the test rows",
    "other-seeds": "to audit with other seeds",
    "mend-intervals": "to audit the intervals' ends as two quantiles",
    "mend-sets": "to bring the model's probabilities in place of its sets",
    "keep": "to keep the predictor as it was before",
    "use": "to use the adjusted predictor",
    "try-c": "to try a smaller C",
    "restart": "to try the restarted search",
    "run-on": "to let the adjustment run on",
    "unseen": "to let model and adjustment see a column, or to calibrate its groups each by itself",
    "set-apart": "to find what sets a group apart",
    "bends": "to try the estimator trees within IFACM",
    "audit-only": "to make a column audit only",
    "more-rows-of": "to get more rows of the group",
}
"""The same, as the end of "the advice is"."""

EFFECTS = {
    "helps": "helps",
    "harms": "does harm",
    "mixed": "helps in one way and does harm in another",
    "unclear": "makes no clear difference on the whole",
    "nothing": "changes nothing",
}
"""What an adjustment does."""
