"""What is hinted at, what tells other columns, and that nothing is hinted at without cause."""

import numpy as np
import pandas as pd
import pytest
import worlds

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.column_names import protected_attributes
from evencover.core.preparation.hints import changed, hints_before
from evencover.core.preparation.label_hints import skewness
from evencover.core.preparation.proxies import proxies, weighted_sum
from evencover.core.preparation.roles import assign_roles, profile_columns
from evencover.core.tables.table import Table
from evencover.sample_data import GENERATED

N = 600


def plain(n=N):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 3)).round(3), columns=["x", "z", "y"])
    return frame.assign(k=rng.choice(["a", "b"], n))


Z = plain()["y"].to_numpy()


def hints(frame, target="y", **options):
    settings = AuditSettings(target=target, **options)
    return hints_before(frame, settings, profile_columns(frame, settings))


def found(frame, **options):
    return [(hint.kind, hint.columns) for hint in hints(frame, **options)]


def codes(values, n=N):
    return np.random.default_rng(1).choice(values, n)


class TestOutputs:
    """Columns that hold what a model said: a feature would tell the label."""

    scored = plain().assign(pred=lambda f: (f["y"] + 0.5 * f["x"].abs()).round(2))
    scored = scored.assign(
        lower=scored["pred"] - 1.0 - scored["z"] ** 2, upper=scored["pred"] + 1.0
    )

    def test_one_option_audits_them_and_leaves_the_others_out(self):
        intervals, predictions = hints(self.scored)[:2]
        told = ": lower (lower end), upper (upper end), to be audited as they are."
        assert intervals.sentence.endswith(told)
        told = ": pred (prediction), to be audited before and after remedies."
        assert predictions.sentence.endswith(told)
        assert intervals.changes == {"lower": "lower", "upper": "upper", "drop": ("pred",)}
        assert predictions.changes == {"prediction": "pred", "drop": ("lower", "upper")}
        chosen = changed(AuditSettings(target="y", features=("x", "pred")), predictions.changes)
        assert (chosen.prediction, chosen.drop) == ("pred", ("lower", "upper"))
        assert chosen.features == ("x",)

    @pytest.mark.parametrize(
        ("given", "others"),
        [
            ({"lower": "lower", "upper": "upper"}, ("pred",)),
            ({"prediction": "pred"}, ("lower", "upper")),
        ],
    )
    def test_beside_those_that_are_audited_others_are_told(self, given, others):
        (hint,) = hints(self.scored, **given)
        assert (hint.kind, hint.changes) == ("outputs_beside", {"drop": others})
        assert hints(self.scored, **given, drop=others) == []

    def test_what_has_no_meaning_beside_them_refuses_no_hint(self):
        options = {"repeats": 2, "split": "0.5,0.2,0.3", "remedies": ("quantile",)}
        settings = AuditSettings(target="y", **options, measure="standard")
        intervals, predictions = hints_before(
            self.scored, settings, profile_columns(self.scored, settings)
        )[:2]
        assert changed(settings, intervals.changes).repeats == 1
        chosen = changed(settings, predictions.changes)
        assert (chosen.repeats, chosen.remedies, chosen.measure) == (2, ("quantile",), None)

    def test_ends_that_are_infinite_and_their_level(self):
        ends = {"lo80": [-np.inf, *self.scored["lower"][1:]], "hi80": self.scored["upper"]}
        (hint,) = hints(plain().assign(**ends))
        assert hint.changes == {"lower": "lo80", "upper": "hi80", "confidence_level": 0.8}
        told = "lo80 (lower end), hi80 (upper end), to be audited as they are, at the level 0.8 of"
        assert told in hint.sentence


class TestGroup:
    @pytest.mark.parametrize("name", ["patient_nbr", "orderId", "customer", "userid", "Policy No"])
    @pytest.mark.parametrize("as_text", [False, True])
    def test_ids_that_repeat_are_to_split_by(self, name, as_text):
        ids = pd.Series(np.repeat(np.arange(10_000, 10_300), 2))
        (hint,) = hints(plain().assign(**{name: ids.map("p{}".format) if as_text else ids}))
        assert hint.changes == {"group": name}
        assert "300 values in 600 rows" in hint.sentence

    def test_ids_that_nearly_all_differ_or_have_many_rows_each_are_to_split_by(self):
        ids = np.r_[np.arange(580), np.arange(20)] * 3 + 1
        assert found(plain().assign(user_id=ids)) == [("group", ("user_id",))]
        assert found(plain().assign(subject=np.arange(N) % 25)) == [("group", ("subject",))]

    def test_rows_that_are_grouped_or_judged_already(self):
        """Beside a split by time, or for ready-made intervals, ids say which errors go together."""
        frame = plain().assign(patient=np.repeat(np.arange(300), 2), day=np.arange(N), l=-9, u=9)
        assert found(frame, group="patient", drop=("l", "u")) == []
        for way in ({"time": "day", "drop": ("l", "u")}, {"lower": "l", "upper": "u"}):
            (hint,) = hints(frame, **way)
            assert hint.changes == {"group": "patient"}
            assert hint.sentence.endswith("by group, intervals and tests count whole values.")

    def test_a_panel_is_known_by_its_times(self):
        """Of whose rows each has one at a time: a chance of nil, whatever the name."""
        firms, years = pd.Series(np.arange(N) % 30).map("F{}".format), 1990 + np.arange(N) // 30
        panel = plain().assign(firm=firms, year=years).sample(frac=1.0, random_state=0)
        (hint,) = hints(panel, time="year")
        assert hint.changes == {"group": "firm"}
        assert hint.sentence.startswith("'firm' has a row for each 'year', or for most of them: 30")
        numbered = panel.assign(firm=panel["firm"].str[1:].astype(int) + 1)
        for name, is_unit in {"firm": True, "id": True, "county": True, "dose": False}.items():
            told = found(numbered.rename(columns={"firm": name}), time="year")
            assert (("group", (name,)) in told) == is_unit, name
        assert found(panel.assign(firm=codes([f"F{k}" for k in range(30)])), time="year") == []
        assert found(panel.rename(columns={"year": "dose"})) == []

    def test_rows_in_the_order_of_time(self):
        days = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N) // 3, "D")
        for when in (days, days[::-1]):
            (hint,) = hints(plain().assign(seen=when))
            assert hint.changes == {"time": "seen"}
        assert found(plain().assign(seen=np.random.default_rng(0).permutation(days))) == []
        assert found(plain().assign(size=np.arange(N) // 3)) == []
        months = days.strftime("%G week %V").to_numpy()
        assert ("time", ("week",)) in found(plain().assign(week=months, size=months))
        assert changed(AuditSettings(target="y", repeats=3), hint.changes).repeats == 1


class TestWeights:
    @pytest.mark.parametrize(
        "name", ["fnlwgt", "perwt", "instance weight", "WTINT2YR", "_LLCPWT", "sampleWeight"]
    )
    def test_weights_are_known_by_their_names(self, name):
        values = np.random.default_rng(0).lognormal(9.0, 1.0, N)
        (hint,) = hints(plain().assign(**{name: values}))
        assert (hint.kind, hint.changes) == ("weight", {"weight": name})
        (hint,) = hints(plain().assign(**{name: values, "hhwt": values**2}))
        assert hint.changes == {"weight": name, "drop": ("hhwt",)}
        (hint,) = hints(plain().assign(**{name: values, "w": 1.0}), weight="w")
        assert hint.changes == {"drop": (name,)}
        (hint,) = hints(plain().assign(**{name: values}), estimator="knn")  # which takes none
        assert hint.changes == {"drop": (name,)}

    def test_what_weighs_something_is_no_weight(self):
        values = np.random.default_rng(0).lognormal(4.0, 0.2, N)
        for name in ("weight", "body_weight", "lwt", "Gross Wt", "patient weight"):
            assert found(plain().assign(**{name: values})) == []
        divided = plain().assign(weight=values / values.mean())
        assert found(divided) == [("weight", ("weight",))]
        assert found(plain().assign(fnlwgt=values - 50.0)) == []  # some are negative


class TestCodes:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("code", range(1, 16)),
            ("zipcode", [98001, 98004, 98103, 98199]),
            ("admission_type_id", range(1, 6)),
            ("hour", range(24)),
            ("start hour", range(24)),
            ("mnth", range(1, 13)),
            ("day_of_week", range(7)),
        ],
    )
    def test_whole_numbers_that_are_codes_by_their_names(self, name, values):
        (hint,) = hints(plain().assign(**{name: codes(values)}))
        assert (hint.kind, hint.changes) == ("codes", {"categorical": (name,)})

    def test_one_hint_names_them_all_and_numbers_asked_for_are_left_alone(self):
        frame = plain().assign(code=codes(range(5)), hour=codes(range(24)))
        assert found(frame) == [("codes", ("code", "hour"))]
        assert found(frame, numeric=("hour",)) == [("codes", ("code",))]
        assert found(frame, categorical=("hour",)) == [("codes", ("code",))]

    @pytest.mark.parametrize("name", ["diag", "what"])
    def test_texts_that_are_mostly_digits(self, name):
        values = ["250.83", "401", "428", "518", "276"] * 4 + ["V58", "E849"]
        frame = plain().assign(**{name: codes(values)})
        assert found(frame) == [("codes", (name,))]
        used = AuditSettings(target="y", categorical=(name,))
        kinds = {p.name: (p.role, p.kind) for p in profile_columns(frame, used)}
        assert kinds[name] == ("feature", "category")


class TestLabel:
    def test_a_skewed_label_suggests_its_logarithm_but_not_where_there_are_zeros(self):
        frame = plain().assign(y=lambda f: np.exp(f["y"]))
        (hint,) = hints(frame)
        assert (hint.kind, hint.changes) == ("logarithm", {"log_target": True})
        assert found(frame, log_target=True) == []
        frame.loc[:6, "y"] = 0.0
        assert found(frame) == []

    @pytest.mark.long
    def test_symmetric_labels_are_hardly_ever_taken_for_skewed(self):
        rng = np.random.default_rng(0)
        times = [found(plain(100).assign(y=rng.normal(10.0, 1.0, 100).round(6))) for _ in range(50)]
        assert times.count([]) == 50


class TestLeaks:
    def counts(self):
        rng = np.random.default_rng(2)
        frame = plain().drop(columns="y").assign(a=rng.poisson(20, N), b=rng.poisson(90, N))
        return frame.assign(y=frame["a"] + frame["b"])

    def test_a_sum_or_nearly_one_is_named(self):
        (hint,) = hints(self.counts())
        assert (hint.kind, hint.changes) == ("leak", {"drop": ("a", "b")})
        assert "y = a + b;" in hint.sentence
        noise = np.random.default_rng(3).normal(0.0, 0.05, N)
        (hint,) = hints(self.counts().assign(y=lambda f: 2.0 * f["a"] - f["b"] + 30.0 + noise))
        assert hint.columns == ("a", "b")
        assert "y = 2 a - b + 30;" in hint.sentence

    def test_what_predicts_well_is_no_leak(self):
        noise = np.random.default_rng(3).normal(0.0, 1.0, N)
        assert found(self.counts().assign(y=lambda f: f["a"] + f["b"] + noise)) == []

    @pytest.mark.parametrize("change", [np.exp, lambda y: 2.0 * y + 1.0, lambda y: y + 1e-3])
    def test_a_copy_in_other_units_is_named(self, change):
        (hint,) = hints(plain(2000).assign(copy=lambda f: change(f["y"])))
        assert (hint.kind, hint.changes) == ("leak", {"drop": ("copy",)})

    def test_classes_by_another_name(self):
        frame = plain().assign(y=lambda f: np.where(f["k"] == "a", "yes", "no"))
        assert found(frame) == [("leak", ("k",))]

    def test_a_label_that_is_known_of_some_rows_or_rounded_logarithms(self):
        known = np.where(np.arange(N) % 3 == 0, Z, np.nan)
        assert found(plain().assign(copy=known)) == [("leak", ("copy",))]
        frame = plain().assign(y=np.exp(Z), copy=Z.round(2))
        assert ("leak", ("copy",)) in found(frame, log_target=True)

    @pytest.mark.parametrize("as_text", [False, True])
    def test_a_flag_that_only_one_class_has(self, as_text):
        """All of the first class have it, and few others; a kind that is known of them alone."""
        y = np.arange(N) % 2
        flag = np.where(np.arange(N) % 40 == 1, 0, y)
        charge = pd.Series(codes(["F3", "M1"])).where(flag == 1)
        frame = plain().assign(y=y, flag=flag, charge=charge)
        frame = frame.assign(y=np.where(y == 1, "yes", "no")) if as_text else frame
        assert found(frame) == [("leak", ("flag", "charge"))]
        mixed = np.where(np.arange(N) % 40 < 2, 1 - y, y)  # tells as much, but holds for both
        assert found(plain().assign(y=y, flag=mixed)) == []

    def test_a_column_far_from_floats_or_with_gaps(self):
        frame = self.counts()
        frame.loc[3, "x"] = np.inf
        frame.loc[5, "z"] = np.nan
        assert found(frame) == [("leak", ("a", "b"))]


class TestSensitive:
    def test_names_and_proxies(self):
        rng = np.random.default_rng(5)
        frame = plain().assign(
            race=rng.choice(["u", "v", "w"], N), marital_status=codes(["m", "s"])
        )
        frame["suburb"] = frame["race"] + rng.choice(["1", "2"], N)
        protected, proxy = hints(frame, audit_only=("race",))
        assert protected.changes == {"audit_only": ("marital_status",)}
        assert protected.sentence == (
            "The model and the adjustment use 'marital_status', which by name may be protected "
            "(marital status); audit only, it would be kept out of both, and coverage still be "
            "shown by it. If it is not, name it as not protected."
        )
        assert hints(frame, audit_only=("race",), not_protected=("marital_status",)) == [proxy]
        assert proxy.changes == {"audit_only": ("suburb",)}
        told = "alone tells the audit-only column 'race' almost perfectly (100 % of it)"
        assert told in proxy.sentence

    def test_of_a_model_of_ones_own(self):
        """Its predictions are adjusted over the features; nothing is fitted for its intervals."""
        frame = plain().assign(
            gender=codes(["f", "m"]), month=codes(range(1, 13)), said=0.0, least=-9.0, most=9.0
        )
        others = {"features": ("gender", "month")}
        protected, _ = hints(frame, prediction="said", **others)
        assert protected.sentence == (
            "The adjustment uses 'gender', which by name may be protected (sex); audit only, it "
            "would be kept out of it, and coverage still be shown by it. If it is not, name it as "
            "not protected."
        )
        ready_made = {"lower": "least", "upper": "most"}
        assert found(frame, **ready_made, **others) == [("codes", ("month",))]


class TestReading:
    def test_numbers_that_are_taken_for_classes(self):
        (hint,) = hints(plain().assign(y=codes([1000.5, 2000.0, 3500.0])))
        assert (hint.kind, hint.changes) == ("task", {"task": "regression"})
        for values in ([0, 1], [0, 1, 2, 3], ["1", "2a", "3"]):
            assert found(plain().assign(y=codes(values))) == []

    def test_a_year_stands_for_no_missing_value(self):
        years = codes([92, 95, 99])
        assert found(plain().assign(year=years)) == []
        assert found(plain().assign(of=years)) == [("missing", ("of",))]

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            # numbers far from the others
            ([-99, *range(1000, 1400)], ["-99"]),
            ([-9, *range(5)], ["-9"]),
            ([99, *range(1, 8)], ["99"]),
            ([9999.0, 0.25, 0.5, 0.75], ["9999"]),
            ([99, *range(60, 99)], []),
            ([9, *range(8)], []),
            ([-99.5, *range(8)], []),
            ([-1, 0, 1], []),
            ([0, 99], []),
            # words among numbers
            (["Not applicable", *map(str, range(30))], ["Not applicable"]),
            (["refused", "unknown so far", *map(str, range(30))], ["refused", "unknown so far"]),
            (["a", "b", *map(str, range(8))], []),
            (["V57", *map(str, range(30))], []),
            (["a", "b", "c", "d", *map(str, range(30))], []),
        ],
    )
    def test_what_may_stand_for_a_missing_value(self, values, words):
        rows = np.where(np.arange(N) % 3 == 0, np.arange(N) // 3, 0) % len(values)
        rows[: len(words)] = range(len(words))
        frame = plain().assign(of=np.array(values, dtype=object)[rows]).infer_objects()
        if isinstance(values[0], str):
            frame["of"] = frame["of"].astype("str")
        given = [hint for hint in hints(frame) if hint.kind == "missing"]
        assert [hint.changes for hint in given] == [{"missing_in": (("of", (*words,)),)}] * bool(
            words
        )
        if given:
            settings = changed(AuditSettings(target="y", audit_only=("of",)), given[0].changes)
            assert settings.audit_only == ("of",)
            profiles = profile_columns(frame, settings)
            (profile,) = [each for each in profiles if each.name == "of"]
            assert (profile.kind, profile.missing_share > 0.05) == ("number", True)
            assert "missing" not in [h.kind for h in hints_before(frame, settings, profiles)]

    def test_what_means_missing_is_added_to_what_did(self):
        settings = AuditSettings(target="y", missing_in={"a": ["-9"]})
        new = changed(settings, {"missing_in": (("b", ("99",)),)}).missing_in
        assert new == (("a", ("-9",)), ("b", ("99",)))

    def test_classes_and_categories_in_several_writings(self):
        frame = plain().assign(
            y=codes([">50K", ">50K.", "<=50K"]), k=codes(["New York", "new  york"])
        )
        (hint,) = hints(frame)
        assert (hint.kind, hint.columns, hint.changes) == ("variants", ("y", "k"), None)
        assert "'>50K' and '>50K.'" in hint.sentence or "'>50K.' and '>50K'" in hint.sentence
        assert found(plain().assign(k=codes(["a", "A", "a."]))) == []  # grades, perhaps


class TestFixes:
    @pytest.mark.parametrize(
        ("changes", "given", "expected"),
        [
            ({"log_target": True}, {}, {"log_target": True}),
            ({"group": "a"}, {"features": ("a", "b")}, {"features": ("b",), "group": "a"}),
            ({"group": "a"}, {"drop": ("a",)}, {"drop": (), "group": "a"}),
            ({"drop": ("a",)}, {"drop": ("b",)}, {"drop": ("b", "a")}),
            ({"audit_only": ("a",)}, {"drop": ("a",)}, {"drop": (), "audit_only": ("a",)}),
            (
                {"categorical": ("a",)},
                {"numeric": ("a",), "features": ("a", "b")},
                {"numeric": (), "features": ("a", "b"), "categorical": ("a",)},
            ),
        ],
    )
    def test_columns_lose_their_other_roles(self, changes, given, expected):
        settings = AuditSettings(target="y", **given)
        assert changed(settings, changes) == AuditSettings(target="y", **expected)

    def test_what_was_mended_is_not_hinted_at_again(self):
        more = {"hour": codes(range(24)), "gender": ["f", "m", "m"] * 200}
        frame = TestLeaks().counts().assign(patient=np.repeat(np.arange(300), 2), **more)
        settings = AuditSettings(target="y")
        kinds = []
        while given := hints_before(frame, settings, profile_columns(frame, settings)):
            kinds.append(given[0].kind)
            settings = changed(settings, given[0].changes)
        assert kinds == ["protected", "group", "codes", "leak"]


class TestNothing:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
            # not to split by
            ("user_id", np.arange(N) * 3),  # none repeats
            ("area", np.repeat(np.arange(300), 2)),
            ("customer", np.arange(N) / 4 // 0.5 / 2),  # halves are amounts
            ("owner", np.arange(N) % 3),
            # no codes
            ("hour", codes(range(0, 99, 3))),  # beyond a day
            ("hours_per_week", codes(range(20))),
            ("distance_to_store", codes(range(20))),
            ("months", codes(range(1, 13))),
            ("code", codes([0.5, 1.5, 2.5])),
            ("type", codes([0, 1])),
            ("zip_code", codes(range(10_000, 10_300))),  # each too rare to be told apart
            ("rooms", codes(range(1, 7))),
            # a word or a slip among numbers, which is to be mended
            *(
                ("a", [*(str(i % 7) for i in range(N - len(odd))), *odd])
                for odd in (("n/k",), ("V58",), ("1O", "2O"), ("12 m", "15m"), ("a", "b"))
            ),
            # labels not to be modelled by their logarithm
            ("y", Z + 10.0),
            ("y", np.exp(Z) - 1.0),  # not positive
            ("y", 1000.0 + np.exp(Z)),  # whose logarithm is as skewed
            ("y", -np.exp(Z)),
            ("y", np.where(np.arange(N) % 50 == 0, 1e4, 20.0 + Z)),  # a few far away
        ],
    )
    def test_of_other_columns(self, name, values):
        assert found(plain().assign(**{name: values})) == []

    @pytest.mark.parametrize("name", GENERATED)
    def test_of_samples_only_the_ages_are_hinted_at(self, name):
        sample = GENERATED[name]()
        options = {"log_target": sample.log_target, "audit_only": sample.audit_only}
        kinds = found(sample.frame, target=sample.target, drop=sample.drop, **options)
        assert [kind for kind, _ in kinds] == ["protected"] * (name != "kernels")

    @pytest.mark.parametrize("kind", worlds.KINDS)
    def test_of_faultless_tables(self, kind):
        frame, settings = worlds.null_model(kind, 1, 1000)
        assert hints_before(frame, settings, profile_columns(frame, settings)) == []

    @pytest.mark.parametrize("value", [np.inf, 1e120, 10**400])
    def test_of_what_an_audit_refuses(self, value):
        for column in ("x", "y"):
            frame = plain().assign(gender=codes(["f", "m"])).astype({column: object})
            frame.loc[3, column] = value
            assert found(frame, audit_only=("x",)) == [("protected", ("gender",))]

    def test_without_a_label(self):
        assert found(plain().assign(y=np.nan)) == []


def test_skewness_by_hand():
    """Of 0, 1, ..., 100 the percentiles are 5, 50 and 95; squared 25, 2500 and 9025."""
    values = np.arange(101.0)
    assert skewness(values) == pytest.approx(0.0)
    assert skewness(values**2) == pytest.approx((9025 + 25 - 5000) / 9000)
    assert skewness(np.ones(9)) == 0.0


PEOPLE = 2000


def people():
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, PEOPLE)
    race = rng.choice(["x", "y", "z"], PEOPLE, p=[0.6, 0.3, 0.1])
    return pd.DataFrame(
        {
            "age": age,
            "race": race,
            "income": rng.lognormal(size=PEOPLE),
            "height": rng.normal(size=PEOPLE),
            "city": np.where(
                race == "x", rng.choice(["a", "b"], PEOPLE), rng.choice(["c", "d"], PEOPLE)
            ),
            "y": rng.normal(size=PEOPLE),
        }
    )


def features_and_reasons(frame, audit_only, **options):
    settings = AuditSettings(target="y", audit_only=audit_only, **options)
    roles = assign_roles(Table.of(frame), settings)
    return roles.features, roles.dropped


@pytest.mark.parametrize(
    ("hidden", "make"),
    [
        ("age", lambda f: f["age"]),
        ("age", lambda f: 2024 - f["age"]),
        ("age", lambda f: f["age"].map("{} years".format)),
        ("race", lambda f: f["race"]),
        ("race", lambda f: f["race"].map({"x": 3, "y": 1, "z": 2})),
        ("race", lambda f: f["race"].str.upper() + " "),
        ("income", lambda f: f["income"]),
        ("income", lambda f: np.log(f["income"])),
        ("income", lambda f: -3.0 * f["income"]),
        ("born", lambda f: (f["born"] - pd.Timestamp("1970-01-01")).dt.days),
        ("born", lambda f: f["born"].dt.strftime("%d.%m.%Y")),
    ],
)
@pytest.mark.parametrize("asked_for", [False, True])
def test_what_says_the_same_is_left_out(hidden, make, asked_for):
    days = np.random.default_rng(1).permutation(40_000)[:PEOPLE]
    born = pd.Timestamp("1900-01-01") + pd.to_timedelta(days, "D")
    frame = people().assign(born=born).assign(other=make)
    options = {"features": ("height", "other")} if asked_for else {}
    features, reasons = features_and_reasons(frame, (hidden,), **options)
    assert "other" not in features
    assert reasons["other"] == f"says the same as the audit-only column {hidden}"
    assert "height" in features


def test_a_name_for_what_is_missing_makes_no_other_column():
    frame = people()
    frame.loc[::7, "race"] = None
    told = frame["race"].map({"x": "1", "y": "2", "z": "3"}).fillna("unknown")
    features, reasons = features_and_reasons(frame.assign(other=told), ("race",))
    assert "other" not in features
    assert reasons["other"] == "says the same as the audit-only column race"


def test_what_says_less_or_is_merely_as_varied_stays():
    frame = people().assign(
        old=lambda f: f["age"] > 60, other=lambda f: f["age"].shift(1, fill_value=40)
    )
    features, _ = features_and_reasons(frame, ("age", "race", "income"))
    assert features == ("height", "city", "old", "other")


def test_missing_values_are_part_of_what_is_said():
    frame = people()
    frame.loc[::7, "race"] = None
    frame["same"] = frame["race"].map({"x": "1", "y": "2", "z": "3"})
    frame["filled"] = frame["same"].fillna("1")
    features, reasons = features_and_reasons(frame, ("race",))
    assert "same" in reasons
    assert "filled" in features


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("âge", "age"),
        *(("éage", None), ("ñsex", None), ("house_age", None), ("housing_median_age", None)),
        *(("sex", "sex"), ("applicantSex", "sex"), ("SEX2", "sex"), ("Gender", "sex")),
        *(("ageOfRoof", None), ("car_owner_sex", "sex"), ("household_age", "age")),
        *(("age_years", "age"), ("customer age", "age"), ("date_of_birth", "age"), ("DOB", "age")),
        *(("customerage", "age"), ("applicantsex", "sex"), ("maritalstatus", "marital status")),
        *(("dateofbirth", "age"), ("nativecountry", "nationality"), ("racecode", "race")),
        *((name, None) for name in ("bandage", "storage", "cottage", "percentage", "homeage")),
        *(("native-country", "nationality"), ("maritalStatus", "marital status")),
        *(("black", "race"), ("nwhite", "race"), ("racepctblack", "race"), ("pct_asian", "race")),
        *(("MARRIAGE", "marital status"), ("relationship", "marital status")),
        *((name, None) for name in ("white_wine", "black_box", "marriage_rate")),
        *(("maritalcat", "marital status"), ("foreign_worker", "nationality")),
        *(("Race/Ethnicity", "race"), ("has_disability", "disability"), ("religion", "religion")),
        *((name, None) for name in ("page", "sexton", "stage", "average", "trace", "racecourse")),
        *((name, None) for name in ("mileage", "country", "language", "essex", "package", "x1")),
    ],
)
def test_names_are_read_by_their_words(name, attribute):
    assert protected_attributes([name]) == ({} if attribute is None else {name: attribute})


def test_a_proxy_is_told_and_what_is_only_related_is_not():
    rng = np.random.default_rng(1)
    frame = people().assign(
        birth=lambda f: 2024 - f["age"] + rng.integers(0, 2, PEOPLE),
        suburb=lambda f: f["race"] + rng.integers(0, 5, PEOPLE).astype(str),
        related=lambda f: f["age"] + rng.normal(0.0, 20.0, PEOPLE),
    )
    features = ["income", "height", "birth", "suburb", "related"]
    found = proxies(Table.of(frame), features, ("age", "race"))
    assert [(feature, hidden) for feature, hidden, _ in found] == [
        ("birth", "age"),
        ("suburb", "race"),
    ]
    assert all(0.9 <= told <= 1.0 for *_, told in found)


def test_the_share_told_of_a_category():
    """``city`` tells x from the others, of which y is the commoner: 0.1 of 0.4 errors are left."""
    frame = people()
    assert proxies(Table.of(frame), ["city"], ("race",)) == []
    two = frame.assign(race=frame["race"].replace("z", "y"))
    assert proxies(Table.of(two), ["city"], ("race",)) == [("city", "race", 1.0)]


def test_the_sum_leaves_out_what_it_does_not_need():
    """z is y and some noise, so that it is taken first; a and b then tell all."""
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 600))
    X = np.column_stack([a + b + 0.1 * rng.normal(size=600), a, b])
    assert weighted_sum(X, a + b, ["z", "a", "b"]) == (["a", "b"], "a + b")
    assert weighted_sum(X[:, :2], a + b, ["z", "a"]) == ([], "")
    assert weighted_sum(X[:, :0], a + b, []) == ([], "")
    assert weighted_sum(X, np.sign(a) * 5e-324, ["z", "a", "b"]) == ([], "")


def test_what_is_named_as_not_protected_is_no_more_told_by_its_name_and_must_exist():
    frame = plain().assign(gender=codes(["f", "m"]), age=codes(range(20, 60)))
    assert found(frame) == [("protected", ("gender", "age"))]
    assert found(frame, not_protected=("age",)) == [("protected", ("gender",))]
    assert found(frame, not_protected=("gender", "age")) == []
    assert protected_attributes(["gender", "age"], ("age",)) == {"gender": "sex"}
    asked = AuditSettings(target="y", not_protected=("agee",))
    with pytest.raises(InputError, match="'agee'"):
        profile_columns(frame, asked)


def test_ticks_of_protected_columns_leave_features_that_are_named_as_they_are():
    asked = AuditSettings(target="y", features=("age", "gender", "x0"))
    new = changed(asked, {"audit_only": ("gender",), "not_protected": ("age",)})
    assert (new.features, new.audit_only) == (("age", "x0"), ("gender",))
    assert new.not_protected == ("age",)
