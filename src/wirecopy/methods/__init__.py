"""The published methods, one file each, and what they have in common. A method nominates, the comparison decides.

A method is a frozen dataclass whose fields are its parameters. It is named after its file. This module finds
the files by itself; other packages add methods through the entry-point group `wirecopy.methods`.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import UsageError
from ..model import Relation, Tokens, View, count
from ..statistics import Statistics
from ..text import encode, tokenise

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "wirecopy.methods"
LONGEST = 65536
"""The longest shingle or window that a kernel takes."""
LARGEST = 2**64 - 1

RELATIONS = (None, Relation.CONTAINED_IN, Relation.CONTAINS, Relation.NEAR_DUPLICATE, Relation.PARTIAL)
"""What the numbers of `Method.relate` mean."""
COVERED = 0.8
"""An article is in another from this share on, as in the comparison's default preset."""
FEWEST_ARTICLES = 200
"""In a smaller pile, a word that two articles share is in more than 1 % of them, which I-Match as published leaves out: it finds nothing."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of the articles of a batch: article i has `values[offsets[i]:offsets[i + 1]]`.

    `starts` and `ends` are the word numbers that a key was taken from, if the method knows them: the words around them
    tell an accidental collision. `weights` are those of `Method.elements`, above 0 and of moderate size; None if all are 1.
    """

    values: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    starts: NDArray[np.uint32] | None = None
    ends: NDArray[np.uint32] | None = None
    weights: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Sketches:
    """What a method remembers of articles, in columns: article i has `column[starts[i]:ends[i]]` of each column."""

    columns: tuple[NDArray[Any], ...]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[Any], offsets: NDArray[np.int64], *others: NDArray[Any]) -> Sketches:
        """Sketches of consecutive articles: article i has `offsets[i]:offsets[i + 1]` of each column."""
        return cls((values, *others), offsets[:-1], offsets[1:])

    @classmethod
    def join(cls, parts: Sequence[Sketches]) -> Sketches:
        """The sketches of several batches, concatenated."""
        firsts = np.cumsum([0, *(len(part.columns[0]) for part in parts)])
        starts, ends = (
            np.concatenate([getattr(part, side) + first for part, first in zip(parts, firsts, strict=False)])
            for side in ("starts", "ends")
        )
        columns = zip(*(part.columns for part in parts), strict=True)
        return cls(tuple(np.concatenate(column) for column in columns), starts, ends)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each article begins and the last one ends; only for articles that are consecutive."""
        assert (self.starts[1:] == self.ends[:-1]).all(), "these articles were taken out of others"
        return np.concatenate([self.starts[:1], self.ends]) if len(self) else np.zeros(1, np.int64)

    def take(self, rows: NDArray[Any]) -> Sketches:
        """The sketches of some articles; the columns are not copied."""
        return Sketches(self.columns, self.starts[rows], self.ends[rows])

    def keep(self, kept: NDArray[np.bool_]) -> Sketches:
        """The sketches with only those elements of the columns."""
        before = np.concatenate([[0], np.cumsum(kept)])
        columns = tuple(column[kept] for column in self.columns)
        return Sketches(columns, before[self.starts], before[self.ends])


@dataclass(frozen=True, slots=True)
class Scores:
    """A method's own opinion of pairs: how much of each side is in the other, and one number to rank by."""

    query_in_found: NDArray[np.float64]
    found_in_query: NDArray[np.float64]
    rank: NDArray[np.float64]


class Method(ABC):
    """What all other modules know of a method."""

    paper: ClassVar[str]
    """Who published it."""
    approximate: ClassVar[bool] = False
    """Whether a pair that `accepts` takes may share no key."""
    mutual: ClassVar[bool] = False
    """Whether an accepted pair shares at least the mean of `least_shared` of both articles, else the smaller of both."""
    accepts_parts: ClassVar[bool] = False
    """Whether `accepts` says only that something is shared, so that the relation follows from the shares."""

    shingle_words: int | None = None
    """How many words a key is taken from, if keys have places."""

    @property
    def name(self) -> str:
        """The name of its file."""
        return type(self).__module__.rpartition(".")[2]

    def __str__(self) -> str:
        """The method as the command line takes it: `winnowing:shingle_words=5,window_words=16`."""
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}  # type: ignore[arg-type]
        given = (f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in values.items())
        return ":".join(filter(None, (self.name, ",".join(given))))

    @property
    def view(self) -> View:
        """How it reads text."""
        return View()

    @property
    def weighs_words(self) -> bool:
        """Whether `sketch` needs Statistics: of the pile itself, or of a reference collection."""
        return False

    def warn_of_few(self, articles: int) -> str | None:
        """A warning if a pile of so many articles is too small to weigh words by, else None."""
        if not self.weighs_words or articles >= FEWEST_ARTICLES:
            return None
        return (
            f"{self.name}: {count(articles)} cannot tell rare words from common ones, and copies may be missed: give the "
            f"statistics of {FEWEST_ARTICLES} or more (statistics=Statistics.load(FILE), made by wirecopy weigh)"
        )

    @property
    def spells_words(self) -> bool:
        """Whether `sketch` needs the words themselves, not only their hashes."""
        return False

    @property
    def guaranteed_words(self) -> int | None:
        """The shortest run of words that is sure to make two articles that share it a candidate; None if none is."""
        return None

    @property
    def only_ranks(self) -> bool:
        """Whether it has no threshold and accepts nothing."""
        return False

    def needed(self, statistics: Statistics | None) -> Statistics:
        """The Statistics; raises UsageError if there are none, MismatchError if they were counted in another view."""
        if statistics is None:
            raise UsageError(f"{self.name}: expected Statistics to weigh words by, got none")
        statistics.require(self.view)
        return statistics

    @abstractmethod
    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """What the method remembers of each article of a batch."""

    def keys(self, sketches: Sketches) -> Keys:
        """What each article is filed under: the first column, unless a method says otherwise."""
        return Keys(sketches.columns[0], sketches.offsets)

    def probes(self, sketches: Sketches) -> Keys:
        """What each article is looked up under: its keys, unless a method says otherwise."""
        return self.keys(sketches)

    def common(self, occurrences: NDArray[np.int64], articles: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which keys the paper leaves out, by how often each occurs and in how many articles.

        Elements of the sketches whose first column is such a key are left out of scores too.
        """
        return np.zeros(len(occurrences), dtype=bool)

    @property
    def is_directed(self) -> bool:
        """Whether an article is looked up under other keys than it is filed under."""
        return type(self).probes is not Method.probes

    @property
    def leaves_out(self) -> bool:
        """Whether its paper leaves out keys that are too common."""
        return type(self).common is not Method.common

    @property
    def compares_keys(self) -> bool:
        """Whether `common` needs all keys of a collection at once, because it leaves out the most frequent ones."""
        return False

    def elements(self, sketches: Sketches) -> Keys:
        """The elements by which two articles are compared: they share the sum, over common elements, of the product of both weights.

        These are the keys, unless another set says more about the score. If elements have weights, no article has one twice.
        """
        return self.keys(sketches)

    def least_shared(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much an accepted pair shares at least, by how much each article shares with itself (N elements of weight 1: N)."""
        return np.ones_like(totals)

    @abstractmethod
    def score(self, query: Sketches, found: Sketches) -> Scores:
        """The scores of article i of `query` against article i of `found`, for all i; those of `found` are filed."""

    @abstractmethod
    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Its own decision: whether the query is in the found article, and whether the found article is in the query."""

    def relate(self, scores: Scores) -> NDArray[np.uint8]:
        """The number in `RELATIONS` of each pair's relation: near-duplicate if accepted both ways, contained if one way.

        If only parts are accepted, a way is a share of at least `COVERED`, and an accepted pair without one is partial.
        """
        accepted = ways = np.stack(self.accepts(scores))
        if self.accepts_parts:
            ways = np.stack([scores.query_in_found, scores.found_in_query]) >= COVERED
        numbers = np.where(ways.any(axis=0), ways[0] + 2 * ways[1], RELATIONS.index(Relation.PARTIAL))
        return np.where(accepted.any(axis=0), numbers, 0).astype(np.uint8)

    @property
    def gives_verdicts(self) -> bool:
        """Whether its paper decides on an article against all others, not only on pairs."""
        return type(self).verdict is not Method.verdict

    def verdict(self, hits: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each article is a duplicate, by how many of its elements occur in other articles."""
        raise UsageError(f"{self.name}: its paper decides on pairs, not on articles")

    def recall_curve(self) -> list[tuple[float, float]]:
        """Pairs of a resemblance and the probability that such a pair shares a key, if that is a matter of chance; else none."""
        return []

    def tune(
        self, tokens: Tokens, statistics: Statistics | None, queries: NDArray[np.int64]
    ) -> Sequence[Any]:
        """Trials of a parameter on a collection, each a dataclass, one of them `chosen`; `queries` are rows of the collection."""
        raise UsageError(f"{self.name}: its paper has no way to tune it")


class Containment(Method):
    """A method that decides each way by itself: an article is in the other if the share `contained` of its distinct keys is."""

    contained: float

    def score(self, query: Sketches, found: Sketches) -> Scores:
        """The share of each article's distinct keys that the other has; the larger share ranks."""
        shared, in_query, in_found = count_shared(query, found)
        query_in_found, found_in_query = shared / np.maximum(in_query, 1), shared / np.maximum(in_found, 1)
        return Scores(query_in_found, found_in_query, np.maximum(query_in_found, found_in_query))

    def least_shared(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """The share `contained` of each."""
        return self.contained * totals

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Where each share reaches `contained`."""
        return scores.query_in_found >= self.contained, scores.found_in_query >= self.contained


class Similarity(Method):
    """A method with one number for a pair, the same both ways, that accepts a pair from `threshold` on."""

    threshold: float

    @abstractmethod
    def similarity(self, query: Sketches, found: Sketches) -> NDArray[np.float64]:
        """The similarity of article i of both sides, for all i."""

    def score(self, query: Sketches, found: Sketches) -> Scores:
        """The similarity, for both ways and the rank."""
        similarity = self.similarity(query, found)
        return Scores(similarity, similarity, similarity)

    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Where the similarity reaches `threshold`."""
        return scores.query_in_found >= self.threshold, scores.found_in_query >= self.threshold


count_shared = _core.count_shared
"""How many distinct values of the first column article i of both sides share, and how many each has."""


def jaccard(query: Sketches, found: Sketches) -> NDArray[np.float64]:
    """How many distinct values of the first column both articles have, of those that either has."""
    shared, in_query, in_found = count_shared(query, found)
    similarity: NDArray[np.float64] = shared / np.maximum(in_query + in_found - shared, 1)
    return similarity


def shared_at(totals: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """How many values two sets of one size share if their Jaccard is `threshold`; of two sizes it is the mean."""
    return totals * (2 * threshold / (1 + threshold))


def names() -> list[str]:
    """The names of all methods, sorted."""
    return sorted({*_ours(), *(point.name for point in _entry_points())})


def find_class(name: str) -> type[Method]:
    """The class of a method; raises UsageError if there is none of this name."""
    if name in _ours():
        module = importlib.import_module(f"{__name__}.{name}")
        return next(
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, Method) and value.__module__ == module.__name__
        )
    for point in _entry_points():
        if point.name == name:
            found: type[Method] = point.load()
            return found
    raise UsageError(f"no method named {name!r}; there are: {', '.join(names())}")


def _ours() -> set[str]:
    return {module.name for module in pkgutil.iter_modules(__path__)}


def _entry_points() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=GROUP)


def get(name: str, **parameters: Any) -> Method:
    """A method by name, with these parameters; raises UsageError for a wrong name, parameter or value."""
    found = find_class(name)
    known = {field.name: field for field in dataclasses.fields(found)}  # type: ignore[arg-type]
    if unknown := sorted(set(parameters) - set(known)):
        raise UsageError(
            f"{name} has no parameter {', '.join(unknown)}; it has: {', '.join(known) or 'none'}"
        )
    for parameter, value in parameters.items():
        expected = type(known[parameter].default)
        fits = isinstance(value, expected) or (expected is float and isinstance(value, int))
        if not fits or (isinstance(value, bool) and expected is not bool):
            raise UsageError(f"{name}: expected {parameter} to be of type {expected.__name__}, got {value!r}")
    method = found(**parameters)
    try:
        tokenise(*encode([]), method.view)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None
    return method


def describe(name: str) -> dict[str, Any]:
    """What a method says of itself: name, paper, summary, about, parameters with their defaults, recall curve.

    The `recall_curve` is empty unless the method is approximate.
    """
    found = find_class(name)
    about = inspect.cleandoc(found.__doc__ or "")
    return {
        "name": name,
        "paper": found.paper,
        "summary": about.partition("\n")[0],
        "about": about,
        "parameters": {field.name: field.default for field in dataclasses.fields(found)},  # type: ignore[arg-type]
        "recall_curve": found().recall_curve(),
    }
