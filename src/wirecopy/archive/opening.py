"""The store of an archive at a path, opened or made, and what the archive was made with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ..errors import ArchiveError, WirecopyError
from ..methods import Method
from ..statistics import Statistics
from .connection import FORMAT
from .locking import locked
from .marks import find_missing, require_unused
from .settings import Settings
from .store import Store


class Opened(NamedTuple):
    """The store of an archive and what goes with it."""

    store: Store
    settings: Settings | WirecopyError
    """What it was made with, or why that cannot be used here: articles can be read all the same."""
    missing: str | None
    """What the store has lost, in words."""


def open_store(
    place: Path,
    create: bool,
    method: str | Method | Sequence[str | Method] | None,
    preset: str | None,
    window: str | None,
    statistics: Statistics | None,
) -> Opened:
    """The archive at a path, or a new one if there is none and one is to be made.

    Raises ArchiveError if there is none and none is to be made, MismatchError if it was made with other settings than those given.
    """
    _require_place(place, create)
    fresh = Settings.choose(method, preset, window, statistics) if not place.exists() else None
    store = Store(place)
    try:
        if store.is_new and not fresh:
            require_unused(store.file)
            if not create:
                raise ArchiveError(_no_archive(place))
        if store.is_new or store.format < FORMAT:
            with locked(store.file, store.identity, place), _naming_format(store):
                store.prepare()
                if store.is_new:
                    with store.change():
                        (fresh or Settings.choose(method, preset, window, statistics)).save(store)
        settings = _load(store)
        if isinstance(settings, Settings):
            settings.require(place, method, preset, window, statistics)
        elif method or preset or window or statistics:
            raise settings
        return Opened(store, settings, find_missing(store))
    except BaseException:
        store.close()
        raise


@contextmanager
def _naming_format(store: Store) -> Iterator[None]:
    """Raise, for an archive of an older format that cannot be written, an ArchiveError with a way out."""
    try:
        yield
    except ArchiveError as error:
        if store.is_new or "READONLY" not in getattr(error.__cause__, "sqlite_errorname", ""):
            raise
        raise ArchiveError(
            f"{store.path}: of format {store.format}, where this version reads {FORMAT}, and cannot be written; copy it, with all files "
            "whose names begin with its own, to where it can be brought up to date"
        ) from error


def _require_place(place: Path, create: bool) -> None:
    """Raise ArchiveError if nothing is at a path and nothing is to be made there, or nothing can be."""
    if not place.exists() and not create:
        raise ArchiveError(_no_archive(place))
    if place.is_dir():
        raise ArchiveError(f"{place}: a folder; name the file of an archive")
    if not place.parent.is_dir():
        raise ArchiveError(f"{place}: no folder {place.parent}")


def _no_archive(place: Path) -> str:
    return f"{place}: no archive there; make one with Archive.open({str(place)!r}, create=True)"


def _load(store: Store) -> Settings | WirecopyError:
    try:
        return Settings.load(store)
    except WirecopyError as error:
        return error
