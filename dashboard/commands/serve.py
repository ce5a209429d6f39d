"""Streamlit's own command, which takes an interrupt for a failure: here it is the usual end."""

import contextlib

import click
from streamlit.web.cli import main as streamlit


def main() -> None:
    """Run streamlit with this process's arguments until it is interrupted."""
    with contextlib.suppress(KeyboardInterrupt, click.Abort):
        streamlit(prog_name="streamlit", standalone_mode=False)


if __name__ == "__main__":
    main()
