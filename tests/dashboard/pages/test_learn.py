"""The page Learn, and the words that pages explain; in the end in a browser, as a learner goes."""

import re
from urllib.parse import quote_plus

import pages
import pytest
from browsing import settle
from pages import called, go, labels, press, title

from evencover.dashboard.lessons import LESSONS
from evencover.dashboard.pages.heading import LEARN, STEPS
from evencover.dashboard.wording.page_texts import GLOSSARY

pytestmark = pytest.mark.long

TERMS = {term: re.compile(rf"(?<!\w){re.escape(term)}s?(?!\w)") for term in GLOSSARY}


def open_lesson(lesson, step=1, **setting):
    named = {name: str(value) for name, value in setting.items()}
    app = pages.open_app(lesson=lesson.title, step=str(step), **named)
    return go(app, LEARN)


def heading(app):
    (shown,) = app.subheader
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


def texts(app):
    """All that a page says, in charts and heads of tables, too, but for what is in a popover."""
    explained = {text.value for popover in app.get("popover") for text in popover.markdown}
    for kind in ("title", "subheader", "markdown", "caption", "info", "success", "warning"):
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


@pytest.mark.browser
def test_words_open_by_a_click(visit):
    page = visit(address=f"/{LEARN.title.lower()}")
    page.get_by_role("button", name="Words on this page").click()
    page.get_by_text(GLOSSARY["delta"]).wait_for()
