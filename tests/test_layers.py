"""Imports point down only, siblings do not know each other, and each outside library has one home."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "wirecopy"

LAYERS = (
    ("cli",),
    ("service", "spark", "client"),
    ("evaluation",),
    ("demo",),
    ("report",),
    ("archive", "pile"),
    ("grouping",),
    ("matching",),
    ("pairs", "sharing", "sources"),
    ("alignment",),
    ("comparison", "boilerplate"),
    ("forms",),
    ("extraction", "methods"),
    ("text", "statistics", "measures"),
    ("files", "addresses"),
)
"""From the top down; modules that are still to come have their place already."""
GROUND = {"model", "errors", "escaping", "_core"}
"""Anyone may import these; of each other only `model` needs `escaping`."""
HOMES = {
    "sqlite3": {"archive"},
    "pyspark": {"spark"},
    "litestar": {"service"},
    "granian": {"service"},
    "msgspec": {"service"},
    "jinja2": {"service"},
    "limits": {"service"},
    "prometheus_client": {"service"},
    "standardwebhooks": {"service"},
    "warcio": {"sources"},
    "fastwarc": {"sources"},
    "feedparser": {"sources"},
    "brotli": {"sources"},
    "zstandard": {"sources"},
    "rapidfuzz": {"extraction"},
    "sklearn": {"extraction"},
    "scipy": {"extraction"},
    "click": {"cli"},
    "rich": {"cli"},
    "pyarrow": {"sources", "matching", "grouping", "cli", "spark"},
    "polars": {"matching", "grouping"},
    "pandas": {"matching", "grouping"},
}
"""pandas and polars are what `Matches` and `Stories` turn into; pyarrow reads, and writes what was found."""
OPTIONAL = (
    *("pyarrow", "polars", "pandas", "rich", "click", "zstandard", "brotli", "feedparser", "sqlite3"),
    *("rapidfuzz", "sklearn", "scipy"),
    *("litestar", "granian", "jinja2", "limits", "prometheus_client", "standardwebhooks", "msgspec"),
)

RANK = {name: rank for rank, names in enumerate(reversed(LAYERS)) for name in names}
FILES = sorted(PACKAGE.rglob("*.py"))


def module_of(path: Path) -> str:
    """The module or folder of the layer table that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """Full names of what a file imports, wherever in the file, type checking included."""
    package = ("wirecopy", *path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*start, *filter(None, [node.module])))
            if base == "wirecopy":
                yield from (f"wirecopy.{alias.name}" for alias in node.names)
            else:
                yield base


def inside(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(path) if name.startswith("wirecopy.")}


def test_every_module_has_a_layer() -> None:
    assert {module_of(path) for path in FILES} <= RANK.keys() | GROUND | {"__init__", "__main__"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    module = module_of(path)
    if module in {"__init__", "__main__"}:
        return
    below = GROUND | {name for name, rank in RANK.items() if rank < RANK.get(module, 0)}
    assert inside(path) <= below | {module}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_an_outside_library_is_used_at_home_only(path: Path) -> None:
    used = {name.partition(".")[0] for name in imports(path)}
    away = {library for library in used & HOMES.keys() if module_of(path) not in HOMES[library]}
    assert not away


def test_sql_is_in_the_store_of_the_archive_only() -> None:
    spoken = re.compile(r"\b(SELECT\b.*\bFROM|INSERT\b.*\bINTO|UPDATE\b.*\bSET|DELETE FROM|PRAGMA) ")
    speaking = {str(path.relative_to(PACKAGE)) for path in FILES if spoken.search(path.read_text("utf-8"))}
    assert speaking <= {
        *("archive/connection.py", "archive/store.py", "archive/told.py"),
        *("archive/tokens.py", "archive/outbox.py", "archive/queues.py"),
    }


def test_importing_wirecopy_loads_nothing_optional() -> None:
    program = f"import sys, wirecopy; print(*sorted(set({OPTIONAL!r}) & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []
