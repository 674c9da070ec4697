"""The library speaks Python; the command line says the same in its options."""

import ast
import re
from pathlib import Path

import pytest

import wirecopy
from wirecopy.cli.words import OPTIONS, in_options

ROOT = Path(__file__).parent.parent
PACKAGE = Path(wirecopy.__file__).parent
PROGRAMS = {"spark/cluster.py", "spark/shipping.py"}
"""Run by themselves, with options of their own."""
LIBRARY = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.relative_to(PACKAGE).parts[0] != "cli" and str(path.relative_to(PACKAGE)) not in PROGRAMS
]


def said(path: Path) -> list[str]:
    """The strings of a file that are no docstrings, with 'x' for each value that is filled in."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    about = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    filled = [node.values for node in nodes if isinstance(node, ast.JoinedStr)]
    strings: list[list[ast.expr]] = [
        [node] for node in nodes if isinstance(node, ast.Constant) and id(node) not in about
    ]
    return ["".join(map(spell, values)) for values in [*filled, *strings]]


def spell(node: ast.expr) -> str:
    return str(node.value) if isinstance(node, ast.Constant) else "'x'"


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_library_names_no_option(path: Path) -> None:
    assert [text for text in said(path) if re.search(r"(?<![\w-])--[a-z]", text)] == []


@pytest.mark.parametrize("python", OPTIONS)
def test_what_is_said_in_options_is_said_somewhere(python: str) -> None:
    core = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "rust/src").rglob("*.rs")))
    every = [text for path in LIBRARY for text in said(path)] + re.findall(r'"(.*?)(?<!\\)"', core)
    messages = [text for text in every if re.search(python, text)]
    assert messages
    for message in messages:
        assert re.search(r"--[a-z]|wirecopy add", in_options(message))
