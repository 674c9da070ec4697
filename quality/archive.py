"""An archive answers as `find` does on the articles that are in it, however they came there."""

import random
from collections.abc import Callable, Iterator

import wirecopy
from quality.corpora import Row, news_or_made_up, scratch, write_jsonl
from quality.report import Data, Result, digest, say
from wirecopy import Archive

ARTICLES, QUERIES = 10000, 300


def at_once(archive: Archive, articles: list[Row]) -> None:
    archive.add(articles)


def in_small_batches(archive: Archive, articles: list[Row]) -> None:
    archive.add(articles, batch_bytes=200_000)


def with_removals_and_compaction(archive: Archive, articles: list[Row]) -> None:
    archive.add(articles[: len(articles) // 2], batch_bytes=500_000)
    archive.remove([article["id"] for article in articles[::7]])
    archive.compact()
    archive.add(articles)


def as_a_stream(archive: Archive, articles: list[Row]) -> None:
    archive.add(articles[:-500])
    for article in articles[-500:]:
        archive.observe(article)


WAYS: list[Callable[[Archive, list[Row]], None]] = [
    at_once,
    in_small_batches,
    with_removals_and_compaction,
    as_a_stream,
]


def measure() -> Iterator[Result]:
    name, articles = news_or_made_up(ARTICLES)
    articles = [{**article, "id": str(article["id"])} for article in articles]
    live, queries = articles[QUERIES // 2 :], articles[:QUERIES]
    with scratch() as folder:
        made = digest([write_jsonl(folder / "pile.jsonl", articles)])
        expected = "".join(wirecopy.find(live).json_lines())
        answers: dict[str, list[str]] = {query["id"]: [] for query in queries}
        for match in wirecopy.find(live, query=queries):
            answers[match.query].append(str(match.to_dict()))
        size = f"{len(live):,} articles and {len(queries)} queries, in an order of its own for each case"
        data = Data(f"{name}, in archives", size, "none needed", made)
        for seed, way in enumerate(WAYS):
            case = way.__name__.replace("_", " ")
            say(f"  {case}")
            with Archive.open(folder / str(seed), create=True, threads=1 + seed % 2) as archive:
                way(archive, random.Random(seed).sample(live, len(live)))
                archive.learn()
                other = sum(
                    not {str(match.to_dict()) for match in answer.matches} >= {*answers[answer.query]}
                    for answer in archive.check(queries, top=None)
                )
                same = "".join(archive.pairs().json_lines()) == expected
            measures = {
                "pairs are those of find": float(same),
                "answers other than those of find": float(other),
            }
            yield Result(case, data, measures)
