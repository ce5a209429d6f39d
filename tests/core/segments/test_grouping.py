"""What test rows are divided by: columns, the label and pairs; and what is refused."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from rows import by_name, held, homes_and_owners

from evencover.core import AuditSettings, InputError, audit
from evencover.core.preparation.prepare import prepare
from evencover.core.preparation.split import Split
from evencover.core.rows.outcomes import Outcomes
from evencover.core.segments.binning import Partition, crossed, partition_column
from evencover.core.segments.by_segment import segment_rows
from evencover.core.segments.grouping import SegmentVariables, Variable, check_reference
from evencover.core.tables.columns import Column
from evencover.core.tables.grammar import parse_rule
from evencover.core.tables.table import Table

TRAIN, TEST = np.arange(200), np.arange(300, 500)


def variables(task="regression", columns=("age", "owner", "sex"), target="price", **options):
    frame = homes_and_owners()
    settings = AuditSettings(target=target, **options)
    return {v.name: v for v in divided(Table.of(frame), columns, settings, task)}


def divided(table, columns, settings, task="regression"):
    """The test rows divided, of a plan with only what that takes."""
    roles, split = SimpleNamespace(segment_columns=columns), Split(TRAIN, TRAIN[:0], TEST)
    label = SimpleNamespace(task=task)
    plan = SimpleNamespace(table=table, roles=roles, split=split, label=label, weights=None)
    return SegmentVariables(plan, settings)


def members(variable):
    """The test rows of each segment."""
    names, codes = variable.partition.names, variable.partition.codes
    return {name: TEST[codes == code].tolist() for code, name in enumerate(names)}


class TestBands:
    def test_own_cut_points_bound_the_bands(self):
        ages = members(variables(cuts=(("age", (18.0, 40.0, 65.0)),))["age"])
        age = homes_and_owners()["age"]
        bounds = {"< 18": (-1, 18), "18 to 40": (18, 40), "40 to 65": (40, 65), ">= 65": (65, 999)}
        assert list(ages) == [*bounds, "(missing)"]
        for name, (low, high) in bounds.items():
            assert ages[name] == [i for i in TEST if low <= age[i] < high]
        assert ages["(missing)"] == [i for i in TEST if np.isnan(age[i])]

    @pytest.mark.parametrize("bins", [2, 3, 4, 5, 10])
    def test_bins_are_quantiles_of_training(self, bins):
        column = pd.Series(np.random.default_rng(0).normal(size=500))
        found = partition_column(Column.of(column), TRAIN, bins=bins)
        edges = np.quantile(column[TRAIN], [i / bins for i in range(1, bins)])
        assert len(found.names) == bins
        assert found.codes.tolist() == [sum(value >= edge for edge in edges) for value in column]


class TestPairs:
    def test_intersections_are_those_of_both_columns(self):
        found = variables(pairs=(("owner", "sex"),))
        single, other = members(found["owner"]), members(found["sex"])
        expected = {
            f"{one} × {two}": sorted(set(rows) & set(rows_of_other))
            for (one, rows), (two, rows_of_other) in itertools.product(
                single.items(), other.items()
            )
        }
        assert found["owner × sex"].kind == "pair"
        assert members(found["owner × sex"]) == {k: v for k, v in expected.items() if v}
        assert "agency × f" not in members(found["owner × sex"])  # there is none

    def test_rows_of_a_pair_are_its_own_variable_s(self):
        correct = np.arange(200) % 10 > 0
        rows = segment_rows(
            variables(pairs=(("sex", "owner"),)).values(), {"base": held(correct)}, 0.9
        )
        pair = {row.value: row for row in rows if row.variable == "sex × owner"}
        assert sum(row.n for row in pair.values()) == 200
        selling = [
            i for i in TEST if homes_and_owners().loc[i, ["sex", "owner"]].tolist() == ["m", "self"]
        ]
        assert pair["m × self"].accuracy == pytest.approx(correct[np.array(selling) - 300].mean())
        assert {row.kind for row in pair.values()} == {"pair"}

    def test_names_that_would_be_alike_are_told_apart(self):
        one, other = (
            Partition(["a", "a × b"], np.array([0, 1, 1]), [parse_rule("x = a"), None]),
            Partition(["b × c", "c"], np.array([0, 1, 0]), [None, parse_rule("y = c")]),
        )
        both = crossed(one, other)
        assert both.names == ["a × b × c", "a × b × b × c", "a × b × c (2)"]
        assert both.codes.tolist() == [0, 2, 1]
        assert both.rules == [None, None, None]  # where one of the two has none


class TestGroup:
    def test_each_value_with_rows_enough_is_a_segment_whatever_it_is(self):
        frame = homes_and_owners().assign(owner=np.arange(500) % 16 % 9)
        settings = AuditSettings(target="price", group="owner")
        table = Table.of(frame)
        found = next(iter(divided(table, ["owner"], settings)))
        assert (found.name, found.kind) == ("owner", "group")
        assert found.partition.names == [str(owner) for owner in range(9)]

    def test_its_bands_are_those_of_a_column(self):
        frame = homes_and_owners()
        settings = AuditSettings(target="price", group="age", cuts=(("age", (40.0,)),))
        found = divided(Table.of(frame), ["age"], settings)
        assert next(iter(found)).kind == "column"

    def test_an_audit_looks_at_it_though_it_is_no_feature(self):
        rng = np.random.default_rng(8)
        owner = np.concatenate([np.repeat(np.arange(20), 60), 100 + np.arange(600) // 3])
        y = rng.normal(size=1800) * np.where(owner % 4 == 3, 4.0, 1.0) ** (owner < 100)
        frame = pd.DataFrame({"owner": owner, "x": rng.normal(size=1800), "y": y})
        result = audit(
            frame, AuditSettings(target="y", group="owner", measure="standard", remedies=("none",))
        )
        rows = [row for row in by_name(result.segments) if row.variable == "owner"]
        assert {row.kind for row in rows} == {"group"}
        owners, others = [row.value for row in rows[:-1]], rows[-1]
        in_test = result.test_rows.table.frame["owner"]
        assert sorted(owners, key=int) == [str(o) for o in sorted(set(in_test[in_test < 100]))]
        assert {row.n for row in rows[:-1]} == {60}
        assert (others.value, others.n) == ("(other)", (in_test >= 100).sum())
        assert {int(row.value) % 4 for row in rows[:-1] if row.accuracy < 0.7} == {3}
        assert not any("owner" in row.variables for row in result.worst_segments)
        (note,) = [note for note in result.notes if note.code == "segments.small-values"]
        small = in_test[in_test >= 100].nunique()
        assert str(note).endswith(f"shown together as (other): {small}.")


class TestLabel:
    def test_a_numeric_label_is_divided_at_quartiles_of_training(self):
        price = homes_and_owners()["price"]
        label = variables()["label: price"]
        edges = np.quantile(price[TRAIN], [0.25, 0.5, 0.75])
        assert label.kind == "label"
        assert label.partition.codes.tolist() == [sum(price[i] >= e for e in edges) for i in TEST]

    def test_a_label_of_numbers_in_text_is_divided_as_numbers(self):
        frame = homes_and_owners()
        text = frame.assign(price=frame["price"].map(str))
        settings = AuditSettings(target="price", task="regression")
        table = prepare(text, settings).table
        (found,) = divided(table, (), settings)
        expected = variables()["label: price"].partition
        assert found.partition.names == expected.names
        assert found.partition.codes.tolist() == expected.codes.tolist()

    def test_classes_are_segments(self):
        found = variables("classification", ("age",), "owner")
        label = members(found["label: owner"])
        owner = homes_and_owners()["owner"]
        assert label == {name: [i for i in TEST if owner[i] == name] for name in ("agency", "self")}
        assert members(found["age"]) == members(variables()["age"])  # in bands as ever

    def test_it_can_be_paired_and_cut(self):
        found = variables(pairs=(("price", "sex"),), cuts=(("price", (100.0,)),))
        assert found["label: price"].partition.names == ["< 100", ">= 100"]
        assert found["label: price × sex"].kind == "label"

    def test_it_does_not_count_as_failing(self):
        frame = homes_and_owners().assign(noise=np.random.default_rng(4).normal(size=500))
        result = audit(
            frame, AuditSettings(target="price", pairs=(("sex", "price"),), remedies=("none",))
        )
        kinds = {row.kind for row in result.segments}
        assert kinds == {"column", "label"}
        assert {row.kind for row in result.object_segments("base")} == {"column"}
        off = [r for r in result.segments if r.n and not r.low <= 0.9 <= r.high]
        assert {row.kind for row in off} >= {"label"}
        assert {row.kind for row in result.too_low("base")} <= {"column"}


def test_shares_of_odd_sets_are_counted_by_hand():
    (variable,) = [v for v in variables().values() if v.name == "sex"]
    f, m = (variable.partition.codes == code for code in (0, 1))
    sizes = np.where(f, 0.0, 1.0)
    sizes[np.flatnonzero(m)[:20]] = 3.0
    labels = Outcomes(sizes > 0, sizes, 3.0)
    women, men = segment_rows([variable], {"base": labels}, 0.9)
    assert (women.share_empty, women.share_full) == (1.0, 0.0)
    assert (men.share_empty, men.share_full) == (0.0, pytest.approx(20 / m.sum()))
    assert men.share_infinite is None
    intervals = Outcomes(np.ones(200, dtype=bool), np.where(m, np.inf, 1.0))
    women, men = segment_rows([variable], {"base": intervals}, 0.9)
    assert (women.share_infinite, men.share_infinite) == (0.0, 1.0)
    assert (men.share_full, men.share_empty) == (None, None)


NO_SEGMENTS = (
    "column 'id' of the pairs has no segments, as it is neither a feature nor audit-only; give it "
    "one of these roles"
)
NO_NUMBERS = (
    "column 'owner' holds no numbers to cut; leave out its cut points, or have it read as numbers"
)
NO_AGENT = "the reference of 'owner': there is no segment 'agent'; did you mean 'agency'?"
ASCENDING = "give numbers in ascending order"
TWICE = "the {} is given twice; give it once"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"pairs": (("owner", "sax"),)}, "there is no column 'sax'; did you mean 'sex'?"),
        ({"pairs": (("sex", "id"),)}, NO_SEGMENTS),
        ({"cuts": (("owner", (1.0,)),)}, NO_NUMBERS),
        ({"reference": (("owner", "agent"),)}, NO_AGENT),
        ({"reference": (("ownr", "self"),)}, "there is no variable 'ownr'; did you mean 'owner'?"),
        # whatever the table is
        ({"bins": 101}, "bins is 101; give a whole number from 2 to 100"),
        ({"bins": 2.5}, "the setting 'bins' is 2.5; give a whole number from 2 to 100"),
        ({"pairs": (("a", "a"),)}, "column 'a' is paired with itself; pair it with another"),
        ({"pairs": (("a", "b"), ("b", "a"))}, TWICE.format("pair 'a' and 'b'")),
        ({"cuts": (("a", (1.0,)), ("a", (2.0,)))}, TWICE.format("list of cut points of 'a'")),
        ({"cuts": (("a", (2.0, 1.0)),)}, f"the cut points of 'a' are 2, 1; {ASCENDING}"),
        ({"cuts": (("a", ()),)}, f"'a' is given no cut points; {ASCENDING}"),
        ({"cuts": (("a", (math.nan,)),)}, "the cut points of 'a' are nan; give finite numbers"),
        ({"reference": (("a", "x"), ("a", "y"))}, TWICE.format("reference group of 'a'")),
    ],
)
def test_what_cannot_be_is_told(options, sentence):
    with pytest.raises(InputError) as refused:
        variables(**options)
    assert str(refused.value) == sentence


def test_cohorts_are_kept_apart_from_looks():
    found = variables(cohorts=(("old", "age >= 50"),), looks=(("young", "age < 30"),))
    assert [(v.kind, v.rule) for v in found.values()][-2:] == [
        ("cohort", "age >= 50"),
        ("look", "age < 30"),
    ]


def test_a_reference_may_be_a_pair_s_or_the_label_s():
    found = variables(
        pairs=(("owner", "sex"),),
        cuts=(("price", (100.0,)),),
        reference=(("owner × sex", "self × m"), ("label: price", ">= 100")),
    )
    assert "self × m" in found["owner × sex"].partition.names


@pytest.mark.long
def test_repeats_cope_with_pairs_and_labels():
    frame = homes_and_owners()
    asked = {"repeats": 2, "pairs": (("owner", "sex"),), "remedies": ("none",)}
    settings = AuditSettings(target="price", **asked)
    rows = audit(frame, settings).repeats.segments
    kinds = {(row["variable"], row["kind"]) for row in rows}
    assert {("owner × sex", "pair"), ("owner", "column"), ("label: price", "label")} <= kinds
    pair = next(r for r in rows if (r["variable"], r["value"]) == ("owner × sex", "self × m"))
    assert pair["repeats"] == 2
    assert 0.0 <= pair["accuracy_base_mean"] <= 1.0


def test_a_reference_that_differs_in_white_space_alone_is_told_apart():
    places = Partition(["cr\xa0end", "else"], np.array([0, 1]), [None, None])
    with pytest.raises(InputError) as refused:
        check_reference(Variable("place", "column", places, ("place",)), "cr end")
    assert str(refused.value) == (
        r"the reference of 'place': there is no segment 'cr end'; did you mean 'cr\xa0end', which "
        "differs in white space alone?"
    )
