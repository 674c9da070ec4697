"""Ids as a terminal shows them, without a common beginning or cut in the middle, and the articles that are meant by them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import Path

import numpy as np

from ..boilerplate import Learnt, unite
from ..errors import SourceError, UsageError
from ..model import TOLD, Article, one_line
from ..pile import Progress, learn_from
from ..sources import Fields, read

CUT = "…"


class Ids:
    """All ids of a collection, among which a short one must be clear; they are asked for once one has to be cut."""

    def __init__(self, get_all: Callable[[], Iterable[str]]) -> None:
        self._get_all = get_all

    @cached_property
    def _turned(self) -> list[str]:
        return sorted({id[::-1] for id in self._get_all()})

    def shorten(self, shown: Sequence[str], width: int) -> dict[str, str]:
        """Each of some ids as it is shown: without the folders that all have in common, its middle cut to `width` if that is clear enough."""
        first, last = (one.split("/")[:-1] for one in (min(shown), max(shown)))
        common = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
        start = sum(len(folder) + 1 for folder, _ in common)
        return {id: next(name for name in _cut(id, start, width) if self._is_clear(name, id)) for id in shown}

    def _is_clear(self, name: str, id: str) -> bool:
        if name == id:
            return True
        end = name.rpartition(CUT)[2][::-1]
        alike = self._turned[bisect_left(self._turned, end) : bisect_left(self._turned, end + "\U0010ffff")]
        return find_meant(name, (one[::-1] for one in alike)) == [id]


def _cut(id: str, start: int, width: int) -> Iterator[str]:
    """Ways to show an id without its `start`, the shortest first, and last the id itself."""
    rest = id[start:]
    for wide in range(width, len(rest), 4):
        for tail in (wide // 2, wide * 2 // 3, wide // 3, wide - 1):
            yield f"{rest[: wide - 1 - tail]}{CUT}{rest[-tail:]}"
        part = (wide - 2) // 3
        for middle in range(part + 1, len(rest) - 2 * part):
            yield CUT.join((rest[:part], rest[middle : middle + part], rest[-part:]))
    yield rest
    yield id


def find_meant(given: str, ids: Iterable[str]) -> list[str]:
    """The ids that `given` may stand for: the one that it is, or else those that it is an end of, behind a slash, with or without a cut."""
    meant = list(filter(_written(given).fullmatch, ids))
    return [given] if given in meant else meant


def _written(given: str) -> re.Pattern[str]:
    return re.compile("(?:.*/)?" + ".*".join(map(re.escape, given.split(CUT))), re.DOTALL)


@dataclass(frozen=True)
class Named:
    """Articles that are meant, what was learnt where they are, and the preset of the archive, if they are in one."""

    articles: Sequence[Article]
    learnt: Learnt
    preset: str | None


def read_named(
    given: Sequence[str], within: Sequence[Path], fields: Fields, progress: Progress | None = None
) -> Named:
    """The articles that are meant, by their ids `within` some files and archives, or else as files that hold one each.

    Of files all that `find` learns is learnt; an archive knows it.
    """
    patterns = list(map(_written, given))
    found = read_within(
        lambda id: any(pattern.fullmatch(id) for pattern in patterns), within, fields, progress
    )
    by_id = {article.id: article for article in found.articles}
    reading = replace(fields, about=TOLD)
    return replace(found, articles=[_choose(one, by_id, within, reading) for one in given])


def read_within(
    is_meant: Callable[[str], bool],
    within: Sequence[Path],
    fields: Fields,
    progress: Progress | None = None,
) -> Named:
    """The articles `within` some files and archives whose ids are meant."""
    from ..archive import Archive

    archives = [path for path in within if _is_archive(path)]
    files = [path for path in within if path not in archives]
    found: dict[str, Article] = {}
    learnt: list[Learnt] = []
    presets: list[str] = []
    for path in archives:
        with Archive.open(path, create=False) as store:
            found |= {article.id: article for article in store.select(is_meant)}
            learnt.append(store.learnt)
            presets.append(store.settings.preset)
    if files:
        pile, of_files = learn_from(files, fields=replace(fields, about=TOLD), progress=progress)
        ranks = np.array([rank for rank, id in enumerate(pile.ids) if is_meant(id)], np.uint32)
        found |= {article.id: article for article in pile.articles(ranks)}
        learnt.append(of_files)
    preset = presets[0] if len(presets) == len(within) == 1 else None
    return Named(list(found.values()), unite(learnt), preset)


def _choose(given: str, found: dict[str, Article], within: Sequence[Path], fields: Fields) -> Article:
    meant = find_meant(given, found)
    if len(meant) == 1:
        return found[meant[0]]
    if meant:
        raise UsageError(f"{given}: may be {', '.join(map(one_line, meant[:3]))}: write more of the id")
    if within and given != "-" and not Path(given).exists():
        raise SourceError(
            f"{given}: no article of {', '.join(map(str, within))} has this id, and no file this name"
        )
    return _read_one(Path(given), fields)


def _read_one(path: Path, fields: Fields) -> Article:
    """The article of a file, or of stdin, that holds one."""
    batches = [work() for work in read([path], fields=fields)]
    for skipped in (skipped for batch in batches for skipped in batch.skipped):
        raise SourceError(str(skipped))
    articles = sum(map(len, batches))
    if articles != 1:
        raise SourceError(
            f"{path}: expected one text, got {articles} articles; compare many with wirecopy find, "
            "or two of them with wirecopy compare ID ID --in PATH"
        )
    batch = next(filter(len, batches))
    return replace(batch.describe(0), id=str(path), text=bytes(batch.text).decode())


def _is_archive(path: Path) -> bool:
    """Whether a file is one of SQLite's."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"
