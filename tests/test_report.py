"""A report: one file that holds what was found, and nothing that could run but its own script."""

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from reports import Read, cut, pieces, read_report, rebuild

import wirecopy
from quality.texts import Writer, join


@cache
def write(seed: int) -> str:
    return join(Writer(seed).write(80))


def story(seed: int, copies: int = 1, **about: Any) -> list[dict[str, Any]]:
    """An article and copies of it, an hour apart, each with a sentence of its own."""
    text = write(seed)
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


def test_a_pile_without_copies_gives_a_report_that_says_so(tmp_path: Path) -> None:
    for articles in ([], story(1, 0), story(1, 0) + story(2, 0)):
        read = report(articles, tmp_path / "report.html")
        assert (read.entries, read.index["id"], read.blocks) == ([], [], [])
        assert read.head["counts"]["articles"] == len(articles)
        assert read.head["blocks"] == 0


def test_without_dates_and_sources_nothing_is_made_up(tmp_path: Path) -> None:
    articles = [{"id": one["id"], "text": one["text"]} for one in story(1, 2)]
    read = report(articles, tmp_path / "report.html")
    assert read.head["over_time"]["from"] == []
    assert (read.head["sources"], read.head["copied"]) == ([], {"sources": [], "counts": []})
    [row] = read.entries
    assert (row["story"]["first_seen"], read.index["moment"], read.index["sources"]) == (None, [None], [[]])


HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    "\"'><svg onload=alert(1)>",
    "]]>{{blocks}}{{script}}",
    "&lt;b&gt; &amp; &#60;",
    "a\u2028b\u2029c",
    "\u202eright to left\u2066 isolate",
    "\x00\x07\x1b[31m\x7f",
    "a/b\\c#d?e=f&g%2F",
    "\U0001f469\u200d\U0001f692 𝔘𝔫𝔦",
    "\ufeff\ufffe\uffff",
)


@pytest.mark.parametrize("field", ["id", "title", "source", "published", "url", "agency", "text"])
def test_hostile_text_is_data_in_every_field(field: str, tmp_path: Path) -> None:
    articles = []
    for number, hostile in enumerate(HOSTILE):
        for place, one in enumerate(story(number, 1)):
            value = f"{one['text']} {hostile} end" if field == "text" else f"{hostile}{place}"
            articles.append({**one, field: value})
    plain = report(
        [one for number in range(len(HOSTILE)) for one in story(number, 1)], tmp_path / "plain.html"
    )
    read = report(articles, tmp_path / "report.html")
    assert len(read.entries) == len(HOSTILE)
    assert [(tag, sorted(has)) for tag, has, _ in read.elements] == [
        (tag, sorted(has)) for tag, has, _ in plain.elements
    ]
    held = [
        id if field == "id" else about[field]
        for entry in read.entries
        for id, about in entry["articles"].items()
    ]
    if field == "url":
        assert set(held) == {None}
    elif field != "published":
        assert set(held) == {one[field] for one in articles}


def test_only_addresses_that_a_person_may_follow_are_kept(tmp_path: Path) -> None:
    addresses = {
        "https://example.org/a?b=c#d": True,
        "http://example.org": True,
        "javascript:alert(1)": False,
        "data:text/html,<script>": False,
        "//example.org/": False,
        "https:///path": False,
        "file:///etc/passwd": False,
        " https://example.org": False,
    }
    articles = []
    for number, address in enumerate(addresses):
        articles += [{**one, "url": f"{address}"} for one in story(number, 1)]
    read = report(articles, tmp_path / "report.html")
    kept = {about["url"] for entry in read.entries for about in entry["articles"].values()}
    assert kept - {None} == {address for address, is_safe in addresses.items() if is_safe}


def test_places_are_counted_as_the_browser_counts(tmp_path: Path) -> None:
    words = Writer(5).write(90)
    text = "\U0001f600 ".join(words)
    articles = [
        {"id": "a", "text": text},
        {
            "id": "b",
            "text": f"\U0001f681\U0001f681 news! {text[: len(text) // 2]} \U0001f682 " + join(words[60:]),
        },
    ]
    [row] = report(articles, tmp_path / "report.html").entries
    [pair] = row["pairs"]
    for side, name in enumerate((pair["query"], pair["found"])):
        about = row["articles"][name]
        assert rebuild(pair, side, about["text"]) == about["text"]
        assert about["length"] == len(about["text"].encode("utf-16-le")) // 2
    same = [piece for piece in pieces(pair) if piece.kind == "same" and piece.flags >> 2]
    for piece in same:
        query, found = (
            cut(row["articles"][pair[side]]["text"], span)
            for side, span in zip(("query", "found"), piece.sides, strict=True)
        )
        assert query.split()[0].strip("\U0001f600") == found.split()[0].strip("\U0001f600")


def test_without_texts_the_report_holds_none_and_still_says_where_copies_are(tmp_path: Path) -> None:
    articles = story(1, 2)
    read = report(articles, tmp_path / "report.html", texts=False)
    [row] = read.entries
    assert not read.head["about"]["texts"]
    assert not any("text" in about for about in row["articles"].values())
    for pair in row["pairs"]:
        spans = [piece.sides[0] for piece in pieces(pair)]
        assert max(end for _, end in spans) == row["articles"][pair["query"]]["length"]
        assert {piece.kind for piece in pieces(pair)} <= {"same", "added", "cut"}


def test_of_each_kind_only_the_largest_are_listed_if_so_many_are_asked_for(tmp_path: Path) -> None:
    articles = [one for seed in range(6) for one in story(seed, 1 + seed)]
    read = report(articles, tmp_path / "report.html", top=2)
    assert read.index["articles"] == [7, 6]
    assert read.head["counts"]["stories"] == 6
    assert read.head["about"]["top"] == 2
    with pytest.raises(wirecopy.WirecopyError, match="top: expected 1 or more, got 0"):
        report(articles, tmp_path / "report.html", top=0)


def test_a_story_of_thousands_is_listed_whole_and_shown_in_part(tmp_path: Path) -> None:
    words = Writer(7).write(60)
    articles = [
        {"id": f"{number:04}", "text": join([*words, f"number{number % 300}"]), "published": "2024-01-01"}
        for number in range(2000)
    ]
    read = report(articles, tmp_path / "report.html")
    row = next(one for one in read.entries if one["story"]["kind"] == "story")
    members = [one["id"] for one in row["story"]["articles"]]
    assert len(members) == 2000
    assert len(row["articles"]) + row["left_out"] == 2000
    assert 200 <= len(row["articles"]) <= 210
    assert any("200 articles" in limit for limit in read.head["about"]["limits"])
    assert (tmp_path / "report.html").stat().st_size < 400_000
    most = max(row["heat"]["spans"][2::3])
    assert most <= 1999


def test_texts_of_megabytes_are_left_out_and_their_shares_kept(tmp_path: Path) -> None:
    words = " ".join(Writer(8, 2000).write(700_000))
    articles = [{"id": name, "text": f"{words} {name}."} for name in ("a", "b")]
    [row] = report(articles, tmp_path / "report.html").entries
    assert len(words) > 4 << 20
    assert not any("text" in about for about in row["articles"].values())
    [pair] = row["pairs"]
    assert pair["relation"] == "near-duplicate"
    assert pair["pieces"]


def test_what_is_partly_copied_is_listed_by_the_later_article(tmp_path: Path) -> None:
    writer = Writer(9)
    shared = writer.write(60)
    articles = [
        {"id": name, "text": join(writer.write(80) + shared), "published": f"2024-01-0{day}"}
        for day, name in enumerate("abc", 1)
    ]
    read = report(articles, tmp_path / "report.html")
    assert [(one["story"]["id"], one["story"]["articles"]) for one in read.of_kind("matches")] == [
        ("c", ["c", "a", "b"]),
        ("b", ["b", "a"]),
    ]
    [later, _] = read.of_kind("matches")
    assert [(pair["query"], pair["found"], pair["relation"]) for pair in later["pairs"]] == [
        ("c", "a", "partial"),
        ("c", "b", "partial"),
    ]
    assert read.index["relations"] == [1 << 4, 1 << 4]


def test_queries_are_listed_with_what_they_share(tmp_path: Path) -> None:
    writer = Writer(10)
    shared, other = writer.write(60), writer.write(60)
    pile = [join(shared), join(other)]
    queries = [join(writer.write(40)), join(shared + other), join(other)]
    wirecopy.write_report(wirecopy.find(pile, query=queries, threads=1), tmp_path / "report.html")
    read = read_report(tmp_path / "report.html")
    assert [sorted(one["articles"]) for one in read.entries] == [["0", "1", "1 (query)"], ["1", "2"]]
    assert {one["story"]["kind"] for one in read.entries} == {"matches"}
    for entry in read.entries:
        for pair in entry["pairs"]:
            for side, name in enumerate((pair["query"], pair["found"])):
                assert rebuild(pair, side, entry["articles"][name]["text"]) == entry["articles"][name]["text"]
    assert read.head["counts"]["articles"] == 5


def test_a_method_that_decides_by_itself_gives_no_report(tmp_path: Path) -> None:
    told = wirecopy.stories(
        wirecopy.opinions([one["text"] for one in story(1, 1)], "minhash"), rule="closure"
    )
    with pytest.raises(wirecopy.WirecopyError, match="a report shows passages"):
        wirecopy.write_report(told, tmp_path / "report.html")


def test_an_earlier_report_stays_if_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    report(story(1, 1), path)
    before = path.read_bytes()
    monkeypatch.setattr("wirecopy.report.page.template", {}.__getitem__)
    with pytest.raises(KeyError):
        wirecopy.write_report(wirecopy.stories(story(2, 1)), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_report_on_an_archive_is_of_one_moment(tmp_path: Path) -> None:
    path, articles = tmp_path / "news.db", [one for seed in range(3) for one in story(seed, 2)]
    with wirecopy.Archive.open(path, create=True) as archive:
        archive.add(articles)
    with wirecopy.Archive.open(path) as archive, wirecopy.Archive.open(path) as other:
        with archive.at_one_moment():
            told = archive.stories()
            assert other.remove(one["id"] for one in articles[:4]) == 4
            wirecopy.write_report(told, tmp_path / "report.html")
        assert len(archive.stories()) == 2
    assert len(read_report(tmp_path / "report.html").entries) == 3


def test_in_a_notebook_answers_are_small_tables_of_escaped_text(tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>"
    words = join(Writer(3).write(60))
    articles = [{"id": f"{name}{number:02}", "text": words, "title": name} for number in range(30)]
    matches = wirecopy.find(articles, threads=1)
    told = wirecopy.stories(matches)
    with wirecopy.Archive.open(tmp_path / "news.db", create=True) as archive:
        archive.add(articles)
        [answer] = archive.check(words, top=None)
    for shown, rows, more in (
        (matches, 20, len(matches) - 20),
        (matches[0], 1, 0),
        (told, 1, 0),
        (answer, 20, 10),
    ):
        table = shown._repr_html_()
        assert "<img" not in table
        assert "&lt;img" in table
        assert table.count("<tr>") == rows + 1
        assert (f"… {more:,} more" in table) == (more > 0)
        assert len(table) < 20_000
