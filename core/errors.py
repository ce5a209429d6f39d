"""The one exception type for input that cannot be used."""


class InputError(ValueError):
    """A table, column, value or option is unusable.

    The message is one sentence meant for the person who supplied the input: it names the
    file, column, row or value at fault and says what to do about it.
    """
