"""The model card: every figure is that of the rows, and no name of a table marks up anything."""

import html
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from reading import Reading
from scipy import stats
from sklearn.linear_model import Ridge
from statsmodels.stats.proportion import proportion_confint

from evencover.core import AuditSettings, NormalizedMeasure, audit
from evencover.core.messages import Cell, Sentence
from evencover.core.report.card import model_card
from evencover.core.tables.table import Origin
from evencover.dashboard.commands.main import main
from evencover.dashboard.export.card import in_markdown, to_markdown
from evencover.dashboard.export.report import to_html
from evencover.dashboard.wording.formatting import predictors
from evencover.dashboard.wording.rows import card_rows
from evencover.dashboard.wording.tables import cell_text

WIDTHS = {"F": 4.0, "M": 8.0, "X": 2.0}
HELD = {"F": (12, 30), "M": (47, 50), "X": (3, 4)}


def scored(**more):
    """Ready-made intervals of one width for each sex, of which so many hold their label."""
    rows = [
        {"sex": sex, "age": 20.0 + i, "low": i - width / 2, "high": i + width / 2}
        | {"pay": i if i < HELD[sex][0] else i + 100.0}
        for sex, width in WIDTHS.items()
        for i in range(HELD[sex][1])
    ]
    asked = {"lower": "low", "upper": "high", "target": "pay", "audit_only": ("sex",)} | more
    return audit(pd.DataFrame(rows), AuditSettings(**asked), origin=Origin("scored.csv"))


@pytest.fixture(scope="module")
def by_hand():
    return scored()


def lines_of(card):
    """The table's rows, each a list of cells as they are read."""
    lines = [line for line in card.splitlines() if line.startswith("| ")]
    return [[html.unescape(cell).strip() for cell in line[1:-1].split("|")] for line in lines]


def test_its_figures_are_those_counted_by_hand(by_hand):
    head, _, every, *groups = lines_of(to_markdown(by_hand))
    shown = ["group", "test rows", "predictor", "coverage", "from", "to", "status", "remark"]
    assert head == [*shown, "mean size", "from", "to"]
    told = {"all": every} | {line[0]: line for line in groups}
    counts = {f"sex = {sex}": HELD[sex] for sex in HELD} | {"all": (62, 84)}
    status = {"sex = F": "low", "sex = M": "not clearly low"}
    mean = {f"sex = {sex}": f"{width:g}" for sex, width in WIDTHS.items()} | {"all": "6.286"}
    for group, (held, n) in counts.items():
        ends = proportion_confint(held, n, method="wilson")
        coverage = [f"{100 * share:.1f} %" for share in (held / n, *ends)]
        remark = "too few rows to say" if n < 20 else ""
        of_all = [*coverage, status.get(group, ""), remark, mean[group]]
        assert told[group][:2] == [group, str(n)]
        assert told[group][3:9] == of_all
    widths = np.repeat([*WIDTHS.values()], [n for _, n in HELD.values()])
    reach = stats.t.ppf(0.975, 83) * widths.std(ddof=1) / np.sqrt(84) / widths.mean()
    low, high = (float(end) for end in every[9:])
    assert (low, high) == pytest.approx(widths.mean() * np.exp([-reach, reach]), abs=6e-4)
    assert told["sex = X"][9:] == ["", ""]  # of four sets none


def test_whom_to_watch_over_comes_first(regression):
    told = list(dict.fromkeys((row["variable"], row["value"]) for row in card_rows(regression)))
    assert {*told[1:4]} == {("place", name) for name in ("Ayr", "Bude", "Cobh")}
    low = {row.group for name in regression.names for row in regression.too_low(name)}
    rest = len(low.difference(told[:4]))
    assert low <= {*told[: 4 + rest]}
    assert rest
    of_label = {row.group for row in regression.segments if row.kind == "label"}
    assert {*told[-len(of_label) :]} == of_label


@pytest.mark.parametrize("of", ["regression", "classification"])
@pytest.mark.long
def test_its_rows_are_those_of_the_segments_by_every_predictor(request, of):
    result = request.getfixturevalue(of)
    rows = {(r["variable"], r["value"], r["algorithm"]): r for r in card_rows(result)}
    assert len(rows) == len(card_rows(result))
    for row in result.segments:
        if row.n:
            told = rows.pop((row.variable, row.value, row.predictor))
            assert (told["n"], told["accuracy"], told["status"]) == (
                row.n,
                row.accuracy,
                row.status,
            )
    assert [key[2] for key in rows] == result.names  # of all rows
    for (*_, name), row in rows.items():
        of_all = result.row("test", name)
        assert row["accuracy"] == of_all.accuracy
        assert row["size"] == pytest.approx(of_all.inefficiency_original_units)


def test_the_report_shows_the_same_figures(regression):
    page, rows = Reading(to_html(regression)), card_rows(regression)
    titles = {by.name: by.title for by in predictors(regression)}
    shown = [row[:4] for row in page.tables["card"][1:]]
    assert shown == [
        [
            row["group"],
            f"{row['n']:,}",
            titles[row["algorithm"]],
            cell_text(row["accuracy"], "percent"),
        ]
        for row in rows
    ]
    for key in ("purpose", "promise", "groups"):
        for sentence in model_card(regression)[key].sentences:
            assert sentence in page.texts["card"]


def test_without_test_rows_it_has_all_but_the_sizes(regression):
    gone = card_rows(replace(regression, test_rows=None))
    kept = [row for row in card_rows(regression) if row["group"] != "all"]
    assert [row["accuracy"] for row in gone] == [row["accuracy"] for row in kept]
    assert np.isnan([row["size"] for row in gone]).all()
    card = to_markdown(replace(regression, test_rows=None, notes=[]))
    assert "mean size" not in card
    assert "## Notes" not in card


@pytest.mark.long
def test_of_rows_counted_where_they_are_sizes_are_of_all_of_them():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"sex": rng.choice(["F", "M"], 600), "low": 0.0, "y": rng.normal(size=600)}
    )
    frame["high"] = np.where(frame["sex"] == "F", rng.uniform(0.0, 2.0, 600), 3.0)
    asked = AuditSettings(target="y", lower="low", upper="high", audit_only=("sex",), sample=300)
    rows = card_rows(audit(pl.LazyFrame(frame.to_dict("list")), asked))
    told = {row["group"]: (row["n"], row["size"], row["size_low"]) for row in rows}
    for group, of in {"all": frame, **{f"sex = {k}": v for k, v in frame.groupby("sex")}}.items():
        n, size, low = told[group]
        assert (n, size) == (len(of), pytest.approx(of["high"].mean()))
        assert np.isnan(low)


def test_findings_gaps_and_notes_are_the_results_own_and_hold_no_value_of_a_row(by_hand):
    odd = Sentence("odd", "Row 3 of {column} holds {value}.", column="pay", value=Cell("secret"))
    card = to_markdown(replace(by_hand, notes=[odd]))
    for sentence in (*by_hand.headline, *by_hand.explanations):
        assert in_markdown(sentence) in card.splitlines()
    assert "Row 3 of pay holds …." in card
    assert "secret" not in card
    assert '- sex: lowest "F" 40.0 %; largest gap to "M": "F" -54.0 points (95 % ' in card


def test_what_is_promised_and_what_is_not(by_hand, regression):
    given, fitted = (model_card(of)["promise"].sentences for of in (by_hand, regression))
    assert given[0].startswith("Promised by 'the table's own intervals': Whatever the maker")
    assert any("not fitted on these rows" in told for told in given)
    assert not any("calibration row" in told for told in given)
    n = regression.data.calibration
    rank = int(np.floor((n + 1) * 0.1 + 1e-9))
    low, high = (100.0 * end for end in stats.beta.interval(0.95, n + 1 - rank, rank))
    assert f"{n} calibration rows" in fitted[1]
    assert fitted[1].endswith(f"between {low:.1f} and {high:.1f} % in 95 of 100 cases.")
    assert fitted[2].startswith("Adjustments are made, and choose, by training and calibration")
    assert not any("not fitted on these rows" in told for told in fitted)


def test_settings_that_do_nothing_are_not_told(by_hand, classification, few):
    facts = model_card(by_hand)["method"].facts
    told = {"label": "pay", "audit only": ["sex"], "lower end": "low", "rows": 84}
    assert {name: facts[name] for name in told} == told
    assert not {"model", "measure", "remedies", "penalty C", "split", "search"} & {*facts}
    facts = model_card(classification)["method"].facts
    assert (facts["model"], facts["remedies"], facts["repeats"]) == ("linear", ["ifacm"], 2)
    own = audit(
        few, AuditSettings(target="y", remedies=("none",)), measure=NormalizedMeasure(Ridge())
    )
    assert model_card(own)["method"].facts["model"] == "Ridge"


def test_over_seeds_it_says_of_which_its_figures_are(classification):
    card = to_markdown(classification)
    assert "Figures of test rows by seed 0, each" in card
    assert "Over 2 seeds" in card


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a|b\\|c", "a&#124;b&#92;&#124;c"),
        ("<script>x</script>", "&lt;script>x&lt;/script>"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("[x](javascript:y)", "&#91;x&#93;(javascript:y)"),
        ("![i](http://e.com)", "!&#91;i&#93;(http:/<!-- -->/e.com)"),
        ("one\nand\r\ntwo\x1b", "one and two␛"),
        ("floor_area_m2 *a* __b__", "floor_area_m2 &#42;a&#42; &#95;&#95;b&#95;&#95;"),
        (
            "`c` $x^2$ ~~s~~ {{ t }}",
            "&#96;c&#96; &#36;x&#94;2&#36; &#126;&#126;s&#126;&#126; &#123;&#123; t &#125;&#125;",
        ),
        ("# h", "&#35; h"),
        ("12. one", "&#49;2. one"),
        ("90.5 % of 3. Or", "90.5 % of 3. Or"),
        ("- [ ] x", "&#45; &#91; &#93; x"),
        ("-0.5 <= x < -0.1", "-0.5 &lt;= x &lt; -0.1"),
        ("> q", "&#62; q"),
        ("www.e.com a@b.c", "www<!-- -->.e.com a@<!-- -->b.c"),
        (" :tada: ", "&#58;tada:"),
        ("x\u202ey", r"x&#92;u202ey"),
    ],
)
def test_markdown_shows_a_name_as_it_is(name, shown):
    assert in_markdown(name) == shown


def test_names_of_a_table_leave_its_lines_and_cells_alone():
    rng = np.random.default_rng(0)
    odd = "wa|ter\n# front <b>[x](y)", "view`*_"
    frame = pd.DataFrame(
        {odd[0]: ["yes | no", "<i>a</i>\n| b |"] * 100, odd[1]: rng.normal(size=200)}
    )
    frame["pri|ce\n"] = frame[odd[1]] + rng.normal(size=200)
    asked = AuditSettings(target="pri|ce\n", audit_only=odd[:1], remedies=("none",))
    card = to_markdown(audit(frame, asked, origin=Origin("kc|<b>`.csv")))
    shown, _, command = card.partition("\n## To repeat it\n\n")
    titles = [line for line in shown.splitlines() if line.startswith("#")]
    assert titles[0] == "# Model card: pri&#124;ce"
    assert len(titles) == 7
    assert {line.count("|") for line in shown.splitlines()} == {0, 12}
    assert not re.search(r"<(?!!-- -->)", shown)
    assert all(line.startswith("    ") for line in command.splitlines())


def test_the_command_writes_it(tmp_path, monkeypatch, capsys, few):
    monkeypatch.chdir(tmp_path)
    few.to_csv("few.csv", index=False)
    asked = ("audit", "few.csv", "--target", "y", "--remedy", "none", "--quiet", "--card", "-")
    assert main([*asked, "--json", "r.json"]) == 0
    text, _ = capsys.readouterr()
    assert text.startswith("# Model card: y\n\nMade on 20")
    assert text.endswith("    evencover audit few.csv --target=y --remedy=none\n")
    assert f"| all | {len(few) * 3 // 10} | base |" in text
    assert main([*asked, "--json", "-"]) == 2
    assert "--json and --card cannot go to standard output together" in capsys.readouterr().err
