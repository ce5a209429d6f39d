"""What a person gave, as a message about it shows it."""

LONGEST = 80
"""Characters: what is longer is not told any better by more of it."""


def shown(given: object) -> str:
    """Return it as text, cut where it is long, with escapes for what UTF-8 cannot hold."""
    text = str(given)
    cut = text if len(text) <= LONGEST else f"{text[: LONGEST - 2]} …"
    return cut.encode("utf-8", "backslashreplace").decode()


def is_unwritable(text: str) -> bool:
    """Say whether text holds half a character, as JSON can, so that no file or page takes it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
