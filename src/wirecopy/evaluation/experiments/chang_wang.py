"""Chang and Wang 2008: one query made of parts of many documents, found by the lengths of their sentences.

Tables 1 to 4: papers, and a query of the introductions and conclusions of 27 of them. Tables 5 to 7: news, and a query of up to ten
paragraphs of each of 180 articles, from an index on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ... import _core, methods, text
from ...archive import Archive
from ...measures import rate
from ...methods import Method
from ...methods.sentence_lengths import SentenceLengths
from ...model import Article
from ...pile import find
from . import Setting, Table, describe, say_shaped, timed
from .writing import Writer, paragraphs

PAPER = "Chang, Wang 2008"
CORPUS = "articles"
TABLES = ("1", "2", "3", "4", "5", "6", "7")
PAPERS, CHOSEN, LEAST_SENTENCES = 1090, 27, 60
NEWS, NEWS_CHOSEN, MOST_PARAGRAPHS = 20_000, 180, 10

# Configuration: WS, SW, DJ; published: windows, index seconds, search seconds, recognised, total, F1.
CONFIGURATIONS = (
    ("WS08SW1", (8, 1, False), (545_254, 2.233, 6.469, 26, 570, 0.087)),
    ("WS08SW1wDJ", (8, 1, True), (508_468, 2.096, 1.766, 26, 353, 0.137)),
    ("WS08SW2", (8, 2, False), (273_442, 0.984, 3.204, 26, 459, 0.107)),
    ("WS16SW1", (16, 1, False), (536_642, 2.475, 0.219, 24, 24, 0.941)),
    ("WS16SW1wDJ", (16, 1, True), (501_422, 2.310, 0.172, 24, 24, 0.941)),
    ("WS16SW2", (16, 2, False), (269_135, 0.951, 0.156, 24, 24, 0.941)),
    ("WS16SW4", (16, 4, False), (135_386, 0.404, 0.109, 23, 23, 0.920)),
    ("WS32SW1", (32, 1, False), (519_426, 3.132, 0.344, 12, 12, 0.615)),
    ("WS32SW1wDJ", (32, 1, True), (486_835, 2.716, 0.297, 12, 12, 0.615)),
    ("WS32SW4", (32, 4, False), (131_082, 0.479, 0.141, 12, 12, 0.615)),
    ("WS32SW8", (32, 8, False), (66_338, 0.209, 0.078, 12, 12, 0.615)),
    ("WS64SW1", (64, 1, False), (485_134, 3.457, 0.125, 1, 1, 0.071)),
    ("WS64SW1wDJ", (64, 1, True), (456_995, 3.121, 0.125, 1, 1, 0.071)),
    ("WS64SW8", (64, 8, False), (62_039, 0.310, 0.078, 1, 1, 0.071)),
    ("WS64SW16", (64, 16, False), (31_827, 0.139, 0.062, 1, 1, 0.071)),
)
# Configuration: WS, SW, t; published: seconds, recognised, total, recall, precision, F1.
THRESHOLDS = (
    ("WS8SW1, t=1", (8, 1, 1), (0.156, 178, 230, 0.989, 0.774, 0.868)),
    ("WS8SW1, t=3", (8, 1, 3), (0.172, 175, 198, 0.972, 0.884, 0.926)),
    ("WS8SW1, t=5", (8, 1, 5), (0.188, 163, 168, 0.906, 0.970, 0.937)),
    ("WS8SW1, t=9", (8, 1, 9), (0.188, 143, 146, 0.794, 0.979, 0.877)),
    ("WS16SW2, t=1", (16, 2, 1), (0.094, 139, 141, 0.772, 0.986, 0.866)),
)
INDEXED = {(8, 1): (5_356_152, 2_100.49), (16, 2): (2_195_642, 274.58)}
COLLECTIONS = (
    ("EIRB010", 10_204, 24.6),
    ("Hong Kong Standard", 96_856, 253.2),
    ("Korea Times 1998–1999", 19_599, 55.9),
    ("Korea Times 2000–2001", 30_530, 81.1),
    ("Mainichi 1998–1999", 12_723, 33.3),
    ("Mainichi 2000–2001", 12_155, 26.3),
)
INDEX_HEADS = ("configuration", "windows", "published", "index s", "published")
HEADS = ("configuration", "recog.", "published", "total", "published", "R", "P", "F1", "published")


def run(setting: Setting) -> Iterator[Table]:
    """Yields tables 1 to 4 on papers, and 5 to 7 on news."""
    if setting.wants("1", "2", "3", "4"):
        yield from _run_papers(setting)
    if setting.wants("5", "6", "7"):
        yield from _run_news(setting)


def write_papers(number: int, seed: int) -> list[Article]:
    """Made-up papers: introduction, body, conclusion and references, whose initials and figures make short sentences.

    One introduction in twelve has a run of such short ones too, as numbers, abbreviations and equations make them when a PDF is converted.
    """
    writer = Writer(seed)
    articles = []
    for place in range(number):
        parts = np.maximum(4, writer.random.lognormal(np.log([28, 330, 10]), [0.5, 0.3, 0.5])).astype(int)
        prose = [writer.prose(int(size), place) for size in parts]
        if writer.random.random() < 1 / 12:
            at = int(writer.random.integers(len(prose[0])))
            prose[0][at:at] = _fragments(writer, int(writer.random.integers(8, 14)), place)
        references = _fragments(writer, int(writer.random.integers(80, 160)), place)
        text_ = "\n\n".join(" ".join(part) for part in (*prose, references))
        articles.append(Article(f"paper-{place:04}", text_))
    return articles


def _fragments(writer: Writer, number: int, topic: int) -> list[str]:
    """So many sentences of a few words, most of one."""
    return writer.sentences(
        writer.random.choice([1, 2, 3, 5, 8], number, p=[0.6, 0.2, 0.1, 0.06, 0.04]), topic
    )


def write_news(number: int, seed: int) -> list[Article]:
    """Made-up news articles of about 36 sentences, as the paper's have, in paragraphs of four."""
    writer = Writer(seed, sentence_words=12)
    articles = []
    for place in range(number):
        size = int(np.clip(writer.random.lognormal(np.log(30), 0.6), 4, 400))
        articles.append(Article(f"news-{place:06}", "\n\n".join(paragraphs(writer.prose(size, place % 500)))))
    return articles


def _run_papers(setting: Setting) -> Iterator[Table]:
    articles = list(setting.corpus) or write_papers(setting.articles or PAPERS, setting.seed)
    long = [one for one in articles if one.text.count(". ") + one.text.count(".\n") >= LEAST_SENTENCES]
    rng = np.random.default_rng(setting.seed)
    chosen = [long[place] for place in rng.permutation(len(long))[:CHOSEN].tolist()]
    query = Article("query", "\n\n".join(part for one in chosen for part in _ends(one)))
    wanted = {one.id for one in chosen}
    notes = [
        f"on {describe(articles, setting)}; the query: first and last part of {len(chosen)} of them",
        "Published: 1,090 papers of WWW and SIGIR 2004 to 2006, converted from PDF, on a Pentium 4 with 3 GHz. Times are not comparable.",
        *say_shaped(setting),
    ]
    copies = _copies(articles, chosen) if setting.corpus else set()
    if setting.corpus:
        notes.append("The first fifth and last tenth of a document stand for introduction and conclusion.")
        notes.append(_SHARING.format(len(copies)))
    found = {}
    indexed, searched = [], []
    for name, (window, step, jumping), published in CONFIGURATIONS:
        setting.say(name)
        method = SentenceLengths(window_sentences=window, step_sentences=step, dynamic_jumping=jumping)
        windows, index_seconds, ranked, search_seconds = _search(articles, query, method)
        found[name] = [one for one in ranked if one not in copies]
        indexed.append((name, windows, published[0], index_seconds, published[1]))
        searched.append((name, search_seconds, published[2]))
    if setting.wants("1"):
        plain, jumped = indexed[0][1], indexed[1][1]
        saved = f"Dynamic jumping files {1 - jumped / max(1, plain):.1%} fewer windows of 8 (published: about 7 %)."
        yield Table("1", "Configurations and their indexes", INDEX_HEADS, indexed, [*notes, saved])
    if setting.wants("2"):
        yield Table("2", "Search time", ("configuration", "search s", "published"), searched, notes)
    if setting.wants("3"):
        rows = [
            _result_row(name, found[name], wanted, (published[3], published[4], published[5]))
            for name, _, published in CONFIGURATIONS
        ]
        yield Table("3", "Query results", HEADS, rows, notes)
    if setting.wants("4"):
        ranked = found["WS08SW1wDJ"]
        rows = [
            _result_row("WS8SW1wDJ", ranked, wanted, (26, 353, 0.137)),
            _result_row(f"WS8SW1wDJ, best {CHOSEN}", ranked[:CHOSEN], wanted, (25, 27, 0.926)),
        ]
        yield Table("4", "With and without ranking", HEADS, rows, notes)


_SHARING = "{} other articles share passages with those in the query, by find with any-reuse; found or not, they do not count."


def _ends(article: Article) -> tuple[str, str]:
    """Introduction and conclusion: those of a made-up paper, else the first fifth and the last tenth of the sentences."""
    parts = article.text.split("\n\n")
    if len(parts) == 4:
        return parts[0], parts[2]
    sentences = article.text.split(". ")
    return ". ".join(sentences[: len(sentences) // 5]) + ".", ". ".join(sentences[-len(sentences) // 10 :])


def _search(
    articles: Sequence[Article], query: Article, method: Method
) -> tuple[int, float, list[str], float]:
    """How many windows are filed, in how many seconds; the articles found, best first, in how many seconds."""
    assert isinstance(method, SentenceLengths)
    tokens = text.tokenise(*text.encode([one.text for one in articles]), method.view)
    asked = method.sketch(text.tokenise(*text.encode([query.text]), method.view))
    sketches = method.sketch(tokens)
    keys, index_seconds = timed(lambda: method.keys(sketches))
    filed = _core.window_hashes(
        sketches, window=method.window_sentences, step=method.step_sentences, dynamic=method.dynamic_jumping
    )

    def search() -> list[str]:
        owners = np.repeat(np.arange(len(articles)), np.diff(keys.offsets))
        rows = np.unique(owners[np.isin(keys.values, method.probes(asked).values)])
        scores = method.score(asked.take(np.zeros(len(rows), np.int64)), sketches.take(rows))
        accepted = method.accepts(scores)[0]
        order = np.lexsort((rows, -scores.rank))
        return [articles[rows[place]].id for place in order.tolist() if accepted[place]]

    ranked, search_seconds = timed(search)
    return len(filed[0]), index_seconds, ranked, search_seconds


def _result_row(
    name: str, found: Sequence[str], wanted: set[str], published: tuple[int, int, float]
) -> tuple[object, ...]:
    hits = sum(one in wanted for one in found)
    rates = rate(hits, len(found), len(wanted))
    return (
        *(name, hits, published[0], len(found), published[1]),
        *(rates.recall, rates.precision, rates.f, published[2]),
    )


def _run_news(setting: Setting) -> Iterator[Table]:
    articles = list(setting.corpus) or write_news(setting.articles or NEWS, setting.seed)
    rng = np.random.default_rng(setting.seed)
    able = [one for one in articles if one.text.count("\n\n") or len(one.text) > 500]
    chosen = [able[place] for place in rng.permutation(len(able))[:NEWS_CHOSEN].tolist()]
    query = "\n\n".join(part for one in chosen for part in one.text.split("\n\n")[:MOST_PARAGRAPHS])
    wanted = {one.id for one in chosen}
    copies = _copies(articles, chosen) if setting.corpus else set()
    notes = [
        f"on {describe(articles, setting)}; the query: up to {MOST_PARAGRAPHS} paragraphs of {len(chosen)} of them",
        "Published: 182,067 articles of six English collections of NTCIR-4, 474.4 MB; 30 of each in the query, about 6 paragraphs an article.",
        *say_shaped(setting),
    ]
    if setting.corpus:
        notes.append(_SHARING.format(len(copies)))
    if setting.wants("5"):
        size = sum(len(one.text.encode()) for one in articles) / 1e6
        rows = [
            *((name, None, number, None, mb) for name, number, mb in COLLECTIONS),
            ("all", len(articles), 182_067, size, 474.4),
        ]
        yield Table(
            "5", "Source data", ("collection", "articles", "published", "MB", "published"), rows, notes
        )
    indexes: list[tuple[object, ...]] = []
    results: list[tuple[object, ...]] = []
    with TemporaryDirectory(prefix="wirecopy-") as folder:
        for (window, step), published in INDEXED.items():
            for name, parameters, figures in THRESHOLDS:
                if parameters[:2] != (window, step):
                    continue
                setting.say(name)
                method = methods.get(
                    "sentence_lengths",
                    window_sentences=window,
                    step_sentences=step,
                    contiguous_windows=parameters[2],
                )
                path = Path(folder, f"{window}-{step}-{parameters[2]}.db")
                with Archive.open(path, create=True, method=method) as archive:
                    _, seconds = timed(partial(archive.add, articles))
                    if parameters[2] == 1:
                        indexes.append(
                            (
                                f"WS{window}SW{step}",
                                _windows(articles, method),
                                published[0],
                                seconds,
                                published[1],
                            )
                        )
                    asked = partial(archive.opinions, query, accepted=True, top=len(articles))
                    [ranked], took = timed(asked)
                found = [one.found for one in ranked.opinions if one.found not in copies]
                row = _result_row(name, found, wanted, (figures[1], figures[2], figures[5]))
                results.append((name, took, figures[0], *row[1:]))
    if setting.wants("6"):
        heads = ("configuration", "windows", "published", "index s", "published")
        yield Table(
            "6", "Indexes on disk", heads, indexes, [*notes, "Ours holds the articles too, synced to disk."]
        )
    if setting.wants("7"):
        timed_heads = (HEADS[0], "search s", "published", *HEADS[1:])
        yield Table("7", "Thresholds of contiguous windows", timed_heads, results, notes)


def _copies(articles: Sequence[Article], chosen: Sequence[Article]) -> set[str]:
    """The articles that share a passage with some, by comparing their words: to find them is right too."""
    found = find(
        list(articles), query=[replace(one, id=f"query {one.id}") for one in chosen], preset="any-reuse"
    )
    return {one.found for one in found} - {one.id for one in chosen}


def _windows(articles: Sequence[Article], method: Method) -> int:
    """How many windows are filed, repeats included."""
    assert isinstance(method, SentenceLengths)
    total = 0
    for start in range(0, len(articles), 5000):
        some = [one.text for one in articles[start : start + 5000]]
        sketches = method.sketch(text.tokenise(*text.encode(some), method.view))
        filed = _core.window_hashes(
            sketches, window=method.window_sentences, step=method.step_sentences, dynamic=False
        )
        total += len(filed[0])
    return total
