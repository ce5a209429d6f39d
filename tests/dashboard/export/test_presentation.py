"""A result shows itself: in a notebook, as tables, as a report and as charts."""

import html
import re

import numpy as np
import pandas as pd
import pytest

from evencover.core import InputError, to_json
from evencover.core.report import result as presentation
from evencover.dashboard.export.files import to_table
from evencover.dashboard.export.report import to_html


class TestNotebook:
    def test_shows_the_report_s_first_screen_asks_nothing_of_a_network_and_runs_nothing(
        self, result
    ):
        shown = result._repr_html_()
        page = html.unescape(re.search(r'srcdoc="([^"]*)"', shown)[1])
        text = html.unescape(re.sub("<[^>]+>", "", page))
        (worst,) = result.too_low("base")
        assert f"only {100 * worst.accuracy:.1f} % of {worst.n} test rows are covered" in text
        assert "Keep the predictor as it was before" in text
        assert "<title " in page
        assert 'class="signature"' not in page
        assert 'id="table-too_low"' in page
        assert 'id="findings"' not in page
        assert not re.search(r"https?:|//\w", page)
        assert "<script" not in page
        assert shown.startswith('<iframe sandbox="" ')
        assert len(shown) < 100_000

    def test_shows_nothing_where_nothing_is_installed_for_it(self, result, monkeypatch):
        monkeypatch.setattr(presentation, "entry_points", lambda **_: [])
        assert result._repr_html_() is None
        with pytest.raises(InputError, match="install evencover anew"):
            result.figure("coefficients")


class TestTables:
    @pytest.mark.parametrize("section", ["results", "segments", "gaps", "coefficients"])
    def test_are_the_sections_of_the_json_form(self, result, section):
        frame, rows = result.to_frame(section), to_json(result)[section]
        assert len(frame) == len(rows) > 0
        plain = frame.astype(object).where(frame.notna() & ~frame.isin([np.inf]), None)
        assert plain.to_dict("records") == [
            {name: row[name] for name in frame.columns} for row in rows
        ]
        assert [*frame.columns] == [*to_table(result, section).columns]

    @pytest.mark.parametrize("section", ["notes", "settings", "no such"])
    def test_are_of_sections_with_rows_alone(self, result, section):
        with pytest.raises(InputError, match="choose one of predictors, results"):
            result.to_frame(section)


@pytest.mark.long
def test_in_a_console_it_is_what_it_says_and_the_report_is_that_of_the_command_line(
    result, tmp_path
):
    assert repr(result) == str(result) == "\n\n".join([*result.headline, *result.explanations])
    path = result.report(tmp_path / "r.html")
    assert path.read_text(encoding="utf-8") == to_html(result)
    assert result.report(str(path), examples=3) == path
    assert 'id="examples"' in path.read_text(encoding="utf-8")
    for place, why in ((tmp_path / "no" / "r.html", "No such file"), (tmp_path, "Is a directory")):
        with pytest.raises(InputError, match=f"cannot be written: {why}"):
            result.report(place)


class TestCharts:
    def test_of_coefficients_have_a_bar_for_each(self, result):
        drawn = result.figure("coefficients", subset="training")
        table = result.to_frame("coefficients")
        of_base = table.query("segment == 'training' and algorithm == 'base'")
        bars = dict(zip(drawn.data[0].y, drawn.data[0].x, strict=True))
        assert sorted(bars.values()) == pytest.approx(sorted(of_base["coefficient"]))

    def test_of_segments_are_of_one_variable(self, result):
        drawn = result.figure("segments", variable="place")
        own = result.to_frame("segments").query("variable == 'place'")
        own = own.assign(missed=own["n"] * (0.9 - own["accuracy_base"]))
        worst_first = own.sort_values("missed", ascending=False)
        shares = (100.0 * worst_first["accuracy_base"]).tolist()
        assert pd.Series(drawn.data[0].x).tolist() == shares
        with pytest.raises(InputError, match="no variable 'plaice'"):
            result.figure("segments", variable="plaice")
        assert result.figure("probabilities").data
        with pytest.raises(
            InputError, match="choose one of coefficients, groups, probabilities, segments"
        ):
            result.figure("width")
