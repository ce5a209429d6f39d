"""Types of options of the command line."""

import argparse
from collections.abc import Callable
from typing import TypeVar

from evencover.core import InputError

_Choice = TypeVar("_Choice")


def option_type(parse: Callable[[str], _Choice]) -> Callable[[str], _Choice]:
    """Return a type of an option whose complaint argparse passes on."""

    def parsed(text: str) -> _Choice:
        try:
            return parse(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return parsed
