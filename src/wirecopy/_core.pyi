"""Types of the compiled Rust core."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from wirecopy.boilerplate import Rule
from wirecopy.comparison import Compared, Preset
from wirecopy.forms import SlotRule
from wirecopy.matching.opinions import Scored
from wirecopy.methods import Keys, Sketches
from wirecopy.model import Boilerplate, Tokens, View
from wirecopy.pairs import Agreement, Asking, Commons, Evidence, Limits, Strangers
from wirecopy.statistics import Statistics

__all__ = [
    "LINKED",
    "PARTS",
    "RARE",
    "REPEATS",
    "SIGNATURE_SCHEME",
    "TEXT_VERSION",
    "Index",
    "Model",
    "Numbers",
    "Part",
    "Postings",
    "Segment",
    "agree",
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
    "count_changes",
    "count_collisions",
    "count_different_bits",
    "count_discordant",
    "count_equal",
    "count_holders",
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
    "find_bridges",
    "find_strangers",
    "grow_tree",
    "hash_texts",
    "hold_common",
    "imatch",
    "json_lines",
    "lay",
    "line_ends",
    "look_at",
    "look_up",
    "make_images",
    "make_vectors",
    "mark_boilerplate",
    "match_lines",
    "match_windows",
    "may_hold",
    "merge_segments",
    "moments",
    "multiply_vectors",
    "name_sides",
    "no_text",
    "nominate",
    "opinion_lines",
    "pack",
    "page_blocks",
    "page_metadata",
    "plant",
    "postings_at",
    "read_columns",
    "read_date",
    "read_jsonl",
    "read_numbers",
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
    "unpack",
    "varying_slots",
    "walk_tree",
    "whole_hashes",
    "window_hashes",
    "winnow",
]

_Tree = tuple[list[int], list[float], list[int], list[int], list[float]]

LINKED: int
PARTS: int
RARE: int
REPEATS: int
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

_Filed = tuple[Postings, int]

@final
class Segment:
    def __new__(cls, sums: NDArray[np.uint64]) -> Segment: ...
    def articles(self, /, bytes: NDArray[np.uint8]) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...
    def shard(self, /, bytes: NDArray[np.uint8], number: int) -> Postings: ...
    def look_up(
        self, /, bytes: NDArray[np.uint8], keys: NDArray[np.uint64]
    ) -> tuple[Postings, NDArray[np.uint32]]: ...
    def look_up_rare(
        self, /, bytes: NDArray[np.uint8], keys: NDArray[np.uint64], most: int
    ) -> tuple[Postings, NDArray[np.uint32], NDArray[np.uint64]]: ...
    def is_ranked(self, /, bytes: NDArray[np.uint8]) -> bool: ...
    def earliest(
        self,
        /,
        bytes: NDArray[np.uint8],
        keys: NDArray[np.uint64],
        asking: Sequence[Postings],
        kept: NDArray[np.bool_],
        limits: Limits,
    ) -> tuple[Postings, NDArray[np.uint32]]: ...
    def holders(self, /, bytes: NDArray[np.uint8], key: int) -> NDArray[np.uint32]: ...
    def tally(
        self, /, bytes: NDArray[np.uint8], key: int, kept: NDArray[np.bool_], most: int
    ) -> tuple[int, NDArray[np.uint32]]: ...
    def count(self, /, bytes: NDArray[np.uint8], keys: NDArray[np.uint64]) -> NDArray[np.int64]: ...
    def repeats(
        self, /, bytes: NDArray[np.uint8], keys: NDArray[np.uint64], article: int
    ) -> NDArray[np.int64]: ...
    def holds_another(
        self,
        /,
        bytes: NDArray[np.uint8],
        asking: Postings,
        limits: Limits,
        *,
        kept: NDArray[np.bool_],
        counted: NDArray[np.bool_],
        rows: NDArray[np.uint64],
        boilerplate: NDArray[np.uint64],
    ) -> bool: ...

def encode_segment(
    shards: Sequence[Postings],
    rows: NDArray[np.uint64],
    words: NDArray[np.uint32],
    places: NDArray[np.uint32] | None = None,
) -> bytes: ...
def block_sums(bytes: NDArray[np.uint8]) -> NDArray[np.uint64]: ...
def merge_segments(
    parts: Sequence[tuple[Segment, NDArray[np.uint8], NDArray[np.bool_]]],
    places: NDArray[np.uint32] | None = None,
) -> bytes: ...
def pack(shards: Sequence[Postings], parts: int) -> list[NDArray[np.uint8]]: ...
def unpack(bytes: NDArray[np.uint8]) -> Postings: ...
def distinct_keys(shards: Sequence[Postings]) -> NDArray[np.uint64]: ...
def postings_at(
    shards: Sequence[Postings], article: int, positions: NDArray[np.uint32], keys: NDArray[np.uint64]
) -> Postings: ...
def look_up(filed: Sequence[_Filed], keys: NDArray[np.uint64]) -> tuple[Postings, NDArray[np.uint32]]: ...
def count_holders(
    filed: Sequence[_Filed], ranks: NDArray[np.uint32], keys: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def hold_common(filed: Sequence[_Filed], articles: int, most: int) -> NDArray[np.bool_]: ...
def tokenise(
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    view: View,
    *,
    spans: bool,
    words: bool,
    kinds: bool = False,
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
    NDArray[np.uint8] | None,
    NDArray[np.uint64] | None,
]: ...
def count_articles(tokens: Tokens) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]: ...
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
    tuple[NDArray[np.int64], NDArray[np.uint32], list[str]],
]: ...
def read_columns(
    data: NDArray[np.uint8], names: Sequence[str], max_record_bytes: int
) -> tuple[
    list[tuple[NDArray[np.uint8], NDArray[np.int64]]],
    NDArray[np.int64],
    tuple[NDArray[np.int64], NDArray[np.uint32], list[str]],
]: ...
def hash_texts(text: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]: ...
def read_numbers(text: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.float64]: ...
def line_ends(data: NDArray[np.uint8]) -> tuple[int, int]: ...
def no_text(names: Sequence[str], wanted: Sequence[str], what: str) -> str: ...
def moments(dates: Sequence[str]) -> NDArray[np.int64]: ...
def blake3_hex(texts: Sequence[bytes]) -> list[str]: ...
def winnow(
    tokens: Tokens, shingle_words: int, window_words: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32]]: ...
def whole_hashes(tokens: Tokens) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def distinct(
    values: NDArray[np.uint64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def count_shared(
    query: Sketches, found: Sketches
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def shingle_sets(
    tokens: Tokens, shingle_words: int, *, step_words: int = 1, modulus: int = 1, whole: bool = True
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def character_sets(
    tokens: Tokens, shingle_characters: int, modulus: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def signatures(
    tokens: Tokens, shingle_words: int, signature_values: int
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
def band_keys(sketches: Sketches, bands: int, rows: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def count_equal(query: Sketches, found: Sketches) -> NDArray[np.int64]: ...
def sentence_digests(
    tokens: Tokens, statistics: Statistics | None = None, *, most_articles: int = ...
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64]]: ...
def imatch(
    tokens: Tokens,
    statistics: Statistics,
    *,
    least_articles: int = 0,
    most_articles: int = ...,
    rarest_first: bool = False,
    skip_words: int = 0,
    hash_words: int = ...,
    lexicons: int,
    left_out_share: float,
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64]]: ...
def count_collisions(query: Sketches, found: Sketches) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def simhash(
    tokens: Tokens, statistics: Statistics, *, skip_words: int, bits: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def simhash_keys(
    sketches: Sketches, bits: int, blocks: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def count_different_bits(query: Sketches, found: Sketches) -> NDArray[np.int64]: ...
def sentence_lengths(tokens: Tokens) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
def window_hashes(
    sketches: Sketches, *, window: int, step: int, dynamic: bool
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def match_windows(
    query: Sketches, found: Sketches, *, window: int, step: int, dynamic: bool, contiguous: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def cut_pieces(tokens: Tokens, piece_words: int) -> NDArray[np.int64]: ...
def make_images(
    tokens: Tokens, statistics: Statistics | None = None, *, piece_words: int, image_terms: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def make_vectors(
    tokens: Tokens, statistics: Statistics, threshold: float
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.float64], NDArray[np.uint8]]: ...
def multiply_vectors(query: Sketches, found: Sketches) -> NDArray[np.float64]: ...
def count_discordant(
    expected: NDArray[np.float64], got: NDArray[np.float64], width: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def plant(
    tokens: Tokens, statistics: Statistics, *, suffixes: int, depth: int, sort: bool, tree: bool
) -> tuple[
    NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]
]: ...
def containment_similarities(
    query: Sketches, found: Sketches
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
def file(tokens: Tokens, keys: Keys) -> list[Postings]: ...
def file_part(
    values: NDArray[np.uint64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    part: int,
    all: bool,
) -> Part: ...
def collide(
    filed: Sequence[_Filed],
    ranks: NDArray[np.uint32],
    limits: Limits,
    *,
    queries: Asking | None = None,
    known: NDArray[np.uint64] | None = None,
    level: str = "whole",
) -> tuple[
    list[NDArray[np.uint32]],
    int,
    tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint64]],
]: ...
def name_sides(
    keys: NDArray[np.uint64],
    left: NDArray[np.uint64],
    right: NDArray[np.uint64],
    limits: Limits,
    level: str,
) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.bool_]]: ...
def agree(
    evidence: Evidence, words: NDArray[np.uint32], rule: Rule
) -> tuple[NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint32], NDArray[np.uint32]]: ...
def find_strangers(
    evidence: Evidence, agreement: Agreement
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def suspect(
    strangers: Strangers, family: NDArray[np.uint32], commons: Commons, rule: Rule
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.int64]]: ...
def nominate(
    evidence: Evidence, agreement: Agreement, boilerplate: NDArray[np.bool_], links: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]: ...
def components(
    articles: int, later: NDArray[np.uint32], earlier: NDArray[np.uint32]
) -> NDArray[np.uint32]: ...
def find_bridges(
    articles: int, later: NDArray[np.uint32], earlier: NDArray[np.uint32]
) -> NDArray[np.bool_]: ...
def common_shingles(
    tokens: Tokens, rows: NDArray[np.uint32], places: NDArray[np.uint32], *, reach_words: int, least: int
) -> NDArray[np.uint64]: ...
def mark_boilerplate(tokens: Tokens, boilerplate: Boilerplate) -> NDArray[np.uint8]: ...
def count_changes(
    tokens: Tokens, queries: NDArray[np.uint32], founds: NDArray[np.uint32]
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]: ...
def compare(
    tokens: Tokens,
    queries: NDArray[np.uint32],
    founds: NDArray[np.uint32],
    presets: Sequence[Preset],
    boilerplate: Boilerplate | None = None,
    *,
    slots: SlotRule | None = None,
    trace: bool = False,
) -> dict[str, Any]: ...
def may_hold(
    traces: NDArray[np.uint32], offsets: NDArray[np.int64], shingles: NDArray[np.uint64]
) -> NDArray[np.bool_]: ...
def lay(
    tokens: Tokens,
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    queries: NDArray[np.uint32],
    founds: NDArray[np.uint32],
    presets: Sequence[Preset],
    boilerplate: Boilerplate | None = None,
    *,
    minor_words: int,
    utf16: bool = False,
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.int64],
]: ...
def varying_slots(
    names: NDArray[np.uint64],
    queries: NDArray[np.uint32],
    founds: NDArray[np.uint32],
    query_values: NDArray[np.uint64],
    found_values: NDArray[np.uint64],
    *,
    least: int,
    commonest: float,
) -> NDArray[np.uint64]: ...
def match_lines(
    queries: NDArray[np.uint32],
    founds: NDArray[np.uint32],
    compared: Compared,
    nominated: NDArray[np.uint16],
    start: int,
    end: int,
    query_ids: Sequence[str],
    found_ids: Sequence[str],
    relation_names: Sequence[str],
    method_names: Sequence[str],
) -> str: ...
def opinion_lines(
    scored: Scored,
    query_ids: Sequence[str],
    found_ids: Sequence[str],
    relation_names: Sequence[str],
    method_names: str,
) -> str: ...

_Values = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.bool_]
_Column = (
    _Values
    | tuple[Sequence[str | None], NDArray[np.int64]]
    | tuple[NDArray[np.int64], _Column]
    | tuple[NDArray[np.bool_], _Column]
    | dict[str, _Column]
)

def json_lines(column: _Column) -> str: ...
