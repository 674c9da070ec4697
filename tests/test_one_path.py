"""One path from articles to matches: linked and all, each preset, a pile, its queries and an archive of it agree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wirecopy
from quality.corpora import write_jsonl
from quality.piles import disagreements, make_pile, make_queries
from wirecopy import Archive
from wirecopy.archive import index

SEEDS = range(40)
"""quality/one_path.py takes more."""


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_gives_the_same_answer(seed: int, tmp_path: Path) -> None:
    assert disagreements(make_pile(seed), make_queries(seed), tmp_path) == []


def test_so_it_is_with_a_file(tmp_path: Path) -> None:
    pile = write_jsonl(tmp_path / "pile.jsonl", make_pile(7))
    assert disagreements([pile], make_queries(7), tmp_path) == []


@pytest.mark.parametrize("method", ["minhash", "full_fingerprint", "sentence_lengths"])
def test_so_it_is_with_other_methods(method: str, tmp_path: Path) -> None:
    assert disagreements(make_pile(7), make_queries(7), tmp_path, method=method) == []


def test_so_it_is_with_several_windows_of_one_method(tmp_path: Path) -> None:
    chosen = ["winnowing", wirecopy.methods.get("winnowing", window_words=8)]
    assert disagreements(make_pile(7), make_queries(7), tmp_path, method=chosen) == []


@pytest.mark.parametrize("seed", range(100, 120))
def test_so_it_is_where_only_the_holders_that_matter_are_read(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "MANY_HOLDERS", 0)
    assert disagreements(make_pile(seed), make_queries(seed), tmp_path) == []


@pytest.mark.parametrize("seed", range(6))
def test_of_the_holders_of_a_key_only_those_that_matter_need_be_read(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In segments of any number, with articles removed, and within limits."""
    pile, queries = make_pile(seed), make_queries(seed)
    for place, one in enumerate(pile):
        one["source"] = "Echo" if place % 3 else "Courier"
    parts = [pile[part::4] for part in range(4)]
    limits: list[dict[str, Any]] = [
        {},
        {"source": "Echo"},
        {"not_source": "Echo"},
        {"since": "2024-03-03", "until": "2024-03-07"},
    ]
    with Archive.open(tmp_path / "archive", create=True) as archive:
        for part in parts:
            archive.add(part)
        archive.remove([one["id"] for one in pile[::7]])
        archive.learn()
        answers = []
        for most in (0, 1 << 40):
            monkeypatch.setattr(index, "MANY_HOLDERS", most)
            answers.append([archive.check(queries, top=None, **one) for one in limits])
    assert answers[0] == answers[1]
