"""What an archive was made with: methods, preset, window, statistics. It is refused under any other."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .. import _core, methods
from ..comparison import DEFAULT_PRESET, get_preset
from ..errors import MismatchError, UsageError
from ..methods import Method
from ..pile import default_methods
from ..statistics import Statistics
from .store import Store

SECOND = 1_000_000
UNITS = {"m": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400}
SLICES = 8
"""Into so many slices a window's articles are cut, so that whole segments can be dropped."""
_WAY_OUT = "open it with what it was made with, or make another: wirecopy export OLD | wirecopy add NEW -"


@dataclass(frozen=True)
class Settings:
    """Methods that nominate, the preset of checks, the window in microseconds, and the statistics for methods that weigh words."""

    methods: Sequence[Method]
    preset: str
    window: int | None
    statistics: Statistics | None = field(repr=False)

    @classmethod
    def choose(
        cls,
        method: str | Method | Sequence[str | Method] | None,
        preset: str | None,
        window: str | None,
        statistics: Statistics | None,
    ) -> Settings:
        """What a new archive is made with."""
        named = preset or DEFAULT_PRESET
        chosen = _get_methods(method) or default_methods(get_preset(named))
        weighing = [one for one in chosen if one.weighs_words]
        for one in weighing:
            if statistics is None:
                raise UsageError(
                    f"{one.name} weighs words, and an archive's weights do not change: give it statistics, "
                    "made by wirecopy weigh"
                )
            statistics.require(one.view)
        if statistics is not None and not weighing:
            raise UsageError(f"statistics: {', '.join(one.name for one in chosen)} weighs no words")
        return cls(chosen, named, parse_window(window), statistics)

    @classmethod
    def load(cls, store: Store) -> Settings:
        """What the archive was made with; raises MismatchError if its words were read in another way."""
        version = store.setting("text_version")
        if version != _core.TEXT_VERSION:
            raise MismatchError(f"text version of {store.path}", _core.TEXT_VERSION, version, _WAY_OUT)
        chosen = [
            methods.get(name, **parameters) for name, parameters in json.loads(store.setting("methods"))
        ]
        packed = store.setting("statistics")
        statistics = Statistics.load(io.BytesIO(packed)) if packed else None
        return cls(chosen, store.setting("preset"), store.setting("window"), statistics)

    def save(self, store: Store) -> None:
        """Write them into a new archive."""
        store.set("text_version", _core.TEXT_VERSION)
        store.set("methods", _stamp(self.methods))
        store.set("preset", self.preset)
        store.set("window", self.window)
        if self.statistics is not None:
            packed = io.BytesIO()
            self.statistics.save(packed)
            store.set("statistics", packed.getvalue())

    def require(
        self,
        path: Any,
        method: str | Method | Sequence[str | Method] | None,
        preset: str | None,
        window: str | None,
        statistics: Statistics | None,
    ) -> None:
        """Raise MismatchError if something else is asked for than these."""
        asked = _get_methods(method)
        if asked and _stamp(asked) != _stamp(self.methods):
            raise MismatchError(f"methods of {path}", _show(self.methods), _show(asked), _WAY_OUT)
        if preset and preset != self.preset:
            raise MismatchError(f"preset of {path}", self.preset, preset, _WAY_OUT)
        if window and parse_window(window) != self.window:
            raise MismatchError(f"window of {path}", show_window(self.window), window, _WAY_OUT)
        if statistics is not None and (
            self.statistics is None
            or statistics.view != self.statistics.view
            or statistics.articles != self.statistics.articles
            or statistics.words.tobytes() != self.statistics.words.tobytes()
            or statistics.counts.tobytes() != self.statistics.counts.tobytes()
        ):
            raise MismatchError(f"statistics of {path}", "those it was made with", "others", _WAY_OUT)

    def slice_of(self, moment: int | None) -> int | None:
        """The slice of time that an article belongs to; None for all where there is no window, and for the undated."""
        if self.window is None or moment is None:
            return None
        return moment // -(-self.window // SLICES)


def parse_window(window: str | None) -> int | None:
    """A window in microseconds: "36h", "14d", "2w"."""
    if window is None:
        return None
    found = re.fullmatch(r"\s*(\d{1,6})\s*([mhdw])\s*", window)
    if not found or not int(found[1]):
        raise UsageError(f"window: expected a number of m, h, d or w, such as 14d, got {window!r}")
    return int(found[1]) * UNITS[found[2]] * SECOND


def show_window(window: int | None) -> str:
    """A window as it is given."""
    if window is None:
        return "none"
    unit = max((unit for unit in UNITS if window % (UNITS[unit] * SECOND) == 0), key=UNITS.__getitem__)
    return f"{window // (UNITS[unit] * SECOND)}{unit}"


def _get_methods(method: str | Method | Sequence[str | Method] | None) -> list[Method]:
    chosen = [method] if isinstance(method, str | Method) else method or []
    if len(chosen) > 8:
        raise UsageError(f"expected one to eight methods, got {len(chosen)}")
    return list(dict.fromkeys(methods.get(one) if isinstance(one, str) else one for one in chosen))


def _stamp(chosen: Sequence[Method]) -> str:
    return json.dumps([[one.name, asdict(one)] for one in chosen], sort_keys=True)  # type: ignore[call-overload]


def _show(chosen: Sequence[Method]) -> str:
    return ", ".join(map(str, chosen))
