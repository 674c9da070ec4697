"""`wirecopy add`: what becomes of articles, and what is said of them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from program import PROGRAM, hear_interrupts, ids, on_terminal, talk, wirecopy
from records import jsonl, lines

from quality.texts import Writer, join
from wirecopy.pile import weigh


def test_add_makes_an_archive_and_says_what_became_of_the_articles(pile: Path, tmp_path: Path) -> None:
    ran = wirecopy("add", "news.db", pile, cwd=tmp_path)
    assert (ran.returncode, ran.stdout, talk(ran)) == (
        0,
        b"",
        "a new archive: news.db\n10 added; 10 articles in news.db\n",
    )


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
    changed = jsonl(records[0] | {"text": "All new."})
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
    for said in (
        "a new archive: news.db\n1 added; 1 article in news.db",
        "0 added, 1 known already; 1 article in news.db",
    ):
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
    assert "1 date cannot be read, such as " in talk(ran)


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
    ran = wirecopy("add", path, "-", "--window", "3d", input=jsonl(*records[4:8]))
    assert f"4 added; 4 articles in {path}" in talk(ran)
    ran = wirecopy("add", path, "-", input=jsonl(*records))
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
    assert wirecopy("add", path, "-", input=jsonl(*many)).returncode == 0
    # Fewer than would make the archive learn anew by itself.
    assert wirecopy("add", path, "-", input=jsonl(*some)).returncode == 0
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
    assert process.returncode == 130
    assert re.fullmatch(
        r"a new archive: .*\nwirecopy: interrupted; \d+ articles added so far stay, and the same command goes on from there\n",
        said,
    )
    assert ", 10 articles" in talk(wirecopy("add", path, pile)).replace(";", ",")


def test_a_terminal_sees_how_far_it_is(pile: Path, tmp_path: Path) -> None:
    code, shown = on_terminal("add", tmp_path / "news.db", pile)
    assert code == 0
    assert "adding" in shown
    assert "10 added; 10 articles" in shown


def test_articles_dated_ahead_are_named_and_so_is_a_clock_that_is_wrong(tmp_path: Path) -> None:
    path, writer = tmp_path / "news.db", Writer(9)
    dates = {"now": datetime.now(UTC), "zone": datetime.now(UTC) + timedelta(hours=13)}
    records = [{"id": id, "text": writer.text(30), "published": str(date)} for id, date in dates.items()]
    ran = wirecopy("add", path, "-", "--window", "6h", "--quiet", input=jsonl(*records))
    assert ran.returncode == 0
    date = dates["zone"].strftime("%Y-%m-%dT%H:%M:%SZ")
    said = f"not believed: zone: dated {date}, ahead of now; kept, and the window stays where it is\n"
    assert talk(ran) == said
    more = {"id": "zone too", "text": writer.text(30), "published": str(dates["zone"])}
    ran = wirecopy("watch", path, "--quiet", input=jsonl(more))
    assert talk(ran) == said.replace("zone:", "zone too:")
    assert json.loads(ran.stdout)["ahead"] == date
    assert re.search(r"window +6h, ends \d{4}-", wirecopy("info", path).stdout.decode())

    assert wirecopy("expire", path, "--now", "2999-01-01").returncode == 0
    ran = wirecopy("add", path, "-", "--quiet", input=jsonl(records[0]))
    assert talk(ran) == (
        f"warning: the window of {path} ends 2999-01-01T00:00:00Z, ahead of now: "
        f"set its clock with wirecopy expire {path} --now DATE\n"
    )
    assert wirecopy("expire", path, "--now", dates["now"].isoformat()).returncode == 0
    assert "1 added" in talk(wirecopy("add", path, "-", input=jsonl(records[0])))
