"""Learn: what the figures mean, by small worlds whose truth is known."""

from evencover.dashboard.pages.learn.show import show_lessons
from evencover.dashboard.pages.shared.heading import heading
from evencover.dashboard.pages.steps import LEARN

show_lessons(heading(LEARN))
