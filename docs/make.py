"""The parts of the docs that are made from the program, between `<!-- made: NAME -->` and `<!-- end -->`.

`make docs` renews them; with `--check` nothing is written, and a page that would change is an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from click import Context, Group
from click.testing import CliRunner

import wirecopy
from wirecopy import demo, find, methods
from wirecopy.cli import app
from wirecopy.cli.demo import choose_example
from wirecopy.comparison import DEFAULT_PRESET, PRESETS
from wirecopy.model import Relation

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
DESCRIPTION = ROOT / "src" / "wirecopy" / "service" / "openapi.json"
WIDTH = 98
"""What click fills of the 100 columns that `tests/test_readme.py` has, which runs each command with `--help`."""
PICTURE_MATCHES, SIDES_LINES = 3, 28


def make_cli() -> str:
    """What every command says of itself."""
    names: list[tuple[str, ...]] = [()]
    for name in app.list_commands(Context(app)):
        names.append((name,))
        command = app.commands[name]
        if isinstance(command, Group):
            names += [(name, "ARCHIVE", inner) for inner in command.commands]
    return "\n\n".join(_help(*name) for name in names)


def make_description() -> str:
    """The OpenAPI description of the service, from its routes."""
    from wirecopy.service.app import build_app
    from wirecopy.service.openapi import configure, describe
    from wirecopy.service.settings import Settings

    app = build_app(Settings(Path("news.db")), describe=configure(wirecopy.__version__))
    made = describe(app.openapi_schema.to_schema())
    return json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _help(*command: str) -> str:
    typed = " ".join(("wirecopy", *command, "--help"))
    done = CliRunner().invoke(app, [*command, "--help"], prog_name="wirecopy", terminal_width=WIDTH)
    lines = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
    return f"## {' '.join(('wirecopy', *command))}\n\n```console\n$ {typed}\n{lines}\n```"


def make_methods() -> str:
    """A table of the methods, then each in full."""
    known = [methods.describe(name) for name in methods.names()]
    table = _table(
        ("method", "paper", "what it does"),
        ((f"[`{one['name']}`](#{one['name']})", one["paper"], one["summary"]) for one in known),
    )
    return "\n\n".join([table, *map(_describe, known)])


def _describe(method: dict[str, object]) -> str:
    parameters = method["parameters"]
    assert isinstance(parameters, dict)
    rows = ((f"`{name}`", f"`{value}`") for name, value in parameters.items())
    shown = _table(("parameter", "default"), rows) if parameters else "It has no parameters."
    return f"## {method['name']}\n\n{method['about']}\n\n{shown}"


def make_presets() -> str:
    """What the presets ask of a copy."""
    return _table(
        ("preset", "equal words in a passage", "words that differ", "covered", "for"),
        (
            (
                f"`{name}`" + (" (default)" if name == DEFAULT_PRESET else ""),
                str(preset.min_passage_words),
                str(preset.bridged_words),
                f"{preset.covered:.0%}",
                preset.about,
            )
            for name, preset in PRESETS.items()
        ),
    )


def make_picture() -> str:
    """What `find` shows on a terminal, its long middle left out."""
    with tempfile.TemporaryDirectory() as folder:
        demo.write_archive(Path(folder, "demo-archive"))
        command = ["wirecopy", "find", "demo-archive/pages"]
        table, talk = _on_a_terminal(command, Path(folder))
    first, last = talk.splitlines()
    lines = table.splitlines()
    starts = [number for number, line in enumerate(lines) if set(line.split()) & set(Relation)]
    shown = lines[: starts[PICTURE_MATCHES]]
    return "\n".join(["```text", f"$ {' '.join(command)}", first, *shown, *lines[-3:], last, "```"])


def make_sides() -> str:
    """What `show` shows on a terminal of an edited copy, its end left out."""
    with tempfile.TemporaryDirectory() as folder:
        demo.write_archive(Path(folder, "demo-archive"))
        query, found = choose_example(find(Path(folder, "demo-archive", "pages")))
        command = ["wirecopy", "show", query.id, found.id, "--in", "demo-archive/pages"]
        table, _ = _on_a_terminal(command, Path(folder))
    lines = table.splitlines()
    return "\n".join(["```text", f"$ {' '.join(command)}", *lines[:SIDES_LINES], "…", *lines[-2:], "```"])


def make_answer() -> str:
    """What `check` shows on a terminal of a text that is put together from several articles."""
    with tempfile.TemporaryDirectory() as folder:
        articles = Path(folder, "news", "articles.jsonl")
        demo.write_archive(articles.parent)
        paragraphs = [json.loads(line)["text"].split("\n\n")[0] for line in articles.open(encoding="utf-8")]
        draft = "\n\n".join((*paragraphs[10:230:70], "Nobody else has written this last sentence before."))
        Path(folder, "stitched.txt").write_text(draft, "utf-8")
        _on_a_terminal(["wirecopy", "add", "news.db", "news/articles.jsonl"], Path(folder))
        command = ["wirecopy", "check", "news.db", "stitched.txt"]
        table, _ = _on_a_terminal(command, Path(folder))
    return "\n".join(["```text", f"$ {' '.join(command)}", table.rstrip(), "```"])


def _on_a_terminal(command: list[str], folder: Path) -> tuple[str, str]:
    """What a command prints to a terminal, and what it says on stderr, which is none."""
    terminal, its_side = os.openpty()
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "xterm", "PAGER": "cat"}
    program = Path(sys.executable).with_name(command[0])
    started = subprocess.Popen(
        [program, *command[1:]],
        cwd=folder,
        env=environment,
        stdout=its_side,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(its_side)
    printed = b""
    # At its end a terminal gives an error on some systems, nothing on others.
    with contextlib.suppress(OSError):
        while block := os.read(terminal, 1 << 16):
            printed += block
    os.close(terminal)
    _, talk = started.communicate()
    plain = re.sub(r"\x1b\[[\d;]*m", "", printed.decode())
    return "\n".join(line.rstrip() for line in plain.splitlines()), talk


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = tuple(heads)
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, ["---"] * len(heads), *rows))


PARTS: dict[str, Callable[[], str]] = {
    "answer": make_answer,
    "cli": make_cli,
    "methods": make_methods,
    "picture": make_picture,
    "presets": make_presets,
    "sides": make_sides,
}


def renew(page: str) -> str:
    """The page with all its made parts made again."""
    before, *parts = page.split("<!-- made: ")
    renewed = [before]
    for part in parts:
        name, arrow, rest = part.partition(" -->")
        _, end, after = rest.partition("<!-- end -->")
        if name not in PARTS or not arrow or not end:
            raise SystemExit(f"expected <!-- made: {'|'.join(PARTS)} --> … <!-- end -->, got {part[:40]!r}")
        renewed.append(f"<!-- made: {name} -->\n{PARTS[name]()}\n<!-- end -->{after}")
    return "".join(renewed)


def main(arguments: list[str]) -> int:
    """Renew all pages, or check them; the exit code."""
    pages = {path: path.read_text("utf-8") for path in PAGES}
    stale = {path: new for path, old in pages.items() if (new := renew(old)) != old}
    described = make_description()
    if not DESCRIPTION.is_file() or DESCRIPTION.read_text("utf-8") != described:
        stale[DESCRIPTION] = described
    for path, page in stale.items():
        if "--check" in arguments:
            print(f"{path.relative_to(ROOT)} is stale: run make docs", file=sys.stderr)
        else:
            path.write_text(page, "utf-8")
            print(f"renewed {path.relative_to(ROOT)}")
    return int("--check" in arguments and bool(stale))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
