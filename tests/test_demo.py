import hashlib
import json
import re
from collections import Counter, defaultdict
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from wirecopy import demo
from wirecopy.demo import Printed, Truth, read_truth, score, write_archive
from wirecopy.model import Match, Relation

DIGESTS = {
    "articles.jsonl": "cf49c26b3551bb3579453719257604ad3fd2c379547372be146675424b909eb6",
    "truth.jsonl": "c93eff0218e228f0ca7a2ad2e5bb6d7bef408e0f6966b5fb7f3d8e776f4a8b29",
}
"""Of seed 1. They change only when the demo is meant to change: its figures are quoted in the docs."""


@pytest.fixture(scope="module", params=[1, 2, 3])
def printed(request: pytest.FixtureRequest) -> list[Printed]:
    return demo._Newsroom(request.param).print_all()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_archive(tmp_path_factory.mktemp("archive") / "made" / "for-it")


@pytest.fixture(scope="module")
def articles(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "articles.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def truth(folder: Path) -> Truth:
    return read_truth(folder)


def related(printed: list[Printed]) -> set[frozenset[str]]:
    pairs = combinations(printed, 2)
    return {frozenset((a.article.id, b.article.id)) for a, b in pairs if demo._relation(a, b)}


def runs(text: list[str], length: int) -> set[tuple[str, ...]]:
    folded = [re.sub(r"\W", "", word).lower() for word in text]
    return set(zip(*(folded[i:] for i in range(length)), strict=False))


def test_a_seed_gives_the_same_bytes_everywhere(folder: Path) -> None:
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in DIGESTS}
    assert digests == DIGESTS


def test_another_seed_gives_another_archive(folder: Path, tmp_path: Path) -> None:
    other = write_archive(tmp_path, seed=2)
    assert (other / "articles.jsonl").read_bytes() != (folder / "articles.jsonl").read_bytes()


def test_about_300_articles_of_eight_papers_and_an_agency(articles: list[dict[str, Any]]) -> None:
    assert 290 <= len(articles) <= 310
    assert len({article["id"] for article in articles}) == len(articles)
    assert {article["source"] for article in articles} == {*demo.PAPERS, demo.AGENCY}
    assert all(article["id"].startswith(article["source"] + "/2026-03-") for article in articles)
    published = [article["published"] for article in articles]
    assert published == sorted(set(published))
    assert published[-1] < "2026-03-24"
    assert Counter(article["language"] for article in articles)["en"] == len(articles) - 8


def test_articles_have_60_to_600_words(printed: list[Printed]) -> None:
    texts = [item.article.text for item in printed if item.article.language != "zh"]
    assert all(60 <= len(text.split()) <= 600 for text in texts)
    assert all("\n\n" in text for text in texts)


def test_unrelated_articles_share_no_12_words(printed: list[Printed]) -> None:
    holders = defaultdict(set)
    for item in printed:
        for run in runs([word.text for word in item.words], 12):
            holders[run].add(item.article.id)
    sharing = {frozenset(pair) for ids in holders.values() for pair in combinations(sorted(ids), 2)}
    assert sharing <= related(printed)


def test_what_provenance_calls_shared_is_shared_word_for_word(printed: list[Printed]) -> None:
    for found, query in combinations(printed, 2):
        if demo._relation(query, found):
            ours = demo._overlap(query.words, found.words)
            texts = ([word.text for word in item.words] for item in (query, found))
            blocks = SequenceMatcher(None, next(texts), next(texts), autojunk=False).get_matching_blocks()
            assert sum(block.size for block in blocks) >= 0.8 * ours.longest


def test_no_pair_is_near_a_limit(printed: list[Printed]) -> None:
    for found, query in combinations(printed, 2):
        if query.article.language != "zh" and not query.origins.isdisjoint(found.origins):
            assert demo._overlap(query.words, found.words).clear


def test_every_formula_of_a_paper_stands_in_a_dozen_of_its_articles_and_no_others(
    printed: list[Printed],
) -> None:
    bank = demo._read_bank()
    for paper in demo.PAPERS:
        for part in ("head", "middle", "close"):
            (formula,) = bank[f"{part} {paper}"]
            assert 8 <= len(formula.split()) <= 70
            pattern = re.compile(".+".join(map(re.escape, re.split(r"\{\w+\}", formula))))
            sources = Counter(i.article.source for i in printed if pattern.search(i.article.text))
            assert set(sources) == {paper}
            assert 12 <= sources[paper] < len([i for i in printed if i.article.source == paper])


def test_formulas_share_no_wording() -> None:
    bank = demo._read_bank()
    formulas = [
        bank[f"{part} {paper}"][0].split() for paper in demo.PAPERS for part in ("head", "middle", "close")
    ]
    assert max(Counter(run for formula in formulas for run in runs(formula, 5)).values()) == 1


def test_all_relations_occur(truth: Truth) -> None:
    assert min(Counter(truth.values())[relation] for relation in Relation) >= 9


def test_the_query_is_the_later_article(truth: Truth, articles: list[dict[str, Any]]) -> None:
    published = {article["id"]: article["published"] for article in articles}
    assert all(published[query] > published[found] for query, found in truth)


def test_identical_articles_have_the_same_text(truth: Truth, articles: list[dict[str, Any]]) -> None:
    text = {article["id"]: article["text"] for article in articles}
    identical = {pair for pair, relation in truth.items() if relation is Relation.IDENTICAL}
    same = {(b["id"], a["id"]) for a, b in combinations(articles, 2) if text[a["id"]] == text[b["id"]]}
    assert identical == same


def matches(truth: Truth) -> list[Match]:
    return [Match(query, found, relation, 1, 1, 1, ()) for (query, found), relation in truth.items()]


def test_the_truth_scores_one(truth: Truth) -> None:
    result = score(matches(truth), truth)
    assert (result.precision, result.recall, result.agreeing) == (1.0, 1.0, len(truth))
    last = str(result).splitlines()[-1]
    assert last == f"precision 1.000  recall 1.000  ({len(truth)} true pairs, {len(truth)} reported)"


def test_missed_wrong_and_misjudged_pairs_show_in_the_score() -> None:
    truth = {("b", "a"): Relation.PARTIAL, ("c", "a"): Relation.CONTAINS, ("d", "a"): Relation.CONTAINS}
    reported = {("b", "a"): Relation.PARTIAL, ("a", "c"): Relation.CONTAINED_IN, ("x", "y"): Relation.PARTIAL}
    result = score(matches(reported), truth)
    assert (result.true_pairs, result.reported, result.found, result.agreeing) == (3, 3, 2, 1)
    assert (result.precision, result.recall) == (2 / 3, 2 / 3)


def test_nothing_reported_is_no_error() -> None:
    assert str(score([], {})).endswith("precision 1.000  recall 1.000  (0 true pairs, 0 reported)")
