"""A saved predictor as one SELECT: what each of its parts says, in SQL.

Each part has one small function. Columns of the table are read in the first step alone, so that
later ones hold no names but ours. A row that ``predict`` refuses, as it lacks an output of a model,
gets NULL.
"""

import json
import re
from collections.abc import Iterable
from functools import singledispatchmethod
from itertools import chain, combinations_with_replacement

import numpy as np

from ..messages import InputError, one_line, told_apart
from . import forms, functions, groups, outputs, thresholds
from .columns import (
    DATE_PARTS,
    MISSING,
    WEEKDAYS,
    Encoded,
    EncodedCategory,
    EncodedNumber,
    part_named,
)
from .engines import ENGINES, ROW, Engine
from .plain import Plain
from .predictor import ClassesLabel, NumberLabel, SavedPredictor

_TIE = 1e-11  # scores as near are one: sums in another order differ in their last digits
_MOST_TERMS = 100  # of a sum: engines take expressions no deeper than 1000 or so
_FRACTION = re.compile(r"-?\d+\.\d+|-?\d+(\.\d+)?e-\d+", re.ASCII)
_ALIAS, _STEP = re.compile(r"(?<![a-z])[a-z]++_\d+"), "evencover_step"
_REFUSED = "{what} cannot be written as SQL; run 'evencover predict' on the rows in its place"
_ALIKE = "columns '{one}' and '{other}' are one in SQL, as they differ in case alone; rename one"
_FREE = str.maketrans({" ": "_", "(": None, ")": None})  # such names BigQuery takes
_STEPS = {
    "negative": ["-{0}"],
    "exp": ["CASE WHEN {0} > 709.782712893384e0 THEN {inf} ELSE EXP({0}) END"],  # else an error
    "log": ["CASE WHEN {0} > 0e0 THEN LN({0}) WHEN {0} = 0e0 THEN -{inf} END"],
    "held": ["LEAST(GREATEST({0}, 1e-06), 0.999999e0)"],
}
_STEPS["sigmoid"] = [*_STEPS["negative"], *_STEPS["exp"], "1e0 / (1e0 + {0})"]


def to_sql(saved: SavedPredictor, engine: str, table: str = "rows") -> str:
    """Return the SELECT of a table's rows, and beside these what ``predict`` says of each.

    The table's name may have that of its schema before it, with a dot. InputError if a part of the
    predictor, or a name or value, cannot be written as SQL.
    """
    query = _Query(ENGINES[engine])
    found, name = query.told(saved), query.engine.name
    free = (each.translate(_FREE) for each in told_apart(found, map(str.lower, saved.columns)))
    told = (f"{of} AS {name(each)}" for each, of in zip(free, found.values(), strict=True))
    last = ",\n  ".join([f"{ROW}.*", *told])
    own, of = f"{query.engine.row} AS {ROW}", f"{'.'.join(map(name, table.split('.')))} AS {ROW}"
    steps = []
    for number, step in enumerate(query.steps):
        listed = ",\n    ".join([own, *(f"{term} AS {alias}" for alias, term in step.items())])
        steps.append(f"{_STEP}_{number} AS (\n  SELECT\n    {listed}\n  FROM {of}\n)")
        own, of = "*", f"{_STEP}_{number}"
    about = one_line(f"{saved.title}, confidence level {saved.confidence_level:g}")
    return f"-- Evencover: {about}\nWITH {', '.join(steps)}\nSELECT\n  {last}\nFROM {of}\n"


class _Query:
    """Expressions, named, in steps each of which takes from those before it."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.text = engine, engine.text
        self.X: list[str] = []
        self.steps: list[dict[str, str]] = [{}]
        self.known: dict[str, str] = {}  # names by what they stand for
        self.places: dict[str, int] = {}  # steps by names
        self.columns: dict[str, str] = {}  # by their names in small letters
        self.texts: dict[str, set[str]] = {}  # known of columns
        self.features: set[str] = set()

    def named(self, what: str, term: str, *, reads: bool = False) -> str:
        """Return the name of an expression, which is worked out once, as soon as it can be."""
        if term not in self.known:
            used = (self.places.get(alias, 0) for alias in _ALIAS.findall(term))
            place = 0 if reads else max(used, default=0) + 1
            self.steps += [{}] * (place == len(self.steps))
            alias = self.known[term] = f"{what}_{len(self.known) + 1}"
            self.steps[place][alias], self.places[alias] = term, place
        return self.known[term]

    def made(self, of: str, *steps: str) -> str:
        for step in steps:
            for form in _STEPS[step]:
                term = form.replace("{0}", of).replace("{inf}", self.number(np.inf))
                of = self.named(step, term)
        return of

    def read(self, column: str, kind: str) -> str:
        """Return a column's values: numbers, moments or texts, NULL where missing."""
        if kind != "date" and column not in self.features and (of := part_named(column))[0]:
            return self.part(*of, kind)
        other = self.columns.setdefault(column.casefold(), column)
        if other != column:
            raise InputError("sql.alike", _ALIKE, one=other, other=column)
        return self.named(
            "value", self.engine.read(column, kind, self.texts.get(column, ())), reads=True
        )

    def moment(self, column: str) -> tuple[str, str]:
        """Return the day since 1970, and the microseconds since midnight."""
        value = self.read(column, "date")
        minutes = f"(EXTRACT(HOUR FROM {value}) * 60 + EXTRACT(MINUTE FROM {value}))"
        micros = self.engine.micros.replace("{0}", value)
        day = self.named("day", self.engine.days.replace("{0}", value))
        return day, self.named("micros", f"{minutes} * 60e6 + {micros}")

    def date_parts(self, column: str) -> list[str]:
        day, micros = self.moment(column)
        seconds, month = f"{micros} / 1e6", f"EXTRACT(MONTH FROM {self.read(column, 'date')})"
        days, weekday = f"{day} + {seconds} / 86400e0", f"{day} + 3 - 7 * FLOOR(({day} + 3) / 7e0)"
        return [days, month, weekday, f"{seconds} / 3600e0"]

    def part(self, column: str, part: str, kind: str) -> str:
        """Return a part of a date, which a table has no column of."""
        number = self.named("part", f"FLOOR({self.date_parts(column)[DATE_PARTS.index(part)]})")
        if kind == "number":
            return number
        names = WEEKDAYS if part == "weekday" else [*map(str, range(24))]
        are = [f"{number} = {at}" for at in range(len(names))]
        return self.named("part", _case(are, [*map(self.text, names)]))

    def ordered(self, column: str, kind: str) -> str:
        """Return numbers, or microseconds since 1970."""
        if kind == "date":
            return self.named("micros", "{} * 86400000000 + {}".format(*self.moment(column)))
        return self.read(column, kind)

    def number(self, value: float) -> str:
        """Return a number with an exponent, as others may be decimal ones."""
        if not np.isfinite(value):
            return f"CAST('{'-' * (value < 0)}Infinity' AS {self.engine.double})"
        written = repr(float(value))
        written += "e0" * ("e" not in written)
        return f"({written})" if value < 0 else written

    def among(self, *texts: str) -> str:
        """Return that it is one of some texts, of fractions as the engine writes them, too."""
        own = (f"CAST({self.number(float(t))} AS STRING)" for t in texts if _FRACTION.fullmatch(t))
        listed = [*map(self.text, texts), *own]
        return f"= {listed[0]}" if len(listed) == 1 else f"IN ({', '.join(listed)})"

    def told(self, saved: SavedPredictor) -> dict[str, str]:
        """Return the columns of ``predict``, by name."""
        design, rule, form, label = saved.design, saved.thresholds, saved.scores, saved.label
        self.texts, self.features = saved.texts, {each.column for each in design.columns}
        raw = [*chain.from_iterable(map(self.of, design.columns))]
        units = np.column_stack([design.mean, design.scale]).tolist()
        for at, (mean, scale) in zip(design.kept.tolist(), units, strict=True):
            less = f"({raw[at]} - {self.number(mean)})"
            self.X.append(self.named("x", f"{less} / {self.number(scale)}"))
        codes = [self.named("group", *self.of(each)) for each in rule.divisions]
        thresholds, threshold = self.thresholds(rule, codes)
        if isinstance(form, forms.LabelForm) and isinstance(label, ClassesLabel):
            found = self.sets(form, label.classes, thresholds)
        elif isinstance(form, forms.EndsForm) and isinstance(label, NumberLabel):
            found = self.intervals(form, label, thresholds)
        if codes:
            shown = map(self.shown, rule.divisions, codes)
            found["group"] = " || ' and ' || ".join(shown)
        return found | {"threshold": threshold, "new": self.new(saved, codes)}

    def new(self, saved: SavedPredictor, codes: list[str]) -> str:
        """Return how many values of a row are new, its ``codes`` of groups among them."""
        are = {each.column: [self.is_new(each)] for each in saved.design.columns}
        for each, code in zip(saved.thresholds.divisions, codes, strict=True):
            are.setdefault(each.name, []).append(f"{code} = -1")
        return _sum([_case([" OR ".join(some)], ["1"], "0") for some in are.values()] or ["0"])

    def is_new(self, part: Encoded) -> str:
        if isinstance(part, EncodedCategory):
            return f"{self.level(part)} = -1"
        assert isinstance(part, EncodedNumber)  # noqa: S101 - there are no others
        value = self.read(part.column, part.wants)
        first = self.date_parts(part.column)[-part.parts] if part.parts else value
        outside = f"{first} < {self.number(part.low)} OR {first} > {self.number(part.high)}"
        return outside + f" OR {value} IS NULL" * (not part.has_missing)

    def shown(self, by: groups.Division, code: str) -> str:
        names = [self.text(f"{by.name}: {by.shown(at)}") for at in range(-1, len(by.groups))]
        return _case([f"{code} = {at}" for at in range(len(by.groups))], names[1:], names[0])

    def thresholds(self, rule: thresholds.Rule, codes: list[str]) -> tuple[list[str], str]:
        """Return those of an object by its groups, and what is told of them."""
        rows = np.atleast_2d(vars(rule)["values"]).tolist()
        patterns = [[place] for place in range(len(rows) - 1)]
        if isinstance(rule, thresholds.OfPatterns):
            rows, patterns = [*rule.values[:, None].tolist(), [-np.inf]], rule.patterns.tolist()
        cases = []
        for pattern in patterns:
            both = zip(codes, pattern, strict=True)
            cases.append(" AND ".join(f"{code} = {at}" for code, at in both) or "TRUE")
        columns = ([*map(self.number, column)] for column in zip(*rows, strict=True))
        found = [self.named("threshold", _case(cases, each[:-1], each[-1])) for each in columns]
        *texts, other = (self.text(json.dumps(row)) for row in rows)
        return found, found[0] if len(found) == 1 else _case(cases, texts, other)

    def intervals(
        self, form: forms.EndsForm, label: NumberLabel, thresholds: list[str]
    ) -> dict[str, str]:
        """Return predictions, if there are, and the ends of intervals, in the label's units."""
        lower, upper, unit = self.of(form)
        if isinstance(form, forms.IntervalForm):
            half = f"{self.raised(form)} - {thresholds[0]}"
            unit, thresholds = self.made(self.named("half", half), "exp"), ["(-1e0)"]
        found = {
            "lower": self.within(f"{lower} + {unit} * {thresholds[0]}", "<", label.low),
            "upper": self.within(f"{upper} - {unit} * {thresholds[-1]}", ">", label.high),
        }
        while isinstance(form, forms.TwoSidedForm):
            form = form.of
        if isinstance(form, forms.IntervalForm):
            found = {"prediction": self.of(form.middle)[0], **found}
        scale, mean = map(self.number, (label.scale, label.mean))
        units = (self.named("units", f"{each} * {scale} + {mean}") for each in found.values())
        exp = ["exp"] * label.logarithmic
        return dict(zip(found, (self.made(each, *exp) for each in units), strict=True))

    def within(self, term: str, beyond: str, bound: float | None) -> str:
        """Return an end, or the bound where it is beyond that."""
        end = self.named("end", term)
        if bound is None:
            return end
        most = self.number(bound)
        return self.named("end", _case([f"{end} {beyond} {most}"], [most], end))

    def sets(
        self, form: forms.LabelForm, classes: tuple[str, ...], thresholds: list[str]
    ) -> dict[str, str]:
        """Return likeliest classes, and sets as JSON lists."""
        if form.adaptive:
            raise InputError("sql.refused", _REFUSED, what="what adaptive sets draw at random")
        said, shift, text = self.of(form.log_probabilities), self.shift(form), self.text
        most = self.named("most", f"GREATEST({', '.join(said)}) - {_TIE}")
        first, places = [f"{each} >= {most}" for each in said], [*map(str, range(len(said)))]
        likeliest = self.named("likeliest", _case(first, places))
        are = [f"{likeliest} = {place}" for place in places]
        parts = []
        for at, (each, label) in enumerate(zip(said, classes, strict=True)):
            holds = f"{each} + {shift} + {_TIE} >= {thresholds[at % len(thresholds)]}"
            holds = f"{are[at]} OR {holds}" if form.never_empty else holds
            parts.append(_case([holds], [text(f", {json.dumps(label, ensure_ascii=False)}")], "''"))
        listed = f"'[' || SUBSTR({' || '.join(parts)}, 3) || ']'"
        sets = _case([f"{likeliest} IS NOT NULL"], [listed])
        return {"prediction": _case(are, [*map(text, classes)]), "set": sets}

    def shift(self, form: forms.Form) -> str:
        return self.named("shift", _sum([*chain.from_iterable(map(self.of, form.shifts))]))

    def raised(self, form: forms.IntervalForm) -> str:
        scale = ["0e0"] if form.log_scale is None else self.of(form.log_scale)
        return self.named("raised", f"{scale[0]} + {self.shift(form)}")

    @singledispatchmethod
    def of(self, part: Plain) -> list[str]:
        """Return what a part says of a row, in as many expressions as it says it in numbers.

        Of a function these are names; of forms they are where ends start, and the unit.
        """
        what = {"trees": "boosted trees"}.get(part.kind, f"'{part.kind}'")
        raise InputError("sql.refused", _REFUSED, what=what)

    @of.register
    def _number(self, part: EncodedNumber) -> list[str]:
        value = self.read(part.column, part.wants)
        numbers = self.date_parts(part.column)[-part.parts :] if part.parts else [value]
        filled = map("COALESCE({}, {})".format, numbers, map(self.number, part.means.tolist()))
        return [*filled, *[_case([f"{value} IS NULL"], ["1e0"], "0e0")] * part.has_missing]

    def level(self, part: EncodedCategory) -> str:
        """Return the place of a value's level, -1 of one that is not known."""
        value = f"COALESCE({self.read(part.column, part.wants)}, {self.text(MISSING)})"
        cases = (f"{value} {self.among(text)}" for text in part.texts)
        return self.named("level", _case(cases, map(str, part.places.tolist()), "-1"))

    @of.register
    def _category(self, part: EncodedCategory) -> list[str]:
        level, places = self.level(part), range(1, len(part.levels))
        are = [f"IN ({at}, -1)" if at == part.default else f"= {at}" for at in places]
        return [_case([f"{level} {is_it}"], ["1e0"], "0e0") for is_it in are]

    @of.register
    def _constant(self, part: functions.Constant) -> list[str]:
        return [self.number(part.value)]

    @of.register
    def _linear(self, part: functions.Linear) -> list[str]:
        X = self.X
        if part.cut is not None:
            low, high = map(self.number, (-part.cut, part.cut))
            cut = [self.named("cut", f"GREATEST(LEAST({x}, {high}), {low})") for x in X]
            X = [*X, *map(" * ".join, combinations_with_replacement(cut, 2))]
        terms = map("{} * {}".format, map(self.number, part.slopes.tolist()), X)
        return [self.named("linear", _sum([self.number(part.intercept), *terms]))]

    @of.register
    def _several(self, part: functions.Several) -> list[str]:
        return [*chain.from_iterable(map(self.of, part.each))]

    @of.register
    def _through(self, part: functions.Through) -> list[str]:
        return [self.made(*self.of(part.function), *part.steps)]

    @of.register
    def _log_probabilities(self, part: functions.LogProbabilities) -> list[str]:
        odds = self.of(part.odds)
        odds = odds if len(odds) > 1 else ["0e0", *odds]
        most = self.named("most", f"GREATEST({', '.join(odds)})")
        below = [self.named("below", f"{each} - {most}") for each in odds]
        whole = self.named("whole", _sum([self.made(each, "exp") for each in below]))
        found = [self.number(-np.inf)] * part.classes
        for place, each in zip(part.places.tolist(), below, strict=True):
            found[place] = self.named("said", f"{each} - {self.made(whole, 'log')}")
        return found

    @of.register
    def _layers(self, part: functions.Layers) -> list[str]:
        return [self.named("layers", _sum([self.layer(part, each) for each in part.layers]))]

    def layer(self, part: functions.Layers, layer: functions.Layer) -> str:
        (p,), level, delta = self.of(layer.probability), part.level, layer.delta
        if part.update == "sign":
            low, high = map(self.number, (level - delta, level + delta))
            update = _case([f"{p} < {low}", f"{p} > {high}"], ["1e0", "(-1e0)"], "0e0")
        else:
            odds = [self.made(each, "log") for each in (p, self.named("failed", f"1e0 - {p}"))]
            gap = f"({self.number(np.log(level) - np.log1p(-level))} - ({' - '.join(odds)}))"
            update = f"GREATEST(LEAST({gap} / {self.number(delta)}, 1e0), (-1e0))"
        return f"{self.number(layer.gamma)} * {update}"

    @of.register
    def _output(self, part: outputs.Output) -> list[str]:
        value = self.read(part.column, "number")
        value = self.named("said", _case([f"ABS({value}) < {self.number(np.inf)}"], [value]))
        value = self.made(value, *["log"] * part.logarithmic)
        units = f"({value} - {self.number(part.mean)}) / {self.number(part.scale)}"
        return [self.named("said", units)]

    @of.register
    def _spread(self, part: outputs.OutputSpread) -> list[str]:
        value = self.read(part.column, "number")
        some = [f"{value} > 0e0", f"{value} = 0e0"]
        by = [] if part.by is None else [self.read(part.by, "number")]
        units = [_case(some, [value, self.number(part.least)]), *by, self.number(part.scale)]
        return [self.made(self.named("spread", " / ".join(units)), "log")]

    @of.register
    def _probabilities(self, part: outputs.OutputProbabilities) -> list[str]:
        low, high = map(self.number, (-outputs.EXACT, 1.0 + outputs.EXACT))
        found = ["0e0"] * part.classes
        for column, place in zip(part.columns, part.places.tolist(), strict=True):
            value = self.read(column, "number")
            cut = f"GREATEST(LEAST({value}, 1e0), 0e0)"
            found[place] = self.named("said", _case([f"{value} BETWEEN {low} AND {high}"], [cut]))
            if len(part.columns) == 1:
                found[1 - place] = self.named("said", f"1e0 - {found[place]}")
        whole = self.named("whole", _sum(found))
        near = outputs.EXACT, outputs.ROUNDING * part.classes + outputs.EXACT
        cases = [f"ABS({whole} - 1e0) <= {self.number(off)}" for off in near]
        by = self.named("whole", _case(cases, ["1e0", whole]))
        return [self.made(self.named("said", f"{each} / {by}"), "log") for each in found]

    @of.register
    def _interval(self, part: forms.IntervalForm) -> list[str]:
        return [*self.of(part.middle) * 2, self.made(self.raised(part), "exp")]

    @of.register
    def _quantiles(self, part: forms.QuantileForm) -> list[str]:
        (lower,), (upper,), out = self.of(part.lower), self.of(part.upper), self.shift(part)
        return [f"{lower} - {out}", f"{upper} + {out}", "1e0"]

    @of.register
    def _two_sided(self, part: forms.TwoSidedForm) -> list[str]:
        (lower, upper, unit), (below,), (above,) = map(self.of, (part.of, part.below, part.above))
        return [f"{lower} - {unit} * {below}", f"{upper} + {unit} * {above}", unit]

    @of.register
    def _by_value(self, part: groups.ByValue) -> list[str]:
        value, place = self.read(part.column, "category"), _places(part)
        known = part.groups if part.kept is None else part.kept
        other = "-1" if part.kept is None else place.get(groups.OTHERS, "-1")
        are = ["IS NULL" if each is None else self.among(str(each)) for each in known]
        codes = (place.get(each, "-1") for each in known)
        return [_case([f"{value} {is_it}" for is_it in are], codes, other)]

    @of.register
    def _by_band(self, part: groups.ByBand) -> list[str]:
        value, place = self.read(part.column, part.of), _places(part)
        value = self.named("days", self.date_parts(part.column)[0]) if part.of == "date" else value
        below = [f"{value} < {self.number(edge)}" for edge in part.edges.tolist()]
        codes = [place.get(band, "-1") for band in (None, *range(len(below) + 1))]
        return [_case([f"{value} IS NULL", *below], codes, codes[-1])]

    @of.register
    def _by_rule(self, part: groups.ByRule) -> list[str]:
        place, held = _places(part), chain.from_iterable(map(self.of, part.conditions))
        inside, outside = place.get("inside", "-1"), place.get("outside", "-1")
        return [_case([" AND ".join(f"({each})" for each in held)], [inside], outside)]

    @of.register
    def _one_of_texts(self, part: groups.OneOfTexts) -> list[str]:
        value = self.read(part.column, part.of)
        return [f"{'NOT ' * part.negated}{value} {self.among(*part.texts)}"]

    @of.register
    def _one_of_places(self, part: groups.OneOfPlaces) -> list[str]:
        value, day = self.ordered(part.column, part.of), self.number(groups.A_DAY)
        both = (value, part.places), (f"FLOOR({value} / {day}) * {day}", part.days)
        are = [f"{of} IN ({', '.join(map(self.number, some))})" for of, some in both if len(some)]
        return [f"{'NOT ' * part.negated}({' OR '.join(are)})"]

    @of.register
    def _within(self, part: groups.Within) -> list[str]:
        value = self.ordered(part.column, part.of)
        ends = (">", part.low_open, part.low), ("<", part.high_open, part.high)
        known = [
            (f"{sign}{'=' * (not is_open)}", end) for sign, is_open, end in ends if end is not None
        ]
        return [" AND ".join(f"{value} {sign} {self.number(end)}" for sign, end in known)]

    @of.register
    def _is_missing(self, part: groups.IsMissing) -> list[str]:
        return [f"{self.read(part.column, part.of)} IS {'NOT ' * part.negated}NULL"]


def _case(conditions: Iterable[str], results: Iterable[str], other: str = "NULL") -> str:
    cases = "".join(map("\n      WHEN {} THEN {}".format, conditions, results))
    return f"CASE{cases} ELSE {other} END" if cases else other


def _sum(terms: list[str]) -> str:
    if len(terms) > _MOST_TERMS:
        parts = range(0, len(terms), _MOST_TERMS)
        terms = [f"({_sum(terms[first : first + _MOST_TERMS])})" for first in parts]
    return "\n      + ".join(terms) or "0e0"


def _places(by: groups.Division) -> dict[groups.Group, str]:
    return {group: str(place) for place, group in enumerate(by.groups)}
