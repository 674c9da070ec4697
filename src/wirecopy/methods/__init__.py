"""The published methods, one file each; a method nominates, the comparison decides.

A method is a frozen dataclass whose fields are its parameters. Its file's name is its name everywhere. This module finds
the files by itself; other packages add methods through the entry-point group `wirecopy.methods`.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError
from ..model import Tokens, View
from ..statistics import Statistics

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "wirecopy.methods"


@dataclass(frozen=True, slots=True)
class Keys:
    """What the articles of a batch are filed under: article i has `values[offsets[i]:offsets[i + 1]]`.

    `starts` and `ends` are the word numbers a key was taken from, if the method knows: they let the words around it
    settle an accidental collision.
    """

    values: NDArray[np.uint64]
    offsets: NDArray[np.int64]
    starts: NDArray[np.uint32] | None = None
    ends: NDArray[np.uint32] | None = None


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
    view: ClassVar[View] = View()
    """How it reads text."""

    shingle_words: int | None = None
    """Words that a key is taken from, where keys have places."""

    @property
    def name(self) -> str:
        """The name of the file it stands in."""
        return type(self).__module__.rpartition(".")[2]

    @property
    def guaranteed_words(self) -> int | None:
        """Every common run of so many words makes a pair a candidate; None where nothing is guaranteed."""
        return None

    @abstractmethod
    def sketch(self, tokens: Tokens, statistics: Statistics | None = None) -> Any:
        """What the method remembers of each article of a batch."""

    @abstractmethod
    def keys(self, sketches: Any) -> Keys:
        """What each article is filed under."""

    def probes(self, sketches: Any) -> Keys:
        """What each article is looked up under."""
        return self.keys(sketches)

    def common(self, occurrences: NDArray[np.int64], articles: int) -> NDArray[np.bool_]:
        """Keys that the paper itself leaves out as too common."""
        return np.zeros(len(occurrences), dtype=bool)

    @abstractmethod
    def score(self, query: Any, found: Any, common: NDArray[np.uint64] | None = None) -> Scores:
        """Row i of `query` against row i of `found`; `common` are sorted keys to leave out."""

    @abstractmethod
    def accepts(self, scores: Scores) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Its own decision: is the query in the found article, is the found article in the query."""


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
    return found(**parameters)


def describe(name: str) -> dict[str, Any]:
    """What a method says of itself: name, paper, summary, about, parameters with their defaults."""
    found = find_class(name)
    about = inspect.cleandoc(found.__doc__ or "")
    return {
        "name": name,
        "paper": found.paper,
        "summary": about.partition("\n")[0],
        "about": about,
        "parameters": {field.name: field.default for field in dataclasses.fields(found)},  # type: ignore[arg-type]
    }
