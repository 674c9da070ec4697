"""The typed face of the Rust core."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LINKED",
    "PARTS",
    "SIGNATURE_SCHEME",
    "TEXT_VERSION",
    "Index",
    "Model",
    "Numbers",
    "Part",
    "Postings",
    "Segment",
    "ask",
    "band_keys",
    "blake3_hex",
    "block_sums",
    "character_sets",
    "collide",
    "common_shingles",
    "compare",
    "components",
    "containment_similarities",
    "count_articles",
    "count_collisions",
    "count_different_bits",
    "count_discordant",
    "count_equal",
    "count_shared",
    "crf_expect",
    "crf_label",
    "cut_pieces",
    "dateline",
    "decode",
    "distinct",
    "distinct_keys",
    "encode_segment",
    "extract_pages",
    "feature_names",
    "file",
    "file_part",
    "grow_tree",
    "imatch",
    "iso_microseconds",
    "line_ends",
    "look_at",
    "look_up",
    "make_images",
    "make_vectors",
    "mark_boilerplate",
    "match_lines",
    "match_windows",
    "merge_segments",
    "multiply_vectors",
    "nominate",
    "opinion_lines",
    "page_blocks",
    "page_metadata",
    "plant",
    "read_date",
    "read_jsonl",
    "sentence_digests",
    "sentence_lengths",
    "shingle_sets",
    "signatures",
    "simhash",
    "simhash_keys",
    "spell_words",
    "split_words",
    "suspect",
    "tokenise",
    "walk_tree",
    "whole_hashes",
    "window_hashes",
    "winnow",
]

_Tree = tuple[list[int], list[float], list[int], list[int], list[float]]

LINKED: int
PARTS: int
SIGNATURE_SCHEME: int
TEXT_VERSION: str

@final
class Index:
    def __new__(cls, articles: int, parts: Sequence[Part]) -> Index: ...
    def counts(self, /) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]: ...
    def leave_out(self, /, common: NDArray[np.bool_]) -> None: ...
    def totals(self, /) -> NDArray[np.float64]: ...
    def limit(self, /, least: NDArray[np.float64], mutual: bool) -> NDArray[np.int64]: ...
    def pairs(
        self, /, from_rank: int, to_rank: int, most: int
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], int]: ...
    def probe(
        self,
        /,
        values: NDArray[np.uint64],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        from_rank: int,
        to_rank: int,
        most: int,
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], int]: ...

@final
class Part: ...

@final
class Model:
    def __new__(cls, json: str) -> Model: ...

@final
class Numbers:
    def __new__(cls, hashes: NDArray[np.uint64], numbers: NDArray[np.uint32]) -> Numbers: ...
    def look_up(self, /, hashes: NDArray[np.uint64]) -> NDArray[np.uint32]: ...

@final
class Postings:
    def __len__(self, /) -> int: ...

_Found = tuple[
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.uint8],
    NDArray[np.uint64],
    NDArray[np.uint64],
]

@final
class Segment:
    def __new__(cls, sums: NDArray[np.uint64]) -> Segment: ...
    def articles(self, /, bytes: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...
    def shard(self, /, bytes: NDArray[np.uint8], number: int) -> Postings: ...
    def look_up(self, /, bytes: NDArray[np.uint8], keys: NDArray[np.uint64]) -> _Found: ...

def encode_segment(
    shards: Sequence[Postings], rows: NDArray[np.uint64], words: NDArray[np.uint32]
) -> bytes: ...
def block_sums(bytes: NDArray[np.uint8]) -> NDArray[np.uint64]: ...
def merge_segments(
    parts: Sequence[tuple[Segment, NDArray[np.uint8], NDArray[np.bool_]]],
) -> bytes: ...
def distinct_keys(shards: Sequence[Postings]) -> NDArray[np.uint64]: ...
def look_up(shard: Sequence[Postings], firsts: Sequence[int], keys: NDArray[np.uint64]) -> _Found: ...
def ask(
    asked: Sequence[Postings],
    keys: NDArray[np.uint64],
    which: NDArray[np.uint32],
    rank: NDArray[np.uint32],
    position: NDArray[np.uint32],
    words: NDArray[np.uint8],
    left: NDArray[np.uint64],
    right: NDArray[np.uint64],
    *,
    query_words: NDArray[np.uint32],
    own: NDArray[np.uint32],
    found_words: NDArray[np.uint32],
    boilerplate: NDArray[np.uint64],
    all_holders: int,
    links: int,
    settled_words: int,
    shingle_words: int,
    grouped_words: int,
    agree_gap_words: int,
    key_words: int,
    agree_share: float,
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
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
    about_names: Sequence[Sequence[str]],
    max_record_bytes: int,
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    list[str],
    NDArray[np.int64],
    list[tuple[int, str]],
    list[list[str]],
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
def shingle_sets(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    halves: NDArray[np.uint8] | None,
    shingle_words: int,
    *,
    step_words: int = 1,
    modulus: int = 1,
    whole: bool = True,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def character_sets(
    text: NDArray[np.uint8], offsets: NDArray[np.int64], shingle_characters: int, modulus: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def signatures(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    halves: NDArray[np.uint8] | None,
    shingle_words: int,
    signature_values: int,
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
def band_keys(
    values: NDArray[np.uint32], offsets: NDArray[np.int64], bands: int, rows: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def count_equal(
    query: NDArray[np.uint32],
    query_starts: NDArray[np.int64],
    query_ends: NDArray[np.int64],
    found: NDArray[np.uint32],
    found_starts: NDArray[np.int64],
    found_ends: NDArray[np.int64],
) -> NDArray[np.int64]: ...
def sentence_digests(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    words: NDArray[np.uint8],
    word_offsets: NDArray[np.int64],
    sentences: NDArray[np.uint32],
    sentence_offsets: NDArray[np.int64],
    frequencies: NDArray[np.uint32] | None,
    most_articles: int,
    sorted: bool,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]: ...
def imatch(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    words: NDArray[np.uint8],
    word_offsets: NDArray[np.int64],
    frequencies: NDArray[np.uint32],
    *,
    least_articles: int,
    most_articles: int,
    rarest_first: bool,
    skip_words: int,
    hash_words: int,
    lexicons: int,
    left_out_share: float,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int64]]: ...
def count_collisions(
    query_first: NDArray[np.uint64],
    query_second: NDArray[np.uint64],
    query_starts: NDArray[np.int64],
    query_ends: NDArray[np.int64],
    found_first: NDArray[np.uint64],
    found_second: NDArray[np.uint64],
    found_starts: NDArray[np.int64],
    found_ends: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def simhash(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    words: NDArray[np.uint8],
    word_offsets: NDArray[np.int64],
    frequencies: NDArray[np.uint32],
    articles: int,
    skip_words: int,
    bits: int,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def simhash_keys(
    values: NDArray[np.uint64], offsets: NDArray[np.int64], bits: int, blocks: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def count_different_bits(
    query: NDArray[np.uint64],
    query_starts: NDArray[np.int64],
    query_ends: NDArray[np.int64],
    found: NDArray[np.uint64],
    found_starts: NDArray[np.int64],
    found_ends: NDArray[np.int64],
) -> NDArray[np.int64]: ...
def sentence_lengths(
    sentences: NDArray[np.uint32], sentence_offsets: NDArray[np.int64], word_offsets: NDArray[np.int64]
) -> NDArray[np.uint32]: ...
def window_hashes(
    lengths: NDArray[np.uint32], offsets: NDArray[np.int64], window: int, step: int, dynamic: bool
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def match_windows(
    query: NDArray[np.uint32],
    query_starts: NDArray[np.int64],
    query_ends: NDArray[np.int64],
    found: NDArray[np.uint32],
    found_starts: NDArray[np.int64],
    found_ends: NDArray[np.int64],
    window: int,
    step: int,
    dynamic: bool,
    contiguous: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def cut_pieces(
    words: int, offsets: NDArray[np.int64], halves: NDArray[np.uint8] | None, piece_words: int
) -> NDArray[np.int64]: ...
def make_images(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    halves: NDArray[np.uint8] | None,
    piece_words: int,
    image_terms: int,
    frequencies: NDArray[np.uint32] | None,
    documents: int,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def make_vectors(
    hashes: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    frequencies: NDArray[np.uint32],
    documents: int,
    threshold: float,
) -> tuple[NDArray[np.uint64], NDArray[np.float64], NDArray[np.uint8], NDArray[np.int64]]: ...
def multiply_vectors(
    query: NDArray[np.uint64],
    query_weights: NDArray[np.float64],
    query_starts: NDArray[np.int64],
    query_ends: NDArray[np.int64],
    found: NDArray[np.uint64],
    found_weights: NDArray[np.float64],
    found_starts: NDArray[np.int64],
    found_ends: NDArray[np.int64],
) -> NDArray[np.float64]: ...
def count_discordant(
    expected: NDArray[np.float64], got: NDArray[np.float64], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
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
def page_metadata(
    page: bytes, charset: str | None = None, url: str | None = None, received: int | None = None
) -> list[str | None]: ...
def dateline(text: str) -> tuple[str | None, str | None]: ...
def read_date(text: str, month_first: bool) -> str | None: ...
def extract_pages(
    pages: Sequence[tuple[bytes, str | None, str | None, int | None, Sequence[str]]],
    model: Model,
    min_block_words: float,
    blocks: bool,
    max_bytes: int,
    max_tags: int,
) -> list[
    tuple[str, str | None, list[str | None], list[tuple[str, bool, float, str, list[tuple[str, float]]]]]
]: ...
def feature_names(with_context: bool) -> list[tuple[str, bool]]: ...
def look_at(
    page: bytes,
    charset: str | None,
    likely: NDArray[np.float32] | None,
    again: float,
    max_bytes: int,
    max_tags: int,
) -> tuple[NDArray[np.float32], NDArray[np.uint64], NDArray[np.int64]]: ...
def decode(page: bytes) -> str: ...
def spell_words(page: bytes, charset: str | None, max_bytes: int, max_tags: int) -> list[tuple[int, str]]: ...
def split_words(text: str) -> NDArray[np.uint64]: ...
def walk_tree(bins: NDArray[np.uint8], is_amount: Sequence[bool], tree: _Tree) -> NDArray[np.float32]: ...
def grow_tree(
    bins: NDArray[np.uint8],
    columns: NDArray[np.uint32],
    is_amount: Sequence[bool],
    chosen: NDArray[np.uint32],
    slopes: NDArray[np.float32],
    weights: NDArray[np.float32],
    growth: tuple[int, float, float, float],
) -> tuple[_Tree, NDArray[np.float32]]: ...
def crf_label(
    scores: NDArray[np.float64], sequences: NDArray[np.int64], transitions: Sequence[Sequence[float]]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]: ...
def crf_expect(
    scores: NDArray[np.float64],
    sequences: NDArray[np.int64],
    labels: NDArray[np.uint8],
    importance: NDArray[np.float64],
    transitions: Sequence[Sequence[float]],
) -> tuple[NDArray[np.float64], list[list[float]], float]: ...
def page_blocks(page: str, as_in_paper: bool) -> list[str]: ...
def file(
    hashes: NDArray[np.uint64],
    word_offsets: NDArray[np.int64],
    keys: NDArray[np.uint64],
    key_offsets: NDArray[np.int64],
    starts: NDArray[np.uint32] | None,
    ends: NDArray[np.uint32] | None,
) -> list[Postings]: ...
def file_part(
    values: NDArray[np.uint64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    part: int,
    all: bool,
) -> Part: ...
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
def opinion_lines(
    queries: NDArray[np.int64],
    founds: NDArray[np.int64],
    relations: NDArray[np.uint8],
    query_in_found: NDArray[np.float64],
    found_in_query: NDArray[np.float64],
    rank: NDArray[np.float64],
    ids: Sequence[str],
    relation_names: Sequence[str],
    method_names: str,
) -> str: ...
