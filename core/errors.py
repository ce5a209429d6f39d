"""The one exception type for input that cannot be used."""

from functools import partial

from .messages import Sentence


class InputError(ValueError):
    """A table, column, value or option is unusable.

    Its ``sentence``, made of the parameters, is for the person who supplied the input: it names
    the file, column, row or value at fault and says what to do about it.
    """

    def __init__(self, code: str, template: str, /, **values: object) -> None:
        self.sentence = Sentence(code, template, **values)
        super().__init__(self.sentence)

    def __reduce__(self) -> tuple[object, ...]:
        # a worker process pickles what it raises
        sentence = self.sentence
        return partial(InputError, sentence.code, sentence.template, **sentence.values), ()
