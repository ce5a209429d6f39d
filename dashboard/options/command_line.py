"""The options of an audit on the command line."""

import argparse
from collections.abc import Callable, Collection
from dataclasses import MISSING
from typing import Any

from evencover.core import AuditSettings, InputError
from evencover.core.preparation.options import FLAG, Option, options_of

from .forms import FORMS
from .source import BY_SAMPLES


def add_options(add: Callable[..., Any], without: Collection[str] = ()) -> None:
    """Add every option but some by a parser's ``add_argument``; one that is not given is absent."""
    for option in options_of(AuditSettings).values():
        if option.field in without:
            continue
        form = _form(option) | {"default": argparse.SUPPRESS}  # as None says "by the label"
        add(option.flag, dest=option.field, help=_help(option), **form)


def _form(option: Option) -> dict[str, Any]:
    if option.kind is FLAG:
        return {"action": argparse.BooleanOptionalAction}
    if option.allowed:
        return {"choices": tuple(option.allowed)}
    form = FORMS[option.kind]
    metavar = form.metavar or option.key.upper()
    return {"type": complaining(form.parse), "metavar": metavar, "action": form.action}


def _help(option: Option) -> str:
    text = option.help.removesuffix(".")
    if option.default is MISSING:
        text += "; needed unless TABLE is a sample"
    elif option.default not in (None, ()):
        default = option.default
        is_flag = option.kind is FLAG
        shown = ("no", "yes")[default] if is_flag else FORMS[option.kind].write(default)
        text += f" (default {shown})"
    if option.kind in FORMS and FORMS[option.kind].action == "append":
        text += "; may be repeated"
    return text.replace("%", "%%") + (" *" if option.field in BY_SAMPLES else "")


def complaining(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return a type of an option whose complaint argparse passes on."""

    def parsed(text: str) -> Any:  # noqa: ANN401 - of any option
        try:
            return parse(text)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    parsed.__name__ = parse.__name__  # argparse names the type
    return parsed
