"""What a page holds, read as a browser does."""

import json
from decimal import Decimal
from html.parser import HTMLParser

_VOID = {"meta", "br", "link", "img"}


class Reading(HTMLParser):
    """Tables, charts, texts and addresses of a page, by the ids of their elements.

    Attributes
    ----------
    tables
        Rows of each table, its header first: the text of each cell.
    titles
        What is told where the pointer rests, of all elements.
    charts
        Data and layout of each chart.
    texts
        Text of each element with an id, spaces and line ends in it as one space.
    addresses
        All that would be loaded or followed.
    """

    def __init__(self, page):
        super().__init__()
        self.tables, self.charts, self.texts = {}, {}, {}
        self.titles, self.addresses = [], []
        self._open = []
        self._rows = None
        self.feed(page)
        self.close()
        self.texts = {id_: " ".join(text.split()) for id_, text in self.texts.items()}

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.addresses += [attrs[name] for name in ("src", "href", "srcset") if name in attrs]
        if "title" in attrs:
            self.titles.append(attrs["title"])
        if tag in _VOID:
            return
        id_ = attrs.get("id")
        self._open.append((tag, id_))
        if id_ is not None:
            assert id_ not in self.texts
            self.texts[id_] = ""
        if tag == "table":
            self._rows = self.tables[id_.removeprefix("table-")] = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")

    def handle_endtag(self, tag):
        opened, _ = self._open.pop()
        assert opened == tag

    def handle_data(self, data):
        tag = self._open[-1][0] if self._open else ""
        ids = [id_ for _, id_ in self._open if id_ is not None]
        if tag == "script":
            if data.startswith('{"data"'):
                self.charts[ids[-1]] = json.loads(data)
            return
        if tag in ("td", "th"):
            self._rows[-1][-1] += data
        for id_ in ids:
            self.texts[id_] += data

    def rows(self, name):
        """The rows of a table as dicts by its header."""
        header, *rows = self.tables[name]
        return [dict(zip(header, row, strict=True)) for row in rows]


def agrees(shown, value):
    """Say whether a cell shows a value of a JSON result, to the digits that it shows."""
    if value is None:
        return shown in ("", "infinite")
    if isinstance(value, str):
        return shown == value
    if shown.startswith("< "):
        return value < float(shown[2:])
    shown, _, unit = shown.replace(",", "").partition(" ")
    told, value = Decimal(shown), 100.0 * value if unit in ("%", "points") else value
    half = Decimal(5) * Decimal(10) ** (told.as_tuple().exponent - 1)
    return abs(told - Decimal(value)) <= half
