"""What several seeds say together, in sentences."""

import pytest

from evencover.core.report.repeats import repeat_sentences
from evencover.core.report.result import RepeatedClaim, Repeats


def sentences(seeds, *claims):
    return repeat_sentences(Repeats(list(range(seeds)), 0.0, 0.0, [], [], [], list(claims)))


def group(name, *seeds, tested=range(5)):
    return RepeatedClaim("group", "base", name, list(seeds), list(tested))


def test_a_group_that_some_seeds_do_not_test_is_told():
    (told,) = sentences(3, group("owner = big", 1, tested=[1]), group("", 0, 2))
    assert told.startswith(
        "Over 3 seeds: owner = big is named as under-covered in 1, no group in 2"
    )
    assert told.endswith("; owner = big has test rows in 1 of 3 seeds only.")


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        ([group("", 0, 1, 2, 3, 4)], "no group is named as under-covered in 5."),
        (
            [group("a = b", 0, 2, 4), group("", 1, 3)],
            "a = b is named as under-covered in 3, no group in 2.",
        ),
        (
            [group("a = b", 0, 1), group("c", 2), group("d", 3), group("e", 4)],
            "a = b is named as under-covered in 2, c in 1, d in 1, another group in 1.",
        ),
    ],
)
def test_groups_are_counted(groups, told):
    assert sentences(5, *groups) == [f"Over 5 seeds: {told}"]


def test_effects_and_advice_are_counted():
    claims = [
        RepeatedClaim("effect", "ifacm", "helps", [0, 1], [0, 1, 2]),
        RepeatedClaim("effect", "ifacm", "unclear", [2], [0, 1, 2]),
        RepeatedClaim("advice", "ifacm", "keep", [2], [0, 1, 2]),
        RepeatedClaim("advice", "ifacm", "try-c", [0], [0, 1, 2]),
    ]
    assert sentences(3, *claims) == [
        "Over 3 seeds the adjustment helps in 2, makes no clear difference on the whole in 1.",
        (
            "Over 3 seeds the advice is to keep the predictor as it was before in 1, to try a "
            "smaller C in 1."
        ),
    ]


def test_adjustments_are_named_where_there_are_several():
    claims = [
        RepeatedClaim("effect", name, "harms", [0], [0, 1, 2]) for name in ("ifacm", "quantile")
    ]
    assert sentences(1, *claims) == [
        "Over 1 seed the adjustment ifacm does harm in 1.",
        "Over 1 seed the adjustment quantile does harm in 1.",
    ]


def test_nothing_is_said_where_nothing_is_claimed():
    assert sentences(3) == []
