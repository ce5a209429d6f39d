"""The page Learn, and the words that pages explain; in the end in a browser, as a learner goes."""

import re
from urllib.parse import parse_qs, quote_plus

import pages
import pytest
from browsing import settle
from pages import called, go, labels, press, title
from segno import make_qr
from streamlit.runtime.context import ContextProxy

from evencover.dashboard.lessons import LESSONS
from evencover.dashboard.pages import learn
from evencover.dashboard.pages.heading import LEARN, STEPS
from evencover.dashboard.wording.page_texts import GLOSSARY

pytestmark = pytest.mark.long

TERMS = {term: re.compile(rf"(?<!\w){re.escape(term)}s?(?!\w)") for term in GLOSSARY}


def open_lesson(lesson, step=1, **setting):
    named = {name: str(value) for name, value in setting.items()}
    app = pages.open_app(lesson=lesson.title, step=str(step), **named)
    return go(app, LEARN)


def heading(app):
    (shown,) = app.header
    return shown.value


def drawn(app):
    """The keys of the pictures."""
    return [element.proto.id.rpartition("-lesson-")[2] for element in app.get("plotly_chart")]


def test_a_link_opens_a_step_and_a_setting():
    app = open_lesson(LESSONS[0], 3, eps=0.2)
    assert heading(app) == LESSONS[0].steps[2].title
    (slider,) = app.select_slider
    assert slider.value == 0.2
    assert any("At ε = 0.20" in text.value for text in app.markdown)


def test_a_broken_link_opens_the_beginning():
    app = go(pages.open_app(lesson="none", step="17", eps="x"), LEARN)
    assert not app.exception
    assert heading(app) == LESSONS[0].steps[0].title
    assert app.select_slider[0].value == 0.1


@pytest.mark.parametrize(("answer", "verdict"), [(0, "Rather: "), (1, "Right.")])
def test_the_picture_waits_for_an_answer(answer, verdict):
    lesson = LESSONS[0]
    question = lesson.steps[1].question
    app = open_lesson(lesson, 2)
    assert not [*app.success, *app.warning]
    assert drawn(app) == [f"{lesson.title}-1"]
    called(f"**{question.text}**", app.radio).set_value(question.answers[answer]).run()
    (reveal,) = [*app.success, *app.warning]
    assert reveal.value.startswith(f"**{verdict}")
    assert "100 % and 80 %" in reveal.value
    assert drawn(app) == [f"{lesson.title}-2"]


def following(app):
    return [label for label in labels(app.button) if label.startswith("Next")]


def test_buttons_lead_through_all_lessons():
    app = open_lesson(LESSONS[0])
    seen = [heading(app)]
    while following(app):
        press(app, following(app)[0])
        assert not app.exception
        assert len(drawn(app)) == 1
        seen.append(heading(app))
    assert seen == [step.title for lesson in LESSONS for step in lesson.steps]


def test_another_lesson_begins_with_its_first_step():
    app = open_lesson(LESSONS[1], 5)
    called("Lesson", app.radio).set_value(LESSONS[0].title).run()
    assert not app.exception
    assert heading(app) == LESSONS[0].steps[0].title


def test_the_presenters_view_is_in_the_address_and_leads_both_ways_across_lessons():
    app = open_lesson(LESSONS[1], present=1)
    assert labels(app.button) == ["Back", "Next step", "Leave"]
    press(app, "Back")
    assert heading(app) == LESSONS[0].steps[-1].title
    assert labels(app.button) == ["Back", "Next lesson", "Leave"]
    press(app, "Next lesson")
    assert heading(app) == LESSONS[1].steps[0].title
    press(app, "Leave")
    assert app.query_params["present"] == "0"
    assert labels(app.button) == ["Next step", "Present"]
    press(app, "Present")
    assert app.query_params["present"] == "1"
    assert not app.exception


@pytest.mark.parametrize(
    "address", ["https://host.org/deep/er/learn", "http://localhost:8501/learn"]
)
def test_a_link_has_the_address_of_the_browser_and_names_step_and_sliders(monkeypatch, address):
    coded = []
    monkeypatch.setattr(ContextProxy, "url", address)
    monkeypatch.setattr(learn.segno, "make_qr", lambda link: coded.append(link) or make_qr(link))
    app = open_lesson(LESSONS[0], 3, eps=0.2)
    (code,) = app.code
    before, _, query = code.value.partition("?")
    assert before == address
    assert parse_qs(query) == {"lesson": [LESSONS[0].title], "step": ["3"], "eps": ["0.2"]}
    assert coded == [code.value]


def texts(app):
    """All that a page says, in charts and heads of tables, too, but for what is in a popover."""
    explained = {text.value for popover in app.get("popover") for text in popover.markdown}
    for kind in ("title", "header", "markdown", "caption", "info", "success", "warning"):
        yield from (text.value for text in app.get(kind) if text.value not in explained)
    yield from (metric.label for metric in app.metric)
    yield from (widget.label for kind in ("tabs", "expander") for widget in app.get(kind))
    yield from (element.proto.spec for element in app.get("plotly_chart"))
    yield from (shown.proto.columns for shown in app.dataframe)


def test_every_term_is_explained_where_it_first_appears(table):
    app = pages.open_app()
    known, seen = set(), set()

    def look(step):
        assert not app.exception
        known.update(step.words)
        for popover in app.get("popover"):
            for text in popover.markdown:
                term, _, said = text.value.replace("\\", "").removeprefix("**").partition("**: ")
                assert said.split()[:5] == GLOSSARY[term].split()[:5]
        found = {t for t, sign in TERMS.items() if any(sign.search(text) for text in texts(app))}
        assert found <= known, (step.title, found - known)
        seen.update(found)

    look(pages.DATA)
    pages.give(app, table)
    look(pages.SETUP)
    called("Penalty (C)", app.number_input).set_value(0.0).run()
    pages.run_to_end(app)
    for step in STEPS[2:]:
        look_at = go(app, step)
        assert title(look_at) == step.title
        look(step)
    known.clear()
    look_at = go(app, LEARN)
    look(LEARN)
    (popover,) = look_at.get("popover")
    assert len(popover.markdown) == len(GLOSSARY)
    assert seen >= {"coverage", "DCV", "gamma", "delta", "p(x)", "floor"}


PHONE = {"width": 390, "height": 844}


def at_step(page, step):
    page.get_by_role("heading", name=step.title, exact=True).wait_for()
    settle(page)


def assert_drawn(page, said):
    """The picture is there, with what it shows, every formula is set, and nothing is cut off."""
    page.get_by_test_id("stMain").get_by_text(said, exact=True).first.wait_for()
    page.locator("[data-testid=stPlotlyChart] svg.main-svg").first.wait_for()
    settle(page)  # until then the picture before may still be there
    assert page.locator("[data-testid=stPlotlyChart]").count() == 1
    assert page.locator(".katex-error").count() == 0
    for place in (page.get_by_test_id("stMain"), *page.locator(".katex-display").all()):
        wide, room = place.evaluate("shown => [shown.scrollWidth, shown.clientWidth]")
        assert wide <= room


def answer(page, step):
    """Answer wrongly; the reveal says what is right."""
    wrong = next(i for i in range(len(step.question.answers)) if i != step.question.right)
    assert page.get_by_text("Rather: ").count() == 0
    page.get_by_test_id("stRadio").get_by_text(step.question.answers[wrong], exact=True).click()
    page.get_by_text(f"Rather: {step.question.answers[step.question.right]}").wait_for()
    settle(page)


def move(page, slider, setting):
    """Move a slider by a key; return the setting then, which is in the address."""
    place = slider.values.index(setting[slider.name])
    key, other = ("ArrowRight", 1) if place + 1 < len(slider.values) else ("ArrowLeft", -1)
    page.get_by_role("slider", name=slider.label).press(key)
    value = slider.values[place + other]
    if value != slider.first:
        page.wait_for_url(f"**{slider.name}={value}*")
    settle(page)
    return {**setting, slider.name: value}


@pytest.mark.browser
@pytest.mark.parametrize("size", [None, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.title)
def test_a_lesson_is_gone_through(visit, lesson, size):
    page = visit(address=f"/learn?lesson={quote_plus(lesson.title)}")
    if size is not None:
        page.set_viewport_size(size)
    setting = lesson.first_setting
    for place, step in enumerate(lesson.steps):
        at_step(page, step)
        if step.question is not None:
            answer(page, step)
        assert_drawn(page, step.shown.draw(setting)[1])
        for slider in step.shown.sliders:
            setting = move(page, slider, setting)
            assert_drawn(page, step.shown.draw(setting)[1])
        if place + 1 < len(lesson.steps):
            page.get_by_role("button", name="Next step", exact=True).click()
    # the address is a link to what is seen
    other = visit(address=page.url)
    at_step(other, lesson.steps[-1])
    if lesson.steps[-1].question is None:
        assert_drawn(other, lesson.steps[-1].shown.draw(setting)[1])


OUTSIDE = """() => {
  const doc = document.documentElement, found = [], seen = [];
  const tell = (what, one) => found.push(`${what}: ${one.className} ${one.innerText}`.slice(0, 90));
  if (doc.scrollHeight > innerHeight || doc.scrollWidth > innerWidth) tell("the page scrolls", doc);
  for (const one of document.querySelectorAll(".st-key-presented, .st-key-presented *")) {
    if (one.closest(".read-out, .katex-mathml, .modebar-container")) continue;
    if (!one.checkVisibility()) continue;
    if (one.closest("[data-testid=stSliderTickBar]")) continue;  // seen where the pointer rests
    const look = getComputedStyle(one), box = one.getBoundingClientRect();
    const high = /auto|scroll/.test(look.overflowY) && one.scrollHeight > one.clientHeight + 1;
    const wide = /auto|scroll/.test(look.overflowX) && one.scrollWidth > one.clientWidth + 1;
    if (high || wide) tell("scrolls", one);
    if (!one.matches("p, li, h2, label, button, [role=slider], [role=alert], .main-svg")) continue;
    const isIn = box.top >= 0 && box.left >= 0;
    if (!isIn || box.bottom > innerHeight || box.right > innerWidth) tell("is cut off", one);
    if (one.matches("p, li") && look.fontSize !== "20px") tell(look.fontSize, one);
    if (!one.matches("p, .main-svg")) continue;
    for (const [other, at] of seen) {
      const across = Math.min(box.right, at.right) - Math.max(box.left, at.left);
      const down = Math.min(box.bottom, at.bottom) - Math.max(box.top, at.top);
      const areOne = one.matches("svg") && other.matches("svg");
      if (across > 2 && down > 2 && !areOne) tell(`is over ${other.innerText}`, one);
    }
    seen.push([one, box]);
  }
  return found;
}"""
PICTURE = ".st-key-presented [data-testid=stPlotlyChart] svg.main-svg"


def presented(page, step):
    """The step is drawn and wholly in sight, in large type, with a picture that can be seen."""
    at_step(page, step)
    page.locator(PICTURE).first.wait_for()
    for _ in range(20):  # a picture takes its height a moment later
        if not page.evaluate(OUTSIDE):
            break
        page.wait_for_timeout(250)
    assert page.evaluate(OUTSIDE) == []
    box = page.locator(PICTURE).first.bounding_box()
    assert box["width"] >= 550
    assert box["height"] >= 350
    assert not page.get_by_test_id("stHeader").is_visible()
    assert page.get_by_role("heading", name=LEARN.title, exact=True).count() == 0


@pytest.mark.browser
def test_every_step_is_presented_on_one_screen_and_keys_lead_through_all(visit, chromium):
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    page = visit(context, "/learn?present=1")
    steps = [step for lesson in LESSONS for step in lesson.steps]
    for place, step in enumerate(steps):
        presented(page, step)
        if step.question is not None:
            answer(page, step)
            presented(page, step)
        page.keyboard.press(
            ("ArrowRight", "PageDown")[place % 2]
        )  # after a click on an answer, too
    presented(page, steps[-1])  # after it comes nothing
    page.keyboard.press("ArrowLeft")
    presented(page, steps[-2])
    page.keyboard.press("PageUp")
    presented(page, steps[-3])


@pytest.mark.browser
def test_a_slider_and_an_answer_keep_their_keys_and_a_link_opens_what_is_seen(visit, chromium):
    lesson = LESSONS[0]
    context = chromium.new_context(viewport={"width": 1280, "height": 720})
    page = visit(context, f"/learn?lesson={quote_plus(lesson.title)}&step=3&present=1")
    setting = move(page, lesson.steps[2].shown.sliders[0], lesson.first_setting)
    presented(page, lesson.steps[2])
    assert_drawn(page, lesson.steps[2].shown.draw(setting)[1])
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("img", name="QR code of the link").wait_for()
    box = page.get_by_role("img", name="QR code of the link").bounding_box()
    assert box["width"] == box["height"] >= 250
    assert box["y"] + box["height"] < 720
    link = page.get_by_test_id("stCode").inner_text().strip()
    page.keyboard.press("Escape")
    page.get_by_role("slider").press("Escape")
    page.keyboard.press("ArrowLeft")
    presented(page, lesson.steps[1])
    answers = lesson.steps[1].question.answers
    page.get_by_role("radio", name=answers[0], exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.get_by_text("Right.").wait_for()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Rather: ").wait_for()
    presented(page, lesson.steps[1])
    other = visit(address=link)
    at_step(other, lesson.steps[2])
    assert_drawn(other, lesson.steps[2].shown.draw(setting)[1])
    assert other.get_by_test_id("stHeader").is_visible()


@pytest.mark.browser
def test_words_open_by_a_click(visit):
    page = visit(address=f"/{LEARN.title.lower()}")
    page.get_by_role("button", name="Glossary").click()
    page.get_by_text(GLOSSARY["delta"]).wait_for()
