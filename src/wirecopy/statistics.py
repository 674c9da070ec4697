"""In how many articles of a collection each word occurs.

Counted once over a collection and frozen: methods that weigh words by their rarity give the same answer
whenever they are asked with the same Statistics. The same articles in any order and any batches give the same.

On disk they are a NumPy `.npz` archive without pickled objects: `words` (uint64, sorted word hashes), `counts`
(int64, the articles that hold each), and the scalars `articles`, `diacritics`, `stopwords`, `stemmer`, `title`,
`piece_words`, `text_version`, `format`.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from wirecopy import _core
from wirecopy.errors import MismatchError, SourceError
from wirecopy.files import open_whole
from wirecopy.model import Tokens, View

_NEVER = np.iinfo(np.uint32).max
_FORMAT = 3
_DEFAULT_VIEW = View()
_VIEW_FIELDS = ("diacritics", "stopwords", "stemmer", "title", "piece_words")
_WAY_OUT = "count them again from the articles"


@dataclass(frozen=True, eq=False)
class Statistics:
    """In how many articles of a collection each word occurs; `articles` is the size of the collection.

    `view` is how the words were read, without its `sentences`; where it has `piece_words`, all counts are of such pieces
    of articles.
    """

    words: NDArray[np.uint64]
    counts: NDArray[np.int64]
    articles: int
    view: View

    def __reduce__(self) -> tuple[Any, ...]:
        return Statistics, (self.words, self.counts, self.articles, self.view)

    @classmethod
    def count(cls, batches: Iterable[Tokens], view: View = _DEFAULT_VIEW) -> Statistics:
        """The statistics of all batches together; `view` is how they were read."""
        words, counts = np.empty(0, np.uint64), np.empty(0, np.int64)
        articles, waiting, waiting_words = 0, [], 0
        for tokens in batches:
            if view.piece_words:
                tokens = replace(tokens, offsets=_core.cut_pieces(tokens, view.piece_words))
            distinct, holders = _core.count_articles(tokens)
            waiting.append((distinct, holders.astype(np.int64)))
            waiting_words += len(distinct)
            articles += len(tokens)
            if waiting_words > max(len(words), 1 << 20):
                words, counts = _add([(words, counts), *waiting])
                waiting, waiting_words = [], 0
        words, counts = _add([(words, counts), *waiting])
        return cls(words, counts, articles, _for_words(view))

    @cached_property
    def _numbers(self) -> _core.Numbers:
        return _core.Numbers(self.words, self.counts.astype(np.uint32))

    def frequencies(self, hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
        """In how many articles each of these words occurs; 0 for a word that was never seen."""
        found = self._numbers.look_up(hashes)
        found[found == _NEVER] = 0
        return found

    def require(self, view: View) -> None:
        """Raise MismatchError unless these were counted with `view`, its `sentences` aside."""
        if self.view != _for_words(view):
            raise MismatchError("view of the statistics", _for_words(view), self.view, _WAY_OUT)

    def save(self, path: str | Path | BinaryIO) -> None:
        """Write the statistics to a file, given by its path or open; an earlier file is replaced once all is written."""
        whole = BytesIO()  # on a full disk, savez of NumPy before 2.2 would complain of the file by itself
        np.savez(
            whole,
            words=self.words,
            counts=self.counts,
            articles=np.int64(self.articles),
            **{name: getattr(self.view, name) for name in _VIEW_FIELDS},
            text_version=np.str_(_core.TEXT_VERSION),
            format=np.int64(_FORMAT),
        )
        with open_whole(Path(path), "wb") if isinstance(path, str | Path) else nullcontext(path) as file:
            file.write(whole.getbuffer())

    @classmethod
    def load(cls, path: str | Path | BinaryIO, view: View | None = None) -> Statistics:
        """The statistics in a file; raises SourceError if it holds none, MismatchError if they were counted otherwise."""
        from zipfile import BadZipFile  # slow to import

        try:
            with np.load(path, allow_pickle=False) as file:
                stored = {name: file[name] for name in file.files}
            form, version = int(stored["format"]), str(stored["text_version"])
            if form != _FORMAT:
                raise MismatchError(f"format of the statistics in {path}", _FORMAT, form, _WAY_OUT)
            if version != _core.TEXT_VERSION:
                raise MismatchError(
                    f"text version of the statistics in {path}", _core.TEXT_VERSION, version, _WAY_OUT
                )
            words, counts = stored["words"], stored["counts"]
            kinds = words.dtype, counts.dtype, counts.shape
            if kinds != (np.uint64, np.int64, (len(words),)) or words.ndim != 1:
                raise ValueError(
                    f"words of {words.dtype} {words.shape}, counts of {counts.dtype} {counts.shape}"
                )
            view_read = View(**{name: stored[name].item() for name in _VIEW_FIELDS})
            statistics = cls(words, counts, int(stored["articles"]), view_read)
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            EOFError,
            RuntimeError,
            BadZipFile,
        ) as error:
            raise SourceError(f"{path}: expected statistics, got something else ({error})") from error
        if view is not None:
            statistics.require(view)
        return statistics


def _for_words(view: View) -> View:
    return replace(view, sentences=None)


def _add(
    parts: list[tuple[NDArray[np.uint64], NDArray[np.int64]]],
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """The words of all parts, sorted, and the sum of their counts."""
    words = np.concatenate([part for part, _ in parts])
    counts = np.concatenate([part for _, part in parts])
    order = np.argsort(words, kind="stable")
    words, counts = words[order], counts[order]
    first = np.flatnonzero(np.diff(words, prepend=~words[:1]) != 0)
    return words[first], np.add.reduceat(counts, first) if len(first) else counts
