"""Linked and all, every preset, a pile, its queries and an archive of it give one answer, on made-up piles and on news."""

from collections.abc import Iterator
from typing import Any

from quality.corpora import news_or_made_up, read_jsonl, scratch, unpack, write_jsonl
from quality.piles import disagreements, make_pile, make_queries
from quality.report import Data, MissingError, Result, digest, say
from wirecopy.demo import write_archive

PILES = 300


def measure() -> Iterator[Result]:
    wrong = []
    for seed in range(PILES):
        with scratch() as folder:
            wrong += [f"{seed}: {one}" for one in disagreements(make_pile(seed), make_queries(seed), folder)]
    made = digest([str([make_pile(seed) for seed in range(PILES)])])
    data = Data(f"{PILES} made-up piles", "20 to 150 articles each", "none needed", made)
    yield Result("made-up piles", data, {"disagreements": len(wrong)}, wrong)
    for name, articles in corpora():
        say(f"  {name}")
        with scratch() as folder:
            pile = write_jsonl(folder / "pile.jsonl", articles)
            queries = [{**one, "id": str(one["id"])} for one in articles if one["text"]][::20]
            found = disagreements([pile], queries, folder)
            data = Data(f"{name}, one path", f"{len(articles):,} articles", "none needed", digest([pile]))
        yield Result(name, data, {"disagreements": len(found)}, found)


def corpora() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The demo archive, and what is at hand of the others."""
    with scratch() as folder:
        write_archive(folder, 1)
        yield "demo", read_jsonl(folder / "articles.jsonl")
    yield news_or_made_up(20_000)
    for name in ("reuters21578", "korean", "turkish", "xinwenlianbo-zh"):
        try:
            yield name, read_jsonl(unpack(name) / "articles.jsonl")
        except MissingError:
            say(f"  {name} is not at hand")
