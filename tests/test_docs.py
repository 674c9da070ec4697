"""The docs say what the program does: made pages are fresh, constants and signatures are those of the code, links lead somewhere."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType
from typing import Any

import pytest

import wirecopy
from wirecopy import Archive, Client, _core

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
CONSTANT = re.compile(r"^\| `(?P<file>[\w/.]+)` `(?P<name>\w+)` \| (?P<value>[\d._]+) \|", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?://)(?P<path>[^)#]*)(?:#(?P<heading>[^)]*))?\)")
SIGNATURE = re.compile(r"^(?P<name>[\w.]+)(?P<rest>\((?:[^()]|\(\))*\)(?: -> .*)?)$", re.MULTILINE)


def constants() -> list[tuple[str, str, str]]:
    return [
        (row["file"], row["name"], row["value"])
        for page in ("boilerplate.md", "forms.md")
        for row in CONSTANT.finditer((ROOT / "docs" / page).read_text("utf-8"))
    ]


def headings(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def test_pages_made_from_the_program_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "make.py", "--check"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("file", "name", "value"), constants())
def test_a_constant_is_documented_as_it_is(file: str, name: str, value: str) -> None:
    code = (ROOT / file).read_text("utf-8")
    found = re.findall(rf"^ *(?:pub )?(?:const )?{name}(?:: \w+)? = ([\d._]+)", code, re.MULTILINE)
    assert found == [value]


@pytest.mark.parametrize(
    "file",
    ["src/wirecopy/boilerplate.py", "src/wirecopy/matching/learning.py", "src/wirecopy/forms.py"],
)
def test_the_constants_of_boilerplate_and_forms_are_all_documented(file: str) -> None:
    code = (ROOT / file).read_text("utf-8")
    found = re.findall(r"^([A-Z_]+|    \w+: int) = [\d._]+$", code, re.MULTILINE)
    tuned = {name.strip().removesuffix(": int") for name in found}
    assert tuned
    assert tuned - {"SHINGLE_WORDS", "LOT"} <= {name for where, name, _ in constants() if where == file}


def test_the_architecture_is_read_in_one_sitting() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.finditer(page.read_text("utf-8")):
        target = page.parent / link["path"] if link["path"] else page
        assert target.exists(), link[0]
        assert not link["heading"] or link["heading"] in headings(target), link[0]


def public_functions() -> Iterator[tuple[str, Any]]:
    """What docs/python.md shows the signatures of, by name."""
    yield from (
        (name, one) for name in wirecopy.__all__ if isinstance(one := getattr(wirecopy, name), FunctionType)
    )
    yield "Client", Client
    for kind in (Archive, Client):
        for name in (name for name in vars(kind) if not name.startswith("_")):
            if isinstance(one := getattr(kind, name), FunctionType | MethodType):
                yield f"{kind.__name__}.{name}", one


def without_types(signature: inspect.Signature) -> tuple[list[inspect.Parameter], object]:
    named = [one.replace(annotation=one.empty) for one in signature.parameters.values() if one.name != "self"]
    return named, signature.return_annotation


def test_the_signatures_of_the_python_page_are_those_of_the_code() -> None:
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    shown = {}
    for block in re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for one in SIGNATURE.finditer(block):
            names: dict[str, Any] = {}
            exec(f"from __future__ import annotations\ndef shown{one['rest']}: ...", names)
            shown[one["name"]] = without_types(inspect.signature(names["shown"]))
    assert shown == {name: without_types(inspect.signature(one)) for name, one in public_functions()}


def walks() -> list[list[str]]:
    """The functions that an article goes through, by the columns of the table in ARCHITECTURE.md."""
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    table = page.partition("## One article on its way")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|")[1:] for line in table.splitlines() if line.startswith("|")][2:]
    is_done_before = re.compile(r"\b(known|filed)\b")
    return [
        [
            name
            for cell in column
            if not is_done_before.search(cell)
            for name in re.findall(r"`([\w.]+)`", cell)
        ]
        for column in zip(*rows, strict=True)
    ]


def calls(run: Callable[[], object]) -> list[str]:
    """The functions that are called, in order, each by its class or module and by its name."""
    kernels = {
        one: f"_core.{name}" for name, one in vars(_core).items() if isinstance(one, BuiltinFunctionType)
    }
    called = []

    def note(frame: FrameType, event: str, value: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("wirecopy"):
            name = frame.f_code.co_qualname
            called.append(name if "." in name else f"{module.rpartition('.')[2]}.{name}")
        elif event == "c_call" and value in kernels:
            called.append(kernels[value])

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return called


def test_an_article_goes_the_way_that_the_architecture_shows(tmp_path: Path) -> None:
    body = " ".join(f"word{number}" for number in range(60))
    articles = [{"id": "a", "text": body}, {"id": "b", "text": f"{body} more"}]
    with Archive.open(tmp_path / "archive", create=True, threads=1) as archive:
        archive.add(articles)
        runs: list[Callable[[], object]] = [
            lambda: wirecopy.find(articles, threads=1)[0],
            lambda: wirecopy.find(articles[:1], query=articles[1:], threads=1)[0],
            lambda: archive.check(body),
        ]
        for walk, run in zip(walks(), runs, strict=True):
            called = iter(calls(run))
            assert len(walk) > 7
            assert [name for name in walk if name not in called] == []


def test_from_the_lookup_to_the_match_all_go_the_same_way() -> None:
    in_pile, query, text = (walk[walk.index("_core.collide") :] for walk in walks())
    assert query == text
    assert [name for name in in_pile if name in query] == query
