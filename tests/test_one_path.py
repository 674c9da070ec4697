"""One path from articles to matches: linked and all, each preset, a pile, its queries and an archive of it agree."""

from __future__ import annotations

from pathlib import Path

import pytest

import wirecopy
from quality.piles import disagreements, make_pile, make_queries

SEEDS = range(40)
"""quality/one_path.py takes more."""


@pytest.mark.parametrize("seed", SEEDS)
def test_everybody_gives_the_same_answer(seed: int, tmp_path: Path) -> None:
    assert disagreements(make_pile(seed), make_queries(seed), tmp_path) == []


@pytest.mark.parametrize("method", ["minhash", "full_fingerprint", "sentence_lengths"])
def test_so_it_is_with_other_methods(method: str, tmp_path: Path) -> None:
    assert disagreements(make_pile(7), make_queries(7), tmp_path, method=method) == []


def test_so_it_is_with_several_windows_of_one_method(tmp_path: Path) -> None:
    chosen = ["winnowing", wirecopy.methods.get("winnowing", window_words=8)]
    assert disagreements(make_pile(7), make_queries(7), tmp_path, method=chosen) == []
