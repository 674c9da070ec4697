"""The typed face of the Rust core."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LINKED",
    "TEXT_VERSION",
    "Numbers",
    "Postings",
    "blake3_hex",
    "collide",
    "common_shingles",
    "compare",
    "components",
    "containment_similarities",
    "count_articles",
    "count_shared",
    "distinct",
    "file",
    "iso_microseconds",
    "line_ends",
    "mark_boilerplate",
    "match_lines",
    "nominate",
    "plant",
    "read_jsonl",
    "suspect",
    "tokenise",
    "whole_hashes",
    "winnow",
]

LINKED: int
TEXT_VERSION: str

@final
class Numbers:
    def __new__(cls, hashes: NDArray[np.uint64], numbers: NDArray[np.uint32]) -> Numbers: ...
    def look_up(self, /, hashes: NDArray[np.uint64]) -> NDArray[np.uint32]: ...

@final
class Postings:
    def __len__(self, /) -> int: ...

def tokenise(
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    *,
    diacritics: bool,
    sentences: str | None,
    stopwords: str,
    stemmer: str,
    spans: bool,
    words: bool,
) -> tuple[
    NDArray[np.uint64],
    NDArray[np.int64],
    NDArray[np.uint8] | None,
    NDArray[np.uint32] | None,
    NDArray[np.uint32] | None,
    NDArray[np.uint32] | None,
    NDArray[np.int64] | None,
    NDArray[np.uint8] | None,
    NDArray[np.int64] | None,
]: ...
def count_articles(
    hashes: NDArray[np.uint64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...
def read_jsonl(
    data: NDArray[np.uint8],
    text_names: Sequence[str],
    id_names: Sequence[str],
    published_names: Sequence[str],
    max_record_bytes: int,
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    list[str],
    NDArray[np.int64],
    list[tuple[int, str]],
    NDArray[np.int64],
    list[tuple[int, str]],
]: ...
def line_ends(data: NDArray[np.uint8]) -> tuple[int, int]: ...
def iso_microseconds(dates: Sequence[str]) -> NDArray[np.int64]: ...
def blake3_hex(texts: Sequence[bytes]) -> list[str]: ...
def winnow(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    halves: NDArray[np.uint8] | None,
    shingle_words: int,
    window_words: int,
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]]: ...
def whole_hashes(
    hashes: NDArray[np.uint64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def distinct(
    values: NDArray[np.uint64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def count_shared(
    query: NDArray[np.uint64],
    query_starts: NDArray[np.int64],
    query_ends: NDArray[np.int64],
    found: NDArray[np.uint64],
    found_starts: NDArray[np.int64],
    found_ends: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def plant(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    sentences: NDArray[np.uint32],
    sentence_offsets: NDArray[np.int64],
    words: NDArray[np.uint8],
    word_offsets: NDArray[np.int64],
    frequencies: NDArray[np.uint32],
    articles: int,
    suffixes: int,
    depth: int,
    sort: bool,
    tree: bool,
) -> tuple[
    NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]
]: ...
def containment_similarities(
    query_nodes: NDArray[np.uint64],
    query_visits: NDArray[np.uint32],
    query_depths: NDArray[np.uint32],
    query_impacts: NDArray[np.float64],
    query_starts: NDArray[np.int64],
    query_ends: NDArray[np.int64],
    found_nodes: NDArray[np.uint64],
    found_visits: NDArray[np.uint32],
    found_depths: NDArray[np.uint32],
    found_impacts: NDArray[np.float64],
    found_starts: NDArray[np.int64],
    found_ends: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def file(
    hashes: NDArray[np.uint64],
    word_offsets: NDArray[np.int64],
    keys: NDArray[np.uint64],
    key_offsets: NDArray[np.int64],
    starts: NDArray[np.uint32] | None,
    ends: NDArray[np.uint32] | None,
) -> list[Postings]: ...
def collide(
    shard: Sequence[Postings],
    firsts: Sequence[int],
    ranks: NDArray[np.uint32],
    all_holders: int,
    links: int,
    settled_words: int,
    shingle_words: int,
    grouped_words: int,
    common_holders: int,
) -> dict[str, Any]: ...
def suspect(
    later: NDArray[np.uint32],
    earlier: NDArray[np.uint32],
    later_position: NDArray[np.uint32],
    earlier_position: NDArray[np.uint32],
    common: NDArray[np.uint32],
    common_holders: NDArray[np.uint32],
    common_positions: NDArray[np.uint32],
    common_offsets: NDArray[np.int64],
    words: NDArray[np.uint32],
    boilerplate_articles: int,
    examples: int,
    agree_gap_words: int,
    key_words: int,
    agree_share: float,
    family_share: float,
) -> dict[str, NDArray[Any]]: ...
def nominate(
    later: NDArray[np.uint32],
    earlier: NDArray[np.uint32],
    common: NDArray[np.uint32],
    order: NDArray[np.uint32],
    agreed: NDArray[np.uint8],
    boilerplate: NDArray[np.uint32],
    common_sizes: NDArray[np.int64],
    all_holders: int,
    links: int,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def components(
    articles: int, later: NDArray[np.uint32], earlier: NDArray[np.uint32]
) -> NDArray[np.uint32]: ...
def common_shingles(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    halves: NDArray[np.uint8] | None,
    rows: NDArray[np.uint32],
    places: NDArray[np.uint32],
    reach_words: int,
    least: int,
) -> NDArray[np.uint64]: ...
def mark_boilerplate(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    halves: NDArray[np.uint8] | None,
    shingles: NDArray[np.uint64],
    gap_words: int,
) -> NDArray[np.uint8]: ...
def compare(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    halves: NDArray[np.uint8] | None,
    formulas: NDArray[np.uint64],
    formula_gap_words: int,
    queries: NDArray[np.uint32],
    founds: NDArray[np.uint32],
    seed_words: int,
    bridged_words: int,
    min_passage_words: int,
    covered: float,
    gap_words_a_word: int,
) -> dict[str, NDArray[Any]]: ...
def match_lines(
    queries: NDArray[np.int64],
    founds: NDArray[np.int64],
    relations: NDArray[np.int8],
    query_covered: NDArray[np.float64],
    found_covered: NDArray[np.float64],
    resemblance: NDArray[np.float64],
    passage_offsets: NDArray[np.int64],
    passages: NDArray[np.uint32],
    nominated: NDArray[np.uint8],
    start: int,
    end: int,
    ids: Sequence[str],
    relation_names: Sequence[str],
    method_names: Sequence[str],
) -> str: ...
