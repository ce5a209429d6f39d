"""The one exception type for input that cannot be used."""

from .messages import Sentence


class InputError(ValueError):
    """A table, column, value or option is unusable.

    The message is one sentence meant for the person who supplied the input: it names the
    file, column, row or value at fault and says what to do about it.

    Parameters
    ----------
    code, template, values
        See :class:`.messages.Sentence`.

    Attributes
    ----------
    sentence : Sentence
        The message, with its code and the values that it quotes.
    """

    def __init__(self, code: str, template: str | None = None, /, **values: object) -> None:
        # transitional: a sentence alone, until every raise names its code
        self.sentence = (
            Sentence("", code.replace("{", "{{").replace("}", "}}"))
            if template is None
            else Sentence(code, template, **values)
        )
        super().__init__(self.sentence)

    def __reduce__(self) -> tuple[object, ...]:
        """Survive pickling, which a worker process does to what it raises."""
        return _of_sentence, (self.sentence,)


def _of_sentence(sentence: Sentence) -> InputError:
    return InputError(sentence.code, sentence.template, **sentence.values)
