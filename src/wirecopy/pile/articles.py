"""Articles in memory, as a collection."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..addresses import number_addresses
from ..errors import NothingRead
from ..forms import Origins
from ..matching.collection import Out, Pool, Texts, invert, rank
from ..methods import Method, Sketches
from ..model import KEPT, Article, Articles, Remarks, Skipped, held_by_either, list_skipped, missing
from ..pairs import LEFT_OUT, Filed, file, sketch, tokenise
from ..sources import Work
from ..statistics import Statistics

Skip = Callable[[Skipped], object]
EMPTY = Articles((), np.empty(0, np.uint8), np.zeros(1, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True)
class Pile:
    """Articles in memory, in batches, numbered in the order they were read; a `Collection` by rank."""

    batches: Sequence[Articles] = field(repr=False)
    order: NDArray[np.int64] = field(repr=False)
    """The number of the article at each rank."""
    skipped: Sequence[Skipped]
    warnings: Sequence[str] = ()
    addresses: Sequence[NDArray[np.int64]] = field(default=(), repr=False)
    """A number for the address of each article of each batch."""
    packed: Sequence[bytes] = field(default=(), repr=False)
    """What answers tell of the articles of each batch: the columns `KEPT`, pickled and compressed, for most is never asked for."""

    @classmethod
    def read(
        cls,
        work: Iterable[Work],
        pool: Pool,
        methods: Sequence[Method] = (),
        skip: Skip | None = None,
        titled: bool = True,
    ) -> tuple[Pile, list[dict[Method, Filed]]]:
        """The articles of a source, and what each batch is filed under by some methods; `skip` is told what is skipped.

        Titles that were read stay at hand if they are `titled`: some method reads them. Raises NothingRead if everything is skipped.
        """

        def take_in(part: Work) -> tuple[int, Articles, dict[Method, Filed], NDArray[np.int64], bytes]:
            batch = part()
            addresses = number_addresses(batch.about.get("url") or [""] * len(batch))
            is_told = "source" in batch.about
            told = zlib.compress(pickle.dumps([batch.about[name] for name in KEPT]), 1) if is_told else b""
            titles = batch.about.get("title") if titled else None
            batch = replace(batch, about={} if titles is None else {"title": titles})
            return part.source_bytes, batch, file(batch, methods, {}), addresses, told

        batches, filed, addresses, packed, done = [], [], [], [], 0
        skipped: list[Skipped] = []
        for source_bytes, batch, mine, places, told in pool.map(take_in, work):
            if batch.skipped:
                skipped = list_skipped(skipped, list_skipped(batch.skipped, tell=skip))
                batch = replace(batch, skipped=())
            batches.append(batch)
            filed.append(mine)
            addresses.append(places)
            packed.append(told)
            done += source_bytes
            pool.progress("reading", done, 0)
        if skipped and not any(map(len, batches)):
            raise NothingRead(skipped)
        return replace(cls.of(batches, skipped, skip), addresses=addresses, packed=packed), filed

    @classmethod
    def of(cls, batches: Sequence[Articles], skipped: Sequence[Skipped], skip: Skip | None) -> Pile:
        """The articles of some batches, and what else was skipped; an article with the id of an earlier one is skipped too."""
        seen, repeated, again, first = set[str](), [], list[Skipped](), 0
        for batch in batches:
            fresh = set(batch.ids)
            if len(fresh) != len(batch.ids) or not seen.isdisjoint(fresh):
                for row, name in enumerate(batch.ids):
                    if name in seen:
                        repeated.append(first + row)
                        where = batch.where(row) if batch.where else name
                        reason = f"an article with the id {name!r} was read before; give each its own"
                        again.append(Skipped(where, reason))
                    seen.add(name)
            seen |= fresh
            first += len(batch)
        keys = sort_keys(batches)
        published = np.concatenate([np.empty(0, np.int64), *(batch.published for batch in batches)])
        order = rank(published, lambda numbers: [keys[number] for number in numbers.tolist()])
        skipped = list_skipped(skipped, list_skipped(again, tell=skip))
        return cls(batches, order[~np.isin(order, repeated)] if repeated else order, skipped)

    @cached_property
    def firsts(self) -> list[int]:
        """The number of the first article of each batch, and behind these the number of articles."""
        return list(accumulate(map(len, self.batches), initial=0))

    @cached_property
    def ids(self) -> Sequence[str]:
        """The id at each rank."""
        return self._by_rank([name for batch in self.batches for name in batch.ids])

    @cached_property
    def own_ids(self) -> Sequence[str]:
        """The id at each rank, empty where it is only a number."""
        return self._by_rank([name for batch in self.batches for name in batch.own_ids])

    @property
    def sort_keys(self) -> Sequence[Any]:
        """What the id at each rank is sorted by."""
        return self._by_rank(sort_keys(self.batches))

    @cached_property
    def labels(self) -> Sequence[Any] | None:
        """The value at each rank of a frame's index, if these are the ids of all articles."""
        columns = [batch.labels for batch in self.batches if len(batch)]
        if not columns or any(column is None for column in columns):
            return None
        return self._by_rank([label for column in columns for label in column or ()])

    def _by_rank(self, values: Sequence[Out]) -> list[Out]:
        """The value at each rank, from that of each article by its number."""
        return [values[number] for number in self.order.tolist()]

    @cached_property
    def ranks(self) -> NDArray[np.uint32]:
        """The rank of each article by its number, `LEFT_OUT` for one that is skipped."""
        return invert(self.order, self.firsts[-1], LEFT_OUT)

    @property
    def remarks(self) -> Remarks:
        """What is odd about the articles."""
        return sum((batch.remarks for batch in self.batches), Remarks())

    @property
    def missing_fields(self) -> Sequence[str]:
        """The fields that were asked for by name and that no record has."""
        held: Mapping[str, bool] = {}
        for batch in self.batches:
            held = held_by_either(held, batch.held)
        return missing(held)

    @cached_property
    def _edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The number of the batch of each article, and where its text starts and ends there."""
        owners = np.repeat(np.arange(len(self.batches)), [len(batch) for batch in self.batches])
        starts = [batch.offsets[:-1] for batch in self.batches]
        ends = [batch.offsets[1:] for batch in self.batches]
        none = np.empty(0, np.int64)
        return owners, np.concatenate([none, *starts]), np.concatenate([none, *ends])

    def texts(self, ranks: NDArray[np.uint32]) -> Texts:
        """The texts at some ranks."""
        numbers = self.order[ranks]
        owners, starts, ends = (column[numbers] for column in self._edges)
        texts = [batch.text.data for batch in self.batches]
        parts = zip(owners.tolist(), starts.tolist(), ends.tolist(), strict=True)
        body = b"".join([texts[owner][start:end] for owner, start, end in parts])
        return np.frombuffer(body, np.uint8), np.concatenate([[0], np.cumsum(ends - starts)])

    @cached_property
    def _told(self) -> list[tuple[str, ...]]:
        """The values of `KEPT` of each article by number, unpacked."""
        told: list[tuple[str, ...]] = []
        for batch, packed in zip(self.batches, self.packed, strict=True):
            columns = pickle.loads(zlib.decompress(packed)) if packed else [[""] * len(batch)] * len(KEPT)
            told += zip(*columns, strict=True)
        return told

    def articles(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The articles at some ranks."""
        body, offsets = self.texts(ranks)
        texts = (str(body.data[start:end], "utf-8") for start, end in pairwise(offsets.tolist()))
        return [replace(one, text=text) for one, text in zip(self.describe(ranks), texts, strict=True)]

    def describe(self, ranks: NDArray[np.uint32]) -> list[Article]:
        """The same without their texts."""
        told = (self._told[number] for number in self.order[ranks].tolist())
        return [
            Article(
                self.ids[rank], "", **{name: value or None for name, value in zip(KEPT, values, strict=True)}
            )
            for rank, values in zip(ranks.tolist(), told, strict=True)
        ]

    def origins(self, ranks: NDArray[np.uint32]) -> Origins:
        """The dates and addresses of the articles at some ranks."""
        numbers = self.order[ranks]
        dates = np.concatenate([np.empty(0, np.int64), *(batch.published for batch in self.batches)])
        return dates[numbers], np.concatenate([np.empty(0, np.int64), *self.addresses])[numbers]

    def count_sources(self, ranks: NDArray[np.uint32]) -> Mapping[str, int]:
        """Nothing: sources are not read."""
        return {}

    def own(self, ids: Sequence[str]) -> NDArray[np.uint32]:
        """The rank of the article with each of some `own_ids`, `LEFT_OUT` where there is none."""
        wanted = set(ids) - {""}
        found = {name: place for place, name in enumerate(self.own_ids) if name in wanted} if wanted else {}
        return np.array([found.get(name, LEFT_OUT) for name in ids], np.uint32)

    def kept(self) -> list[Articles]:
        """The batches without the articles that are skipped."""
        kept = [np.flatnonzero(self.ranks[start:end] != LEFT_OUT) for start, end in pairwise(self.firsts)]
        batches = zip(self.batches, kept, strict=True)
        return [batch if len(mine) == len(batch) else batch.take(mine.tolist()) for batch, mine in batches]

    def weigh(self, method: Method, pool: Pool) -> Statistics:
        """In how many articles each word occurs, words as a method reads them."""
        kept = self.kept()
        read = partial(tokenise, method=method, words=False)
        return Statistics.count(pool.map(read, kept, "weighing words", len(kept)), method.view)

    def sketch(self, method: Method, statistics: Statistics | None, pool: Pool) -> Sketches:
        """What a method remembers of each article, by number."""
        batches = self.batches or [EMPTY]
        stage = f"sketching for {method.name}"
        parts = pool.map(lambda batch: sketch(batch, method, statistics), batches, stage, len(batches))
        return Sketches.join(list(parts))


def sort_keys(batches: Sequence[Articles]) -> list[Any]:
    """What the ids of all batches are sorted by: the ids themselves, unless some are only numbers; these come first, by number."""
    if all(batch.numbers is None for batch in batches):
        return [id for batch in batches for id in batch.ids]
    return [
        (1, 0, id) if number is None else (0, number, "")
        for batch in batches
        for id, number in zip(batch.ids, batch.numbers or [None] * len(batch), strict=True)
    ]
