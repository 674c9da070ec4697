"""The commands of an archive: add to it, check texts against it, look at it, keep it in order."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ..errors import refuse
from ..model import Skipped, clean, count, held_by_either, missing
from ..sources import Fields, read, total_bytes
from ..sources.paths import File, Files, find
from .options import (
    FILE,
    accepted_option,
    archive_argument,
    archive_preset_option,
    csv_option,
    decide_option,
    field_options,
    jsonl_option,
    making_options,
    output_option,
    pairs_option,
    parquet_option,
    quiet_option,
    threads_option,
)
from .show import print_table, show_progress
from .writing import (
    answer_writer,
    check_writable,
    choose_form,
    name_skipped,
    open_output,
    opinion_writer,
    ranked_writer,
    say,
    say_missing,
    say_unreadable,
    show_opinions,
    summarise,
    write_line,
    write_lines,
    write_matches,
)

if TYPE_CHECKING:
    from ..archive import Added, Archive

CHECK_BYTES = 1 << 18
"""Texts that are checked at a time, so that answers come while there is more to check."""
FORMULAS_SHOWN = 20


def open_archive(path: Path, *, create: bool = False, **options: Any) -> Archive:
    """The archive at a path; SQLite is loaded by the commands that need it only."""
    from ..archive import Archive

    return Archive.open(path, create=create, **options)


def files_of(archive: Path) -> list[Path]:
    """The files of an archive and the folder of its index, those that are there and those that may be."""
    return [Path(f"{archive.resolve()}{end}") for end in ("", "-wal", "-shm", "-lock", "-index")]


def find_files(paths: Sequence[Path], archive: Path) -> list[Files]:
    """All files that the paths stand for, without those of the archive itself."""
    own = set(files_of(archive))

    def is_other(file: File) -> bool:
        path = file.path.resolve()
        return file.is_pipe or own.isdisjoint((path, path.parent))

    return [Files(tuple(filter(is_other, find(str(path)).files))) for path in paths]


@click.command("add")
@archive_argument
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=FILE)
@click.option("--replace", is_flag=True, help="An id that is there with other content: take the new one.")
@making_options
@field_options
@threads_option
@quiet_option
def add_command(
    archive: Path,
    paths: tuple[Path, ...],
    replace: bool,
    making: dict[str, Any],
    fields: Fields,
    threads: int | None,
    quiet: bool,
) -> int:
    """Add articles to ARCHIVE, which is made if there is none; PATH as for find, - is stdin.

    What is in already is not added twice: an add that was interrupted is repeated, and goes on. Exit code 3 says that
    it is done but some records were skipped, each named on stderr.
    """
    inputs = find_files(paths, archive)
    with open_archive(archive, create=True, threads=threads, **making) as store:
        before = len(store)
        try:
            with show_progress(quiet, total_bytes(inputs)) as progress:
                added = store.add(inputs, replace=replace, fields=fields, progress=progress)
        except KeyboardInterrupt:
            store.close()
            with open_archive(archive) as again:
                kept = count(len(again) - before)
            say(f"wirecopy: interrupted; {kept} added so far stay, and the same command goes on from there")
            return 1
        return summarise_added(added, before, store, quiet)


def summarise_added(added: Added, before: int, store: Archive, quiet: bool) -> int:
    """Name what was skipped, say what became of the rest; the exit code."""
    code = name_skipped(added.skipped)
    say_unreadable(added.unreadable_dates)
    say_missing(added.missing_fields)
    if not any((added.added, added.known, added.replaced, added.late, added.skipped)):
        say("no articles found")
    if not quiet:
        articles = len(store)
        parts = {
            "known already": added.known,
            "replaced": added.replaced,
            "older than the window": added.late,
            "left the window": before + added.added - articles,
        }
        said = [f"{added.added:,} added", *(f"{number:,} {what}" for what, number in parts.items() if number)]
        say(f"{', '.join(said)}; {count(articles)} in {store.path}")
    return code


@click.command("check")
@archive_argument
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...", type=FILE)
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="Name only the N articles that share most."
)
@click.option(
    "--min-share",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="X",
    help="Name only articles that hold this share of the text, such as 0.2.",
)
@click.option("--since", metavar="DATE", help="Name only articles that were published then or later.")
@click.option(
    "--until",
    metavar="DATE",
    help="Name only articles that were published then or earlier; a day is its midnight.",
)
@click.option("--source", metavar="NAME", help="Name only articles of this source.")
@click.option("--not-source", metavar="NAME", help="Name only articles of other sources.")
@decide_option("the one method of the archive")
@accepted_option
@archive_preset_option
@field_options
@jsonl_option
@csv_option
@output_option
def check_command(
    archive: Path,
    texts: tuple[Path, ...],
    top: int | None,
    min_share: float,
    since: str | None,
    until: str | None,
    source: str | None,
    not_source: str | None,
    decide: Literal["alignment", "method"],
    accepted: bool,
    preset: str | None,
    fields: Fields,
    jsonl: bool,
    csv: bool,
    output: Path | None,
) -> int:
    """Say what each TEXT shares with the articles of ARCHIVE; a file, a folder, - for stdin, as for find.

    A text is not compared with the article that has its id. Exit code 0 says that it is done, whatever was found; 3 that
    some records were skipped, each named on stderr.
    """
    form = choose_form(jsonl, csv, False, output)
    by_method = decide == "method"
    refuse(
        (form == "parquet", "check writes JSON lines, CSV or a table"),
        (by_method and min_share, "--min-share: not with --decide method, which compares no words"),
        (by_method and preset, "--preset: not with --decide method, which compares no words"),
        (not by_method and accepted, "--accepted: only with --decide method"),
    )
    check_writable(output, inputs=[*files_of(archive), *texts])
    limits: dict[str, Any] = {
        "top": top,
        "since": since,
        "until": until,
        "source": source,
        "not_source": not_source,
    }
    reading = replace(fields, about=("title",))
    skipped: list[Skipped] = []
    held: dict[str, bool] = {}
    # Files are looked up before a new one is there.
    texts_read = read(list(texts), fields=reading, batch_bytes=CHECK_BYTES)
    with open_archive(archive) as store, open_output(output) as out:
        write: Callable[[Any], None] = (ranked_writer if by_method else answer_writer)(form, out)
        for work in texts_read:
            batch = work()
            skipped += batch.skipped
            held = held_by_either(held, batch.held)
            queries = replace(batch, skipped=())
            answers: Sequence[Any] = (
                store.opinions(queries, accepted=accepted, **limits)
                if by_method
                else store.check(queries, min_share=min_share, preset=preset, **limits)
            )
            for answer in answers:
                write(answer)
            out.flush()
    code = name_skipped(skipped)
    say_missing(missing(held))
    return code


@click.command("remove")
@archive_argument
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@quiet_option
def remove_command(archive: Path, ids: tuple[str, ...], quiet: bool) -> int:
    """Remove articles by their ids; - reads ids from stdin, one a line.

    Exit code 3 says that some are not in the archive, each named on stderr.
    """
    wanted = list(
        dict.fromkeys(id for one in ids for id in (sys.stdin.read().splitlines() if one == "-" else [one]))
    )
    with open_archive(archive) as store:
        missing = [id for id in wanted if id not in store]
        removed = store.remove(wanted)
        if not quiet:
            say(f"{count(removed)} removed; {count(len(store))} in {archive}")
    return name_skipped([Skipped(id, f"no article of {archive} has this id") for id in missing])


@click.command("expire")
@archive_argument
@click.option(
    "--now", metavar="DATE", help="The window ends then, instead of at the newest article that was added."
)
@quiet_option
def expire_command(archive: Path, now: str | None, quiet: bool) -> int:
    """Let go of the articles that have left the window of ARCHIVE; add and watch do so by themselves."""
    with open_archive(archive) as store:
        gone = store.expire(now=now)
        if not quiet:
            say(f"{count(gone)} expired; {count(len(store))} in {archive}")
    return 0


@click.command("info")
@archive_argument
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def info_command(archive: Path, as_json: bool) -> int:
    """Say what ARCHIVE holds, what it was made with, how large it is, and what it takes for boilerplate."""
    with open_archive(archive) as store:
        info, formulas = store.info(), store.formulas
    if as_json:
        print(
            json.dumps(
                info | {"boilerplate": [one.to_dict() for one in formulas]}, indent=2, ensure_ascii=False
            )
        )
        return 0
    stale = info["changed_since_learnt"]
    since = f"{count(stale)} came or went since it was learnt" if stale else "up to date"
    rows = {
        "articles": f"{info['articles']:,}",
        "published": f"{info['first']} to {info['last']}" if info["first"] else "no dates",
        "window": info["window"],
        "methods": ", ".join(info["methods"]),
        "preset": info["preset"],
        "store": f"{_size(info['store_bytes'])}, {_size(info['store_bytes_an_article'])} an article",
        "index": f"{_size(info['index_bytes'])}, {_size(info['index_bytes_an_article'])} an article, "
        + count(info["segments"], "segment"),
        "boilerplate": f"{count(info['formulas'], 'formula')}, {since}",
    }
    wide = max(map(len, rows))
    print(*(f"{name:<{wide}}  {value}" for name, value in rows.items()), sep="\n")
    if formulas:
        print()
        print_table(
            ("articles", "of", "boilerplate"),
            (
                (f"{one.articles:,}", _by_source(one.sources), clean(_shorten(one.example)))
                for one in formulas[:FORMULAS_SHOWN]
            ),
            sys.stdout,
        )
        if len(formulas) > FORMULAS_SHOWN:
            print(f"… and {len(formulas) - FORMULAS_SHOWN:,} more: --json has all")
    return 0


def _size(size: int) -> str:
    return (
        f"{size:,} bytes"
        if size < 10_000
        else f"{size / 1000:,.0f} kB"
        if size < 1e7
        else f"{size / 1e6:,.0f} MB"
    )


def _by_source(sources: Mapping[str, int]) -> str:
    some = sorted(sources.items(), key=lambda one: (-one[1], one[0]))
    shown = [f"{clean(name)} {number:,}" for name, number in some[:3]]
    return ", ".join(shown) + (f" and {len(some) - 3:,} more" if len(some) > 3 else "")


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:99] + "…"


@click.command("verify")
@archive_argument
@quiet_option
def verify_command(archive: Path, quiet: bool) -> int:
    """Read all of ARCHIVE and compare it with its checksums.

    Damaged parts of the index are made again from the articles. Exit code 1 says that something was wrong; each problem
    stands on stdout, with what was done about it.
    """
    with open_archive(archive) as store:
        problems = store.verify()
        for problem in problems:
            print(problem)
        sys.stdout.flush()
        if not quiet:
            said = count(len(problems), "problem") if problems else "nothing wrong"
            say(f"{said}: {count(len(store))}, {count(store.info()['segments'], 'segment')} read")
    return int(bool(problems))


@click.command("compact")
@archive_argument
@threads_option
@quiet_option
def compact_command(archive: Path, threads: int | None, quiet: bool) -> int:
    """Put the index of ARCHIVE together, learn its boilerplate anew, and give room back to the disk."""
    with open_archive(archive, threads=threads) as store:
        before = _bytes(store)
        with show_progress(quiet, None) as progress:
            store.compact(progress=progress)
        if not quiet:
            say(f"{count(len(store))}; {_size(before)} before, {_size(_bytes(store))} now")
    return 0


def _bytes(store: Archive) -> int:
    info = store.info()
    return int(info["store_bytes"] + info["index_bytes"])


@click.command("pairs")
@archive_argument
@archive_preset_option
@pairs_option
@decide_option("the one method of the archive")
@click.option(
    "--boilerplate",
    type=FILE,
    metavar="FILE",
    help="Write the boilerplate that was left out to this file, as JSON lines.",
)
@jsonl_option
@csv_option
@parquet_option
@output_option
@threads_option
@quiet_option
def pairs_command(
    archive: Path,
    preset: str | None,
    pairs: Literal["linked", "all"],
    decide: Literal["alignment", "method"],
    boilerplate: Path | None,
    jsonl: bool,
    csv: bool,
    parquet: bool,
    output: Path | None,
    threads: int | None,
    quiet: bool,
) -> int:
    """Find all copies among the articles of ARCHIVE, as find does among files."""
    form = choose_form(jsonl, csv, parquet, output)
    by_method = decide == "method"
    refuse(
        (by_method and preset, "--preset: not with --decide method, which compares no words"),
        (by_method and pairs == "all", "--pairs: not with --decide method, which gives all"),
        (by_method and boilerplate, "--boilerplate: not with --decide method, which knows none"),
        (by_method and form == "parquet", "--decide method writes JSON lines, CSV or a table"),
    )
    check_writable(output, boilerplate, inputs=files_of(archive))
    with open_archive(archive, threads=threads) as store:
        if by_method:
            with open_output(output) as out, show_progress(quiet, None) as progress:
                receive = opinion_writer(form, out)
                told = store.opinions_on_pairs(progress=progress, receive=receive)
                if form == "table":
                    show_opinions(told, out)
            return summarise(told, quiet)
        with show_progress(quiet, None) as progress:
            matches = store.pairs(preset=preset, pairs=pairs, progress=progress)
        write_matches(matches, form, output)
        write_lines(boilerplate, matches.formulas)
        return summarise(matches, quiet)


@click.command("export")
@archive_argument
@output_option
def export_command(archive: Path, output: Path | None) -> int:
    """Write the articles of ARCHIVE as JSON lines, the earliest first.

    wirecopy export OLD | wirecopy add NEW - makes a copy, under other settings if need be.
    """
    check_writable(output, inputs=files_of(archive))
    with open_archive(archive) as store, open_output(output) as out:
        for article in store.articles():
            write_line(asdict(article), out)
    return 0


ARCHIVE_COMMANDS: Sequence[click.Command] = (
    add_command,
    check_command,
    remove_command,
    expire_command,
    info_command,
    verify_command,
    compact_command,
    pairs_command,
    export_command,
)
