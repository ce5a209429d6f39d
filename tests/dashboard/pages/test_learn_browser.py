"""The lessons in a browser, as a learner goes through them."""

from urllib.parse import quote_plus

import pytest
from browsing import settle

from evencover.dashboard.lessons import LESSONS
from evencover.dashboard.pages.steps import LEARN
from evencover.dashboard.wording.glossary import GLOSSARY

pytestmark = [pytest.mark.browser, pytest.mark.long]

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
        assert_drawn(page, step.shows(setting))
        for slider in step.sliders:
            setting = move(page, slider, setting)
            assert_drawn(page, step.shows(setting))
        if place + 1 < len(lesson.steps):
            page.get_by_role("button", name="Next step", exact=True).click()
    # the address is a link to what is seen
    other = visit(address=page.url)
    at_step(other, lesson.steps[-1])
    assert_drawn(other, lesson.steps[-1].shows(setting)) if not lesson.steps[-1].question else None


def test_words_open_by_a_click(visit):
    page = visit(address=f"/{LEARN.title.lower()}")
    page.get_by_role("button", name="Words on this page").click()
    page.get_by_text(GLOSSARY["delta"]).wait_for()
