"""What the method of an archive says of a text is what `find` says by that method of the live articles that share a key with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from archives import opened
from test_opinions import EACH, by_time, find, judge_pairs, make_pile, weigh_by

from wirecopy import Archive, Opinion, methods
from wirecopy.archive import opining
from wirecopy.errors import UsageError
from wirecopy.methods import Method
from wirecopy.model import Verdict

Record = dict[str, Any]


def make_archive(path: Path, method: Method, pile: list[Record], **options: Any) -> Archive:
    """An archive of these articles, in several segments, in which there are still keys of others that were removed."""
    gone = [{**one, "id": f"gone {one['id']}"} for one in pile]
    archive = Archive.open(path, create=True, method=method, **options)
    for start in range(0, len(pile), 12):
        archive.add(pile[start : start + 12] + gone[start : start + 5])
    archive.remove([one["id"] for one in gone])
    return archive


@EACH
def test_opinions_are_those_of_find(method: Method, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opining, "BLOCK_ARTICLES", 5)
    pile = make_pile(10)
    asked, live = pile[6:10] + pile[:1] + pile[-1:], pile[10:] + pile[1:6]
    weighed = weigh_by("reference", method, pile)
    with make_archive(tmp_path / "archive", method, live, **weighed) as archive:
        if method.compares_keys:
            with pytest.raises(UsageError, match="leaves out the most frequent of all keys"):
                archive.opinions(asked)
            return
        ranked = archive.opinions(asked)
    assert [one.query for one in ranked] == [query["id"] for query in asked]
    for query, one in zip(asked, ranked, strict=True):
        others = by_time([article for article in live if article["id"] != query["id"]])
        pairs = [(query, article) for article in others]
        brute = judge_pairs(method, others, pairs, weighed.get("statistics"))
        sharing = {opinion.found for opinion, _, shares in brute if shares}
        found = find(live, method, query=[query], **weighed)
        assert one.opinions == [opinion for opinion in found if opinion.found in sharing]
        accepted = [opinion for opinion in found if opinion.relation]
        assert method.approximate or [opinion for opinion in one.opinions if opinion.relation] == accepted
        assert ([one.verdict] if one.verdict else []) == list(found.verdicts)
    assert any(one.opinions for one in ranked)


def test_every_opinion_of_a_method_that_only_ranks_has_no_relation(tmp_path: Path) -> None:
    pile, image = make_pile(11), methods.get("document_image")
    weighed = weigh_by("reference", image, pile)
    with make_archive(tmp_path / "archive", image, pile, **weighed) as archive:
        [ranked] = archive.opinions({"id": "q", "text": pile[-1]["text"]})
    assert {opinion.relation for opinion in ranked.opinions} == {None}
    ranks = [opinion.rank for opinion in ranked.opinions]
    assert ranks[0] == 1
    assert ranks == sorted(ranks, reverse=True)


FAMILY = "The board met. The harbour stays open. Nobody was hurt. The mayor will speak tonight."
SISTERS = [
    {"id": name, "text": text, "published": f"2024-03-0{day}", "source": source}
    for day, (name, text, source) in enumerate(
        [
            ("b", FAMILY, "Echo"),
            ("a", FAMILY, "Post"),
            ("half", "The board met. The harbour stays open.", "Echo"),
            ("rest", "The mayor will speak tonight. It rained.", "Post"),
        ],
        1,
    )
]
SENTENCES = methods.get("sentence_fingerprints", exact_sentences=True)


@pytest.mark.parametrize(
    ("limits", "found", "hits"),
    [
        ({}, ["a", "b", "half", "rest"], 4),
        ({"top": 1}, ["a"], 4),
        ({"since": "2024-03-03"}, ["half", "rest"], 3),
        ({"until": "2024-03-01"}, ["b"], 4),
        ({"since": "2024-03-02", "source": "Echo"}, ["half"], 2),
        ({"not_source": "Echo"}, ["a", "rest"], 4),
        ({"since": "2025-01-01"}, [], 0),
    ],
)
def test_limits(tmp_path: Path, limits: dict[str, Any], found: list[str], hits: int) -> None:
    with opened(tmp_path / "archive", SISTERS, method=SENTENCES) as archive:
        [ranked] = archive.opinions(FAMILY, **limits)
    assert [opinion.found for opinion in ranked.opinions] == found
    assert ranked.verdict == Verdict(ranked.query, hits, hits > 2)


def test_an_article_is_not_compared_with_its_own_id(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", SISTERS, method=SENTENCES) as archive:
        [ranked] = archive.opinions(SISTERS[1])
    assert [opinion.found for opinion in ranked.opinions] == ["b", "half", "rest"]


def test_as_a_public_object(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", SISTERS[:1], method=SENTENCES) as archive:
        [ranked] = archive.opinions({"id": "q", "text": FAMILY})
    [opinion] = ranked.opinions
    assert isinstance(opinion, Opinion)
    assert ranked.to_dict() == {
        "query": "q",
        "opinions": [opinion.to_dict()],
        "verdict": {"article": "q", "hits": 4, "duplicate": True},
    }
    with opened(tmp_path / "other", SISTERS[:1], method="exact") as archive:
        assert archive.opinions({"id": "q", "text": "Other."})[0].to_dict() == {
            "query": "q",
            "opinions": [],
            "verdict": None,
        }


def test_an_archive_that_is_empty_has_no_opinion(tmp_path: Path) -> None:
    with opened(tmp_path / "archive", method=SENTENCES) as archive:
        [ranked] = archive.opinions(FAMILY)
    assert (ranked.opinions, ranked.verdict) == ([], Verdict(ranked.query, 0, False))


def test_an_archive_of_two_methods_is_refused(tmp_path: Path) -> None:
    with (
        opened(tmp_path / "archive", SISTERS, method=["minhash", "winnowing"]) as archive,
        pytest.raises(UsageError, match=r"of one method; .*archive has minhash, winnowing: make"),
    ):
        archive.opinions(FAMILY)
