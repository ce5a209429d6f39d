"""The columns' roles under the choices that Setup begins with, before anything is touched."""

from evencover.core import InputError
from evencover.core.preparation.column_profile import Role

from ...runs.loaded_table import LoadedTable
from ..data.column_profiles import profiles_under


def first_roles(table: LoadedTable) -> dict[str, Role]:
    """Return the role of every column by its name.

    What an audit leaves out by itself depends on the choices: a copy of a column that is left out
    is a feature.
    """
    choices = table.choices
    try:
        return {profile.name: profile.role for profile in profiles_under(choices, table)}
    except InputError:  # told where the profiles are shown
        read_otherwise: dict[str, Role] = dict.fromkeys(
            (*choices.numeric, *choices.categorical), "feature"
        )
        hidden: dict[str, Role] = dict.fromkeys(choices.audit_only, "audit only")
        return {profile.name: profile.role for profile in table.profiles} | read_otherwise | hidden


def left_out_first(table: LoadedTable) -> list[str]:
    """Return the columns left out; those that the choices name come first, as they name them."""
    choices = table.choices
    shaping = {choices.group, choices.time, choices.split_column}
    if choices.features is not None:  # they were named, whatever looks useless among them
        kept = {choices.target, *choices.features, *choices.audit_only} | shaping
        others = [profile.name for profile in table.profiles if profile.name not in kept]
    else:
        useless, roles = useless_columns(table), first_roles(table)
        others = [
            name
            for name, role in roles.items()
            if role == "left out" and (name not in shaping or name in useless)
        ]
    return list(dict.fromkeys((*choices.drop, *others)))


def useless_columns(table: LoadedTable) -> set[str]:
    """Return the columns that an audit leaves out by itself."""
    return {profile.name for profile in table.profiles if profile.role == "left out"}
