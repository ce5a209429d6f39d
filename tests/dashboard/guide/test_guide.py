"""The guide and the README: what they tell to type is right, and what they name is there."""

import ast
import builtins
import json
import re
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote_plus

import guided
import pages
import pytest
from axe_playwright_python.sync_playwright import Axe
from pages import called, go, press

from evencover import core
from evencover.core.preparation.settings import OPTIONS
from evencover.dashboard import guide
from evencover.dashboard.commands import audit as audit_command
from evencover.dashboard.commands import main as cli
from evencover.dashboard.commands.table_and_settings import settings_given
from evencover.dashboard.export.presentation import CHARTS
from evencover.dashboard.pages.heading import GUIDE
from evencover.sample_data import load_sample

COMMANDS = guided.commands()
GIVEN = {
    "table",
    "result",
    "tomorrow",
    "settings",
    "model",
    "MyRemedy",
    *(f"{of}_{part}" for of in "Xy" for part in ("train", "calibration", "test")),
}
"""What a snippet may take for there."""

NOT_WIDER = """() => {
  const main = document.querySelector('[data-testid=stMain]');
  return main.scrollWidth <= main.clientWidth;
}"""
ENDLESS = ("dashboard", "reproduce")
"""Commands that serve until they are ended, or read published data for minutes."""


def written(given):
    return " ".join(given) or "(nothing)"


def test_there_are_commands_to_test():
    assert {"audit", "compare", "predict", "watch", "export", "reproduce", "dashboard"} <= {
        given[0] for given in COMMANDS if given
    }


@pytest.mark.parametrize("given", COMMANDS, ids=written)
def test_a_command_is_taken(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = cli._parser().parse_args(given)
    assert callable(options.run)
    if given and given[0] in ("audit", "compare") and options.settings is None:
        settings = settings_given(options)
        if given[0] == "audit":
            audit_command.check_outputs(options, settings.join)


@pytest.mark.parametrize(("name", "code"), guided.snippets())
def test_a_snippet_has_its_names(name, code):
    tree = ast.parse(code, name)
    nodes = list(ast.walk(tree))
    imported = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    for node in imported:
        module = __import__(node.module, fromlist=["_"])
        assert all(hasattr(module, alias.name) for alias in node.names), node.module
    names = [node for node in nodes if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    made |= {alias.name for node in imported for alias in node.names}
    assert {node.id for node in names} - made - GIVEN - set(dir(builtins)) == set()
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "AuditSettings":
            assert {keyword.arg for keyword in node.keywords} <= {*OPTIONS}
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "result":
            assert hasattr(core.AuditResult, node.attr)


def test_options_told_of_are_there():
    known = {"--help", "--version"}
    for name in cli.COMMANDS:
        parser = cli.Parser()
        module = cli.importlib.import_module(cli.COMMANDS[name][0], cli.__package__)
        module.fill(parser)
        known |= {*parser._option_string_actions}
    for name, text in guided.FILES.items():
        told = set(re.findall(r"`(?:evencover \w+ )?(--[a-z][\w-]*)", text))
        assert told <= known, name


def test_places_told_of_are_there():
    for name, text in guided.FILES.items():
        for path in re.findall(r"tests/\w+/\w+\.py", text):
            assert (guided.ROOT / path).exists(), (name, path)
        folder = guided.ROOT if name == "README" else guided.GUIDE
        for path in re.findall(r"\]\((?!http)([^)#]+)\)", text):
            assert (folder / path).exists(), (name, path)


def test_pages_lead_to_chapters():
    texts = (guided.ROOT / "dashboard" / "wording" / "page_texts.toml").read_text(encoding="utf-8")
    led_to = re.findall(r"\]\(guide\?chapter=([^)]+)\)", texts)
    assert len(led_to) >= 4
    assert {*map(unquote_plus, led_to)} <= {*guide.chapters()}


def test_the_readme_is_brief_and_leads_to_each_chapter():
    readme = guided.FILES["README"]
    assert len(readme.split("\n")) <= 181
    (tests,) = [block for block in guided.blocks("sh", readme) if "pytest" in block]
    assert tests == guided.blocks("sh", readme)[1]  # .ci/run runs it
    for title, name in zip(guide.chapters(), guide.NAMES, strict=True):
        assert f"[{title}](dashboard/guide/{name}.md)" in readme


def test_each_chapter_is_drawn():
    assert {*guide.NAMES} == {*guided.FILES} - {"README"}
    for title, text in guide.chapters().items():
        drawn = guide.drawn(title)
        assert drawn.startswith(f"## {title}\n")
        assert not re.search(
            r"<!--|\.md\)|\$|^# ", re.sub("```.*?```", "", drawn, flags=re.DOTALL), re.MULTILINE
        )
        linked = re.findall(r"\]\((\w+)\.md\)", text)
        assert len(re.findall(r"\(\?chapter=", drawn)) == len(linked)


def test_what_is_made_is_of_the_program():
    options, names = guide.MADE["options"](), guide.MADE["names"]()
    assert "| `--cl CL` |" in options
    assert options.count("\n") == len(OPTIONS)  # and a head of two lines, but for one option
    assert "| `confidence_level` | `--cl` | `cl` | Confidence level (CL) |" in names
    made = guide.MADE["commands"]()
    for name in cli.COMMANDS:
        assert f"**evencover {name}**" in made
    assert "| `--recalibrated FILE` |" in made
    sections = re.findall(r"`(\w+)`", guide.MADE["sections"]())
    assert {"segments", "findings", "worst_segments"} <= {*sections}
    assert "settings" not in sections
    assert "`accuracy_base`, `accuracy_adjusted`" in guide.MADE["columns"]()
    python = guided.FILES["python"]
    assert all(f'`"{name}"`' in python for name in CHARTS)


@pytest.mark.parametrize("name", ["", *cli.COMMANDS])
def test_help_ends_with_the_guide(name, capsys):
    with pytest.raises(SystemExit):
        cli.main([*name.split(), "--help"])
    told = " ".join(capsys.readouterr().out.split())
    assert told.endswith(
        "The guide tells more: the dashboard's page Guide, chapter 'Command line'."
    )


@pytest.mark.long
def test_a_link_opens_a_chapter_and_a_button_the_next():
    titles = list(guide.chapters())
    app = go(pages.open_app(chapter="Watching"), GUIDE)
    shown = [each.value for each in app.markdown]
    assert guide.drawn("Watching").strip() in shown
    press(app, "Next chapter")
    following = titles[titles.index("Watching") + 1]
    assert called("Chapter", app.radio).value == following
    assert guide.drawn(following).strip() in [each.value for each in app.markdown]
    app = go(pages.open_app(chapter="none such"), GUIDE)
    assert not app.exception
    assert called("Chapter", app.radio).value == titles[0]


@pytest.mark.long
@pytest.mark.browser
def test_chapters_open_in_place_and_each_is_for_everyone(visit):
    page = visit(address="/guide")
    page.get_by_role("heading", name="Dashboard", exact=True, level=2).wait_for()
    page.get_by_role("link", name="Reading results").first.click()
    page.get_by_role("heading", name="Reading results", exact=True, level=2).wait_for()
    assert page.url.partition("?")[2] == "chapter=Reading+results"
    assert page.get_by_role("radio", name="Reading results").is_checked()
    assert len(page.context.pages) == 2  # with the one that fixtures keep open
    for title in guide.chapters():
        page.get_by_role("radiogroup").get_by_text(title, exact=True).click()
        page.get_by_role("heading", name=title, exact=True, level=2).wait_for()
        faults = Axe().run(page).response["violations"]
        assert [one["id"] for one in faults if one["impact"] in ("serious", "critical")] == [], (
            title
        )
        page.set_viewport_size({"width": 390, "height": 900})
        page.wait_for_function(NOT_WIDER)
        page.set_viewport_size({"width": 1440, "height": 900})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a saved predictor, as what comes after saving needs it."""
    made = tmp_path_factory.mktemp("typed")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        asked = ["audit", "sample:houses", "--quiet", "--save", "houses.evencover"]
        assert cli.main([*asked, "--save-predictor", "ifacm"]) == 0
        (made / "audit.json").write_text('{"target": "price", "lower": "low", "upper": "high"}')
    return made


@pytest.mark.long
@pytest.mark.parametrize("given", [g for g in COMMANDS if g and g[0] not in ENDLESS], ids=written)
def test_a_command_does_what_it_says(given, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    guided.write_tables(given)
    status = cli.main(given)
    told = capsys.readouterr().err
    # rules may be broken, or too few rows say of them
    assert status in ((0, 3, 4) if "--fail-if" in given else (0,)), told
    for option, place in pairwise(given):
        if option in ("--json", "--html", "--csv", "--rows", "--save", "--state", "--out"):
            assert (folder / place).exists()


@pytest.mark.long
@pytest.mark.parametrize(
    "code",
    [code for _, code in guided.snippets() if "X_train" not in code and "MyRemedy" not in code],
)
def test_a_snippet_does_what_it_says(code, folder, monkeypatch):
    monkeypatch.chdir(folder)
    table = load_sample("houses").frame.head(2000)
    asked = core.AuditSettings(target="price", remedies=("none",), cohorts={})
    names = {"table": table, "tomorrow": table.head(20)}
    if "result" in code and "result =" not in code:
        people = table.assign(sex=["F", "M"] * 1000)
        names["result"] = core.audit(people, asked)
    exec(code, names)  # noqa: S102 - our own text
    if "said" in names:
        assert len(names["said"]) == 20
    if "low" in names:
        assert set(names["low"]["status"]) <= {"low"}
    if "report" in code:
        assert (folder / "report.html").exists()


NOTEBOOKS = sorted((Path(guide.__file__).parent / "notebooks").glob("*.ipynb"))


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    read, names = json.loads(path.read_text(encoding="utf-8")), {}
    for cell in read["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec(compile(source, path.name, "exec"), names)  # noqa: S102 - our own
    said = capsys.readouterr().out
    expected = {
        "audit": "county = Devon",
        "own_model": "group = b",
        "watch": "group = b",
    }
    assert expected[path.stem] in said


def test_there_are_three_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["audit", "own_model", "watch"]
