"""Articles in a folder for work, as a collection, and what they are filed under.

What is known of every article and short is held in memory: id, date, address, where its text stands. Texts, titles and postings are read
from the folder when they are asked for.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..addresses import number_addresses
from ..errors import NothingRead
from ..forms import Origins
from ..matching import Plan
from ..matching.collection import Chunk, Kept, Texts, invert, rank
from ..methods import Method, Sketches
from ..model import KEPT, Article, Articles, Remarks, Skipped, held_by_either, list_skipped, missing
from ..pairs import LEFT_OUT, NOBODY, Shard, file, tokenise
from ..sources import Work
from ..statistics import Statistics
from .articles import Skip
from .folder import OnDisk, WorkPool

PARTS = 256
"""Ranges of keys that postings are filed in; some together are worked on at a time, as the memory allows."""
POSTING_BYTES = 130
"""Memory that a posting takes while it collides."""
PACKED_BYTES = 32
NO_NUMBER = np.iinfo(np.int64).min


class Ids(Sequence[str]):
    """The ids of articles, as one UTF-8 buffer, by rank."""

    def __init__(self, columns: Columns, order: NDArray[np.int64]) -> None:
        self._columns, self._order = columns, order

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        return self.of_number(int(self._order[place]))

    def of_number(self, number: int) -> str:
        """The id of an article by its number."""
        return self._columns.name(number).decode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Stored:
    """Articles in a folder, numbered in the order they were read; a `Collection` by rank, and the `Filing` of it."""

    pool: WorkPool
    texts_kept: OnDisk
    told_kept: OnDisk
    columns: Columns
    order: NDArray[np.int64] = field(repr=False)
    """The number of the article at each rank."""
    skipped: Sequence[Skipped]
    filed: Mapping[Method, Sequence[OnDisk]] = field(repr=False)
    """The postings of each method, by part of the keys."""
    words: Mapping[Method, NDArray[np.uint32]] = field(repr=False)
    warnings: Sequence[str] = ()
    labels: Sequence[Any] | None = field(default=None, repr=False)

    @classmethod
    def read(
        cls, plan: Plan, work: Iterable[Work], pool: WorkPool, skip: Skip | None = None, titled: bool = True
    ) -> Stored:
        """The articles of a source, filed by the methods of a plan; `skip` is told what is skipped.

        Titles that were read are kept if they are `titled`: some method reads them. Raises NothingRead if everything is skipped.
        """
        ready = [one for one in plan.nominating if not one.weighs_words]
        labels: dict[int, Sequence[Any] | None] = {}

        def take_in(item: tuple[int, Work]) -> list[Chunk]:
            number, part = item
            batch = part()
            if len(batch):
                labels[number] = batch.labels
            filed = file(batch, ready, {})
            told = KEPT if "source" in batch.about else ["title"] * titled
            about = {name: list(batch.about[name]) for name in told if name in batch.about}
            places = [batch.where(row) for row in range(len(batch))] if batch.where else batch.ids
            known = [
                np.array([part.source_bytes]),
                *_describe(batch),
                *(filed[one].words for one in ready),
            ]
            kept: list[Chunk] = [known, [batch.text], [_squeeze({"about": about, "places": list(places)})]]
            return kept + [[one] for method in ready for one in _core.pack(filed[method].shards, PARTS)]

        known, texts, told, *postings = pool.scatter(
            "read",
            take_in,
            enumerate(work),
            3 + len(ready) * PARTS,
            stage="reading",
            size=lambda chunk: int(chunk[0][0]),
        )
        assert isinstance(texts, OnDisk)
        assert isinstance(told, OnDisk)
        starts = [start for start, _ in texts.places()]
        columns = Columns.join((chunk[1:] for chunk in known), starts, len(ready), skip)
        if columns.skipped and not len(columns.published):
            raise NothingRead(columns.skipped)
        order, repeated = columns.rank()
        words = dict(zip(ready, columns.words, strict=True))
        stored = cls(pool, texts, told, columns, order, columns.skipped, _by_method(ready, postings), words)
        if len(repeated):
            again = [stored.tell_repeated(number) for number in repeated.tolist()]
            listed = list_skipped(columns.skipped, list_skipped(again, tell=skip))
            stored = replace(stored, skipped=listed)
        if labels and all(column is not None for column in labels.values()):
            every = [label for number in sorted(labels) for label in labels[number] or ()]
            stored = replace(stored, labels=[every[number] for number in order.tolist()])
        return stored.file_weighed(plan)

    def file_weighed(self, plan: Plan) -> Stored:
        """The same with what methods file that weigh words: they need all words first."""
        weighing = [one for one in plan.nominating if one.weighs_words]
        if not weighing:
            return self
        statistics = {
            one: self.weigh(one) if plan.statistics is None else plan.statistics for one in weighing
        }

        def file_batch(batch: Articles) -> list[Chunk]:
            filed = file(batch, weighing, statistics)
            known: list[Chunk] = [[filed[one].words for one in weighing]]
            return known + [[part] for one in weighing for part in _core.pack(filed[one].shards, PARTS)]

        known, *postings = self.pool.scatter(
            "file",
            file_batch,
            self.batches(),
            1 + len(weighing) * PARTS,
            stage="filing",
            total=len(self.columns.firsts) - 1,
        )
        chunks = list(known)
        words = {
            one: np.concatenate([NOBODY, *(chunk[place] for chunk in chunks)])
            for place, one in enumerate(weighing)
        }
        filed = {**self.filed, **_by_method(weighing, postings)}
        return replace(self, words={**self.words, **words}, filed=filed)

    def tell_repeated(self, number: int) -> Skipped:
        """What is said of an article whose id was read before."""
        batch = self.columns.batch_of(number)
        where = self._tell(batch)["places"][number - self.columns.firsts[batch]]
        name = self.ids.of_number(number)
        return Skipped(where, f"an article with the id {name!r} was read before; give each its own")

    @cached_property
    def ids(self) -> Ids:
        """The id at each rank."""
        return Ids(self.columns, self.order)

    @cached_property
    def ranks(self) -> NDArray[np.uint32]:
        """The rank of each article by its number, `LEFT_OUT` for one that is skipped."""
        return invert(self.order, len(self.columns.published), LEFT_OUT)

    @property
    def remarks(self) -> Remarks:
        """What is odd about the articles."""
        return self.columns.remarks

    @property
    def missing_fields(self) -> Sequence[str]:
        """The fields that were asked for by name and that no record has."""
        return missing(self.columns.held)

    def _read_texts(self, numbers: NDArray[np.int64]) -> Texts:
        starts, lengths = self.columns.text_starts[numbers], self.columns.text_lengths[numbers]
        spans = zip(starts.tolist(), lengths.tolist(), strict=True)
        body = b"".join([self.texts_kept.read_at(start, length) for start, length in spans])
        return np.frombuffer(body, np.uint8), np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

    def texts(self, ranks: NDArray[np.uint32]) -> Texts:
        """The texts at some ranks."""
        return self._read_texts(self.order[ranks])

    @cached_property
    def _told_places(self) -> list[tuple[int, int]]:
        return self.told_kept.places()

    def _tell(self, batch: int) -> Any:
        """What is told of the articles of a batch, and where each stands in its file."""
        return json.loads(zlib.decompress(self.told_kept.read_at(*self._told_places[batch])))

    def articles(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The articles at some ranks."""
        body, offsets = self.texts(ranks)
        texts = (str(body.data[start:end], "utf-8") for start, end in pairwise(offsets.tolist()))
        return [replace(one, text=text) for one, text in zip(self.describe(ranks), texts, strict=True)]

    def describe(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The same without their texts."""
        numbers = self.order[ranks]
        batches = np.searchsorted(self.columns.firsts, numbers, side="right") - 1
        told: dict[int, dict[str, Any]] = {}
        for batch in np.unique(batches).tolist():
            about, first = self._tell(batch)["about"], self.columns.firsts[batch]
            for number in numbers[batches == batch].tolist():
                told[number] = {name: column[number - first] or None for name, column in about.items()}
        return [Article(self.ids.of_number(number), "", **told[number]) for number in numbers.tolist()]

    def origins(self, ranks: NDArray[np.uint32]) -> Origins:
        """The dates and addresses of the articles at some ranks."""
        numbers = self.order[ranks]
        return self.columns.published[numbers], self.columns.addresses[numbers]

    def count_sources(self, ranks: NDArray[np.uint32]) -> Mapping[str, int]:
        """Nothing: sources are not counted."""
        return {}

    def batches(self) -> Iterator[Articles]:
        """The articles as they were read, by batch, with their titles if these were kept."""
        for batch, (first, last) in enumerate(pairwise(self.columns.firsts)):
            numbers, about = np.arange(first, last), self._tell(batch)["about"]
            titles = {"title": about["title"]} if "title" in about else {}
            ids = [self.ids.of_number(number) for number in numbers.tolist()]
            yield Articles(ids, *self._read_texts(numbers), self.columns.published[first:last], about=titles)

    def weigh(self, method: Method) -> Statistics:
        """In how many articles each word occurs, words as a method reads them."""

        def kept() -> Iterator[Articles]:
            for (first, last), batch in zip(pairwise(self.columns.firsts), self.batches(), strict=True):
                rows = np.flatnonzero(self.ranks[first:last] != LEFT_OUT)
                yield batch if len(rows) == len(batch) else batch.take(rows.tolist())

        read, batches = partial(tokenise, method=method, words=False), len(self.columns.firsts) - 1
        return Statistics.count(self.pool.map(read, kept(), "weighing words", batches), method.view)

    def _groups(self, method: Method) -> list[list[OnDisk]]:
        """The parts of a method's postings, some together as the memory allows."""
        most = self.pool.memory // (4 * self.pool.threads) * PACKED_BYTES // POSTING_BYTES
        groups: list[list[OnDisk]] = [[]]
        for part in self.filed[method]:
            if groups[-1] and sum(one.size for one in groups[-1]) + part.size > most:
                groups.append([])
            groups[-1].append(part)
        return groups

    def count_shards(self, method: Method) -> int:
        """How many shards there are: parts that are worked on together."""
        return len(self._groups(method))

    def shards(self, method: Method, *, last: bool) -> tuple[NDArray[np.uint32], Iterator[Shard]]:
        """The number of words of each article, and the postings of each shard, which leave the folder the `last` time."""
        firsts = self.columns.firsts

        def give() -> Iterator[Shard]:
            for group in self._groups(method):
                yield [
                    (_core.unpack(content), first)
                    for part in group
                    for first, [content] in zip(firsts, part, strict=False)
                    if len(content)
                ]
                for part in group:
                    if last:
                        part.drop()

        return self.words[method], give()

    def sketches(self, method: Method) -> tuple[Sketches, NDArray[np.int64]]:
        """Nothing: what a directed method remembers does not go through a folder."""
        raise AssertionError(f"{method} is directed")


@dataclass(frozen=True)
class Columns:
    """What is known of all articles, by number."""

    ids: bytearray = field(repr=False)
    id_offsets: NDArray[Any]
    numbers: NDArray[np.int64]
    """The number that each id is, `NO_NUMBER` for others; empty if none is one."""
    published: NDArray[np.int64]
    addresses: NDArray[np.int64]
    text_starts: NDArray[np.int64]
    """Where each text stands in its file."""
    text_lengths: NDArray[np.uint32]
    firsts: Sequence[int]
    """The number of the first article of each batch, and behind these the number of articles."""
    words: Sequence[NDArray[np.uint32]]
    skipped: Sequence[Skipped]
    remarks: Remarks
    held: Mapping[str, bool]

    @classmethod
    def join(
        cls, batches: Iterable[Chunk], places: Sequence[int], methods: int, skip: Skip | None
    ) -> Columns:
        """The columns of all batches, with words of N `methods`; `places` are where the texts of each begin. `skip` is told what is skipped."""
        held, remarks, skipped = dict[str, bool](), Remarks(), list[Skipped]()
        kinds = np.uint8, np.uint32, np.int64, np.int64, np.int64, np.uint32, *[np.uint32] * methods
        # Grown in place: joined from parts, all would be held twice.
        columns, starts, firsts = [bytearray() for _ in kinds], bytearray(), [0]
        for place, (squeezed, *chunk) in zip(places, batches, strict=True):
            facts = json.loads(zlib.decompress(squeezed.tobytes()))
            held, remarks = held_by_either(held, facts["held"]), remarks + Remarks(**facts["remarks"])
            some = [Skipped(*one) for one in facts["skipped"]]
            skipped = list_skipped(skipped, list_skipped(some, tell=skip)) if some else skipped
            for column, part in zip(columns, chunk, strict=True):
                column += part.tobytes()
            lengths = chunk[5].astype(np.int64)
            starts += (place + np.cumsum(lengths) - lengths).tobytes()
            firsts.append(firsts[-1] + len(lengths))
        ids, id_lengths, numbers, published, addresses, text_lengths, *words = (
            np.frombuffer(column, kind) for column, kind in zip(columns, kinds, strict=True)
        )
        kind = np.uint32 if len(ids) < LEFT_OUT else np.int64
        id_offsets = np.concatenate([np.zeros(1, kind), np.cumsum(id_lengths, dtype=kind)])
        return cls(
            columns[0],
            id_offsets,
            numbers if (numbers != NO_NUMBER).any() else numbers[:0].copy(),
            published,
            addresses,
            np.frombuffer(starts, np.int64),
            text_lengths,
            firsts,
            words,
            skipped,
            remarks,
            held,
        )

    def batch_of(self, number: int) -> int:
        """The batch of an article."""
        return int(np.searchsorted(self.firsts, number, side="right")) - 1

    def name(self, number: int) -> bytes:
        """The id of an article, in UTF-8."""
        return bytes(self.ids[self.id_offsets[number] : self.id_offsets[number + 1]])

    def rank(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The number of the article at each rank, and the sorted numbers of those with the id of an earlier one.

        UTF-8 sorts as code points do; ids that are only numbers come first, by number.
        """

        def keys(some: NDArray[np.int64]) -> list[Any]:
            names = [self.name(number) for number in some.tolist()]
            if not len(self.numbers):
                return names
            placed = zip(self.numbers[some].tolist(), names, strict=True)
            return [(1, 0, name) if number == NO_NUMBER else (0, number, b"") for number, name in placed]

        order, repeated = rank(self.published, keys), self.find_repeated()
        return (order[~np.isin(order, repeated)] if len(repeated) else order), repeated

    def find_repeated(self) -> NDArray[np.int64]:
        """The sorted numbers of articles with the id of an earlier one: ids are compared where their hashes are equal."""
        hashes = _core.hash_texts(np.frombuffer(self.ids, np.uint8), self.id_offsets.astype(np.int64))
        by_hash = np.sort(hashes)
        several = by_hash[1:][by_hash[1:] == by_hash[:-1]]
        seen, repeated = set[bytes](), []
        for number in np.flatnonzero(np.isin(hashes, several)).tolist() if len(several) else ():
            name = self.name(number)
            if name in seen:
                repeated.append(number)
            seen.add(name)
        return np.array(repeated, np.int64)


def _by_method(methods: Sequence[Method], postings: Sequence[Kept]) -> dict[Method, Sequence[OnDisk]]:
    """The buckets of postings of each of some methods, which all have as many."""
    parts = len(postings) // max(1, len(methods))
    mine = [one for one in postings if isinstance(one, OnDisk)]
    return {one: mine[place * parts : (place + 1) * parts] for place, one in enumerate(methods)}


def _describe(batch: Articles) -> list[NDArray[Any]]:
    """What is known of a batch: facts, ids, their lengths, numbers, dates, addresses, lengths of texts."""
    skipped = [(one.where, one.reason, one.more) for one in batch.skipped]
    facts = {"skipped": skipped, "remarks": asdict(batch.remarks), "held": dict(batch.held)}
    names = [name.encode("utf-8", "surrogatepass") for name in batch.ids]
    numbers = batch.numbers or [None] * len(batch)
    return [
        _squeeze(facts),
        np.frombuffer(b"".join(names), np.uint8),
        np.array([len(name) for name in names], np.uint32),
        np.array([NO_NUMBER if number is None else number for number in numbers], np.int64),
        batch.published,
        number_addresses(batch.about.get("url") or [""] * len(batch)),
        np.diff(batch.offsets).astype(np.uint32),
    ]


def _squeeze(value: Any) -> NDArray[np.uint8]:
    return np.frombuffer(zlib.compress(json.dumps(value).encode("ascii"), 1), np.uint8)
