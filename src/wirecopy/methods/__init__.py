"""The published methods, one file each; a method nominates, the comparison decides.

A method is a frozen dataclass whose fields are its parameters. Its file's name is its name everywhere. This module finds
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

RELATIONS = (None, Relation.CONTAINED_IN, Relation.CONTAINS, Relation.NEAR_DUPLICATE, Relation.PARTIAL)
"""What the numbers of `Method.relate` mean."""
COVERED = 0.8
"""The share from which an article counts as being in another, as in the comparison's default preset."""
FEWEST_ARTICLES = 200
"""Of fewer, a word that two of them share is in more than 1 %, the most that I-Match takes as published: it is silent below."""


@dataclass(frozen=True, slots=True)
class Keys:
    """What the articles of a batch are filed under: article i has `values[offsets[i]:offsets[i + 1]]`.

    `starts` and `ends` are the word numbers a key was taken from, if the method knows: they let the words around it
    settle an accidental collision. `weights` are those of `Method.elements`, above 0 and of moderate size; None where all weigh 1.
    """

    values: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    starts: NDArray[np.uint32] | None = None
    ends: NDArray[np.uint32] | None = None
    weights: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Sketches:
    """What a method remembers of articles, in columns: article i has `column[starts[i]:ends[i]]` of each."""

    columns: tuple[NDArray[Any], ...]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, values: NDArray[Any], offsets: NDArray[np.int64], *others: NDArray[Any]) -> Sketches:
        """Articles that stand on end in all columns: article i has `offsets[i]:offsets[i + 1]` of each."""
        return cls((values, *others), offsets[:-1], offsets[1:])

    @classmethod
    def join(cls, parts: Sequence[Sketches]) -> Sketches:
        """The articles of several batches, each on end."""
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
        """Where each article begins, if they stand on end."""
        assert (self.starts[1:] == self.ends[:-1]).all(), "these articles were taken out of others"
        return np.concatenate([self.starts[:1], self.ends]) if len(self) else np.zeros(1, np.int64)

    def take(self, rows: NDArray[Any]) -> Sketches:
        """Some of the articles; the columns stay where they are."""
        return Sketches(self.columns, self.starts[rows], self.ends[rows])

    def keep(self, kept: NDArray[np.bool_]) -> Sketches:
        """Only those elements of the columns."""
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
    """What index, pairs, evaluation and service know of a method."""

    paper: ClassVar[str]
    """Who published it."""
    approximate: ClassVar[bool] = False
    """Whether a pair that `accepts` takes may share no key."""
    mutual: ClassVar[bool] = False
    """Whether an accepted pair shares the mean of what `least_shared` says of both articles, or the less of both."""
    accepts_parts: ClassVar[bool] = False
    """Whether `accepts` says only that something is shared, so that the relation follows from the shares."""

    shingle_words: int | None = None
    """Words that a key is taken from, where keys have places."""

    @property
    def name(self) -> str:
        """The name of the file it stands in."""
        return type(self).__module__.rpartition(".")[2]

    def __str__(self) -> str:
        """As the command line takes it: `winnowing:shingle_words=5,window_words=16`."""
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}  # type: ignore[arg-type]
        given = (f"{k}={v if isinstance(v, str) else json.dumps(v)}" for k, v in values.items())
        return ":".join(filter(None, (self.name, ",".join(given))))

    @property
    def view(self) -> View:
        """How it reads text."""
        return View()

    @property
    def weighs_words(self) -> bool:
        """Whether `sketch` needs Statistics, of the pile itself or of a reference collection."""
        return False

    def warn_of_few(self, articles: int) -> str | None:
        """The warning that a pile of so many articles is too small to weigh words by; None where it is not."""
        if not self.weighs_words or articles >= FEWEST_ARTICLES:
            return None
        return (
            f"{self.name}: {count(articles)} cannot tell rare words from common ones, and copies may be missed: give the "
            f"statistics of {FEWEST_ARTICLES} or more (--statistics FILE, made by wirecopy weigh)"
        )

    @property
    def spells_words(self) -> bool:
        """Whether `sketch` needs the words themselves, not only their hashes."""
        return False

    @property
    def guaranteed_words(self) -> int | None:
        """Every common run of so many words makes a pair a candidate; None where nothing is guaranteed."""
        return None

    @property
    def only_ranks(self) -> bool:
        """Whether it has no threshold, and accepts nothing."""
        return False

    def needed(self, statistics: Statistics | None) -> Statistics:
        """The Statistics, which must be there and counted in its view."""
        if statistics is None:
            raise UsageError(f"{self.name}: expected Statistics to weigh words by, got none")
        statistics.require(self.view)
        return statistics

    @abstractmethod
    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Sketches:
        """What the method remembers of each article of a batch."""

    @abstractmethod
    def keys(self, sketches: Sketches) -> Keys:
        """What each article is filed under."""

    def probes(self, sketches: Sketches) -> Keys:
        """What each article is looked up under."""
        return self.keys(sketches)

    def common(self, occurrences: NDArray[np.int64], articles: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which keys the paper itself leaves out: how often each occurs, and in how many articles.

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
        """Whether `common` needs all keys of a collection at once, as the most frequent of them are left out."""
        return False

    def elements(self, sketches: Sketches) -> Keys:
        """What tells how much two articles share: the sum of the products of the weights of what both have.

        The keys, unless another set says more of the score; no article has an element twice, if elements have weights.
        """
        return self.keys(sketches)

    def least_shared(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """How much an accepted pair shares, by how much an article shares with itself: its elements, if all weigh 1."""
        return np.ones_like(totals)

    @abstractmethod
    def score(self, query: Sketches, found: Sketches) -> Scores:
        """Article i of `query` against article i of `found`, which has the indexed role."""

    @abstractmethod
    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Its own decision: is the query in the found article, is the found article in the query."""

    def relate(self, scores: Scores) -> NDArray[np.uint8]:
        """The number in `RELATIONS` of each pair's relation: accepted both ways is near-duplicate, one way is contained.

        Of parts, the ways are the shares of at least `COVERED`, and what has none of these is partial.
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
        """Whether an article is a duplicate, of which so many elements are in other articles."""
        raise UsageError(f"{self.name}: its paper decides on pairs, not on articles")

    def recall_curve(self) -> list[tuple[float, float]]:
        """How likely a pair of some resemblance shares a key, where that is a matter of chance."""
        return []

    def tune(
        self, tokens: Tokens, statistics: Statistics | None, queries: NDArray[np.int64]
    ) -> Sequence[Any]:
        """Trials of a parameter on a collection, one of them `chosen`, each a dataclass; some of its rows are queries."""
        raise UsageError(f"{self.name}: its paper has no way to tune it")


def resembling(keys: NDArray[np.float64], resemblance: float) -> NDArray[np.float64]:
    """What two sets share that resemble each other so much, by the keys of each; of two sizes it is the mean."""
    return keys * (2 * resemblance / (1 + resemblance))


count_shared = _core.count_shared
"""How many distinct values of the first column article i of both sides share, and how many each has."""


def names() -> list[str]:
    """All methods there are."""
    return sorted({*_ours(), *(point.name for point in _entry_points())})


def find_class(name: str) -> type[Method]:
    """The class of a method."""
    if name not in _ours():
        found: type[Method] | None = next(
            (point.load() for point in _entry_points() if point.name == name), None
        )
        if found is None:
            raise UsageError(f"no method named {name!r}; there are: {', '.join(names())}")
        return found
    module = importlib.import_module(f"{__name__}.{name}")
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Method) and value.__module__ == module.__name__
    )


def _ours() -> set[str]:
    return {module.name for module in pkgutil.iter_modules(__path__)}


def _entry_points() -> Iterable[EntryPoint]:
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=GROUP)


def get(name: str, **parameters: Any) -> Method:
    """A method by name, with its parameters."""
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
    """What a method says of itself: name, paper, summary, about, parameters with their defaults.

    `recall_curve` is how likely a pair of some resemblance is looked at, for a method that is approximate, else empty.
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
