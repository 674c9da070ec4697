"""What Python users rely on: the names of `wirecopy`, what objects say of themselves, single articles of an archive, types."""

import json
import os
import re
import shutil
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import wirecopy
from wirecopy import Archive, Article

ROOT = Path(__file__).parents[1]
TEXT = (
    "The harbour board of Wexmouth voted on Tuesday night to close the old fish market at the end of the "
    "year. Traders were told that the roof could no longer be repaired at a price the town could afford, "
    "and that a smaller hall would open beside the ferry pier in spring."
)
ARTICLES: list[Any] = [
    Article("a", TEXT, title="Market", published="2026-03-01"),
    {"id": "b", "text": TEXT, "source": "Echo"},
    {"id": 7, "text": "Rain on all coasts."},
]


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "news.db", create=True) as archive:
        archive.add(ARTICLES)
        yield archive


def test_every_name_is_there_and_listed() -> None:
    assert all(getattr(wirecopy, name) is not None for name in wirecopy.__all__)
    assert set(wirecopy.__all__) <= set(dir(wirecopy))
    with pytest.raises(AttributeError, match="has no attribute 'fnid'"):
        wirecopy.fnid  # type: ignore[attr-defined] # noqa: B018


def classes(annotation: Any) -> set[type]:
    """The classes of wirecopy that a type is made of."""
    inside = set().union(*map(classes, typing.get_args(annotation)))
    origin = typing.get_origin(annotation) or annotation
    return inside | ({origin} if getattr(origin, "__module__", "").startswith("wirecopy.") else set())


def test_whatever_a_public_function_returns_is_public_and_so_is_what_that_holds() -> None:
    public = {getattr(wirecopy, name) for name in wirecopy.__all__}
    given: set[type] = {wirecopy.Opinion}
    for one in [wirecopy.compare, wirecopy.extract, *vars(Archive).values()]:
        if callable(one) and not one.__name__.startswith("_"):
            given |= classes(typing.get_type_hints(one).get("return"))
    for _ in range(3):
        for one in [*given]:
            # Others hold columns, which they give out as these.
            if isinstance(one, type) and one.__module__ in ("wirecopy.model", "wirecopy.archive.answers"):
                given |= set().union(*(classes(hint) for hint in typing.get_type_hints(one).values()))
    assert len(given) > 12
    assert {one.__name__ for one in given - public if isinstance(one, type)} == set()


def test_an_article_is_got_by_its_id_with_its_text(archive: Archive) -> None:
    assert archive.get("a") == ARTICLES[0]
    assert archive.get("b") == Article("b", TEXT, source="Echo")
    for id in ("7", 7):
        assert archive.get(id) == Article("7", "Rain on all coasts.")
    assert archive.get("nobody") is None
    archive.remove("a")
    assert archive.get("a") is None


def test_objects_show_themselves_in_a_line(archive: Archive, tmp_path: Path) -> None:
    matches = wirecopy.find([*ARTICLES, {"id": "x"}])
    opinions = wirecopy.opinions(ARTICLES, "resemblance")
    [answer] = archive.check(TEXT)
    shown = {
        repr(archive): f"<Archive '{tmp_path}/news.db': 3 articles>",
        repr(matches): "<Matches: 1 among 3 articles: 1 identical; 1 record skipped>",
        repr(wirecopy.find([])): "<Matches: 0 among 0 articles>",
        repr(opinions): "<Opinions of resemblance: 1 among 3 articles, 1 accepted>",
        repr(answer): f"<Answer to '{answer.query}': 100% copied, 2 articles found: a, b>",
        repr(archive.add([*ARTICLES, "New."])): "<Added: 1 added, 3 known>",
        repr(archive.learn()): "<Learnt: 0 formulas>",
        repr(archive.get(7)): "Article(id='7', text='Rain on all coasts.')",
    }
    assert list(shown) == list(shown.values())
    assert len(repr(ARTICLES[0])) < 130
    archive.close()
    assert repr(archive) == f"<Archive '{tmp_path}/news.db': closed, or cannot be read>"


def test_what_was_learnt_shows_its_first_formula() -> None:
    formulas = [wirecopy.Formula(9, "All rights reserved.", "a"), wirecopy.Formula(8, "Read more.", "a")]
    assert repr(wirecopy.Learnt(formulas=formulas)) == "<Learnt: 2 formulas, such as 'All rights reserved.'>"


USER = """
import wirecopy
from wirecopy import Added, Answer, Archive, Article, Found, Match, Matches, Observed, Opinions, Passage, Ranked, Slots


def shared(matches: Matches) -> dict[str, list[Passage]]:
    return {f"{match.query} {match.found}": list(match.passages) for match in matches}


def told(archive: Archive, text: str) -> tuple[float, list[str | None]]:
    answers: list[Answer] = archive.check(text, top=5, since="2026-03-01")
    found: list[Found] = [one for answer in answers for one in answer.found]
    return answers[0].copied, [one.article.title for one in found]


with Archive.open("news.db", create=True, window="14d") as archive:
    added: Added = archive.add([Article(id="a", text="Rain.")])
    print(added.added, [skipped.reason for skipped in added.skipped])
    copied, titles = told(archive, "Rain.")
    observed: list[Observed[Answer]] = archive.observe({"id": "b", "text": "Rain."})
    kept: bool = observed[0].kept
    got = archive.get("a")
    length: int = 0 if got is None else len(got.text)
    pairs: Matches = archive.pairs()

matches = wirecopy.find(["Rain.", "Rain."], preset="strict", method="minhash")
first: Match = matches[0]
slots: Slots = first.slots
several: list[Match] = matches[:2]
opinions: Opinions = wirecopy.opinions(["Rain."], "exact")
ranked: list[Ranked] = archive.opinions("Rain.")
match = wirecopy.compare("Rain.", "Rain.")
if match is not None:
    relation: wirecopy.Relation = match.relation
"""
WRONG = {
    "wirecopy.fnid([])": "fnid",
    "wirecopy.find([], preset=5)": "preset",
    "wirecopy.compare('a', 'b').relation": "None",
    "wirecopy.Archive.open('x', craete=True)": "craete",
}


@pytest.fixture(params=["mypy", "basedpyright"])
def check_types(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """What a type checker says of the program of a user, which stands elsewhere."""
    found = shutil.which(request.param, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{request.param} is not installed: make test installs it")
    options = {
        "mypy": ["--strict", "--config-file=", "--follow-imports=silent", "--show-column-numbers"],
        "basedpyright": ["--pythonpath", sys.executable],
    }[request.param]
    strict = {"typeCheckingMode": "strict", "extraPaths": [str(ROOT / "src")]}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(strict))

    def check(program: str) -> str:
        (tmp_path / "user.py").write_text(program)
        environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
        command = [found, *options, "user.py"]
        ran = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
        return ran.stdout + ran.stderr if ran.returncode else ""

    return check


@pytest.mark.slow
def test_the_program_of_a_user_type_checks(check_types: Callable[[str], str]) -> None:
    assert check_types(USER) == ""
    said = check_types("import wirecopy\n\n" + "\n".join(WRONG))
    for line, (program, wrong) in enumerate(WRONG.items(), 3):
        assert re.search(rf"user.py:{line}:\d+\W+error: .*{wrong}", said), (program, said)
