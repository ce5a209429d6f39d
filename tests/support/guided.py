"""What README and guide tell to type: their commands and snippets, and what these need."""

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd

from evencover.sample_data import load_sample

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "dashboard" / "guide"
README = ROOT / "README.md"
FILES = {path.stem: path.read_text(encoding="utf-8") for path in (README, *GUIDE.glob("*.md"))}


def blocks(language, text):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def snippets():
    """Each with the file that it stands in."""
    return [(name, block) for name, text in FILES.items() for block in blocks("python", text)]


def snippet(holding):
    (found,) = [block for _, block in snippets() if holding in block]
    return found


def commands():
    """What follows ``evencover`` in each command, once: those of pipelines' files, too."""
    found = {}
    for text in FILES.values():
        steps = "".join(re.findall(r"^- run: (.*\n)", "".join(blocks("yaml", text)), re.MULTILINE))
        for line in "\n".join([*blocks("sh", text), steps]).replace("\\\n", "").split("\n"):
            for part in line.split("&&"):
                program, *given = shlex.split(part) or [""]
                if program.rpartition("/")[2] == "evencover":
                    found.setdefault(tuple(given))
    return list(found)


def write_tables(given):
    """Write into the current folder the tables that a command names; their columns go by it."""
    houses = load_sample("houses").frame.head(2000)
    rng = np.random.default_rng(3)
    owners = rng.integers(0, 700, size=len(houses))
    houses.assign(owner=owners).to_csv("YOUR_HOUSES.csv", index=False)
    houses.head(50).drop(columns="price").to_csv("TOMORROW.csv", index=False)
    months = np.repeat(["2026-03-01", "2026-03-15"], len(houses) // 2)
    houses.assign(id=range(len(houses)), sold=months).to_csv("MARCH.csv", index=False)
    near = houses["price"] * np.exp(rng.normal(scale=0.1, size=len(houses)))
    scored = houses.assign(sex=rng.choice(["F", "M"], size=len(houses)))
    ends = {"low": 0.85 * near, "high": 1.18 * near}
    scored.assign(**ends).to_parquet("scored.parquet")
    if "--models" in given:
        of_two = {f"{model}_{end}er": near * by for model, end, by in OF_TWO}
        scored.assign(**of_two).to_csv("scored.csv", index=False)
    elif "--model-column" in given:
        scored["id"] = range(len(scored))
        both = [scored.assign(model=model, lower=0.85 * near, upper=1.18 * near) for model in "ab"]
        both[1]["upper"] *= 1.1
        pd.concat(both).to_csv("scored.csv", index=False)
    else:
        scored.assign(**ends).to_csv("scored.csv", index=False)


OF_TWO = (("a", "low", 0.85), ("a", "upp", 1.18), ("b", "low", 0.85), ("b", "upp", 1.3))
