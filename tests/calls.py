"""Every binding of the core, found in the core itself, with arguments that it answers."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from weighed import weigh

from wirecopy import _core
from wirecopy.boilerplate import Rule
from wirecopy.comparison import PRESETS, Compared, Passages
from wirecopy.forms import NO_SLOTS, SLOTS
from wirecopy.matching.opinions import Scored
from wirecopy.methods import Keys, Sketches
from wirecopy.model import Boilerplate, View
from wirecopy.pairs import Agreement, Commons, Evidence, Limits, Strangers
from wirecopy.text import encode, tokenise

U64, I64, U32, U8 = np.uint64, np.int64, np.uint32, np.uint8
TEXTS = ["The tide was high. Boats went out.", "The tide was high. Boats 海 in.", "", "The tide was high."]
VIEW = View(diacritics=False, sentences="", stopwords="en", stemmer="porter")
TOKENS = tokenise(*encode(TEXTS), View(sentences=""), spans=True, words=True, kinds=True)
STATISTICS = weigh(np.resize([1, 2, 3, 0], len(TOKENS.hashes)).tolist(), 9)
ROW = np.arange(len(TOKENS), dtype=U32)
KEYS = Keys(*_core.winnow(TOKENS, 2, 2))
SHARDS = _core.file(TOKENS, KEYS)
FILED = [(shard, first) for shard in SHARDS if len(shard) for first in (0, len(TOKENS))]
RANKS = np.arange(2 * len(TOKENS), dtype=U32)
LIMITS = Limits(3, 2, 1, 2, 1, 1)
COLLIDED, _, (HOLDERS, PLACES, SIZES, NAMES) = _core.collide(FILED, RANKS, LIMITS)
COMMONS = Commons(HOLDERS, PLACES, np.concatenate([[0], np.cumsum(SIZES)]), NAMES)
EVIDENCE = Evidence(*COLLIDED)
RULE = Rule(2, articles=2, examples=2)
WORDS = np.full(len(RANKS), 9, U32)
ORDER, AGREED, *FAMILIES = _core.agree(EVIDENCE, WORDS, RULE)
AGREEMENT = Agreement(ORDER, AGREED, tuple(FAMILIES))  # type: ignore[arg-type]
STRANGERS = Strangers(*_core.find_strangers(EVIDENCE, AGREEMENT))
SEGMENT = np.frombuffer(_core.encode_segment(SHARDS, ROW.astype(U64), ROW), U8)
RANKED = np.frombuffer(_core.encode_segment(SHARDS, ROW.astype(U64), ROW, ROW[::-1].copy()), U8)
SETS = Sketches.of(*_core.shingle_sets(TOKENS, 2))
(SHARED,) = SETS.columns
PARTS = [
    _core.file_part(SHARED, SETS.starts, SETS.ends, np.ones(len(SHARED)), part, True)
    for part in range(_core.PARTS)
]
ZERO = np.zeros(2, U32)
SHARES = (np.array([0.5, 1]),) * 3
PASSAGES = Passages(*[ZERO] * 8)
LOOK = {
    "bias": 0.5,
    "values": ["words"],
    "trees": [
        {"value": [0, -1, -1], "at": [5.0, 0, 0], "yes": [1, 0, 0], "no": [2, 0, 0], "score": [0, -1.0, 1]}
    ],
}
MODEL = {
    "wirecopy_model": 1,
    "kind": "crf",
    "bias": 0.5,
    "words": {"tide": 0.5},
    "again": 0.0,
    "transitions": [[0.5, 0], [0, 0.5]],
    "looks": [LOOK, LOOK],
}
PAGE = b"""<!doctype html><html lang=de><title>High tide - Courier</title><script type="application/ld+json">{"@type":
"NewsArticle", "datePublished": "2024-03-01T10:00:00Z"}</script><nav>Home</nav><p>PELL (dpa) - The tide was high.<p>No."""
RECORDS = b'{"id": "a", "text": "The tide", "date": "2024-03-01", "by": "Ann"}\n{"id": "b"}\n'
CHAIN = {"scores": np.array([0.5, -1, 2]), "sequences": np.array([0, 2, 3])}


@dataclass(frozen=True)
class Asked:
    """What the core reads of Queries."""

    postings: list[_core.Postings]
    own: NDArray[np.uint32]
    first: int


def sides(*columns: NDArray[Any]) -> dict[str, Any]:
    return dict.fromkeys(("query", "found", "sketches"), Sketches.of(*columns))


def planted() -> dict[str, Any]:
    nodes = _core.plant(TOKENS, STATISTICS, suffixes=1, depth=3, sort=True, tree=True)
    return sides(*nodes)


KNOWN: dict[str, Any] = {
    "agreement": AGREEMENT,
    "bits": 64,
    "boilerplate": Boilerplate(
        _core.common_shingles(TOKENS, ROW[:2], ROW[:2] * 0, reach_words=9, least=2), 1
    ),
    "bytes": SEGMENT,
    "charset": "utf-8",
    "commons": COMMONS,
    "compared": Compared(
        ZERO.astype(np.int8),
        *SHARES,
        np.array([0, 1, 2]),
        PASSAGES,
        ZERO.astype(U8),
        np.zeros(3, I64),
        NO_SLOTS,
    ),
    "data": np.frombuffer(RECORDS, U8),
    "dynamic": True,
    "evidence": EVIDENCE,
    "filed": FILED,
    "found": SETS,
    "found_ids": ["b", "c"],
    "founds": ROW[:2],
    "hashes": np.unique(TOKENS.hashes),
    "keys": np.unique(KEYS.values),
    "limits": LIMITS,
    "max_bytes": 1000,
    "max_tags": 100,
    "modulus": 1,
    "page": PAGE,
    "piece_words": 3,
    "presets": list(PRESETS.values()),
    "queries": ROW[:2],
    "query": SETS,
    "query_ids": ["a", "b"],
    "ranks": RANKS,
    "relation_names": ['"identical"', "null"],
    "rows": ROW[:2],
    "rule": RULE,
    "shards": SHARDS,
    "shingle_words": 2,
    "sketches": SETS,
    "spans": True,
    "statistics": STATISTICS,
    "step": 1,
    "strangers": STRANGERS,
    "text": "PELL (dpa) - The tide of 3 March 2024 was high.",
    "tokens": TOKENS,
    "transitions": [[0.5, 0.0], [0.0, 0.5]],
    "window": 2,
}
"""Values by the name of the parameter, for all bindings that do not have one of their own below."""

SIGNED = sides(*_core.signatures(TOKENS, 2, 4))
HASHED = sides(*_core.simhash(TOKENS, STATISTICS, skip_words=0, bits=64))
MEASURED = sides(*_core.sentence_lengths(TOKENS))
VECTORS = sides(*_core.make_vectors(TOKENS, STATISTICS, 0.5))
BINS: dict[str, Any] = {"bins": np.array([0, 0, 1, 1, 0, 1, 0, 1], U8), "is_amount": [True, False]}
PROBES = {"values": SHARED, "starts": SETS.starts, "ends": SETS.ends}
SPAN = {"from_rank": 0, "to_rank": len(TOKENS), "most": 9}
CROWD: dict[str, Any] = {
    "bytes": RANKED,
    "key": int(KEYS.values[0]),
    "kept": np.ones(len(TOKENS), bool),
    "most": 1,
    "article": 1,
    "asking": SHARDS,
}
OWN: dict[str, dict[str, Any]] = {
    "Index": {"articles": len(TOKENS), "parts": PARTS},
    "Index.leave_out": {"common": np.zeros(len(np.unique(SHARED)), bool)},
    "Index.limit": {"least": np.ones(len(TOKENS)), "mutual": True},
    "Index.pairs": SPAN,
    "Index.probe": PROBES | SPAN,
    "Model": {"json": json.dumps(MODEL)},
    "Numbers": {"numbers": np.arange(len(np.unique(TOKENS.hashes)), dtype=U32)},
    "Segment": {"sums": _core.block_sums(SEGMENT)},
    **{f"Segment.{method}": CROWD for method in ("earliest", "holders", "look_up_rare", "repeats", "tally")},
    "Segment.holds_another": CROWD
    | {
        "asking": next(shard for shard in SHARDS if len(shard)),
        "counted": np.zeros(len(TOKENS), bool),
        "rows": ROW[:1].astype(U64),
        "boilerplate": np.unique(NAMES),
    },
    "Segment.shard": {"number": 5},
    "agree": {"words": WORDS},
    "band_keys": SIGNED | {"bands": 2, "rows": 2},
    "blake3_hex": {"texts": [b"", b"tide"]},
    "character_sets": {"shingle_characters": 3},
    "collide": {"queries": Asked(SHARDS[:3], ROW, len(RANKS)), "known": np.unique(NAMES), "level": "whole"},
    "common_shingles": {"places": ROW[:2] * 0, "reach_words": 9, "least": 2},
    "compare": {"trace": True, "slots": SLOTS},
    "components": {"articles": len(TOKENS), "later": ROW[1:], "earlier": ROW[:-1]},
    "containment_similarities": planted(),
    "count_changes": {"tokens": TOKENS, "queries": ROW[1:], "founds": ROW[:-1]},
    "count_collisions": sides(*_core.sentence_digests(TOKENS)),
    "count_different_bits": HASHED,
    "count_discordant": {"expected": np.array([0.5, 1, 0]), "got": np.array([1, 0.5, 0]), "width": 3},
    "count_equal": SIGNED,
    "crf_expect": CHAIN | {"labels": np.array([0, 1, 1], U8), "importance": np.ones(2)},
    "crf_label": CHAIN,
    "distinct": {"values": TOKENS.hashes, "offsets": TOKENS.offsets},
    "encode_segment": {"rows": ROW.astype(U64), "words": ROW, "places": ROW[::-1].copy()},
    "extract_pages": {
        "pages": [(PAGE, "utf-8", "https://example.org/2024/03/01/tide", 10**15, ["2024-03-01"] * 9)],
        "model": _core.Model(json.dumps(MODEL)),
        "min_block_words": 1.0,
        "blocks": True,
    },
    "feature_names": {"with_context": True},
    "file": {"keys": KEYS},
    "file_part": PROBES | {"weights": np.ones(len(SHARED)), "part": 3, "all": False},
    "find_bridges": {"articles": len(TOKENS), "later": ROW[1:], "earlier": ROW[:-1]},
    "grow_tree": {
        **BINS,
        "columns": ROW[:2],
        "chosen": ROW,
        "slopes": np.array([-1, -1, 1, 1], np.float32),
        "weights": np.ones(4, np.float32),
        "growth": (4, 0.5, 1.0, 0.3),
    },
    "hold_common": {"articles": len(RANKS), "most": 1},
    "imatch": {
        "least_articles": 1,
        "most_articles": 3,
        "rarest_first": True,
        "skip_words": 1,
        "hash_words": 5,
        "lexicons": 3,
        "left_out_share": 0.3,
    },
    "json_lines": {
        "column": {
            "id": (["a", None], np.array([0, -1, 1])),
            "parent": (np.array([True, False, True]), {"share": np.array([0.5, 1, 1e-6])}),
            "articles": (np.array([0, 1, 1, 3]), np.arange(3)),
            "is_first": np.array([True, False, False]),
        }
    },
    "lay": dict(zip(("text", "offsets"), encode(TEXTS), strict=True)) | {"minor_words": 1, "utf16": True},
    "look_at": {"likely": np.array([0.5, 0.7, 0.1, 0.3], np.float32), "again": 0.2},
    "make_images": {"image_terms": 2},
    "make_vectors": {"threshold": 0.5},
    "match_lines": {
        "nominated": ZERO.astype(np.uint16),
        "start": 0,
        "end": 2,
        "method_names": ['["exact"]'],
    },
    "match_windows": MEASURED | {"contiguous": 1},
    "moments": {"dates": ["2024-03-01T10:00:00.5+02:00", "2024-W05", ""]},
    "no_text": {"names": ["article_body", "é"], "wanted": ["body"], "what": "keys"},
    "varying_slots": {
        "names": np.array([7, 7], U64),
        "query_values": np.array([1, 2], U64),
        "found_values": np.array([3, 4], U64),
        "queries": np.array([0, 1], U32),
        "founds": np.array([2, 3], U32),
        "least": 4,
        "commonest": 0.4,
    },
    "may_hold": {
        "traces": np.array([3, 5, 9], U32),
        "offsets": np.array([0, 2, 3]),
        "shingles": np.array([3, 9], U64),
    },
    "merge_segments": {
        "parts": [(_core.Segment(_core.block_sums(SEGMENT)), SEGMENT, np.ones(len(TOKENS), bool))] * 2,
        "places": np.arange(2 * len(TOKENS), dtype=U32),
    },
    "multiply_vectors": VECTORS,
    "name_sides": {
        "left": np.unique(KEYS.values),
        "right": np.unique(KEYS.values)[::-1].copy(),
        "level": "left",
    },
    "nominate": {"boilerplate": np.zeros(len(NAMES), bool), "links": 2},
    "opinion_lines": {"scored": Scored(ZERO, ZERO, ZERO.astype(U8), *SHARES), "method_names": '["exact"]'},
    "pack": {"parts": 3},
    "page_blocks": {"page": PAGE.decode(), "as_in_paper": True},
    "page_metadata": {"url": "https://example.org/2024/03/01/tide", "received": 10**15},
    "postings_at": {"article": 0, "positions": ROW},
    "plant": {"suffixes": 1, "depth": 3, "sort": True, "tree": True},
    "hash_texts": dict(zip(("text", "offsets"), encode(TEXTS), strict=True)),
    "read_columns": {"names": ["id", "x"], "max_record_bytes": 60},
    "read_date": {"month_first": True},
    "read_numbers": dict(zip(("text", "offsets"), encode(["0.5", "true", "", "x"]), strict=True)),
    "read_jsonl": {
        "text_names": ["text"],
        "id_names": ["id"],
        "published_names": ["date"],
        "about_names": [["by"]],
        "max_record_bytes": 60,
    },
    "sentence_digests": {"most_articles": 2},
    "shingle_sets": {"step_words": 2, "whole": True},
    "signatures": {"signature_values": 4},
    "simhash": {"skip_words": 1},
    "simhash_keys": HASHED | {"blocks": 4},
    "suspect": {"family": np.arange(len(RANKS), dtype=U32)},
    "unpack": {"bytes": _core.pack(SHARDS, 1)[0]},
    "tokenise": dict(zip(("text", "offsets"), encode(TEXTS), strict=True))
    | {"view": VIEW, "words": True, "kinds": False},
    "walk_tree": BINS | {"tree": ([0, -1, -1], [0.0, 0.0, 0.0], [1, 0, 0], [2, 0, 0], [0.0, -1.0, 1.0])},
    "window_hashes": MEASURED,
    "winnow": {"window_words": 2},
}


def limited() -> _core.Index:
    """An index that can be asked for pairs."""
    index = _core.Index(len(TOKENS), PARTS)
    index.limit(np.ones(len(TOKENS)), False)
    return index


OBJECTS: dict[str, Callable[[], object]] = {
    "Index": lambda: _core.Index(len(TOKENS), PARTS),
    "Index.pairs": limited,
    "Index.probe": limited,
    "Numbers": lambda: _core.Numbers(KNOWN["hashes"], OWN["Numbers"]["numbers"]),
    "Postings": lambda: SHARDS[0],
    "Segment": lambda: _core.Segment(_core.block_sums(SEGMENT)),
    **{
        binding: lambda: _core.Segment(_core.block_sums(RANKED))
        for binding, own in OWN.items()
        if binding.startswith("Segment.") and "bytes" in own
    },
}
"""What methods are called on, each time anew, for some change it."""


class Call(NamedTuple):
    """A binding, and arguments that it answers."""

    function: Callable[..., object]
    arguments: dict[str, Any]


def find_bindings() -> Iterator[tuple[str, Callable[..., object]]]:
    """Every function of the core, every class that Python can make, every method."""
    for name, member in vars(_core).items():
        if name.startswith("__") or not callable(member):
            continue
        if not isinstance(member, type):
            yield name, member
            continue
        if "__new__" in vars(member):
            yield name, member
        for method in (one for one, value in vars(member).items() if callable(value) and one != "__new__"):
            yield f"{name}.{method}", vars(member)[method]


BINDINGS = dict(find_bindings())


def prepare(binding: str) -> Call:
    """The call of a binding as it is meant."""
    of, _, method = binding.rpartition(".")
    names = [name for name in inspect.signature(BINDINGS[binding]).parameters if name != "self"]
    known = KNOWN | OWN.get(binding, {})
    assert known.keys() >= set(names), f"{binding}: say in OWN what fits {sorted({*names} - known.keys())}"
    arguments = {name: known[name] for name in names}
    if not of:
        return Call(BINDINGS[binding], arguments)
    make = OBJECTS.get(binding) or OBJECTS.get(of)
    assert make, f"{binding}: say in OBJECTS how to make one"
    return Call(lambda **given: getattr(make(), method)(**given), arguments)


def behind_checksums(
    ask: Callable[[_core.Segment, NDArray[np.uint8]], object],
) -> Callable[[NDArray[np.uint8]], object]:
    """A question to a segment whose checksums are true, whatever it holds."""
    return lambda content: ask(_core.Segment(_core.block_sums(content)), content)


def merge(segment: _core.Segment, content: NDArray[np.uint8]) -> object:
    kept = np.ones(len(segment.articles(content)[0]), bool)
    return _core.merge_segments([(segment, content, kept)])


def use(segment: _core.Segment, content: NDArray[np.uint8]) -> object:
    """Look up in a segment, and collide what is found."""
    found, _ = segment.look_up(content, KNOWN["keys"])
    return _core.collide([(found, 0)], RANKS, LIMITS)


def read_shards(segment: _core.Segment, content: NDArray[np.uint8]) -> object:
    shards = [segment.shard(content, number) for number in range(64)]
    return _core.distinct_keys(shards), _core.encode_segment(shards, ROW.astype(U64), ROW)


FEWER = _core.file(TOKENS, Keys(KEYS.values[:3], np.array([0, 3, 3, 3, 3])))
SEGMENTS = {
    "placed": SEGMENT,
    "without places": np.frombuffer(_core.encode_segment(FEWER, ROW.astype(U64), ROW), U8),
    "empty": np.frombuffer(_core.merge_segments([]), U8),
}
BEHIND_CHECKSUMS = {
    "articles": behind_checksums(lambda segment, content: segment.articles(content)),
    "shards": behind_checksums(read_shards),
    "looked up": behind_checksums(use),
    "merged": behind_checksums(merge),
}
COMPOSED = {
    "Model, as JSON": Call(lambda model: _core.Model(json.dumps(model)), {"model": MODEL}),
    **{
        f"Segment behind its checksums, {kind}, {question}": Call(ask, {"content": content})
        for kind, content in SEGMENTS.items()
        for question, ask in BEHIND_CHECKSUMS.items()
    },
}
"""What no single argument reaches."""


def get(name: str) -> Call:
    """The call of a binding, or of several."""
    return COMPOSED[name] if name in COMPOSED else prepare(name)
