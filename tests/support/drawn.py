"""Settings drawn at random, by the table of options."""

from hypothesis import strategies as st

from evencover.core import AuditSettings, InputError
from evencover.core.preparation import options as kinds
from evencover.core.preparation.options import OUTPUT_FIELDS, OUTPUT_WAYS
from evencover.core.preparation.settings import OPTIONS

RULES = st.sampled_from(
    ["age >= 65", 'age < 3 and "a: b" = "x, y" or z', '"say \\"a\\"" is missing', "3 <= x < 5"]
)
SPLITS = st.sampled_from(["0.4,0.3,0.3", "1000,500,700", "0.5, 0.25, 0.25"])
TEXTS = {"split": SPLITS, "encoding": st.sampled_from(["utf-8", "cp1251"])}
NUMBERS = {"confidence_level": st.floats(0.01, 0.99), "penalty": st.floats(0.0, 1e9)}
NUMBERS["below"] = st.floats(0.0, 0.01)
NUMBERS["cap_width"] = st.floats(0.0, 1e9)
BOUNDS = st.floats(-1e9, 1e9) | st.integers(-9, 9).map(float)


def _of(option, names):
    by_kind = {
        kinds.TEXT: TEXTS.get(option.field, st.sampled_from([*option.allowed] or ["a b"])),
        kinds.NUMBER: NUMBERS.get(option.field),
        kinds.NUMBER_BY_LABEL: NUMBERS.get(option.field),
        kinds.WHOLE: st.integers(option.least, min(option.most, 10**12)),
        kinds.FLAG: st.booleans(),
        kinds.COLUMN: names,
        kinds.COLUMN_LIST: st.lists(names, unique=True, max_size=3).map(tuple),
        kinds.REMEDY_LIST: st.lists(_remedies(names), unique=True, min_size=1, max_size=3).map(
            tuple
        ),
        "quantiles": st.lists(names, unique=True, min_size=2, max_size=2).map(tuple),
        kinds.WORDS: st.lists(names, unique=True, max_size=3).map(tuple),
        kinds.WORDS_OF: _once(names, st.lists(names, min_size=1, max_size=3)),
        kinds.PAIRS: st.lists(st.tuples(names, names), max_size=2).map(tuple),
        kinds.CUTS: _once(names, st.lists(BOUNDS, min_size=1, max_size=4, unique=True).map(sorted)),
        kinds.REFERENCE: _once(names, names),
        kinds.COHORTS: _once(names.filter(str.strip), RULES),
    }
    drawn = by_kind[option.field if option.field in by_kind else option.kind]
    return drawn | st.none() if option.default is None else drawn


def _remedies(names):
    plain = st.sampled_from(["ifacm", "quantile", "label", "ifacm-smooth", "groups:a+b"])
    return plain | names.filter(bool).map("mondrian:{}".format)


def _once(names, values):
    values = values.map(lambda value: tuple(value) if isinstance(value, list) else value)
    pairs = st.tuples(names, values)
    return st.lists(pairs, unique_by=lambda pair: pair[0], max_size=2).map(tuple)


def settings(names):
    """Settings that are usable, most of them at their defaults, with columns of these names."""
    return _settings({field: _of(option, names) for field, option in OPTIONS.items()})


@st.composite
def _settings(draw, values):
    said = {*OUTPUT_FIELDS, "join", "on"}
    fields = draw(st.sets(st.sampled_from(sorted(values.keys() - said)), max_size=8)) | {"target"}
    fields |= draw(st.sampled_from([set(), {"join", "on"}]))
    way = draw(st.none() | st.sampled_from(OUTPUT_WAYS))
    fields |= {*way.needed, *way.more} if way else set()
    chosen = {field: draw(values[field]) for field in sorted(fields)}
    try:
        return AuditSettings(**chosen)
    except InputError:
        clashing = {"split_column", "stratify", "group", "time", "pairs", "looks", "weight", *said}
        return AuditSettings(**{f: value for f, value in chosen.items() if f not in clashing})
