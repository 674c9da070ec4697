"""A report: one file that holds what was found, and nothing that could run but its own script."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from reports import Read, read_report, rebuild

import wirecopy
from quality.texts import Writer, join


def story(seed: int, copies: int = 1, **about: Any) -> list[dict[str, Any]]:
    """An article and copies of it, an hour apart, each with a sentence of its own."""
    text = join(Writer(seed).write(80))
    return [
        {
            "id": f"{seed}-{number}",
            "text": text + (f" Number {number}." if number else ""),
            "title": f"Story {seed}",
            "published": f"2024-05-01T{number:02}:00:00Z",
            "source": f"Paper {number}",
            **about,
        }
        for number in range(copies + 1)
    ]


def report(articles: Sequence[Any], path: Path, **options: Any) -> Read:
    wirecopy.write_report(wirecopy.stories(articles, threads=1), path, **options)
    return read_report(path)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Read:
    """A report on forty stories of two to five articles."""
    articles = [one for seed in range(40) for one in story(seed, 1 + seed % 4)]
    return report(articles, tmp_path_factory.mktemp("report") / "report.html")


def test_every_story_is_listed_the_largest_first(written: Read) -> None:
    assert len(written.entries) == 40 == len(written.index["id"]) == written.head["counts"]["stories"]
    assert written.index["id"] == [one["story"]["id"] for one in written.entries]
    assert written.index["articles"] == sorted(written.index["articles"], reverse=True)
    assert [len(block["stories"]) for block in written.blocks] == [32, 8]


def test_the_pieces_of_a_pair_rebuild_both_texts(written: Read) -> None:
    pairs = [(entry, pair) for entry in written.entries for pair in entry["pairs"]]
    assert len(pairs) >= 100
    for entry, pair in pairs:
        for side, name in enumerate((pair["query"], pair["found"])):
            text = entry["articles"][name]["text"]
            assert rebuild(pair, side, text) == text


def test_every_member_is_shown_beside_its_parent_and_the_anchor(written: Read) -> None:
    for entry in written.entries:
        shown = {(pair["query"], pair["found"]) for pair in entry["pairs"]}
        anchor = entry["story"]["id"]
        for member in entry["story"]["articles"][1:]:
            assert {(member["id"], member["parent"]["article"]), (member["id"], anchor)} <= shown


def test_the_policy_names_the_one_script_and_the_one_style(written: Read) -> None:
    [policy] = [
        str(has["content"])
        for tag, has, _ in written.elements
        if has.get("http-equiv") == "Content-Security-Policy"
    ]
    [style] = written.content("style")
    [script] = [content for tag, has, content in written.elements if tag == "script" and not has.get("type")]

    def hashed(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert f"script-src {hashed(script)}; style-src {hashed(style)};" in policy
    assert policy.startswith("default-src 'none';")


def test_the_same_report_twice_is_the_same_bytes(tmp_path: Path) -> None:
    articles = [one for seed in range(3) for one in story(seed, 3)]
    report(articles, tmp_path / "one.html")
    report(articles[::-1], tmp_path / "other.html", threads=3)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "other.html").read_bytes()
