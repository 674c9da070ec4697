"""`find` in a folder gives the bytes of `find` in memory: matches, boilerplate and counts, for any number of parts and any memory."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import wirecopy
from quality.corpora import Row, bench_corpus, news_or_made_up, scratch, unpack, write_jsonl
from quality.report import Data, MissingError, Result, digest, say
from quality.texts import Writer
from wirecopy import Matches, methods
from wirecopy.comparison import PRESETS
from wirecopy.demo import write_archive
from wirecopy.pile import stored

MB = 1_000_000
PARTS = (1, 7, 64, 500)
MEMORY = (1, MB, 100 * MB)
FEW = ((7, 100 * MB), (64, 5 * MB))
"""Parts and memory for what is not tried with all of these."""
ARTICLES, REPRINTS = 5_000, 2_000

Way = tuple[int, int, dict[str, Any]]
"""In how many parts, in how much memory, with which options of `find`."""


def measure() -> Iterator[Result]:
    for name, pile, ways in cases():
        say(f"  {name}")
        with scratch() as folder:
            try:
                path = pile(folder)
            except MissingError as missing:
                say(f"    {missing}")
                continue
            result = compare(name, path, ways, folder)
        say(f"    {dict(result.measures)}")
        yield result


def compare(name: str, pile: Path, ways: Iterable[Way], folder: Path) -> Result:
    """How many ways to work in a folder give something else than memory."""
    expected: dict[str, str] = {}
    seen: dict[str, set[str]] = {}
    tried = different = articles = 0
    for number, (parts, memory, asked) in enumerate(ways):
        key = ", ".join(f"{option} {value}" for option, value in asked.items()) or "as it is"
        if key not in expected:
            found = wirecopy.find(pile, **asked)
            expected[key], articles = tell(found), found.counts["articles"]
        stored.PARTS = parts
        there = tell(wirecopy.find(pile, work=folder / f"work-{number}", memory=memory, **asked))
        wirecopy.pile.remove_work(folder / f"work-{number}")
        seen.setdefault(key, set()).add(there)
        tried += 1
        different += there != expected[key]
    notes = [
        f"{name}, {key}: sha256 of `find` {expected[key]}, in a folder {' and '.join(sorted(mine))}."
        for key, mine in seen.items()
    ]
    data = Data(f"{name}, in a folder", f"{articles:,} articles", "find in memory", digest([pile]))
    return Result(name, data, {"tried": tried, "other answers": different}, notes)


def tell(found: Matches) -> str:
    """The digest of all that an answer says."""
    whole = hashlib.sha256()
    for lines in found.json_lines():
        whole.update(lines.encode())
    more = [one.to_dict() for one in found.formulas], dict(found.counts), len(found.skipped)
    whole.update(json.dumps(more).encode())
    return whole.hexdigest()


def cases() -> Iterator[tuple[str, Callable[[Path], Path], list[Way]]]:
    """The name of each case, what writes its pile into a folder, and how it is worked on."""
    few: list[Way] = [(parts, memory, {}) for parts, memory in FEW]
    undirected = [name for name in methods.names() if not methods.get(name).is_directed]
    by_method: list[Way] = [(*FEW[1], {"method": name}) for name in undirected]
    presets: list[Way] = [
        (*FEW[1], {"preset": preset, "pairs": pairs}) for preset in PRESETS for pairs in ("linked", "all")
    ]
    grid: list[Way] = [(parts, memory, {}) for parts, memory in product(PARTS, MEMORY)]
    yield "demo", demo, [*grid, *by_method, *presets]
    yield "reuters21578", lambda _: unpack("reuters21578") / "articles.jsonl", [*few, *presets]
    yield "xinwenlianbo-zh", lambda _: unpack("xinwenlianbo-zh") / "articles.jsonl", few
    for name in ("news20k", "news182k"):
        yield name, lambda _, name=name: bench_corpus(name).with_suffix(".jsonl"), few  # type: ignore[misc]
    changes: dict[str, Callable[[list[Row]], list[Row]]] = {
        f"{REPRINTS:,} reprints": reprint,
        "a formula in every article": add_formula,
        "undated": lambda articles: [
            {name: value for name, value in one.items() if name not in ("date", "published")}
            for one in articles
        ],
        "all of one date": lambda articles: [{**one, "date": "2024-03-01"} for one in articles],
    }
    for name, change in changes.items():
        yield name, lambda folder, change=change: make(folder, change), few  # type: ignore[misc]


def demo(folder: Path) -> Path:
    write_archive(folder / "demo", 1)
    return folder / "demo" / "articles.jsonl"


def make(folder: Path, change: Callable[[list[Row]], list[Row]]) -> Path:
    """Some articles of the kit, or made-up ones, changed."""
    return write_jsonl(folder / "pile.jsonl", change(news_or_made_up(ARTICLES)[1]))


def reprint(articles: list[Row]) -> list[Row]:
    """With so many reprints of the first, each with a line of its own."""
    writer = Writer(23)
    reprints = [
        {**articles[0], "id": f"reprint-{number}", "text": f"{articles[0]['text']} {writer.text(12)}"}
        for number in range(REPRINTS)
    ]
    return [*articles, *reprints]


def add_formula(articles: list[Row]) -> list[Row]:
    formula = Writer(29).text(40)
    return [{**one, "text": f"{one['text']} {formula}"} for one in articles]
