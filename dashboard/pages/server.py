"""What the server runs: the dashboard's pages, behind a doorkeeper for their network promises.

Run by streamlit as a script, hence the absolute imports.
"""

from pathlib import Path

from starlette.middleware import Middleware
from streamlit.starlette import App

from evencover.dashboard.pages.own_pages import OwnPagesOnly

app = App(Path(__file__).with_name("app.py"), middleware=[Middleware(OwnPagesOnly)])
