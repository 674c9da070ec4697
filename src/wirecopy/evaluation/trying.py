"""What every preset and every method says of a collection, to be measured side by side."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from .. import methods
from ..comparison import PRESETS
from ..pile import Opinions, find, opinions
from .pooling import PERMISSIVE, permissive

NOT_RANKING = ("exact", "winnowing")
"""Methods that nominate, and have no score of their own to choose a threshold by."""


def try_all(articles: list[Path], folder: Path, **options: Any) -> Iterator[tuple[str, Path]]:
    """Yields the name of each preset and method and a file, in a folder, of what it finds, methods with permissive parameters."""
    for preset in PRESETS:
        path = folder / f"{preset}.jsonl"
        with path.open("w", encoding="utf-8") as out:
            out.writelines(find(articles, preset=preset, pairs="all", about=False, **options).json_lines())
        yield f"preset {preset}", path
    for name in methods.names():
        if name in NOT_RANKING:
            continue
        given = ",".join(f"{key}={value}" for key, value in PERMISSIVE.get(name, {}).items())
        path = folder / f"{name}.jsonl"
        with path.open("w", encoding="utf-8") as out:
            opinions(articles, permissive(name), receive=partial(_write, out), **options)
        yield f"method {name}{':' if given else ''}{given}", path


def _write(out: IO[str], told: Opinions) -> None:
    out.writelines(told.json_lines())
