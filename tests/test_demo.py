import hashlib
import json
import re
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from wirecopy.demo import Truth, archive, differences, read_truth, score, write_archive
from wirecopy.demo.archive import AGENCY, FOREIGN, PAPERS, Overlap, Printed
from wirecopy.demo.bank import read_bank
from wirecopy.model import Match, Relation

DIGESTS = {
    "articles.jsonl": "b25357b8056d8eff3da1b294fb286934e43bb2180871f0eeda723bdc64973d58",
    "truth.jsonl": "a6d94006e092986c5efe0f88e4846a2eb57bf8d106d6ed174133d5919cc793aa",
}
"""Of seed 1. They change only when the demo is meant to change: its figures are quoted in the docs."""


@pytest.fixture(scope="module", params=[1, 2, 3])
def printed(request: pytest.FixtureRequest) -> list[Printed]:
    return archive.Newsroom(request.param).print_all()


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
    return {frozenset((a.article.id, b.article.id)) for a, b in pairs if archive.relation(a, b)}


def runs(text: list[str], length: int) -> set[tuple[str, ...]]:
    folded = [re.sub(r"\W", "", word).lower() for word in text]
    return set(zip(*(folded[i:] for i in range(length)), strict=False))


def test_a_seed_gives_the_same_bytes_everywhere(folder: Path) -> None:
    digests = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in DIGESTS}
    assert digests == DIGESTS


def test_another_seed_gives_another_archive(folder: Path, tmp_path: Path) -> None:
    other = write_archive(tmp_path, seed=2)
    assert (other / "articles.jsonl").read_bytes() != (folder / "articles.jsonl").read_bytes()


def test_about_300_articles_of_ten_papers_and_an_agency(articles: list[dict[str, Any]]) -> None:
    assert 290 <= len(articles) <= 310
    assert len({article["id"] for article in articles}) == len(articles)
    papers = {paper.id: paper for paper in (*PAPERS, *FOREIGN, AGENCY)}
    assert {article["source"] for article in articles} == {paper.name for paper in papers.values()}
    for article in articles:
        paper = papers[article["id"].partition("/")[0]]
        assert article["source"] == paper.name
        assert article["id"].startswith(f"{paper.id}/{article['published'][:10]}-")
    published = [datetime.fromisoformat(article["published"]) for article in articles]
    assert published == sorted(set(published))
    assert published[-1] - published[0] < timedelta(days=22)
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
        if archive.relation(query, found):
            ours = Overlap.of(query.words, found.words)
            texts = ([word.text for word in item.words] for item in (query, found))
            blocks = SequenceMatcher(None, next(texts), next(texts), autojunk=False).get_matching_blocks()
            assert sum(block.size for block in blocks) >= 0.8 * ours.longest


def test_no_pair_is_near_a_limit(printed: list[Printed]) -> None:
    for found, query in combinations(printed, 2):
        if query.article.language != "zh" and not query.origins.isdisjoint(found.origins):
            assert Overlap.of(query.words, found.words).clear


def test_every_formula_of_a_paper_stands_in_a_dozen_of_its_articles_and_no_others(
    printed: list[Printed],
) -> None:
    bank = read_bank("sentences.txt")
    for paper in PAPERS:
        for part in ("head", "middle", "close"):
            (formula,) = bank[f"{part} {paper.id}"]
            assert 8 <= len(formula.split()) <= 70
            pattern = re.compile(".+".join(map(re.escape, re.split(r"\{\w+\}", formula))))
            sources = Counter(i.article.source for i in printed if pattern.search(i.article.text))
            assert set(sources) == {paper.name}
            assert 12 <= sources[paper.name] < len([i for i in printed if i.article.source == paper.name])


def test_formulas_share_no_wording() -> None:
    bank = read_bank("sentences.txt")
    formulas = [
        bank[f"{part} {paper.id}"][0].split() for paper in PAPERS for part in ("head", "middle", "close")
    ]
    assert max(Counter(run for formula in formulas for run in runs(formula, 5)).values()) == 1


def test_all_relations_occur(truth: Truth) -> None:
    assert min(Counter(truth.values())[relation] for relation in Relation) >= 9


def test_the_query_is_the_later_article(truth: Truth, articles: list[dict[str, Any]]) -> None:
    published = {article["id"]: datetime.fromisoformat(article["published"]) for article in articles}
    assert all(published[query] > published[found] for query, found in truth)


def test_identical_articles_have_the_same_text(truth: Truth, articles: list[dict[str, Any]]) -> None:
    text = {article["id"]: article["text"] for article in articles}
    identical = {pair for pair, relation in truth.items() if relation is Relation.IDENTICAL}
    same = {(b["id"], a["id"]) for a, b in combinations(articles, 2) if text[a["id"]] == text[b["id"]]}
    assert identical == same


def test_boilerplate_is_never_all_that_sets_two_articles_apart(printed: list[Printed]) -> None:
    formulas = [
        re.compile(".+".join(map(re.escape, re.split(r"\{\w+\}", formula))))
        for name, (formula, *_) in read_bank("sentences.txt").items()
        if name.startswith(("head ", "middle ", "close "))
    ]

    def without(text: str) -> str:
        return "\n\n".join(p for p in text.split("\n\n") if not any(f.fullmatch(p) for f in formulas))

    bare = Counter(without(item.article.text) for item in printed)
    assert bare == Counter(
        {without(text): number for text, number in Counter(i.article.text for i in printed).items()}
    )


def test_a_form_filled_in_for_another_occasion_is_no_copy(printed: list[Printed]) -> None:
    filled = [item for item in printed if item.occasion]
    for form in archive.FORMS:
        own = [item for item in filled if item.occasion and item.occasion.startswith(form.name)]
        assert len({item.occasion for item in own}) == len(form.days)
        copies = Counter(item.occasion for item in own)
        assert sum(number - 1 for number in copies.values()) == 3, "a reprint, an edited one, a corrected one"
        for found, query in combinations(own, 2):
            related = archive.relation(query, found)
            same = query.occasion == found.occasion
            assert related in ((Relation.IDENTICAL, Relation.NEAR_DUPLICATE) if same else (Relation.FORM,))
    others = [item for item in printed if not item.occasion]
    assert not any(archive.relation(one, other) for one in filled for other in others)


def test_a_correction_changes_one_figure(printed: list[Printed]) -> None:
    for form in archive.FORMS:
        own = [item for item in printed if (item.occasion or "").startswith(form.name)]
        pairs = ((a, b) for a, b in combinations(own, 2) if a.occasion == b.occasion)
        changed = [
            [(one.text, other.text) for one, other in zip(a.words, b.words, strict=True) if one != other]
            for a, b in pairs
            if len(a.words) == len(b.words) and a.article.source == b.article.source
        ]
        ((figures,),) = changed
        assert figures[0] != figures[1]
        assert all(re.search(r"\d", figure) for figure in figures)


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


def test_a_form_that_is_called_a_copy_is_wrong_and_so_is_a_copy_called_a_form() -> None:
    truth = {("b", "a"): Relation.FORM, ("c", "a"): Relation.FORM, ("d", "a"): Relation.NEAR_DUPLICATE}
    reported = {("b", "a"): Relation.FORM, ("c", "a"): Relation.PARTIAL, ("d", "a"): Relation.FORM}
    result = score(matches(reported), truth)
    assert (result.reported, result.found, result.agreeing) == (3, 1, 1)


def test_nothing_reported_is_no_error() -> None:
    assert str(score([], {})).endswith("precision 1.000  recall 1.000  (0 true pairs, 0 reported)")


def test_answers_that_differ_are_shown_plainly() -> None:
    texts = {("b", "a"): Relation.IDENTICAL, ("c", "a"): Relation.CONTAINS, ("d", "a"): Relation.PARTIAL}
    pages = {("b", "a"): Relation.NEAR_DUPLICATE, ("c", "a"): Relation.CONTAINS, ("e", "a"): Relation.PARTIAL}
    assert list(map(str, differences(matches(texts), matches(pages)))) == [
        "b a: identical from the texts, near-duplicate from the pages",
        "d a: partial from the texts, no copy from the pages",
        "e a: no copy from the texts, partial from the pages",
    ]
    assert differences(matches(texts), matches(texts)) == []
