"""Which files a path stands for: a file, all files below a folder, all that match a pattern; and what their ids are."""

from __future__ import annotations

import glob
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path

from wirecopy.errors import SourceError
from wirecopy.model import shorten

_LINKED = "a link to a folder is not followed; give it as an argument"


@dataclass(frozen=True, slots=True)
class File:
    """A file to be read."""

    path: Path
    name: str
    """The id of its text: the path relative to `Files.base`."""
    shown: str
    """How it is named in complaints, and in the ids of records without one."""
    size: int = 0
    is_pipe: bool = False
    """Whether it is stdin or the like, whose kind only its content tells."""
    problem: str = ""
    """Why it cannot be read."""


@dataclass(frozen=True, slots=True)
class Files:
    """All files of one argument, in the order of their paths; `base` is the folder that their names begin below, None for stdin."""

    files: tuple[File, ...]
    base: Path | None = None

    @property
    def can_rise(self) -> bool:
        """Whether there is a folder to be put in front of the names."""
        return self.base is not None and self.base.name != ""

    def rise(self) -> Files:
        """The same files, with one folder more in front of their names."""
        assert self.base is not None
        folder = _printable(Path(self.base.name))
        files = tuple(replace(file, name=f"{folder}/{file.name}") for file in self.files)
        return Files(files, self.base.parent)


def find(path: str) -> Files:
    """All files that a path stands for; raises SourceError if there is none."""
    if path == "-":
        return Files((File(Path("-"), "-", "-", is_pipe=True),))
    try:
        there = path != "" and Path(path).exists()
    except OSError as error:
        hint = "; to give a text itself, put it into a list"
        raise SourceError(f"{shorten(path)}: {error.strerror or error}{hint}") from None
    if there:
        base = Path(path) if Path(path).is_dir() else Path(path).parent
        return Files(tuple(_below(Path(path), Path(path))), _absolute(base))
    if not glob.has_magic(path):
        raise SourceError(f"{shorten(path) or repr(path)}: no such file or folder")
    parts = Path(path).parts
    fixed = next(number for number, part in enumerate(parts) if glob.has_magic(part))
    base = Path(*parts[:fixed])
    # A folder may match along with what is in it.
    files = {file.path: file for file in _matching(parts, base)}
    if not files:
        raise SourceError(f"{shorten(path)}: matches no file")
    return Files(tuple(sorted(files.values(), key=lambda file: file.name)), _absolute(base))


def tell_apart(arguments: Sequence[Files], names_article: Callable[[File], bool]) -> list[Files]:
    """The arguments, in their order, with names that tell different files of different arguments apart.

    Where such files have one name, all names of their arguments begin one folder further up; then those that still, or now, share one,
    those first that begin least far up. Only files count whose name may be an id, by `names_article`. The names do not depend on
    the order of the arguments, and stay as they are the next time.
    """
    told, folders = list(arguments), [0] * len(arguments)
    while len(told) > 1:
        rising = set[int]()
        for clashing in _clashes(told, names_article):
            free = [number for number in clashing if told[number].can_rise]
            least = min((folders[number] for number in free), default=0)
            rising |= {number for number in free if folders[number] == least}
        if not rising:
            break
        for number in rising:
            told[number] = told[number].rise()
            folders[number] += 1
    return told


def _clashes(arguments: Sequence[Files], names_article: Callable[[File], bool]) -> list[list[int]]:
    """For each name that different files of different arguments have, the numbers of these arguments."""
    seen, repeated = set[str](), set[str]()
    for argument in arguments:
        names = {file.name for file in argument.files}
        repeated |= seen & names
        seen |= names
    if not repeated:
        return []
    paths: dict[str, dict[int, str]] = defaultdict(dict)
    for number, argument in enumerate(arguments):
        for file in argument.files:
            if file.name in repeated and names_article(file):
                paths[file.name][number] = os.path.realpath(file.path)
    return [list(mine) for mine in paths.values() if len(set(mine.values())) > 1]


def cannot_open(error: OSError) -> str:
    """Why a file that is there cannot be read."""
    return f"cannot be opened: {error.strerror or error}"


def _matching(parts: Sequence[str], base: Path) -> Iterator[File]:
    """Yields all files that a pattern, given by its parts, matches; below `**` no link is followed, which may lead in circles."""
    parts = [
        part for part, after in zip(parts, [*parts[1:], ""], strict=True) if (part, after) != ("**", "**")
    ]
    above = parts.index("**") if "**" in parts else len(parts)
    tops = sorted(glob.glob(str(Path(*parts[:above]))))  # noqa: PTH207 - the pattern may be absolute
    waiting = [(Path(top), parts[above:]) for top in reversed(tops)]
    seen = set()
    while waiting:
        path, rest = waiting.pop()
        if (path, len(rest)) in seen:
            continue
        seen.add((path, len(rest)))
        if all(part == "**" for part in rest):
            if path.is_dir() or not rest:
                yield from _below(path, base)
            continue
        try:
            inside = list(path.iterdir())
        except NotADirectoryError:
            continue
        except OSError as error:
            yield _problem(path, base, cannot_open(error))
            continue
        anywhere = rest[0] == "**"
        if anywhere:
            waiting.append((path, rest[1:]))
        for inner in inside:
            hidden = inner.name.startswith(".") and not rest[0].startswith(".")
            if hidden or not (anywhere or fnmatch(inner.name, rest[0])):
                continue
            if inner.is_dir() and inner.is_symlink():
                yield _problem(inner, base, _LINKED)
            elif inner.is_dir() or not anywhere:
                waiting.append((inner, rest if anywhere else rest[1:]))


def _below(path: Path, base: Path) -> Iterator[File]:
    """Yields the file itself, or all files below a folder but the hidden ones."""
    if not path.is_dir():
        file = _file(path, base)
        yield file if file.problem or path.is_file() else File(path, file.name, file.shown, is_pipe=True)
        return
    found: list[File] = []

    def complain(error: OSError) -> None:
        found.append(_problem(Path(error.filename), base, cannot_open(error)))

    for folder, folders, names in os.walk(path, onerror=complain):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = [Path(folder, name) for name in folders if Path(folder, name).is_symlink()]
        found += [_problem(link, base, _LINKED) for link in links]
        for name in names:
            if not name.startswith("."):
                file = _file(Path(folder, name), base)
                special = not file.problem and not file.path.is_file()
                found.append(_problem(file.path, base, "not a regular file") if special else file)
    yield from sorted(found, key=lambda file: file.name)


def _file(path: Path, base: Path) -> File:
    try:
        return File(path, _name(path, base), _printable(path), path.stat().st_size)
    except OSError as error:
        return _problem(path, base, cannot_open(error))


def _problem(path: Path, base: Path, problem: str) -> File:
    return File(path, _name(path, base), _printable(path), problem=problem)


def _name(path: Path, base: Path) -> str:
    return _printable(Path(path.name) if path == base else path.relative_to(base))


def _printable(path: Path) -> str:
    text = path.as_posix()
    return text if text.isascii() else os.fsencode(text).decode("utf-8", "replace")


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - links stay, and .. goes
