"""The report: every figure in it is that of the JSON result, and it holds no row of the table."""

import html
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from reading import Reading, agrees
from same import without_times

from evencover.core import AuditSettings, InputError, audit
from evencover.core.experiment.result import DroppedColumn
from evencover.core.messages import Names, Sentence
from evencover.core.report.result import HEADLINE, Finding, to_json
from evencover.core.tables.table import Origin
from evencover.dashboard.commands import main as cli
from evencover.dashboard.commands import table_and_settings
from evencover.dashboard.export.report import to_html
from evencover.dashboard.wording import page_texts
from evencover.dashboard.wording.formatting import predictors
from evencover.dashboard.wording.rows import with_words
from evencover.dashboard.wording.tables import TABLES
from evencover.sample_data import load_sample

PREDICTORS = {"before (base)": "base", "after (IFACM)": "ifacm"}


@pytest.fixture(scope="module", params=["regression", "classification"])
def audited(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def told(audited):
    return json.loads(json.dumps(to_json(audited)))


@pytest.fixture(scope="module")
def report(audited):
    return Reading(to_html(audited))


def test_the_words_are_explained(regression):
    _, _, after = to_html(regression).partition('<section id="words">')
    words, _, _ = after.partition("</section>")
    for term, meaning in page_texts.GLOSSARY.items():
        assert f"<dt>{html.escape(term)}</dt><dd>{html.escape(meaning, quote=False)}</dd>" in (
            words.replace("&#39;", "'").replace("&#34;", '"')
        )


def assert_same(shown, rows, names):
    """Every row of the result is shown, with the same figures; in which order is not told here."""
    assert len(shown) == len(rows) > 0
    left = list(rows)
    for cells in shown:
        found = [
            row
            for row in left
            if all(
                agrees(PREDICTORS.get(cells[name], cells[name]), row[field])
                for name, field in names.items()
            )
        ]
        assert found, cells
        left.remove(found[0])


def fields_of(name, result):
    """The fields that a table shows, by its columns' titles."""
    spec = next(spec for spec in TABLES if spec.name == name)
    columns = spec.shown(spec.rows(result), predictors(result))
    titles = {column.title: column.key for column in columns}
    assert len(titles) == len(columns)
    return titles


@pytest.mark.parametrize(
    "name",
    [
        *("overview", "other_measures", "segments", "gaps", "size_strata", "worst_segments"),
        *("audit_only", "iterations", "coefficients", "periods"),
    ],
)
def test_a_table_shows_the_rows_of_the_result(report, told, audited, name):
    rows = told.get(name, told["results"])
    if name == "other_measures":
        rows = [row for row in rows if row["segment"] == "test"]
    if not rows:
        assert (name not in report.tables, audited.repeats is None) == (True, False)
        return
    if name == "segments":  # labels, and groups of under 20 rows, are not judged
        judged = [row["kind"] != "label" and row["n"] >= 20 for row in rows]
        assert [row["status"] is not None for row in rows] == judged
    titles = fields_of(name, audited)
    assert set(report.rows(name)[0]) == set(titles)
    in_json = {title: key for title, key in titles.items() if key in rows[0]}
    assert set(titles) - set(in_json) <= {"remark", "counted in"}
    assert_same(report.rows(name), with_words(rows), in_json)


def test_repeats_are_those_of_the_result(classification):
    shown = Reading(to_html(classification)).rows("repeats")
    rows = to_json(classification)["repeats"]["results"]
    figures = {"accuracy": "accuracy", "inefficiency": "inefficiency", "DCV": "dcv"}
    names = {"rows": "segment", "predictor": "algorithm", "audits": "repeats"}
    names |= {name: f"{field}_mean" for name, field in figures.items()}
    names |= {f"± {name}": f"{field}_sd" for name, field in figures.items()}
    assert_same(shown, rows, names)


def test_segments_come_with_the_largest_shortfalls_first(report, told):
    def rows_missed(row):
        return row["n"] * (told["settings"]["cl"] - row["accuracy_base"])

    by_name = {(row["variable"], row["value"]): row for row in told["segments"]}
    shown = [by_name[row["variable"], row["segment"]] for row in report.rows("segments")]
    sizes = [(row["kind"] != "label", rows_missed(row)) for row in shown if row["n"]]
    assert sizes == sorted(sizes, reverse=True)


def test_its_sentences_are_those_of_the_result(report, told):
    topics = {finding["topic"] for finding in told["findings"]}
    assert {"coverage", "remedy", "advice", "dependence"} <= topics
    for sentence in [*told["headline"], *(finding["sentence"] for finding in told["findings"])]:
        assert sentence in report.texts["findings"]
    for sentence in told["notes"]:
        assert sentence in report.texts["data"]


def is_low(row):
    """Whether it is too low before; rows of the JSON say what became of it."""
    return row["status"] not in (None, "fine", "new")


def low_groups(told):
    """Those too low before; a rule on the same rows as a segment has another half of them."""
    return [row for row in told["segments"] if is_low(row)]


def test_its_first_page_says_who_how_much_and_what_becomes_of_them(report, told, audited):
    lead, fates, steps = (report.texts.get(id_, "") for id_ in ("lead", "fates", "steps"))
    low = low_groups(told)
    assert [len(low), len(audited.too_low("base"))] == ([2, 2] if low else [0, 0])
    level = f"{100 * told['settings']['cl']:g} %"
    if not low:
        test = next(row for row in told["results"] if row["segment"] == "test")
        assert f"{100 * test['accuracy']:.1f} % of {told['data']['test']} test rows" in lead
        assert level in lead
        assert fates == ""
        assert steps.startswith("What now? Keep the predictor as it was before")
        return
    worst = max(low, key=lambda row: row["n"])
    shares = [f"{100 * worst[f'accuracy_{by}']:.1f} %" for by in ("base", "adjusted")]
    assert f"{shares[0]} of {worst['n']} test rows are covered, not the {level} promised" in lead
    assert f"{' → '.join(shares)}, {worst['status']}" in fates
    assert fates.startswith("What becomes of whom with IFACM, as advised")
    assert steps.startswith("What now? Use the adjusted predictor (IFACM).")


def test_its_three_figures_are_those_of_the_result(report, told):
    base, after = (row for row in told["results"] if row["segment"] == "test")
    shown, low = report.texts["figures"], low_groups(told)
    if not low:  # the advice is to keep what was before, so that nothing after it is shown
        judged = [row for row in told["segments"] if row["status"] is not None]
        least = 100 * min(row["accuracy_base"] for row in judged)
        size = f"Mean set size{base['inefficiency_original_units']:,.4g}"
        rows = f"All test rows{100 * base['accuracy']:.1f} %"
        assert "before" not in shown
        assert f"{least:.1f} % {rows} {size}" in shown
        return
    worst = max(low, key=lambda row: row["n"])
    of = [(worst["accuracy_base"], worst["accuracy_adjusted"])]
    of.append((base["accuracy"], after["accuracy"]))
    for was, then in of:
        assert f"{100 * then:.1f} %before {100 * was:.1f} %" in shown
    size = after["inefficiency_original_units"]
    assert f"{size:,.4g}before {base['inefficiency_original_units']:,.4g}" in shown


def test_its_second_page_says_what_is_promised_and_is_signed(report, told, audited):
    promises, signed = report.texts["promises"], report.texts["signed"]
    for by in audited.predictors:
        assert by.guarantee in promises
        assert f"'{by.title}'" in promises
    assert told["data"]["fingerprint"] == report.texts["fingerprint"]
    seeds = [0, 1][: told["settings"]["repeats"]]
    assert f"Seed{', '.join(map(str, seeds))} Settings" in signed
    assert f"confidence level {told['settings']['cl']:g}" in signed
    assert report.texts["command"].startswith("evencover audit")
    assert report.texts["command"] in signed
    assert signed.endswith("NameDateSignature")


def in_a_rule(variable, value):
    """A column's segment as a condition: a band is told by its ends."""
    low, to, high = value.partition(" to ")
    if to:
        return f"{low} <= {variable} < {high}"
    return f"{variable} {value}" if value[0] in "<>" else f"{variable} = {value}"


def of_group(told, name):
    """The JSON's row of a group by its name, such as "place = Ayr and x0 >= 0.6", or of a rule."""
    for row in told["segments"]:
        parts = zip(row["variable"].split(" × "), row["value"].split(" × "), strict=True)
        if name in (row["rule"], " and ".join(in_a_rule(*part) for part in parts)):
            return row
    return next(row for row in told["worst_segments"] if row["rule"] == name)


def drawn(page):
    """The picture of who is failed: share of each group's marks and band, read off the ticks."""
    picture = page[page.index('<svg role="img"') : page.index("</svg></figure>")]
    svg = ET.fromstring(picture + "</svg>")  # noqa: S314 - our own
    texts = [text for text in svg.findall("text") if text.text.endswith(" %")]
    ticks = {float(text.text[:-2]): float(text.get("x")[:-1]) for text in texts}
    (low, left), *_, (high, right) = sorted(ticks.items())

    def share(one, key="x"):
        return low + (float(one.get(key)[:-1]) - left) * (high - low) / (right - left)

    groups = {}
    for group in svg.findall("svg"):
        level, *marks = group.findall("svg")
        (band,) = group.findall("rect")
        width = float(band.get("width")[:-1]) * (high - low) / (right - left)
        told = "".join(group.find("text").itertext())
        groups[told] = share(level), [*map(share, marks)], (share(band), share(band) + width)
    return groups


def test_the_picture_shows_each_group_where_the_result_has_it(audited, told):
    page, level = to_html(audited), 100.0 * told["settings"]["cl"]
    groups = drawn(page)
    assert len(groups) == 6
    for words, (line, marks, (low, high)) in groups.items():
        name, _, rest = words.partition(", n = ")
        n, *sure = rest.split(", ")
        row = of_group(told, name)
        counts = [row["n"], row["n_test"]] if "n_test" in row else [row["n"]]
        assert n == " of ".join(f"{count:,}" for count in counts)
        shown = [text for text in sure if text.startswith(("too low", "→ "))]
        assert bool(shown) == is_low(row)
        shares = [100.0 * row[f"accuracy_{by}"] for by in ("base", "adjusted")]
        assert marks == pytest.approx(shares, abs=0.02)
        assert line == pytest.approx(level, abs=0.02)
        # the level itself is a common outcome; so many rows have it by chance within some 3 SD
        assert low < level < high
        assert high - low == pytest.approx(
            2 * 196.0 * (level * (100 - level) / 1e4 / row["n"]) ** 0.5, rel=0.6
        )
    described = Reading(page).texts["who-desc"]
    assert all(words.split(", n = ")[0] in described for words in groups)


def test_its_settings_data_and_versions_are_those_of_the_result(report, told):
    shown = {row["setting"]: json.loads(row["value"]) for row in report.rows("settings")}
    assert shown == told["settings"]
    data = told["data"]
    for count in ("rows", "train", "calibration", "test"):
        assert f"{data[count]:,}" in report.texts["top"]
    assert ", ".join(data["features"]) in report.texts["data"]
    assert f"Evencover {told['settings']['version']}, Python 3." in report.texts["repeat"]
    assert f"total {told['seconds']['total']:.1f}" in report.texts["repeat"]


def test_a_name_may_hold_anything(regression):
    name = '<script>alert("1")</script> & *a* $x$'
    segments = [
        replace(row, variable=name, value=f"</script><b>{row.variable} {row.value}", rule="")
        for row in regression.segments
    ]
    odd = replace(
        regression,
        segments=segments,
        notes=[Sentence("odd", "{name}", name=name)],
        findings=[Finding("odd", "coverage", "base", name)],
    )
    page = Reading(to_html(odd))
    assert {row["variable"] for row in page.rows("segments")} == {name}
    assert name in page.texts["findings"]
    assert any(one.startswith(name[:20]) for one in drawn(to_html(odd)))
    assert name in page.texts["data"]
    ticks = page.charts["segments-1"]["layout"]["yaxis"]["ticktext"]
    assert all(tick.startswith("&lt;/script&gt;&lt;b&gt;") for tick in ticks)


def test_no_name_turns_or_hides_what_stands_beside_it_or_is_a_place_for_a_word():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x\u202e": rng.normal(size=200), "\u2066z": rng.choice(["a\x1b", "b"], 200)}
    ).assign(**{"{}": rng.normal(size=200), "{x}": rng.normal(size=200)})
    frame["y\u202e{0}"] = frame["x\u202e"] + rng.normal(size=200)
    asked = AuditSettings(target="y\u202e{0}", audit_only=("\u2066z",), remedies=("none",))
    page = to_html(audit(frame, asked, origin=Origin("\u202ecsv.exe")), examples=3)
    (row, *_) = Reading(page).rows("examples")
    assert {"{}", "{x}", r"label y\u202e{0}"} <= set(row)
    shown = page.partition('<section id="repeat">')[0]  # the command is for a shell
    assert r"x\u202e" in shown
    assert not {"\u202e", "\u2066", "\x1b"} & set(shown)


def test_the_histogram_shows_the_bins_of_the_result(report, told):
    chart = report.charts["histogram"]
    for trace, algorithm in zip(chart["data"], ("base", "ifacm"), strict=True):
        bins = [row for row in told["probabilities"] if row["algorithm"] == algorithm]
        assert trace["y"] == [row["n"] for row in bins]
        assert trace["customdata"] == [[row["low"], row["high"]] for row in bins]
        assert trace["x"] == [(row["low"] + row["high"]) / 2.0 for row in bins]
        assert sum(trace["y"]) == told["data"]["test"]
    row = next(row for row in told["results"] if row["segment"] == "test")
    band, line = chart["layout"]["shapes"]
    assert (band["x0"], band["x1"]) == (row["noise_low"], row["noise_high"])
    assert line["x0"] == line["x1"] == told["settings"]["cl"]


@pytest.mark.parametrize("segment", ["training", "test"])
def test_the_coefficient_charts_show_those_of_the_result(report, told, segment):
    for trace, algorithm in zip(
        report.charts[f"coefficients-{segment}"]["data"], ("base", "ifacm"), strict=True
    ):
        of_feature = {
            row["feature"]: row
            for row in told["coefficients"]
            if (row["segment"], row["algorithm"]) == (segment, algorithm)
        }
        rows = [of_feature[feature] for feature in trace["y"]]
        assert len(rows) == len(of_feature)
        assert trace["x"] == [row["coefficient"] for row in rows]
        assert trace["error_x"]["array"] == [1.96 * row["standard_error"] for row in rows]


def test_the_layer_charts_show_the_path_of_the_result(regression):
    page, told = Reading(to_html(regression)), to_json(regression)
    base = next(row for row in told["results"] if row["segment"] == "training")
    drawn = page.charts["path"]["data"][0]
    for axis, name in (("y", "dcv"), ("x", "inefficiency")):
        expected = [row[name] for row in (base, *told["iterations"])]
        assert drawn[axis] == pytest.approx(expected, rel=1e-8)


def test_layers_are_of_the_first_adjustment_with_some_and_say_whose(regression):
    steps = regression.replays["ifacm"]
    idle = [replace(steps[0], predictor="ifacm-floor")]
    page = to_html(replace(regression, replays={"ifacm-floor": idle, "ifacm": steps}))
    drawn = Reading(page).charts["path"]["data"][0]["y"]
    assert drawn == [step.training_dcv for step in steps]
    assert "<h2>Layers of the adjustment (IFACM)</h2>" in page


def test_the_segment_charts_are_of_the_variables_with_the_largest_shortfalls(report, told):
    level, watched = told["settings"]["cl"], told["settings"]["audit_only"]
    assert len([name for name in report.charts if name.startswith("watched")]) == len(watched)
    shortfalls = {}
    for row in told["segments"]:
        if row["n"] and row["kind"] != "label" and row["variable"] not in watched:
            short = row["n"] * (level - row["accuracy_base"])
            shortfalls[row["variable"]] = max(short, shortfalls.get(row["variable"], -1e9))
    largest_first = sorted(shortfalls, key=shortfalls.get, reverse=True)
    assert len(largest_first) <= 12
    for number, variable in enumerate(largest_first, 1):
        rows = [row for row in told["segments"] if row["variable"] == variable and row["n"]]
        if not any(row["is_band"] for row in rows):
            rows.sort(key=lambda row: row["n"] * (row["accuracy_base"] - level))
        before, after, *beyond = report.charts[f"segments-{number}"]["data"]
        assert {trace["name"] for trace in beyond} <= {"beyond the axis"}
        drawn = report.charts[f"segments-{number}"]["config"]["toImageButtonOptions"]
        assert drawn["filename"].startswith("-".join(re.findall(r"\w+", f"coverage-by-{variable}")))
        assert before["x"] == [100.0 * row["accuracy_base"] for row in rows]
        assert after["x"] == [100.0 * row["accuracy_adjusted"] for row in rows]
        names = [(html.unescape(name), n) for n, *_, name in before["customdata"]]
        assert names == [(row["value"], row["n"]) for row in rows]


def test_it_needs_nothing_but_itself(regression):
    page = Reading(to_html(regression, examples=2))
    assert page.addresses
    assert all(address.startswith("#") for address in page.addresses)
    assert all(address.removeprefix("#") in page.texts for address in page.addresses)


CANARY = "Canary-4711"


@pytest.fixture(scope="module")
def with_canaries(few):
    """Rows that can be told: a name that each has, a label, values that are no numbers or dates."""
    odd = few.assign(
        name=[f"{CANARY}-{i}" for i in range(len(few))],
        price=[f"{i}.5" for i in range(len(few) - 1)] + [f"O'Neil {CANARY}"],
        cost=[f"{i % 7}" for i in range(len(few) - 1)] + [CANARY],
        y=few["y"] + 40414.0 + np.arange(len(few)) / 7e6,
    )
    result = audit(odd, AuditSettings(target="y", remedies=("none",), numeric=("cost",)))
    assert CANARY in json.dumps(to_json(result))  # in the reasons and notes for the user himself
    return result


def test_it_holds_no_value_of_a_row_unless_asked_for(with_canaries):
    test_rows = with_canaries.test_rows
    labels = [repr(label) for label in test_rows.table.frame["y"].tolist()]
    page = to_html(with_canaries)
    assert CANARY not in page
    assert not any(label[:12] in page for label in labels)
    assert "'…' in row 300" in html.unescape(page)


def test_rows_asked_for_are_those_missed_where_coverage_is_lowest(regression):
    rows = Reading(to_html(regression, examples=5)).rows("examples")
    test_rows = regression.test_rows
    base, p = test_rows.sets["base"], test_rows.probabilities
    missed = np.flatnonzero(~test_rows.outcomes["base"].correct).tolist()
    missed.sort(key=lambda i: p["base"][i])
    assert [int(row["row"]) for row in rows] == [int(test_rows.rows[i]) + 1 for i in missed[:5]]
    for row, i in zip(rows, missed, strict=False):
        assert row["label y"] == repr(float(test_rows.table.frame["y"].iloc[i]))
        assert row["place"] == test_rows.table.frame["place"].iloc[i]
        low, high = map(float, row["set before"].split(" to "))
        assert low == pytest.approx(base.lower[i], rel=1e-4)
        assert high == pytest.approx(base.upper[i], rel=1e-4)
        assert agrees(row["p(x) before"], float(p["base"][i]))
        assert agrees(row["p(x) after"], float(p["ifacm"][i]))


def test_sets_of_rows_asked_for_are_told_by_their_labels(classification):
    rows = Reading(to_html(classification, examples=4)).rows("examples")
    test_rows = classification.test_rows
    places = {int(row) + 1: place for place, row in enumerate(test_rows.rows)}
    for row in rows:
        place = places[int(row["row"])]
        members = test_rows.sets["base"].members[place]
        labels = [name for name, inside in zip(test_rows.classes, members, strict=True) if inside]
        assert row["set before"] == (", ".join(labels) or "(none)")
        assert row["label kind"] not in labels


def test_a_number_of_examples_that_cannot_be_shown_is_refused(regression):
    for number in (-1, 201):
        with pytest.raises(InputError, match=f"examples is {number}; give a whole number from 0"):
            to_html(regression, examples=number)
    with pytest.raises(InputError, match="holds no test rows"):
        to_html(replace(regression, test_rows=None), examples=1)


@pytest.mark.parametrize(
    "options",
    [
        ("sample:houses", "--c", "0.2", "--seed", "3", "--no-log-target"),
        ("-odd.csv", "--target=y, or so", '--drop="x, 1"', "--cuts", "x2=-1,0.5"),
    ],
    ids=["sample", "file"],
)
@pytest.mark.long
def test_its_command_gives_the_same_result(options, few, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    houses = load_sample("houses")
    houses = replace(houses, frame=houses.frame.head(600))
    monkeypatch.setattr(table_and_settings, "load_sample", {"houses": houses}.__getitem__)
    odd = few.rename(columns={"y": "y, or so", "x1": "x, 1"})
    odd.to_csv("-odd.csv", index=False)
    name, *rest = options
    outputs = ("--html", "report.html", "--json", "first.json", "--quiet")
    assert cli.main(["audit", *rest, *outputs, "--", name]) == 0
    first = Path("first.json").read_text(encoding="utf-8")
    command = Reading(Path("report.html").read_text(encoding="utf-8")).texts["command"]
    program, audit_, *again = shlex.split(command)
    assert (program, audit_) == ("evencover", "audit")
    assert cli.main(["audit", "--json", "again.json", "--quiet", *again]) == 0
    repeated = Path("again.json").read_text(encoding="utf-8")
    assert without_times(json.loads(repeated)) == without_times(json.loads(first))
    assert capsys.readouterr() == ("", "")


@pytest.fixture(scope="module")
def huge(regression):
    """As of 2,000 columns and 200 classes, with values of 1,000 signs that HTML writes longer."""
    long = [f'<{i:05d}> "&' + 990 * "&" for i in range(2000)]

    def both(rows):
        """The first row of each predictor."""
        return [regression.of(rows, name)[0] for name in regression.names]

    # as many as an option of bounded length can name, and still too many for a command
    asked = replace(regression.asked, drop=tuple(long[:190]))
    return replace(
        regression,
        segments=[
            replace(segment, variable=long[i % 2000], value=long[i // 2], n=100 + i % 7)
            for segment in both(regression.segments)
            for i in range(4000)
        ],
        changes=[
            *regression.changes,
            *(
                replace(regression.changes[0], variable=long[i % 2000], value=long[i // 2])
                for i in range(4000)
            ),
        ],
        gaps=[
            replace(gap, variable=name, reference=name, gap_segment=name)
            for gap in both(regression.gaps)
            for name in long
        ],
        coefficients=[
            replace(row, feature=name)
            for name in long
            for row in regression.coefficients
            if row.feature == "x0"
        ],
        worst_segments=[
            replace(rule, rule=name) for rule in both(regression.worst_segments) for name in long
        ],
        audit_only=[replace(regression.audit_only[0], column=name) for name in long],
        predictors=[
            replace(by, fit=replace(by.fit, layers=by.fit.layers[:1] * 500))
            for by in regression.predictors
        ],
        notes=[Sentence("long", "{name}", name=Names([name])) for name in long],
        findings=[
            Finding("odd", topic, "base", name) for topic in (*HEADLINE, "groups") for name in long
        ],
        data=replace(
            regression.data,
            features=long,
            dropped=[DroppedColumn(name, name) for name in long],
        ),
        settings=regression.settings | {"drop": long, "table": long[0], "target": long[1]},
        asked=asked,
    )


def test_a_long_name_is_cut_and_told_whole_where_the_pointer_rests(regression):
    name = "x" * 1000
    rows = [
        replace(row, variable=f"{row.variable} {row.value}", value=name)
        for row in regression.segments
    ]
    known = {row.group for row in regression.segments}
    changes = [
        replace(row, variable=f"{row.variable} {row.value}", value=name)
        for row in regression.changes
        if row.group in known
    ]
    changes += regression.changes
    page = Reading(to_html(replace(regression, segments=rows, changes=changes)))
    assert page.rows("segments")[0]["segment"] == "x" * 59 + "…"
    assert name in page.titles


@pytest.mark.long
def test_its_size_is_bounded_whatever_the_table(huge):
    text = to_html(huge, examples=200)
    assert len(text.encode()) < 6e6
    page = Reading(text)
    assert "3,900 more rows are left out here" in page.texts["segment-tables"]
    assert all(len(title) <= 100 for title in page.titles if title.startswith("<"))
    assert max(len(cell) for row in page.tables["segments"] for cell in row) == 60
    assert "--settings RESULT.json" in page.texts["command"]


def test_of_a_stopped_run_it_does_not_say_that_the_command_repeats_it(regression):
    page = " ".join(to_html(regression).split())
    assert "This command gives the same result, to the last digit but for times, with" in page
    assert page_texts.ABOUT_COMMAND_STOPPED not in page
    stopped = " ".join(to_html(replace(regression, stopped=True)).split())
    assert f"{page_texts.ABOUT_COMMAND_STOPPED}:</p>" in stopped
    assert "gives the same result" not in stopped
