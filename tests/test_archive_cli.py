"""The commands of an archive: what they write where, how they end, and what they say when something is wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from program import PROGRAM, hear_interrupts, on_terminal
from texts import Writer, join

from wirecopy import Archive, find, methods
from wirecopy.pile import weigh

DAY = "2016-03-{:02}T12:00:00Z"


def wirecopy(
    *arguments: object, cwd: Path | None = None, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, cwd=cwd, check=False, timeout=120, **options
    )


def talk(ran: subprocess.CompletedProcess[bytes]) -> str:
    assert b"Traceback" not in ran.stderr, ran.stderr.decode()
    return ran.stderr.decode()


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def as_lines(records: Iterable[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@pytest.fixture(scope="module")
def words() -> list[str]:
    return Writer(31).write(90)


@pytest.fixture(scope="module")
def records(words: list[str]) -> list[dict[str, Any]]:
    """Ten articles a day apart, of which c copies a, and b a part of it."""
    writer = Writer(32)
    texts = {"a": words, "b": writer.write(60) + words[20:70], "c": words, "d": writer.write(80)}
    texts |= {f"x{number}": writer.write(100) for number in range(6)}
    return [
        {
            "id": name,
            "text": join(text),
            "title": f"On {name}",
            "published": DAY.format(day),
            "source": "Courier" if name in "ab" else "Echo",
        }
        for day, (name, text) in enumerate(texts.items(), 1)
    ]


@pytest.fixture(scope="module")
def pile(tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]) -> Path:
    path = tmp_path_factory.mktemp("pile") / "articles.jsonl"
    path.write_bytes(as_lines(records))
    return path


@pytest.fixture(scope="module")
def known(pile: Path) -> Path:
    """An archive that is only read."""
    path = pile.with_name("known.db")
    assert wirecopy("add", path, pile).returncode == 0
    return path


@pytest.fixture
def archive(pile: Path, tmp_path: Path) -> Path:
    """An archive to change."""
    path = tmp_path / "news.db"
    assert wirecopy("add", path, pile).returncode == 0
    return path


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory, words: list[str]) -> Path:
    """A text of which half is copied from a."""
    path = tmp_path_factory.mktemp("draft") / "draft.txt"
    path.write_text(join(Writer(33).write(50) + words[:50]))
    return path


def ids(archive: Path) -> set[str]:
    return {article["id"] for article in lines(wirecopy("export", archive).stdout)}


# add


def test_add_makes_an_archive_and_says_what_became_of_the_articles(pile: Path, tmp_path: Path) -> None:
    ran = wirecopy("add", "news.db", pile, cwd=tmp_path)
    assert (ran.returncode, ran.stdout, talk(ran)) == (0, b"", "10 added; 10 articles in news.db\n")


def test_what_is_in_already_is_not_added_twice(archive: Path, pile: Path) -> None:
    ran = wirecopy("add", archive, pile)
    assert ran.returncode == 0
    assert f"0 added, 10 known already; 10 articles in {archive}" in talk(ran)


def test_add_goes_on_where_an_interrupted_one_was(pile: Path, tmp_path: Path) -> None:
    some = tmp_path / "some.jsonl"
    some.write_bytes(b"".join(pile.read_bytes().splitlines(keepends=True)[:4]))
    assert "4 added" in talk(wirecopy("add", tmp_path / "news.db", some))
    assert "6 added, 4 known already; 10 articles" in talk(wirecopy("add", tmp_path / "news.db", pile))


def test_stdin_is_added(pile: Path, tmp_path: Path) -> None:
    ran = wirecopy("add", tmp_path / "news.db", "-", input=pile.read_bytes())
    assert ran.returncode == 0
    assert "10 added" in talk(ran)


def test_add_takes_files_of_many_kinds(pile: Path, draft: Path, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<html><body><p>{Writer(34).text(90)}</p></body></html>")
    ran = wirecopy("add", tmp_path / "news.db", pile, draft, tmp_path / "page.html")
    assert ran.returncode == 0, ran.stderr
    assert {"a", "draft.txt", "page.html"} <= ids(tmp_path / "news.db")


def test_other_content_under_a_known_id_is_named_and_replaced_if_asked_for(
    archive: Path, records: list[dict[str, Any]]
) -> None:
    changed = as_lines([records[0] | {"text": "All new."}])
    ran = wirecopy("add", archive, "-", input=changed)
    assert ran.returncode == 3
    assert "skipped: -:1: the archive has the id 'a' with other content; add it with --replace" in talk(ran)
    ran = wirecopy("add", archive, "-", "--replace", input=changed)
    assert ran.returncode == 0
    assert "0 added, 1 replaced; 10 articles" in talk(ran)
    assert lines(wirecopy("export", archive).stdout)[0]["text"] == "All new."


def test_records_that_cannot_be_used_are_named_and_the_rest_is_added(tmp_path: Path) -> None:
    given = b'{"id": "a", "text": "One."}\nbad\n{"id": "a", "text": "Two."}\n{"id": "b", "text": "Three."}\n'
    ran = wirecopy("add", tmp_path / "news.db", "-", "--quiet", input=given)
    assert (ran.returncode, ran.stdout) == (3, b"")
    said = talk(ran).splitlines()
    assert said[0].startswith("skipped: -:2: ")
    assert said[1:] == [
        "skipped: -:3: an article with the id 'a' was read before; give each its own",
        "2 records skipped",
    ]
    assert ids(tmp_path / "news.db") == {"a", "b"}


def test_quiet_says_nothing(pile: Path, tmp_path: Path) -> None:
    ran = wirecopy("add", tmp_path / "news.db", pile, "--quiet")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_no_articles_are_no_mistake_but_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = wirecopy("add", tmp_path / "news.db", tmp_path / "empty", "--quiet")
    assert (ran.returncode, talk(ran)) == (0, "no articles found\n")


def test_an_archive_is_not_added_to_itself(tmp_path: Path) -> None:
    (tmp_path / "news.db.txt").write_text("Rain on all coasts.")
    for said in ("1 added; 1 article in news.db", "0 added, 1 known already; 1 article in news.db"):
        ran = wirecopy("add", "news.db", ".", cwd=tmp_path)
        assert (ran.returncode, talk(ran)) == (0, said + "\n")


def test_fields_with_other_names_are_named(tmp_path: Path) -> None:
    given = b'{"slug": "a", "story": "Rain.", "seen": "2016-03-01", "head": "Weather"}\n'
    names = (
        "--id-field",
        "slug",
        "--text-field",
        "story",
        "--published-field",
        "seen",
        "--title-field",
        "head",
    )
    assert wirecopy("add", tmp_path / "news.db", "-", *names, input=given).returncode == 0
    (article,) = lines(wirecopy("export", tmp_path / "news.db").stdout)
    assert [article[name] for name in ("id", "text", "published", "title")] == [
        *("a", "Rain.", "2016-03-01", "Weather")
    ]


def test_dates_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    given = b'{"id": "a", "text": "Rain.", "published": "yesterday"}\n'
    ran = wirecopy("add", tmp_path / "news.db", "-", input=given)
    assert ran.returncode == 0
    assert "1 dates are neither ISO 8601 nor RFC 2822" in talk(ran)


def test_a_new_archive_is_made_with_what_is_asked_for(pile: Path, tmp_path: Path) -> None:
    path = tmp_path / "news.db"
    options = ("--method", "winnowing:window_words=8", "--method", "exact", "--preset", "any-reuse")
    assert wirecopy("add", path, pile, *options, "--window", "14d").returncode == 0
    info = json.loads(wirecopy("info", path, "--json").stdout)
    assert info["methods"] == ["winnowing:shingle_words=5,window_words=8,contained=0.5", "exact"]
    assert (info["preset"], info["window"]) == ("any-reuse", "2w")


def test_a_method_that_weighs_words_is_given_statistics(pile: Path, tmp_path: Path, draft: Path) -> None:
    path, counted = tmp_path / "news.db", tmp_path / "words"
    ran = wirecopy("add", path, pile, "--method", "cosine")
    assert ran.returncode == 2
    assert "give it statistics, made by wirecopy weigh" in talk(ran)
    weigh(pile, "cosine")[0].save(counted)
    assert wirecopy("add", path, pile, "--method", "cosine", "--statistics", counted).returncode == 0
    (answer,) = lines(wirecopy("check", path, pile.with_name("articles.jsonl")).stdout)[:1]
    assert answer["contained_in"] == ["c"]


def test_articles_older_than_the_window_are_counted_not_kept(
    records: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "news.db"
    ran = wirecopy("add", path, "-", "--window", "3d", input=as_lines(records[4:8]))
    assert f"4 added; 4 articles in {path}" in talk(ran)
    ran = wirecopy("add", path, "-", input=as_lines(records))
    assert ran.returncode == 0
    assert (
        f"2 added, 4 known already, 4 older than the window, 2 left the window; 4 articles in {path}"
        in talk(ran)
    )


def test_add_learns_the_boilerplate_so_that_check_agrees_with_find(tmp_path: Path) -> None:
    writer = Writer(35)
    formula = writer.write(30)
    many = [{"id": f"{number:03}", "text": join(writer.write(150))} for number in range(300)]
    some = [{"id": f"f{number}", "text": join(writer.write(150) + formula)} for number in range(10)]
    path = tmp_path / "news.db"
    assert wirecopy("add", path, "-", input=as_lines(many)).returncode == 0
    # Fewer than would make the archive learn anew by itself.
    assert wirecopy("add", path, "-", input=as_lines(some)).returncode == 0
    info = json.loads(wirecopy("info", path, "--json").stdout)
    assert (info["changed_since_learnt"], info["formulas"]) == (0, 1)
    (tmp_path / "new.txt").write_text(join(writer.write(100) + formula))
    (answer,) = lines(wirecopy("check", path, tmp_path / "new.txt").stdout)
    assert (answer["copied"], answer["matches"]) == (0.0, [])


def test_ctrl_c_keeps_what_was_added_and_says_how_to_go_on(pile: Path, tmp_path: Path) -> None:
    path, pipe = tmp_path / "news.db", tmp_path / "pipe"
    os.mkfifo(pipe)
    # It opens the pipe, and waits there, once the file before it is read.
    with (
        subprocess.Popen(
            [PROGRAM, "add", path, pile, pipe], stderr=subprocess.PIPE, preexec_fn=hear_interrupts
        ) as process,
        pipe.open("wb"),
    ):
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read().decode()
    assert process.returncode == 1
    assert re.fullmatch(
        r"wirecopy: interrupted; \d+ articles added so far stay, and the same command goes on from there\n",
        said,
    )
    assert ", 10 articles" in talk(wirecopy("add", path, pile)).replace(";", ",")


def test_a_terminal_sees_how_far_it_is(pile: Path, tmp_path: Path) -> None:
    code, shown = on_terminal("add", tmp_path / "news.db", pile)
    assert code == 0
    assert "adding" in shown
    assert "10 added; 10 articles" in shown


# check


def test_check_writes_an_answer_a_line(known: Path, draft: Path, words: list[str]) -> None:
    ran = wirecopy("check", known, draft)
    (answer,) = lines(ran.stdout)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert list(answer) == [
        *("query", "copied", "articles", "longest_words", "contained_in", "contains", "new", "matches")
    ]
    assert (answer["query"], answer["copied"], answer["articles"]) == ("draft.txt", 0.5, 3)
    assert [match["found"] for match in answer["matches"]] == ["a", "c", "b"]
    match = answer["matches"][0]
    assert (match["published"], match["source"], match["title"]) == (DAY.format(1), "Courier", "On a")
    [(start, end)] = [passage["query"] for passage in match["passages"]]
    assert re.findall(r"\w+", draft.read_text()[start:end].lower()) == words[:50]


def test_check_equals_find_with_a_query(known: Path, pile: Path, draft: Path) -> None:
    (answer,) = lines(wirecopy("check", known, draft).stdout)
    keep = (
        "query",
        "found",
        "relation",
        "query_covered",
        "found_covered",
        "resemblance",
        "passages",
        "methods",
    )
    expected = [match.to_dict() for match in find(pile, query=draft)]
    assert sorted(
        ({name: match[name] for name in keep} for match in answer["matches"]), key=lambda m: str(m["found"])
    ) == sorted(expected, key=lambda match: str(match["found"]))


def test_nothing_found_is_an_answer_too(known: Path) -> None:
    ran = wirecopy("check", known, "-", input=Writer(36).text(80).encode())
    assert ran.returncode == 0
    (answer,) = lines(ran.stdout)
    assert (answer["query"], answer["copied"], answer["matches"]) == ("-", 0.0, [])


def test_an_article_is_not_compared_with_its_own_id(known: Path, records: list[dict[str, Any]]) -> None:
    ran = wirecopy("check", known, "-", input=as_lines(records[:1]))
    assert lines(ran.stdout)[0]["contained_in"] == ["c"]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--top", "1"), ["a"]),
        (("--min-share", "0.4"), ["a", "c"]),
        (("--since", "2016-03-02"), ["c", "b"]),
        (("--until", "2016-03-02"), ["a"]),
        (("--since", "2016-03-02", "--until", "2016-03-03"), ["b"]),
        (("--source", "Courier"), ["a", "b"]),
        (("--not-source", "Courier"), ["c"]),
        (("--preset", "strict"), ["a", "c"]),
    ],
)
def test_sources_are_limited(known: Path, draft: Path, options: tuple[str, ...], found: list[str]) -> None:
    (answer,) = lines(wirecopy("check", known, draft, *options).stdout)
    assert [match["found"] for match in answer["matches"]] == found


def test_the_best_alone_are_named_but_all_are_counted(known: Path, draft: Path) -> None:
    (answer,) = lines(wirecopy("check", known, draft, "--top", 1).stdout)
    assert (len(answer["matches"]), answer["articles"]) == (1, 3)


def test_check_in_every_form(known: Path, draft: Path, tmp_path: Path) -> None:
    (answer,) = lines(wirecopy("check", known, draft).stdout)
    assert wirecopy("check", known, draft, "-o", tmp_path / "a.jsonl").stdout == b""
    assert lines((tmp_path / "a.jsonl").read_bytes()) == [answer]
    table = wirecopy("check", known, draft, "--csv").stdout.decode()
    wirecopy("check", known, draft, "--output", tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == table
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [(row["query"], row["found"], row["copied"], row["source"]) for row in rows] == [
        *(("draft.txt", "a", "0.5", "Courier"), ("draft.txt", "c", "0.5", "Echo")),
        ("draft.txt", "b", "0.5", "Courier"),
    ]


@pytest.mark.parametrize("width", [80, 100, 140])
def test_a_terminal_gets_a_verdict_and_a_table(known: Path, draft: Path, width: int) -> None:
    code, shown = on_terminal("check", known, draft, width=width)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert code == 0
    assert plain.startswith("draft.txt: 50% copied from 3 articles, longest passage 50 words")
    for head in ("found", "relation", "of query", "of found", "words", "published"):
        assert head in plain
    assert ("Courier" in plain) is (width == 140)
    assert "2016-03-01" in plain
    assert "{" not in plain


def test_a_terminal_is_told_that_nothing_was_copied(known: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text(Writer(37).text(80))
    code, shown = on_terminal("check", known, tmp_path / "new.txt")
    assert (code, shown.strip()) == (0, "new.txt: nothing copied")


@pytest.fixture(scope="module")
def judging(tmp_path_factory: pytest.TempPathFactory, pile: Path) -> Path:
    """An archive whose one method gives verdicts."""
    path = tmp_path_factory.mktemp("judging") / "news.db"
    method = "sentence_fingerprints:exact_sentences=true"
    assert wirecopy("add", path, pile, "--method", method).returncode == 0
    return path


def test_the_method_of_an_archive_may_decide(
    judging: Path, pile: Path, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    asked = tmp_path / "asked.jsonl"
    asked.write_bytes(as_lines([{"id": "q", "title": "On c", "text": records[0]["text"]}]))
    question = ("check", judging, asked, "--decide", "method")
    ran = wirecopy(*question)
    (judged,) = lines(ran.stdout)
    assert (ran.returncode, talk(ran)) == (0, "")
    method = methods.get("sentence_fingerprints", exact_sentences=True)
    expected = find(pile, query=asked, method=method, decide="method")
    assert judged["opinions"] == list(expected.rows())
    assert [judged["verdict"]] == [verdict.to_dict() for verdict in expected.verdicts]
    assert (judged["query"], [one["found"] for one in judged["opinions"]]) == ("q", ["c", "a"])

    (best,) = lines(wirecopy(*question, "--top", 1).stdout)
    assert best == judged | {"opinions": judged["opinions"][:1]}
    rows = csv.DictReader(io.StringIO(wirecopy(*question, "--csv").stdout.decode()))
    assert [row["found"] for row in rows] == ["c", "a"]
    code, shown = on_terminal(*question, width=140)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert code == 0
    assert plain.startswith("q: 2 articles ranked, a duplicate by 9 hits")
    assert "query_in_found" in plain
    code, shown = on_terminal(*question, "--since", "2030-01-01")
    assert (code, shown.strip()) == (0, "q: nothing ranked, no duplicate by 0 hits")


def test_check_reads_titles_where_the_method_does(judging: Path, pile: Path) -> None:
    ran = wirecopy("check", judging, pile)
    assert (ran.returncode, talk(ran)) == (0, "")
    assert [one["query"] for one in lines(ran.stdout) if one["contained_in"]] == ["a", "c"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "in an archive of one method"),
        (("--min-share", "0.1"), "not with --decide method"),
        (("--preset", "strict"), "not with --decide method"),
    ],
)
def test_where_the_method_of_an_archive_cannot_decide(
    known: Path, draft: Path, options: tuple[str, ...], said: str
) -> None:
    ran = wirecopy("check", known, draft, "--decide", "method", *options)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert said in talk(ran)


def test_texts_that_cannot_be_read_are_named_and_the_rest_is_checked(
    known: Path, draft: Path, tmp_path: Path
) -> None:
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    ran = wirecopy("check", known, tmp_path / "latin.txt", draft)
    assert ran.returncode == 3
    assert [answer["query"] for answer in lines(ran.stdout)] == ["draft.txt"]
    assert "latin.txt: not UTF-8" in talk(ran)


def test_what_pages_say_does_not_steer_the_terminal(tmp_path: Path, words: list[str]) -> None:
    article = {"id": "a\x1b[2J", "text": join(words), "source": "\x1b]0;evil\x07", "published": "\x1b[31m"}
    wirecopy("add", tmp_path / "news.db", "-", input=as_lines([article]))
    (tmp_path / "copy.txt").write_text(join(words))
    _, shown = on_terminal("check", tmp_path / "news.db", tmp_path / "copy.txt", width=140)
    assert "identical" in shown
    assert not {"\x1b[2J", "\x1b]0", "\x1b[31m"} & set(re.findall(r"\x1b.\d*\w?", shown))


# watch


@contextmanager
def watching(*arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [PROGRAM, "watch", *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def answered(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, process.stderr.read().decode() if process.stderr else ""
    answer: dict[str, Any] = json.loads(line)
    return answer


def test_watch_answers_each_article_before_the_next_comes(
    records: list[dict[str, Any]], tmp_path: Path
) -> None:
    with watching(tmp_path / "news.db") as process:
        assert process.stdin is not None
        assert process.stderr is not None
        seen = []
        for record in records[:3]:
            process.stdin.write(as_lines([record]))
            process.stdin.flush()
            seen.append(answered(process))
        process.stdin.close()
        said = process.stderr.read().decode()
        assert process.wait() == 0
    assert [(one["query"], one["contained_in"], one["kept"]) for one in seen] == [
        *(("a", [], True), ("b", [], True), ("c", ["a"], True))
    ]
    assert said == f"3 articles kept; 3 articles in {tmp_path / 'news.db'}\n"
    assert ids(tmp_path / "news.db") == {"a", "b", "c"}


def test_a_bad_line_is_named_and_the_stream_goes_on(tmp_path: Path) -> None:
    given = b'{"id": "a", "text": "One."}\n\nbad\n{"id": "b"}\n{"id": "c", "text": "Two."}'
    ran = wirecopy("watch", tmp_path / "news.db", input=given)
    assert ran.returncode == 3
    assert [answer["query"] for answer in lines(ran.stdout)] == ["a", "c"]
    assert "skipped: -:3: " in talk(ran)
    assert "skipped: -:4: no text field" in talk(ran)
    assert "2 records skipped" in talk(ran)


def test_a_record_without_an_id_is_the_same_the_next_time(tmp_path: Path) -> None:
    one, two = b'{"text": "Rain on all coasts."}\n', b'{"text": "Sun at last."}\n'
    assert lines(wirecopy("watch", tmp_path / "news.db", input=one).stdout)[0]["kept"]
    again = lines(wirecopy("watch", tmp_path / "news.db", input=two + one).stdout)
    assert [(answer["kept"], answer["reason"]) for answer in again] == [(True, None), (False, "known")]


def test_a_correction_under_a_known_id_is_kept_if_asked_for(
    archive: Path, records: list[dict[str, Any]]
) -> None:
    given = as_lines([records[0] | {"text": "Corrected."}])
    (answer,) = lines(wirecopy("watch", archive, input=given).stdout)
    assert not answer["kept"]
    assert "other content" in answer["reason"]
    (answer,) = lines(wirecopy("watch", archive, "--replace", input=given).stdout)
    assert answer["kept"]


def test_a_late_article_is_answered_and_not_kept(records: list[dict[str, Any]], tmp_path: Path) -> None:
    given = as_lines([records[2], records[9], records[0]])
    ran = wirecopy("watch", tmp_path / "news.db", "--window", "2d", input=given)
    first, second, late = lines(ran.stdout)
    assert first["kept"]
    assert second["kept"]
    assert (late["kept"], late["reason"]) == (False, "older than the window")
    assert "2 articles kept, 1 not kept, 1 left the window; 1 article in" in talk(ran)


@pytest.mark.parametrize("where", ["stdin", "folder"])
def test_ctrl_c_ends_watching_without_complaint(
    where: str, records: list[dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(as_lines(records[:1]))
    more = [tmp_path / "in", "--every", 0.05] if where == "folder" else []
    with watching(tmp_path / "news.db", *more) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        if where == "stdin":
            process.stdin.write(as_lines(records[:1]))
            process.stdin.flush()
        assert answered(process)["query"] == "a"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0
        said = process.stderr.read().decode()
    assert "1 article kept; 1 article in" in said
    assert "Traceback" not in said


def test_a_folder_is_watched_as_it_grows(records: list[dict[str, Any]], tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "one.jsonl").write_bytes(as_lines(records[:1]))
    with watching(tmp_path / "news.db", folder, "--every", 0.05) as process:
        assert answered(process)["query"] == "a"
        (folder / "deep" / "copy.txt").write_text(records[0]["text"])
        copy = answered(process)
        assert (copy["query"], copy["contained_in"]) == ("deep/copy.txt", ["a"])
        with (folder / "one.jsonl").open("ab") as file:
            file.write(as_lines(records[3:4]))
        assert answered(process)["query"] == "d"
        process.send_signal(signal.SIGINT)
        assert process.wait() == 0


def test_a_folder_is_taken_once_and_what_was_known_is_no_news(pile: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "articles.jsonl").write_bytes(pile.read_bytes())
    (folder / "bad.txt").write_bytes(b"\xff")
    ran = wirecopy("watch", tmp_path / "news.db", folder, "--once")
    assert ran.returncode == 3
    assert len(lines(ran.stdout)) == 10
    assert "bad.txt: not UTF-8" in talk(ran)
    ran = wirecopy("watch", tmp_path / "news.db", folder, "--once")
    assert (ran.returncode, ran.stdout) == (3, b"")
    assert "0 articles kept, 10 known already; 10 articles in" in talk(ran)


def test_watching_and_adding_a_folder_name_articles_alike(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for name in ("a.txt", "deep/b.txt"):
        (tmp_path / "in" / name).write_text(f"This is {name}.")
    assert wirecopy("watch", tmp_path / "news.db", tmp_path / "in", "--once").returncode == 0
    assert "0 added, 2 known already" in talk(wirecopy("add", tmp_path / "news.db", tmp_path / "in"))


def test_a_terminal_gets_a_line_an_article(pile: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "articles.jsonl").write_bytes(pile.read_bytes())
    code, shown = on_terminal("watch", tmp_path / "news.db", tmp_path / "in", "--once")
    assert code == 0
    assert shown.splitlines()[:3] == [
        "a: nothing copied",
        "b: 45% copied from 1 article, longest passage 50 words; most from a",
        "c: 100% copied from 2 articles, longest passage 90 words; identical to a",
    ]


# remove, expire, info, verify, compact


def test_remove_takes_articles_out(archive: Path) -> None:
    ran = wirecopy("remove", archive, "a", "b")
    assert ran.returncode == 0
    assert f"2 articles removed; 8 articles in {archive}" in talk(ran)
    assert not {"a", "b"} & ids(archive)


def test_remove_reads_ids_from_stdin_and_names_those_it_does_not_know(archive: Path) -> None:
    ran = wirecopy("remove", archive, "-", input=b"a\nnobody\n")
    assert ran.returncode == 3
    assert "1 article removed" in talk(ran)
    assert f"skipped: nobody: no article of {archive} has this id" in talk(ran)


def test_articles_expire_with_the_window(records: list[dict[str, Any]], tmp_path: Path) -> None:
    path = tmp_path / "news.db"
    wirecopy("add", path, "-", "--window", "1w", input=as_lines(records[:5]))
    assert "0 articles expired; 5 articles in" in talk(wirecopy("expire", path))
    ran = wirecopy("expire", path, "--now", "2016-03-10")
    assert ran.returncode == 0
    assert "2 articles expired; 3 articles in" in talk(ran)


def test_info_says_what_there_is(known: Path) -> None:
    ran = wirecopy("info", known)
    shown = ran.stdout.decode()
    assert (ran.returncode, ran.stderr) == (0, b"")
    for row in (
        r"articles +10",
        r"published +2016-03-01T12:00:00Z to 2016-03-10T12:00:00Z",
        r"window +none",
        r"methods +exact, winnowing:.*window_words=16",
        r"preset +syndication",
        r"store +.* an article",
        r"index +.* an article, \d+ segment",
        r"boilerplate +0 formulas, up to date",
    ):
        assert re.search(f"^{row}", shown, re.MULTILINE), row
    info = json.loads(wirecopy("info", known, "--json").stdout)
    assert (info["articles"], info["boilerplate"]) == (10, [])


def test_info_lists_the_boilerplate_by_source(tmp_path: Path) -> None:
    writer = Writer(38)
    formula = writer.write(30)
    given = [
        {
            "id": str(number),
            "text": join(writer.write(150) + formula),
            "source": "Echo" if number < 5 else "Post",
        }
        for number in range(20)
    ]
    wirecopy("add", tmp_path / "news.db", "-", input=as_lines(given))
    shown = wirecopy("info", tmp_path / "news.db").stdout.decode()
    assert re.search(rf"20 +Post 15, Echo 5 +{formula[0]} {formula[1]}", shown, re.IGNORECASE), shown
    (listed,) = json.loads(wirecopy("info", tmp_path / "news.db", "--json").stdout)["boilerplate"]
    assert (listed["articles"], listed["sources"]) == (20, {"Post": 15, "Echo": 5})


def test_info_says_how_stale_the_boilerplate_is(archive: Path, tmp_path: Path) -> None:
    many = [{"id": f"{number}", "text": Writer(number).text(30)} for number in range(50)]
    wirecopy("add", archive, "-", input=as_lines(many))
    wirecopy("remove", archive, "a")
    assert "1 article came or went since it was learnt" in wirecopy("info", archive).stdout.decode()


def test_verify_finds_nothing_wrong_where_nothing_is(known: Path) -> None:
    ran = wirecopy("verify", known)
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert "nothing wrong: 10 articles, 1 segment read" in talk(ran)


def test_verify_names_what_was_wrong_and_mends_it(tmp_path: Path) -> None:
    path = tmp_path / "news.db"
    writer = Writer(39)
    given = as_lines({"id": str(number), "text": writer.text(300)} for number in range(400))
    wirecopy("add", path, "-", input=given)
    (file,) = (tmp_path / "news.db-index").iterdir()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 255
    file.write_bytes(data)
    ran = wirecopy("verify", path)
    assert ran.returncode == 1
    assert re.fullmatch(r"segment \d+: damaged, made again from the articles\n", ran.stdout.decode())
    assert "1 problem: 400 articles" in talk(ran)
    assert wirecopy("verify", path).returncode == 0


def test_compact_says_what_it_saved(archive: Path, draft: Path) -> None:
    before = wirecopy("check", archive, draft).stdout
    ran = wirecopy("compact", archive)
    assert ran.returncode == 0
    assert re.search(r"10 articles; .* before, .* now", talk(ran))
    assert wirecopy("check", archive, draft).stdout == before


# pairs and export


def test_pairs_are_those_that_find_gives(known: Path, pile: Path, tmp_path: Path) -> None:
    ran = wirecopy("pairs", known)
    assert ran.stdout == wirecopy("find", pile).stdout
    assert "10 articles, 3 candidates, 3 matches, 0 formulas left out" in talk(ran)
    for options in (("--csv",), ("--preset", "strict")):
        assert wirecopy("pairs", known, *options).stdout == wirecopy("find", pile, *options).stdout
    for name in ("m.csv", "m.parquet", "m.jsonl"):
        for command in (("pairs", known), ("find", pile)):
            assert wirecopy(*command, "-o", tmp_path / f"{command[0]}-{name}").returncode == 0
        assert (tmp_path / f"pairs-{name}").read_bytes() == (tmp_path / f"find-{name}").read_bytes()
    wirecopy("pairs", known, "--boilerplate", tmp_path / "formulas.jsonl")
    assert (tmp_path / "formulas.jsonl").read_bytes() == b""


def test_pairs_on_a_terminal_are_a_table(known: Path) -> None:
    code, shown = on_terminal("pairs", known, width=120)
    assert code == 0
    assert "longest passage" in shown
    assert "identical" in shown


def test_an_archive_is_copied_through_a_pipe(known: Path, tmp_path: Path) -> None:
    command = f"{PROGRAM} export {known} | {PROGRAM} add {tmp_path / 'copy.db'} - --quiet"
    assert subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], check=False).returncode == 0
    for command in ("export", "pairs"):
        assert wirecopy(command, tmp_path / "copy.db").stdout == wirecopy(command, known).stdout


def test_what_is_exported_is_what_was_added(tmp_path: Path) -> None:
    odd = {
        "id": "a b\u2028c",
        "text": "Zwölf \u0000 Boxkämpfer\r\n\tjagen\ufeff 𝒱iktor\u2029 quer. ",
        "title": ' "Deich", \\ neu ',
        "published": "Wed, 02 Mar 2016 07:30:00 +0100",
        "source": "Küstenbote",
        "author": "A. B.; C. D.",
        "location": "Wexmouth",
        "language": "de",
        "url": "https://example.org/?a=1&b=2#c",
        "agency": "dpa",
    }
    bare = dict.fromkeys(odd) | {"id": "bare", "text": "x", "published": "some day"}
    assert wirecopy("add", tmp_path / "news.db", "-", input=as_lines([odd, bare])).returncode == 0
    ran = wirecopy("export", tmp_path / "news.db", "-o", tmp_path / "out.jsonl")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert lines((tmp_path / "out.jsonl").read_bytes()) == [odd, bare]


def test_a_reader_that_leaves_early_is_told_nothing(tmp_path: Path) -> None:
    given = as_lines({"id": str(number), "text": Writer(number).text(200)} for number in range(300))
    wirecopy("add", tmp_path / "news.db", "-", input=given)
    command = f"set -o pipefail; {PROGRAM} export {tmp_path / 'news.db'} | head -1"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=120)
    assert (ran.returncode, ran.stdout.count(b"\n"), ran.stderr) == (0, 1, b"")


# What goes wrong.

READING = ("check x.txt", "info", "verify", "pairs", "export", "remove x", "expire", "compact")


@pytest.mark.parametrize("command", READING)
def test_where_there_is_no_archive_it_is_said_how_to_make_one(command: str, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("x")
    name, *rest = command.split()
    ran = wirecopy(name, "news.db", *rest, cwd=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, b"")
    assert talk(ran) == "wirecopy: news.db: no archive there; make one with wirecopy add news.db PATH...\n"
    assert not (tmp_path / "news.db").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["add", "news.db"], 2, "PATH"),
        (["add", "news.db", "nowhere.txt"], 1, "nowhere.txt: no such file or folder"),
        (["add", "no/news.db", "x.txt"], 1, "no/news.db: no folder no"),
        (["add", "x.txt", "x.txt"], 1, "x.txt: "),
        (["add", "new.db", "x.txt", "--window", "soon"], 2, "expected a number of m, h, d or w, such as 14d"),
        (["add", "new.db", "x.txt", "--method", "magic"], 2, "no method named 'magic'"),
        (["add", "new.db", "x.txt", "--preset", "lax"], 2, "lax"),
        (["add", "new.db", "x.txt", "--statistics", "nowhere"], 1, "nowhere"),
        (
            ["add", "news.db", "x.txt", "--method", "exact"],
            1,
            "methods of news.db: expected exact, winnowing:",
        ),
        (["add", "news.db", "x.txt", "--window", "14d"], 1, "window of news.db: expected none, got 14d"),
        (
            ["add", "news.db", "x.txt", "--preset", "strict"],
            1,
            "preset of news.db: expected syndication, got strict",
        ),
        (["check", "news.db"], 2, "TEXT"),
        (["check", "news.db", "nowhere.txt"], 1, "nowhere.txt: no such file or folder"),
        (["check", "news.db", "x.txt", "--since", "Tuesday"], 2, "expected a date such as 2026-03-01"),
        (["check", "news.db", "x.txt", "--min-share", "2"], 2, "--min-share"),
        (["check", "news.db", "x.txt", "--top", "0"], 2, "--top"),
        (["check", "news.db", "x.txt", "--jsonl", "--csv"], 2, "one form at a time"),
        (["check", "news.db", "x.txt", "-o", "a.parquet"], 2, "JSON lines, CSV or a table"),
        (["check", "news.db", "x.txt", "-o", "no/a.jsonl"], 1, "no/a.jsonl: cannot be written"),
        (["watch", "news.db", "x.txt"], 1, "x.txt: expected a folder, or - for stdin"),
        (["watch", "news.db", "nowhere"], 1, "nowhere: expected a folder"),
        (["watch", "news.db", "--window", "14d"], 1, "window of news.db: expected none, got 14d"),
        (["remove", "news.db"], 2, "ID"),
        (["expire", "news.db"], 2, "news.db has no window: nothing in it expires"),
        (["pairs", "news.db", "--parquet"], 2, "--output"),
        (["info", "other.db"], 1, "expected an archive of wirecopy, got another SQLite file"),
        (["info", "x.txt"], 1, "x.txt: cannot be opened: file is not a database"),
        (["info", "."], 1, ".: a folder; name the file of an archive"),
        (["add", ".", "x.txt"], 1, ".: a folder; name the file of an archive"),
    ],
)
def test_errors_end_with_their_code_and_a_sentence(
    arguments: list[str], code: int, said: str, known: Path, tmp_path: Path
) -> None:
    import sqlite3

    (tmp_path / "x.txt").write_text("Just a text. " * 50)
    (tmp_path / "news.db").write_bytes(known.read_bytes())
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE a (b)")
    other.close()
    ran = wirecopy(*arguments, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert (ran.returncode, ran.stdout) == (code, b""), ran.stderr
    assert said in talk(ran)


@pytest.mark.parametrize("command", ["add - ", "watch", "remove a", "compact"])
def test_a_second_writer_is_told_to_wait_and_readers_are_not(
    command: str, archive: Path, draft: Path
) -> None:
    name, *rest = command.split()
    with Archive.open(archive) as writer:
        writer.add([{"id": "new", "text": "Rain."}])
        ran = wirecopy(name, archive, *rest, input=b'{"id": "z", "text": "z"}\n')
        assert (ran.returncode, ran.stdout) == (1, b"")
        assert "another program is writing to it (process " in talk(ran)
        for reading in (
            ("check", archive, draft),
            ("info", archive),
            ("export", archive),
            ("pairs", archive),
        ):
            assert wirecopy(*reading).returncode == 0
