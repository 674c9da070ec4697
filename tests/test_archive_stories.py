"""An archive keeps the stories of its articles in tables, and any SQLite tool shows them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from archives import as_kept, as_told, kept_stories, opened

import wirecopy
from quality.texts import Writer, join
from wirecopy import Archive
from wirecopy.archive import telling
from wirecopy.demo.archive import write_articles
from wirecopy.pile import Stories

Row = dict[str, Any]


def row(id: str, words: Sequence[str], day: int | None = 1, **about: str) -> Row:
    date = {"published": f"2026-03-{day:02}T12:00:00Z"} if day else {}
    return {"id": id, "text": join(list(words)), **date, **about}
