"""What an archive was made with: methods, preset, window, statistics. It cannot be opened with others."""

from __future__ import annotations

import io
import json
import re
import time
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .. import _core, methods
from ..comparison import DEFAULT_PRESET, get_preset
from ..errors import ArchiveError, MismatchError, UsageError, WirecopyError
from ..matching import Plan, check_statistics, choose_methods
from ..methods import Method
from ..model import UNDATED, Articles
from ..pairs import Filed, file
from ..statistics import Statistics
from .connection import RESTORE
from .store import Store

SECOND = 1_000_000
UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
SLICES = 8
"""The slices of time that a window is cut into, so that whole segments can be dropped."""
LEAD, LEAD_SHARE = UNITS["d"] * SECOND, 4
"""How far ahead of the wall clock a date is believed: by a day, as zones are mistaken, but at most by a quarter of the window, so that no
mistake empties it."""
_WAY_OUT = "open it with what it was made with, or make another: wirecopy export OLD | wirecopy add NEW -"


_LOST = "install what has the method; info, export and backup work without: wirecopy export OLD | wirecopy add NEW - makes another"


@dataclass(frozen=True)
class Settings:
    """Methods that nominate, the preset of checks, the window in microseconds, and the statistics for methods that weigh words."""

    methods: tuple[Method, ...]
    preset: str
    window: int | None
    statistics: Statistics | None = field(repr=False)

    def plan(self, preset: str | None = None, *, linked: bool = True) -> Plan:
        """The plan for matching its articles, by its own preset or another."""
        return Plan(preset or self.preset, self.methods, linked, self.statistics)

    def file(self, batch: Articles) -> dict[Method, Filed]:
        """What a batch is filed under by each method."""
        return file(batch, self.methods, self.plan().all_weights)

    @classmethod
    def choose(
        cls,
        method: str | Method | Sequence[str | Method] | None,
        preset: str | None,
        window: str | None,
        statistics: Statistics | None,
    ) -> Settings:
        """The settings of a new archive."""
        named = preset or DEFAULT_PRESET
        get_preset(named)
        chosen = choose_methods(method or None, named)
        weighing = [one.name for one in chosen if one.weighs_words]
        if weighing and statistics is None:
            raise UsageError(
                f"{weighing[0]} weighs words, and an archive's weights do not change: give it statistics, "
                "made by wirecopy weigh"
            )
        check_statistics(chosen, statistics)
        return cls(chosen, named, parse_window(window), statistics)

    @classmethod
    def load(cls, store: Store) -> Settings:
        """The settings of an archive, without statistics if their words were read in another way than now.

        Raises MismatchError if it has a method that is not here, or not with these parameters.
        """
        named = stored_methods(store)
        try:
            chosen = tuple(methods.get(name, **parameters) for name, parameters in named)
        except UsageError as error:
            raise MismatchError(
                f"methods of {store.path}", ", ".join(name for name, _ in named), error, _LOST
            ) from None
        packed = store.setting("statistics") if is_current(store) else None
        try:
            statistics = Statistics.load(io.BytesIO(packed)) if packed else None
        except (WirecopyError, ValueError, TypeError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise ArchiveError(f"{store.path}: its statistics are damaged: {error}{RESTORE}") from error
        preset, window = store.setting("preset"), store.setting("window")
        return cls(chosen, preset, window, statistics)

    def save(self, store: Store) -> None:
        """Write the settings into a new archive."""
        store.set("text_version", _core.TEXT_VERSION)
        made_with = [[one.name, asdict(one)] for one in self.methods]  # type: ignore[call-overload]
        store.set("methods", json.dumps(made_with, sort_keys=True))
        store.set("preset", self.preset)
        store.set("window", self.window)
        if self.statistics is not None:
            packed = io.BytesIO()
            self.statistics.save(packed)
            store.set("statistics", packed.getvalue())
        store.set("made_with", sum_settings(store))
        store.set("told_row", 0)

    def require(
        self,
        path: Any,
        method: str | Method | Sequence[str | Method] | None,
        preset: str | None,
        window: str | None,
        statistics: Statistics | None,
    ) -> None:
        """Raise MismatchError if other settings are asked for."""
        exact = methods.get("exact")
        given = choose_methods(method, self.preset) if method else self.methods
        if {*given} - {exact} != {*self.methods} - {exact}:
            raise MismatchError(f"methods of {path}", _show(self.methods), _show(given), _WAY_OUT)
        if preset and preset != self.preset:
            raise MismatchError(f"preset of {path}", self.preset, preset, _WAY_OUT)
        if window and parse_window(window) != self.window:
            raise MismatchError(f"window of {path}", show_window(self.window), window, _WAY_OUT)
        if statistics is not None and _mark(statistics) != _mark(self.statistics):
            raise MismatchError(f"statistics of {path}", "those it was made with", "others", _WAY_OUT)

    def latest_believed(self) -> int:
        """The latest moment at which a date is believed now; without a window, all are."""
        return UNDATED if self.window is None else wall_clock() + min(LEAD, self.window // LEAD_SHARE)

    def slices(self, moments: Iterable[tuple[int, int | None]]) -> dict[int | None, list[int]]:
        """The articles of each slice of time, from pairs of an article and its moment.

        The slice None has the undated, and all articles of an archive without a window.
        """
        length = self.window and -(-self.window // SLICES)
        found: dict[int | None, list[int]] = {}
        for article, moment in moments:
            slice_ = moment // length if length and moment not in (None, UNDATED) else None
            found.setdefault(slice_, []).append(article)
        return found


def stored_methods(store: Store) -> list[tuple[str, dict[str, Any]]]:
    """The names and parameters of an archive's methods, whether they are here or not; raises ArchiveError if settings are damaged."""
    made = store.setting("made_with")
    if made is not None and made != sum_settings(store):
        raise ArchiveError(f"{store.path}: damaged: its settings are not as they were written{RESTORE}")
    store.require_sealed()
    with store.decoding("its settings"):
        return [(name, dict(parameters)) for name, parameters in json.loads(store.setting("methods"))]


def sum_settings(store: Store) -> int:
    """A checksum of what an archive was made with."""
    return zlib.crc32(
        repr([store.setting(name) for name in ("methods", "preset", "window", "statistics")]).encode()
    )


def is_current(store: Store) -> bool:
    """Whether the words of the archive were read as they are read now."""
    return bool(store.setting("text_version") == _core.TEXT_VERSION)


def require_text_version(store: Store) -> None:
    """Raise MismatchError if the words of the archive were read in another way than now."""
    if not is_current(store):
        way_out = (
            "its statistics are of words read that way: make another with new ones: wirecopy weigh, then "
            "Archive.open(NEW, create=True, statistics=…).add(OLD.articles())"
            if store.setting("statistics")
            else f"the next to write files all articles anew: wirecopy compact {store.path}, or wirecopy add"
        )
        raise MismatchError(
            f"text version of {store.path}", _core.TEXT_VERSION, store.setting("text_version"), way_out
        )


def parse_window(window: str | None) -> int | None:
    """A window ("36h", "14d", "2w") in microseconds."""
    if window is None:
        return None
    found = re.fullmatch(r"\s*(\d{1,6})\s*([mhdw])\s*", window)
    if not found or not int(found[1]):
        raise UsageError(f"window: expected a number of m, h, d or w, such as 14d, got {window!r}")
    return int(found[1]) * UNITS[found[2]] * SECOND


def show_window(window: int | None) -> str:
    """A window as it is written."""
    if window is None:
        return "none"
    unit = max((unit for unit in UNITS if window % (UNITS[unit] * SECOND) == 0), key=UNITS.__getitem__)
    return f"{window // (UNITS[unit] * SECOND)}{unit}"


def wall_clock() -> int:
    """The time of day in microseconds; nothing else of the window asks for it."""
    return time.time_ns() // 1000


def show_moment(moment: int | None) -> str | None:
    """A moment as a date with time, in whole seconds."""
    return None if moment is None else str(np.datetime64(moment, "us").astype("datetime64[s]")) + "Z"


def _mark(one: Statistics | None) -> object:
    return one and (one.view, one.articles, bytes(one.words), bytes(one.counts))


def _show(chosen: Sequence[Method]) -> str:
    return ", ".join(map(str, chosen))
