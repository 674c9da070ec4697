"""Every example of the README and the docs is run, in order, one folder a page.

An `sh` block is a script that can be pasted, and a `text` block right behind it what it prints, stdout and stderr together; `...`
stands for anything. In a `console` block a line that starts with `$ ` is a command (`> ` continues it), the lines after it are
what it prints. A `python` block is a program that goes on where the last one of its page ended, in the same folder.
`<!-- no-test: reason -->` before a block leaves it out.
"""

import contextlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MOST_LEFT_OUT = 13
"""A block that is not run is a claim that nobody checks: raise this only with a reason. Those of a service run until they are ended; each names the tests that do the same, and so do those that need Java and a cluster."""

BLOCK = re.compile(
    r"(?:<!--\s*no-test:(?P<reason>.*?)-->\s*\n)?^```(?P<kind>console|python|sh)[ \t]*\n(?P<body>.*?)^```[ \t]*$"
    r"(?:\n+```text[ \t]*\n(?P<printed>.*?)^```[ \t]*$)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    kind: str
    body: str
    line: int
    reason: str | None
    printed: str

    @property
    def commands(self) -> list[tuple[str, str]]:
        """Each command with the output it promises."""
        return [(self.body, self.printed)] if self.kind == "sh" else commands(self.body)


def blocks(page: str) -> list[Block]:
    return [
        Block(
            found["kind"],
            found["body"],
            page.count("\n", 0, found.start("body")) + 1,
            found["reason"],
            found["printed"] or "",
        )
        for found in BLOCK.finditer(page)
    ]


def commands(body: str) -> list[tuple[str, str]]:
    """Each command of a console block with the output it promises."""
    parts = re.split(r"^\$ (.*(?:\n> .*)*)\n?", body, flags=re.MULTILINE)
    assert not parts[0].strip(), f"output without a command: {parts[0]!r}"
    return [
        (command.replace("\n> ", "\n"), out) for command, out in zip(parts[1::2], parts[2::2], strict=True)
    ]


def fits(promised: str, printed: str) -> bool:
    lines = ["\n".join(line.rstrip() for line in text.strip().splitlines()) for text in (promised, printed)]
    pattern = ".*".join(re.escape(part) for part in lines[0].split("..."))
    return re.fullmatch(pattern, lines[1], re.DOTALL) is not None


def run(command: str, folder: Path) -> str:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_work(page: Path, tmp_path: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page.read_text("utf-8")):
        if block.reason is not None:
            continue
        where = f"{page.name}:{block.line}"
        if block.kind == "python":
            program = compile("\n" * (block.line - 1) + block.body, str(page), "exec")
            with contextlib.chdir(tmp_path):
                exec(program, names)
            continue
        for command, promised in block.commands:
            printed = run(command, tmp_path)
            assert fits(promised, printed), f"{where}: {command}\npromised:\n{promised}\nprinted:\n{printed}"


def test_examples_that_are_left_out_say_why_and_are_few() -> None:
    reasons = [
        block.reason
        for page in PAGES
        for block in blocks(page.read_text("utf-8"))
        if block.reason is not None
    ]
    assert all(reason.strip() for reason in reasons)
    assert len(reasons) <= MOST_LEFT_OUT


def test_a_page_is_taken_apart_into_its_examples() -> None:
    page = "x\n```console\n$ a\n1\n$ b \\\n> c\n```\n<!-- no-test: slow -->\n```python\nd\n```\n```text\ne\n```\n"
    console, left_out = blocks(page)
    assert commands(console.body) == [("a", "1\n"), ("b \\\nc", "")]
    assert (console.line, left_out.body, left_out.reason) == (3, "d\n", " slow ")
    silent, speaking = blocks("```sh\na\nb\n```\nx\n```sh\nc\n```\n\n```text\nd\n```\n")
    assert (silent.commands, speaking.commands) == ([("a\nb\n", "")], [("c\n", "d\n")])


@pytest.mark.parametrize(
    ("promised", "printed", "fit"),
    [
        ("a\n...\nz\n", "a\nb\nc\nz\n", True),
        ("a ... z\n", "a b z  \n\n", True),
        ("", "anything\n", False),
        ("...\n", "anything\n", True),
        ("a.c\n", "abc\n", False),
    ],
)
def test_dots_stand_for_anything(promised: str, printed: str, fit: bool) -> None:
    assert fits(promised, printed) is fit
