"""The docs say what the program does: made pages are fresh, constants are those of the code, links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
CONSTANT = re.compile(r"^\| `(?P<file>[\w/.]+)` `(?P<name>[A-Z_]+)` \| (?P<value>[\d.]+) \|", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?://)(?P<path>[^)#]*)(?:#(?P<heading>[^)]*))?\)")


def constants() -> list[tuple[str, str, str]]:
    return [
        (row["file"], row["name"], row["value"])
        for row in CONSTANT.finditer((ROOT / "docs" / "boilerplate.md").read_text("utf-8"))
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
    assert re.findall(rf"^(?:pub )?(?:const )?{name}(?:: \w+)? = ([\d.]+)", code, re.MULTILINE) == [value]


def test_the_constants_of_boilerplate_are_all_documented() -> None:
    files = ("src/wirecopy/boilerplate.py", "src/wirecopy/pile/formulas.py")
    tuned = {
        name
        for file in files
        for name in re.findall(r"^([A-Z_]+) = [\d.]+$", (ROOT / file).read_text("utf-8"), re.MULTILINE)
    }
    assert tuned - {"SHINGLE_WORDS", "LOT"} <= {name for _, name, _ in constants()}


def test_the_architecture_is_read_in_one_sitting() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text("utf-8").splitlines()) <= 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.finditer(page.read_text("utf-8")):
        target = page.parent / link["path"] if link["path"] else page
        assert target.exists(), link[0]
        assert not link["heading"] or link["heading"] in headings(target), link[0]
