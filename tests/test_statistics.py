"""In how many articles each word occurs."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirecopy.errors import MismatchError, SourceError
from wirecopy.model import Tokens
from wirecopy.statistics import Statistics
from wirecopy.text import View, encode, tokenise

articles = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join), max_size=20)


def read(texts: list[str]) -> Tokens:
    return tokenise(*encode(texts))


@given(articles, st.integers(1, 7), st.randoms())
def test_counts_are_those_of_a_counter_in_any_order_and_batches(
    texts: list[str], size: int, chance: random.Random
) -> None:
    expected = Counter(word for text in texts for word in set(text.split()))
    chance.shuffle(texts)
    statistics = Statistics.count(read(texts[i : i + size]) for i in range(0, len(texts), size))
    asked = list("abcdef")
    assert statistics.frequencies(read([" ".join(asked)]).hashes).tolist() == [
        expected[word] for word in asked
    ]
    assert statistics.articles == len(texts)
    assert statistics.words.tolist() == sorted(set(statistics.words.tolist()))


def test_many_words_in_many_batches_are_merged() -> None:
    rows = np.random.default_rng(3).integers(0, 900_000, (6, 600_000), dtype=np.uint64)
    batches = [Tokens(row, np.array([0, 300_000, 600_000], np.int64)) for row in rows]
    statistics = Statistics.count(batches)
    expected: Counter[int] = Counter()
    for half in rows.reshape(12, -1):
        expected.update(set(half.tolist()))
    assert dict(zip(statistics.words.tolist(), statistics.counts.tolist(), strict=True)) == expected


def test_an_unknown_word_occurs_nowhere() -> None:
    assert Statistics.count([read(["a b"])]).frequencies(read(["z a"]).hashes).tolist() == [0, 1]
    assert Statistics.count([]).frequencies(read(["z"]).hashes).tolist() == [0]


def test_saved_statistics_come_back(tmp_path: Path) -> None:
    statistics = Statistics.count([read(["a b", "b c"])])
    statistics.save(tmp_path / "words")
    again = Statistics.load(tmp_path / "words", View(sentences="."))
    assert again.words.tolist() == statistics.words.tolist()
    assert again.counts.tolist() == statistics.counts.tolist()
    assert (again.articles, again.view) == (2, View())


def test_saved_statistics_know_how_words_were_read(tmp_path: Path) -> None:
    view = View(False, ".", "en", "porter", title=True)
    Statistics.count([read(["a b"])], view).save(tmp_path / "words")
    assert Statistics.load(tmp_path / "words", view).view == View(False, None, "en", "porter", title=True)
    with pytest.raises(MismatchError, match="view"):
        Statistics.load(tmp_path / "words", View(False, ".", "en", "porter"))


def test_pieces_of_articles_are_counted_where_the_view_says_so(tmp_path: Path) -> None:
    view = View(piece_words=2)
    texts = ["a b a c a", "a", "", "東京都東京都"]
    statistics = Statistics.count((tokenise(*encode([text]), view) for text in texts), view)
    asked = list("abc東京")
    assert statistics.articles == 4
    assert statistics.frequencies(read([" ".join(asked)]).hashes).tolist() == [3, 1, 1, 1, 1]
    statistics.save(tmp_path / "words")
    assert Statistics.load(tmp_path / "words", view).view == view
    with pytest.raises(MismatchError, match="view"):
        Statistics.load(tmp_path / "words", View())
    with pytest.raises(MismatchError, match="view"):
        statistics.require(View(piece_words=3))


def test_statistics_of_another_text_version_or_view_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Statistics.count([read(["a b"])]).save(tmp_path / "words")
    for view in (View(diacritics=False), View(title=True)):
        with pytest.raises(MismatchError, match="view"):
            Statistics.load(tmp_path / "words", view)
    monkeypatch.setattr("wirecopy._core.TEXT_VERSION", "0")
    with pytest.raises(MismatchError, match="text version"):
        Statistics.load(tmp_path / "words")


@pytest.mark.parametrize("content", [b"", b"no statistics", b"PK\x03\x04 broken"])
def test_a_file_that_holds_no_statistics_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "words").write_bytes(content)
    with pytest.raises(SourceError, match="expected statistics"):
        Statistics.load(tmp_path / "words")
    with pytest.raises(SourceError):
        Statistics.load(tmp_path / "missing")
