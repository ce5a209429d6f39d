"""Everything a person chooses about an audit: the table of its options."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING
from typing import Any, Literal

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

from ..conformal.label_measures import GivenProbabilities
from ..conformal.measures import ConformityMeasure, Task
from ..conformal.models import MODELS
from ..conformal.names import MEASURES
from ..conformal.rank import exact_significance
from ..coverage.estimators import ESTIMATORS, IFACM_ESTIMATORS
from ..messages import InputError, check_whole
from ..remedies.ifacm.choices import PENALTY_FORMS, SEARCHES
from ..remedies.names import DEFAULT, NONE, REMEDIES, WRITTEN, asked_for
from ..remedies.two_sided import end_levels
from ..tables.grammar import rule_columns
from ..tables.text_values import Reading
from . import options

DEFAULT_BINS = 4  # bands between quantiles: quartiles, unless others are asked for
DEFAULT_PENALTIES: Mapping[Task, float] = {"regression": 0.5, "classification": 0.1}
"""C where it is not chosen. On 26 tables of 2 to 10 classes, at CL 0.8 to 0.95, test DCV fell from
0.103 to 0.039 on average with 0.1, and to 0.044 with 0.5, which lets a layer buy so little that
training DCV stays at 0.016 in place of 0.006. With 0 it fell to 0.039, too, but sets grew by 4.5 %
in place of 2.3 %."""

_OTHER_LABEL = "and label '{target}' is for a {task}; choose other remedies"

TASKS: tuple[Literal["auto"] | Task, ...] = ("auto", "regression", "classification")


def _shares(split: str) -> tuple[float, ...] | str:
    try:
        return tuple(map(float, split.split(",")))
    except ValueError:
        return split


def _check_serves_inside(estimator: str) -> None:
    if estimator in ESTIMATORS.keys() - IFACM_ESTIMATORS:
        sentence = (
            "estimator '{estimator}' does not serve within IFACM, where it takes many times as "
            "long as the logistic for the same straight lines; choose "
        ) + options.one_of(IFACM_ESTIMATORS)
        raise InputError("option.not_within_ifacm", sentence, estimator=estimator)


def _served_by_all(names: tuple[str, ...]) -> list[Task]:
    served = [each.remedy.tasks for each in asked_for(names)]
    return [task for task in DEFAULT_PENALTIES if all(task in tasks for tasks in served)]


def _check_encoding(encoding: str | None) -> None:
    try:
        "".encode(encoding or "utf-8")
    except (LookupError, ValueError):
        sentence = "there is no encoding '{encoding}'; name one such as utf-8, cp1251 or utf-16"
        raise InputError("option.encoding", sentence, encoding=encoding) from None


@options.in_own_words
@dataclass(frozen=True, kw_only=True, config=ConfigDict(extra="forbid"))
class AuditSettings:
    """The options of an audit, which are checked as they are given.

    An ordinary option is one entry here, and its use: the command line, Setup, the JSON form,
    links, the command that repeats an audit and the notice of changed choices are made of it.

    ``target`` is the label's column; every other option has a default, and its meaning beside it
    below. Raises :class:`InputError` if a value is unusable whatever the table.

    >>> from dataclasses import replace
    >>> settings = AuditSettings(target="price", confidence_level=0.8, cuts={"age": [18, 65]})
    >>> settings.cuts
    (('age', (18.0, 65.0)),)
    >>> replace(settings, bins=1)
    Traceback (most recent call last):
    evencover.core.messages.InputError: bins is 1; give a whole number from 2 to 100
    """

    target: options.ColumnName = options.option(
        MISSING,
        "The label's column. Numbers with many values are predicted by intervals, anything else "
        "by sets of labels.",
        name="label",
    )
    task: Literal["auto"] | Task = options.option(
        "auto",
        "auto: numbers with many values are predicted by intervals (regression), anything else by "
        "sets of labels (classification).",
        allowed=TASKS,
    )
    confidence_level: options.Number = options.option(
        0.9,
        "The share of prediction sets that are to hold the true label, for example 0.9 for 90 %; "
        "0 < CL < 1.",
        key="cl",
        title="Confidence level (CL)",
        most=1,
        step=0.01,
        refuse=exact_significance,
    )
    remedies: options.RemedyNames = options.option(
        (DEFAULT, "auto"),
        "What is compared with the base predictor, the first as what is adjusted; none for "
        f"nothing. Without it, {DEFAULT}, and auto beside it. Names: {WRITTEN}. "
        "ifacm: by layers, as the paper has it; "
        "auto: what training rows choose of several, or nothing; "
        "quantile: by a quantile regression of the scores, faster; mondrian:COL: a threshold for "
        "each group; groups:COL+COL: such by which each group of several columns, rules or cohorts "
        "has the level, though they overlap; label: one for each class, label:COL for each in each "
        "group; two-sided: one for each end of intervals.",
        key="remedy",
        tasks=_served_by_all,
        unfit={
            "regression": f"a threshold for each class needs classes, {_OTHER_LABEL}",
            "classification": f"a threshold for each end needs intervals, {_OTHER_LABEL}",
        },
    )
    penalty: options.NumberByLabel = options.option(
        None,
        "How dearly wider intervals, or larger label sets, are paid for. 0: only even coverage "
        "counts. 5: hardly any widening is accepted. Without it, "
        f"{DEFAULT_PENALTIES['regression']:g} for intervals and "
        f"{DEFAULT_PENALTIES['classification']:g} for label sets.",
        name="penalty C",
        key="c",
        title="Penalty (C)",
        step=0.1,
    )
    model: str = options.option(
        next(iter(MODELS)),
        "What predicts the label. linear: straight lines, as in the paper; boosting: gradient "
        "boosted trees, which see bends and interactions, and mostly predict better from some "
        "thousands of training rows on; what they are fitted on is cross-fitted.",
        allowed=MODELS,
    )
    below: options.Number | None = options.option(
        None,
        "Of the remedy two-sided, the share of labels that may lie below intervals, from 0 to 1 - "
        "CL; the rest may lie above: 0 is for intervals with an upper end alone. Without it, half.",
        name="share allowed below",
        most=1,
        step=0.01,
    )
    cap_width: options.Number | None = options.option(
        None,
        "Cut the ends of intervals at so many times the range of the training labels below the "
        "smallest of these and above the largest: of n training rows, at most 2 in n + 1 new "
        "labels lie beyond on average, which are missed then.",
        name="cap on widths",
        title="Cap on widths",
        step=1,
        tasks=lambda _: ("regression",),
        unfit="label sets have no widths to cap; leave the cap out",
    )
    measure: str | None = options.option(
        None,
        "What the base predictor's sets look like. normalized: intervals wider where prediction is "
        "harder; standard: of one width; quantiles: between two quantiles, by boosted trees "
        "whatever the model; scoring: the likeliest classes; aps: classes until their "
        "probabilities add up to enough. Without it, the first that serves the task.",
        title="Conformity measure",
        allowed=MEASURES,
        tasks=lambda name: (MEASURES[name].task,),
    )
    never_empty: options.Flag = options.option(
        False,
        "Let every label set hold the likeliest class at least; coverage is as promised, too.",
        title="No label set is empty",
        tasks=lambda _: ("classification",),
        unfit="a numeric label has no label sets; leave out that none is to be empty",
    )
    features: options.ColumnNames | None = options.option(
        None,
        "Columns the model may use. Without it, every usable one.",
        meaning=lambda ordered: ordered,
    )
    drop: options.ColumnNames = options.option(
        (), "Columns the model does not see; '' for none.", name="left out"
    )
    audit_only: options.ColumnNames = options.option(
        (),
        "Columns that neither the model nor the adjustment may see, such as a protected "
        "attribute; coverage is still shown for their groups.",
    )
    not_protected: options.ColumnNames = options.option(
        (),
        "Columns that only by their names may be protected, such as the age of a house: they are "
        "neither hinted at nor shown as such.",
    )
    use_protected: options.Flag = options.option(
        False,
        "Let a remedy divide the rows by an audit-only column, as mondrian:COL does: neither model "
        "nor adjustment sees it, but the threshold of a row hangs on its value, which new rows "
        "then need, too.",
        name="grouping by audit-only columns",
        title="Group by audit-only columns",
    )
    join: str | None = options.option(
        None,
        "A second table's file, such as one of protected attributes: its columns are brought to "
        "the rows by a key, and are audit only.",
        name="second table's file",
    )
    on: options.ColumnName | None = options.option(
        None,
        "The column of both tables whose equal values bring their rows together.",
        name="key of the second table",
    )
    categorical: options.ColumnNames = options.option(
        (),
        "Numbers that are really codes, such as a postcode: each value is its own group.",
        name="codes",
        title="Codes, not numbers",
    )
    numeric: options.ColumnNames = options.option(
        (),
        "Text columns whose values are really numbers. What is no number, such as 'n/k', counts "
        "as missing; how many there were is told with the results.",
        name="read as numbers",
        title="Numbers, not text",
    )
    prediction: options.ColumnName | None = options.option(
        None,
        "A column of your own model's predictions: no model is fitted here, and intervals are made "
        "about them, by default of one width.",
        **options.of_task("regression"),
    )
    sigma: options.ColumnName | None = options.option(
        None,
        "A column of the spread that your model expects about its predictions, in the label's "
        "units: intervals are in proportion to it.",
        **options.of_task("regression"),
    )
    quantiles: options.ColumnNames = options.option(
        (),
        "Two columns of your own model's quantiles, the lower one first: intervals are made by "
        "moving both outwards or inwards, as in conformalized quantile regression.",
        meaning=lambda ordered: ordered,
        refuse=options.check_two_quantiles,
        **options.of_task("regression"),
    )
    lower: options.ColumnName | None = options.option(
        None,
        "A column of the lower ends of ready-made intervals, which are audited as they are: "
        "nothing is fitted, and every row is a test row.",
        name="lower end",
        **options.of_task("regression"),
    )
    upper: options.ColumnName | None = options.option(
        None,
        "A column of the upper ends of ready-made intervals.",
        name="upper end",
        **options.of_task("regression"),
    )
    probabilities: options.ColumnNames = options.option(
        (),
        "Columns of your own model's probabilities, one for each class, named as or after it, such "
        "as p_High or prob[High]; of two classes one column is enough.",
        **options.of_task("classification"),
    )
    label_set: options.ColumnName | None = options.option(
        None,
        "A column of ready-made sets of classes as text, such as 'a, b' or {a; b}, which are "
        "audited as they are: nothing is fitted, and every row is a test row.",
        name="set",
        key="set",
        title="Set of classes",
        **options.of_task("classification"),
    )
    set_columns: options.ColumnNames = options.option(
        (),
        "Columns of true and false, or 1 and 0, one for each class, named as or after it: whether "
        "the row's ready-made set holds that class.",
        name="columns of a set",
        title="Set, a column for each class",
        **options.of_task("classification"),
    )
    encoding: str | None = options.option(
        None,
        "The encoding of a text table, such as cp1251 or utf-16. Without it, what a byte order "
        "mark says, or UTF-8, or else cp1252.",
        refuse=_check_encoding,
    )
    sheet: str | None = options.option(
        None, "The sheet of a workbook that holds the table. Without it, the first."
    )
    header: options.Whole = options.option(
        1,
        "The line of a text table, or the row of a sheet, that names the columns: what stands "
        "above it is left out.",
        name="row of names",
        least=1,
    )
    missing: options.Words | None = options.option(
        None,
        "Words that mean a missing value, in place of the usual ones (NA, null, None and their "
        'like; among numbers also ? and unknown); "" for empty cells alone. With COL= before them, '
        "only in that column, and beside the usual ones.",
        name="words for missing values",
    )
    missing_in: options.WordsOf = options.option(
        (),
        "Words, or numbers, that mean a missing value in one column, beside the usual ones.",
        name="missing in one column",
        flag="--missing",
    )
    log_target: options.Flag = options.option(
        False,
        "Model the logarithm of the label: right for prices, times and other positive numbers.",
        name="logarithm of the label",
        title="Model its logarithm",
        tasks=lambda _: ("regression",),
        unfit="label '{target}' is taken for classes, which have no logarithm; model the label "
        "itself, or choose the task regression",
    )
    split: str = options.option(
        "0.4,0.3,0.3",
        "Training, calibration and test rows: three shares that sum to 1, or three whole numbers "
        "of rows. Training fits the model and the adjustment, calibration sets the threshold, and "
        "test rows judge.",
        meaning=_shares,
    )
    split_column: options.ColumnName | None = options.option(
        None,
        "A column whose values are train, calibration and test, instead of a split.",
        name="column that divides the rows",
    )
    group: options.ColumnName | None = options.option(
        None,
        "A column whose equal values, such as a person or a house, stay in one set; beside a split "
        "by time they are only counted as one in intervals and tests.",
        name="split by group",
        title="Rows that belong together",
    )
    time: options.ColumnName | None = options.option(
        None,
        "A column by which the earliest rows are for training and the latest for test.",
        name="split by time",
    )
    horizon: options.ColumnName | None = options.option(
        None,
        "A feature or audit-only column that says how many steps ahead a row was forecast: it is "
        "shown by value, and judged as named beforehand. Rows of one time may be alike: name it.",
        title="Steps ahead",
    )
    weight: options.ColumnName | None = options.option(
        None,
        "A column of survey or importance weights: in fits, thresholds and figures a row counts as "
        "often as it says, whole numbers as so many rows alike, others in proportion to their "
        "mean. How sure figures are goes by the effective sample size. Rows of weight 0, or "
        "without one, are left out.",
        title="Weight of rows",
    )
    stratify: options.Flag = options.option(
        False,
        "Divide every class in the same proportions. This breaks the exact exchangeability of "
        "calibration and test rows on which the guarantee rests.",
        name="stratified by class",
        title="Stratify by class",
        tasks=lambda _: ("classification",),
        unfit="a numeric label has no classes to stratify by; split at random",
    )
    seed: options.Whole = options.option(
        0, "Of the random split: the same seed gives the same result, to the last digit."
    )
    sample: options.Whole = options.option(
        100_000,
        "Of a folder of Parquet files, or another table that is too large for memory: so many rows "
        "are drawn for what looks at single rows, as DCV does; segments are counted over all.",
        name="rows drawn of a folder",
        least=100,
    )
    repeats: options.Whole = options.option(
        1,
        "Audit with so many seeds, to see how much of each figure hangs on the split.",
        least=1,
        most=1000,
    )
    penalty_form: str = options.option(
        next(iter(PENALTY_FORMS)),
        "What an increase in width or set size counts: linear, as the paper prints it; squared, "
        "which is mild on small increases; per-label, divided by the number of classes (label "
        "sets alone).",
        name="penalty",
        key="penalty",
        title="Form of the penalty",
        allowed=PENALTY_FORMS,
        tasks=lambda name: PENALTY_FORMS[name].tasks,
    )
    search: str = options.option(
        next(iter(SEARCHES)),
        "How each layer's gamma and delta are looked for. restarted: the paper's search, set going "
        "again from other starts where it stalls, so that the objective is never higher; paper: "
        "that search alone.",
        title="Search for layers",
        allowed=SEARCHES,
    )
    estimator: str = options.option(
        next(iter(ESTIMATORS)),
        "Estimates the probability of a correct set, on which DCV rests. logistic: straight lines, "
        "in seconds. ridge, lasso: straight lines, held back as far as that predicts other rows "
        "better. knn, trees: see bends and interactions too; knn takes minutes for 20,000 test "
        "rows.",
        title="Estimator of correctness",
        allowed=ESTIMATORS,
    )
    ifacm_estimator: str = options.option(
        next(iter(IFACM_ESTIMATORS)),
        "Estimates the same within the adjustment. knn and trees mend bends and interactions, "
        "which logistic does not see; they need some thousands of training rows, and a minute or "
        "more.",
        name="estimator within IFACM",
        allowed=IFACM_ESTIMATORS,
        refuse=_check_serves_inside,
    )
    permutations: options.Whole = options.option(
        0,
        "Simulate the floor of DCV, and a p-value, by so many draws each on the test rows; 200 "
        "are a good number, 0 leaves them out.",
        step=100,
    )
    pairs: options.ColumnPairs = options.option(
        (),
        "Segments where two columns meet, such as sex and race: A:B, C:D. The label may be one of "
        "them. Names that hold a comma or colon are put in double quotes.",
        name="pairs of columns",
    )
    bins: options.Whole = options.option(
        DEFAULT_BINS,
        "A number of more than 12 values is divided into so many bands, of equally many training "
        "rows.",
        name="bands of a number",
        least=2,
        most=100,
    )
    cuts: options.CutPoints = options.option(
        (),
        "Bounds of the bands of a number instead, one list for each column: age=18,40,65 makes "
        "the bands below 18, 18 to 40, 40 to 65, and 65 and above.",
        name="cut points",
    )
    reference: options.References = options.option(
        (),
        "The segment that the others of its variable are compared with, one for each variable: "
        "owner=agency. Without it, it is the one with the most test rows.",
        name="groups to compare with",
    )
    cohorts: options.CohortRules = options.option(
        (),
        "A segment of your own, which is compared with all other rows, such as 'old homes: age >= "
        "65 and district = Old or New'; rules are written as those of the worst segments. At most "
        f"{options.MOST_COHORTS}, with those made after looking.",
        flag="--cohort",
    )
    looks: options.CohortRules = options.option(
        (),
        "A cohort made after looking at the results on the same rows: it is shown, but gets no "
        "q-value, as what was chosen because it looks bad proves nothing there.",
        name="cohorts made after looking",
        flag="--look",
    )

    def __post_init__(self) -> None:
        for about, value in self.by_option():
            about.check(value)
        options.COHORTS.check(self.all_cohorts)
        check_whole("the last repeat's seed", self.seed + self.repeats - 1, 0)
        self._check_one_way_to_split()
        end_levels(self.below, self.confidence_level)
        self._check_outputs()
        self._check_take_weights()
        if (self.join is None) != (self.on is None):
            sentence = "a second table needs the key that it is joined on, and a key a second table"
            raise InputError("join.incomplete", sentence + "; give --join with --on")

    def _check_one_way_to_split(self) -> None:
        ways = {
            "the split column": self.split_column,
            "stratification": self.stratify or None,
            "the group column": self.group,
            "the time column": self.time,
        }
        chosen = [way for way, by in ways.items() if by is not None]
        if len(chosen) > 1 and chosen != ["the group column", "the time column"]:
            sentence = "{chosen} cannot both divide the rows; choose one"
            raise InputError("split.two_ways", sentence, chosen=" and ".join(chosen))
        if self.repeats > 1 and self.fixed_split_column is not None:
            sentence = (
                "column '{column}' divides the rows, so repeats would all be the same; choose 1 "
                "repeat"
            )
            raise InputError("split.repeats_alike", sentence, column=self.fixed_split_column)

    def _check_outputs(self) -> None:
        """Refuse what cannot be together of what a model said, and with it."""
        ways = self._ways_begun()
        for way in ways:
            lacking = [OPTIONS[field].name for field in way.needed if not getattr(self, field)]
            if lacking:
                begun = next(OPTIONS[field].name for field in way.fields if getattr(self, field))
                sentence = "'{begun}' is given without '{lacking}'; name that column, too"
                raise InputError("outputs.half", sentence, begun=begun, lacking=lacking[0])
        if len(ways) > 1:
            sentence = "{titles} of your model cannot be audited at once; choose one of them"
            titles = " and ".join(dict.fromkeys(way.title for way in ways))
            raise InputError("outputs.two_ways", sentence, titles=titles)
        for field in ways[0].idle if ways else ():
            # the paper's alone was the default, and stands so in results and files of settings
            if getattr(self, field) in (OPTIONS[field].default, (DEFAULT,), (NONE,)):
                continue
            if field == "remedies":
                options.check_takes_remedies(ways[0])
            sentence = "'{option}' has no meaning beside {what} of your own model; leave it out"
            about = {"option": OPTIONS[field].name, "what": ways[0].title}
            raise InputError("outputs.idle_option", sentence, **about)

    def _check_take_weights(self) -> None:
        if self.weight is None:
            return
        for field, registry in _REGISTRIES.items():
            names = getattr(self, field)
            for name in [names] if isinstance(names, str) else names or ():
                others = [n for n in OPTIONS[field].allowed or registry if _takes(registry, n)]
                option = OPTIONS[field].name
                check_takes_weights(
                    option, name, options.one_of(others), takes=_takes(registry, name)
                )

    @property
    def outputs(self) -> options.OutputWay | None:
        """How a user's own model spoke; None if a model is to be fitted."""
        return next(iter(self._ways_begun()), None)

    def _ways_begun(self) -> list[options.OutputWay]:
        given = self.by_output().keys()
        return [way for way in options.OUTPUT_WAYS if given & {*way.fields}]

    @property
    def fixed_split_column(self) -> str | None:
        """The column that divides the rows into sets, so that no seed does; None without one."""
        return self.split_column or self.time

    @property
    def is_ready_made(self) -> bool:
        """Whether the sets audited stand in the table."""
        return self.outputs is not None and self.outputs.measure is None

    @property
    def users_of_features(self) -> tuple[str, ...]:
        """What is fitted on the features, in words."""
        if self.is_ready_made:
            return ()
        fitted = {"the model": self.outputs is None, "the adjustment": asked_for(self.remedies)}
        return tuple(user for user, is_fitted in fitted.items() if is_fitted)

    @property
    def output_columns(self) -> dict[str, str]:
        """The columns that hold what a model said, and what they hold."""
        return {
            column: f"holds your model's {OPTIONS[field].name}"
            for field, columns in self.by_output().items()
            for column in columns
        }

    def by_output(self) -> dict[str, tuple[str, ...]]:
        """Return the columns of each option that says what a model said, of those given."""
        given = {field: getattr(self, field) for field in options.OUTPUT_FIELDS}
        return {f: tuple(OPTIONS[f].kind.columns(value)) for f, value in given.items() if value}

    @property
    def all_cohorts(self) -> tuple[tuple[str, str], ...]:
        """Those asked for before a run, then those made after looking."""
        return (*self.cohorts, *self.looks)

    @property
    def reading(self) -> Reading:
        """How a table's file is to be read."""
        return Reading(self.encoding, self.sheet, self.header, self.missing, self.numeric)

    @property
    def readings(self) -> tuple[Any, ...]:
        """The arguments of :func:`read_as_asked`."""
        return self.numeric, self.categorical, self.missing_in

    @property
    def reading_of_second(self) -> Reading:
        """How the file of a second table is to be read: encoding, sheet, header are the first's."""
        return Reading(missing=self.missing, numeric=self.numeric)

    def by_option(self) -> Iterator[tuple[options.Option, Any]]:
        """Yield every option with its value."""
        for about in options.options_of(type(self)).values():
            yield about, getattr(self, about.field)

    @property
    def given_measure(self) -> ConformityMeasure | None:
        """What scores the outputs of a user's own model; None without it, or of ready-made sets."""
        way = self.outputs
        if way is None or way.measure is None:
            return None
        said = {"adaptive": self.measure == "aps", "never_empty": self.never_empty}
        return way.measure(**said if issubclass(way.measure, GivenProbabilities) else {})

    def measure_for(self, task: Task) -> str | None:
        """Return the name of the conformity measure to fit for a task; None if none is fitted."""
        if self.outputs is not None:
            return self.measure
        return self.measure or next(n for n, entry in MEASURES.items() if entry.task == task)

    def penalty_for(self, task: Task) -> float:
        """Return C to use for a task."""
        return DEFAULT_PENALTIES[task] if self.penalty is None else self.penalty

    @property
    def remedy_columns(self) -> tuple[str, ...]:
        """The columns by whose values remedies divide the rows, those of cohorts' rules, too."""
        rules, named = dict(self.all_cohorts), options.REMEDY_LIST.columns(self.remedies)
        return tuple(column for name in named for column in rule_columns(rules.get(name, name)))

    def columns_named(self) -> Iterator[str]:
        """Yield the columns that the options name, with those of rules."""
        for about, value in self.by_option():
            if about.field == "remedies":
                yield from self.remedy_columns
            elif value is not None:
                yield from about.kind.columns(value)


OPTIONS: Mapping[str, options.Option] = options.options_of(AuditSettings)  # by field
_REGISTRIES: Mapping[str, Mapping[str, Any]] = {
    "measure": MEASURES,
    "remedies": REMEDIES,
    "estimator": ESTIMATORS,
    "ifacm_estimator": ESTIMATORS,
}
"""What the names of some options stand for."""


def _takes(registry: Mapping[str, Any], name: str) -> bool:
    """Say whether what a name stands for, or is made of, takes weights; "none" does."""
    kinds = (part.partition("@")[0] for part in name.split(":"))
    return all(registry[kind].takes_weights for kind in kinds if kind in registry)


def check_takes_weights(option: str, name: str, others: str = "another", *, takes: bool) -> None:
    """Raise :class:`InputError` of weights that an algorithm does not take."""
    if not takes:
        sentence = "{option} '{name}' takes no weights; choose {others}, or leave the weights out"
        raise InputError("weight.not_taken", sentence, option=option, name=name, others=others)
