"""The commands of an archive: add to it, check texts against it, look at it, keep it in order."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ..errors import INTERRUPTED, UsageError, refuse
from ..model import TOLD, Remarks, Skipped, count, held_by_either, list_skipped, missing, one_line
from ..sources import Fields, read, total_bytes
from ..sources.kinds import is_sqlite
from ..sources.paths import File, Files, find
from . import options
from .html import open_html, report_matches
from .show import TABLE_ROWS, print_table, show_progress, show_size
from .writing import (
    FULL,
    answer_writer,
    check_writable,
    name_examples,
    name_problems,
    name_skipped,
    open_output,
    open_skipped,
    say,
    say_ahead,
    say_missing,
    say_remarks,
    summarise,
    write_line,
    write_opinions,
)

if TYPE_CHECKING:
    from ..archive import Added, Archive

CHECK_BYTES = 1 << 18
"""How many bytes of texts are checked at a time: few, so that answers come while there is more to check."""

archive_commands = click.Group()


def open_archive(path: Path, **options: Any) -> Archive:
    """The archive at a path; SQLite is loaded here, so that other commands start without it."""
    from ..archive import Archive

    return Archive.open(path, **options)


def open_or_make(path: Path, quiet: bool, **options: Any) -> Archive:
    """The archive at a path, which is made if there is none, and that is said."""
    is_new = not path.exists()
    archive = open_archive(path, create=True, **options)
    if is_new and not quiet:
        say(f"a new archive: {path}")
    return archive


def files_of(archive: Path) -> list[Path]:
    """The paths of an archive's files and of its index folder, whether or not they exist."""
    return [Path(f"{os.path.realpath(archive)}{end}") for end in ("", "-wal", "-shm", "-lock", "-index")]


def find_files(paths: Sequence[Path], archive: Path) -> list[Files]:
    """The files below each path, without those of the archive itself."""
    own = set(files_of(archive))

    def is_other(file: File) -> bool:
        path = Path(os.path.realpath(file.path))
        return file.is_pipe or own.isdisjoint((path, path.parent))

    found = (find(str(path)) for path in paths)
    return [replace(one, files=tuple(filter(is_other, one.files))) for one in found]


def check_order(command: str, archive: Path, paths: Sequence[Path]) -> None:
    """Raise UsageError if one of the paths is a SQLite file, and what should be an archive is another file."""
    swapped = next(filter(is_sqlite, paths), None)
    if swapped and archive.is_file() and not is_sqlite(archive):
        raise UsageError(
            f"{archive} is no archive, {swapped} may be one: wirecopy {command} {swapped} {archive}"
        )


def say_changed(store: Archive, done: str, others: Mapping[str, int] | None = None) -> None:
    """Say what was done, which of the other counts are not 0, and how many articles the archive holds now."""
    said = [done, *(f"{number:,} {what}" for what, number in (others or {}).items() if number)]
    say(f"{', '.join(said)}; {count(len(store))} in {store.path}")


@archive_commands.command("add")
@options.archive
@options.paths
@options.replace
@options.flag(
    "--rename", help="A file that is there under another id, from other arguments: take the new id."
)
@options.skipped
@options.making
@options.fields
@options.wait
@options.threads
@options.quiet
def add_command(
    archive: Path,
    paths: tuple[Path, ...],
    replace: bool,
    rename: bool,
    skipped: Path | None,
    making: dict[str, Any],
    fields: Fields,
    wait: float,
    threads: int | None,
    quiet: bool,
) -> int:
    """Add articles to ARCHIVE, which is made if there is none; PATH as for find, - is stdin.

    What is in already is not added twice: an add that was interrupted is repeated, and goes on. Exit code 3 says that
    it is done but some records were skipped, three of each kind named on stderr.
    """
    check_order("add", archive, paths)
    check_writable(skipped, inputs=[*files_of(archive), *paths])
    inputs = find_files(paths, archive)
    with open_or_make(archive, quiet, threads=threads, **making) as store:
        before = len(store)
        try:
            with show_progress(quiet, total_bytes(inputs)) as progress, open_skipped(skipped) as skip:
                add = partial(store.add, replace=replace, rename=rename, fields=fields)
                with store.writing(wait=wait, progress=progress):
                    added = add(inputs, progress=progress, skip=skip)
        except KeyboardInterrupt:
            store.close()
            with open_archive(archive) as again:
                kept = count(len(again) - before)
            say(f"wirecopy: interrupted; {kept} added so far stay, and the same command goes on from there")
            return INTERRUPTED
        return summarise_added(added, before, store, rename, quiet)


def summarise_added(added: Added, before: int, store: Archive, rename: bool, quiet: bool) -> int:
    """Name what was skipped or not believed, say what became of the rest; return the exit code."""
    code = name_problems(added)
    for id, date in added.ahead.items():
        say_ahead(id, date)
    for warning in added.warnings:
        say(f"warning: {one_line(warning)}")
    if added.elsewhere and not rename:
        id, [other, *_] = min(added.elsewhere.items())
        say(
            f"{count(len(added.elsewhere), 'file')} in {store.path} under another id too, such as "
            f"{one_line(id)}, there as {one_line(other)}: ids depend on the arguments. "
            "To keep the new id only, repeat the command with --rename"
        )
    if not any((added.added, added.known, added.replaced, added.late, added.skipped)):
        say("no articles found")
    if not quiet:
        removed = len({id for ids in added.elsewhere.values() for id in ids}) if rename else 0
        others = {
            "known already": added.known,
            "replaced": added.replaced,
            "older than the window": added.late,
            "removed under another id": removed,
            "left the window": before + added.added - removed - len(store),
        }
        say_changed(store, f"{added.added:,} added", others)
    return code


@archive_commands.command("check")
@options.archive
@click.argument("texts", nargs=-1, required=True, metavar="TEXT...", type=options.FILE)
@options.number(
    "--top", help="Name the N articles that share most, 20 if not told; with --decide method, all."
)
@click.option(
    "--min-share",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="X",
    help="Name only articles that hold this share of the text, such as 0.2.",
)
@click.option(
    "--fail-over",
    type=click.FloatRange(0, 1),
    metavar="X",
    help="Exit with code 4 if more than this share of a text is copied, such as 0.5.",
)
@click.option("--since", metavar="DATE", help="Name only articles that were published then or later.")
@click.option(
    "--until",
    metavar="DATE",
    help="Name only articles that were published then or earlier; a day is its midnight.",
)
@click.option("--source", metavar="NAME", help="Name only articles of this source.")
@click.option("--not-source", metavar="NAME", help="Name only articles of other sources.")
@options.relation
@options.archive_decide
@options.accepted
@options.archive_preset
@options.html
@options.skipped
@options.fields
@options.forms("jsonl", "csv")
@options.quiet
def check_command(
    archive: Path,
    texts: tuple[Path, ...],
    min_share: float,
    fail_over: float | None,
    decide: Literal["alignment", "method"],
    accepted: bool,
    relations: tuple[str, ...] | None,
    preset: str | None,
    html: Path | None,
    skipped: Path | None,
    fields: Fields,
    form: str,
    output: Path | None,
    quiet: bool,
    **limits: Any,
) -> int:
    """Say what each TEXT shares with the articles of ARCHIVE; a file, a folder, - for stdin, as for find.

    A text is not compared with the article that has its id. Exit code 0 says that it is done, whatever was found; 3 that
    some records were skipped, three of each kind named on stderr; 4 that a text is copied by more than --fail-over.
    """
    by_method = decide == "method"
    refuse(
        (form == "parquet", "check writes JSON lines, CSV or a table"),
        *options.needing_alignment(
            by_method,
            min_share=min_share,
            fail_over=fail_over is not None,
            preset=preset,
            relation=relations,
            text=form == FULL,
            html=html,
        ),
        (not by_method and accepted, "--accepted: only with --decide method"),
    )
    check_order("check", archive, texts)
    check_writable(output, html, skipped, inputs=[*files_of(archive), *texts])
    given = {name: value for name, value in limits.items() if value is not None}
    unused: list[Skipped] = []
    held: dict[str, bool] = {}
    remarks, over, size = Remarks(), 0, total_bytes(list(texts))
    still = quiet or output is None  # answers that scroll by are progress enough
    # Files are looked up before a new one is there.
    texts_read = read(list(texts), fields=replace(fields, about=TOLD), batch_bytes=CHECK_BYTES)
    with (
        open_archive(archive) as store,
        open_output(output) as out,
        open_skipped(skipped) as skip,
        show_progress(still, size) as progress,
        open_html(html, store, preset) as show,
    ):
        write = answer_writer(form, out, by_method, store, some=relations is not None)
        if not by_method and (stale := store.stale_stories):
            say(f"warning: stories of {archive}: {stale}")
        ask: Callable[..., Sequence[Any]] = (
            partial(store.opinions, accepted=accepted)
            if by_method
            else partial(store.check, min_share=min_share, preset=preset, relations=relations)
        )
        done = 0
        for work in texts_read:
            batch = work()
            remarks += batch.remarks
            unused = list_skipped(unused, list_skipped(batch.skipped, tell=skip))
            held = held_by_either(held, batch.held)
            for number, answer in enumerate(ask(replace(batch, skipped=()), **given)):
                write(answer)
                show(answer, batch, number)
                over += fail_over is not None and answer.copied > fail_over
            out.flush()
            done += work.source_bytes
            if progress:
                progress("reading", done, 0)
    code = name_examples(unused)
    say_remarks(remarks)
    say_missing(missing(held))
    if over and not quiet:
        say(f"{count(over, 'text')} copied by more than {fail_over:.0%}")
    return 4 if over else code


@archive_commands.command("remove")
@options.archive
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@options.wait
@options.quiet
def remove_command(archive: Path, ids: tuple[str, ...], wait: float, quiet: bool) -> int:
    """Remove articles by their ids; - reads ids from stdin, one a line; a line ends at its line feed.

    Exit code 3 says that some are not in the archive, each named on stderr.
    """
    with open_archive(archive) as store:
        given = (id for one in ids for id in (_read_ids(store) if one == "-" else [one]))
        wanted = list(dict.fromkeys(given))
        missing = [id for id in wanted if id not in store]
        with store.writing(wait=wait):
            removed = store.remove(wanted)
        if not quiet:
            say_changed(store, f"{count(removed)} removed")
    return name_skipped([Skipped(id, f"no article of {archive} has this id") for id in missing])


def _read_ids(store: Archive) -> list[str]:
    """The ids in the lines of stdin, which end at line feeds only: an id may hold U+2028, U+0085 and the like.

    The carriage return of a Windows file is no part of an id, unless the archive has the id with it.
    """
    text = sys.stdin.read()
    lines = text.removesuffix("\n").split("\n") if text else []
    return [line if line in store else line.removesuffix("\r") for line in lines]


@archive_commands.command("expire")
@options.archive
@click.option(
    "--now",
    metavar="DATE",
    help="Set the clock: the window ends then, instead of at the newest article that was added. Also sets back a wrong one.",
)
@options.wait
@options.quiet
def expire_command(archive: Path, now: str | None, wait: float, quiet: bool) -> int:
    """Let go of the articles that have left the window of ARCHIVE; add and watch do so by themselves."""
    with open_archive(archive) as store, store.writing(wait=wait):
        gone = store.expire(now=now)
        if not quiet:
            say_changed(store, f"{count(gone)} expired")
    return 0


@archive_commands.command("info")
@options.archive
@options.as_json
@options.no_talk
def info_command(archive: Path, as_json: bool) -> int:
    """Say what ARCHIVE holds, what it was made with, how large it is, and what it takes for boilerplate."""
    with open_archive(archive) as store:
        info, formulas = store.info(), store.formulas
    if as_json:
        info["boilerplate"] = [one.to_dict() for one in formulas]
        print(json.dumps(info, indent=2, ensure_ascii=False))
        return 0
    stale = info["changed_since_learnt"]
    since = f"{count(stale)} came or went since it was learnt" if stale else "up to date"
    rows = {
        "articles": f"{info['articles']:,}",
        "published": f"{info['first']} to {info['last']}" if info["first"] else "no dates",
        "window": info["window"] + (f", ends {info['clock']}" if info["clock"] else ""),
        "methods": ", ".join(info["methods"]),
        "preset": info["preset"],
        "store": f"{show_size(info['store_bytes'])}, {show_size(info['store_bytes_an_article'])} an article",
        "index": f"{show_size(info['index_bytes'])}, {show_size(info['index_bytes_an_article'])} an article, "
        + count(info["segments"], "segment"),
        "boilerplate": f"{count(info['formulas'], 'formula')}, {since}",
        "stories": info["stories_stale"]
        or f"{info['stories']:,} of {count(info['articles_in_stories'])}, {since.replace('learnt', 'told whole')}",
    }
    if info["webhooks"]:
        told = ", ".join(
            f"{info[f'messages_{state}']:,} {state}" for state in ("waiting", "delivered", "dead")
        )
        rows["webhooks"] = f"{info['webhooks']:,}; messages: {told}"
    if info["missing"]:
        rows["missing"] = info["missing"]
    wide = max(map(len, rows))
    print(*(f"{name:<{wide}}  {value}" for name, value in rows.items()), sep="\n")
    if formulas:
        print()
        shown = formulas[:TABLE_ROWS]
        cells = ((f"{one.articles:,}", _by_source(one.sources), _shorten(one.example)) for one in shown)
        print_table(("articles", "of", "boilerplate"), cells, sys.stdout)
        if len(formulas) > TABLE_ROWS:
            print(f"… and {len(formulas) - TABLE_ROWS:,} more: --json has all")
    return 0


def _by_source(sources: Mapping[str, int]) -> str:
    some = sorted(sources.items(), key=lambda one: (-one[1], one[0]))
    shown = [f"{name} {number:,}" for name, number in some[:3]]
    return ", ".join(shown) + (f" and {len(some) - 3:,} more" if len(some) > 3 else "")


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 100 else line[:99] + "…"


@archive_commands.command("verify")
@options.archive
@options.quiet
def verify_command(archive: Path, quiet: bool) -> int:
    """Read all of ARCHIVE and compare it with its checksums.

    Damaged parts of the index are made again from the articles. Exit code 1 says that something was wrong; each problem
    stands on stdout, with what was done about it.
    """
    with open_archive(archive) as store:
        with show_progress(quiet, None) as progress:
            if progress:
                progress("verifying", 0, 0)
            problems = store.verify()
        for problem in problems:
            print(problem)
        sys.stdout.flush()
        if not quiet:
            said = count(len(problems), "problem") if problems else "nothing wrong"
            say(f"{said}: {count(len(store))}, {count(store.segments, 'segment')} read")
    return int(bool(problems))


@archive_commands.command("compact")
@options.archive
@options.wait
@options.threads
@options.quiet
def compact_command(archive: Path, wait: float, threads: int | None, quiet: bool) -> int:
    """Put the index of ARCHIVE together, learn its boilerplate anew, and give room back to the disk."""
    with open_archive(archive, threads=threads) as store:
        before = _bytes(store)
        with (
            show_progress(quiet, None) as progress,
            store.writing(wait=wait, progress=progress),
        ):
            store.compact(progress=progress)
        if not quiet:
            say(f"{count(len(store))}; {show_size(before)} before, {show_size(_bytes(store))} now")
    return 0


def _bytes(store: Archive) -> int:
    info = store.info()
    return int(info["store_bytes"] + info["index_bytes"])


@archive_commands.command("pairs")
@options.archive
@options.archive_preset
@options.pairs
@options.relation
@options.confirm
@options.archive_decide
@options.boilerplate
@options.html
@options.forms("jsonl", "csv", "parquet")
@options.threads
@options.quiet
def pairs_command(
    archive: Path,
    preset: str | None,
    pairs: Literal["linked", "all"],
    relations: tuple[str, ...] | None,
    confirm: str | None,
    decide: Literal["alignment", "method"],
    boilerplate: Path | None,
    html: Path | None,
    form: str,
    output: Path | None,
    threads: int | None,
    quiet: bool,
) -> int:
    """Find all copies among the articles of ARCHIVE, as find does among files."""
    by_method = decide == "method"
    given = {"preset": preset, "pairs": pairs == "all", "boilerplate": boilerplate, "relation": relations}
    given |= {"html": html, "confirm": confirm}
    refuse(*options.needing_alignment(by_method, **given, parquet=form == "parquet", text=form == FULL))
    check_writable(output, boilerplate, html, inputs=files_of(archive))
    with open_archive(archive, threads=threads) as store, store.at_one_moment():
        if by_method:
            return summarise(write_opinions(store.opinions_on_pairs, form, output, quiet), quiet)
        with show_progress(quiet, None) as progress:
            asked: dict[str, Any] = {"pairs": pairs, "relations": relations}
            by = options.read_method(confirm) if confirm else None
            matches = store.pairs(preset=preset, confirm=by, progress=progress, **asked)
        files = output, boilerplate, html
        return report_matches(matches, form, *files, quiet, [archive], threads=threads, **asked)


@archive_commands.command("backup")
@options.archive
@click.argument("file", metavar="FILE", type=options.FILE)
@options.flag("--force", help="Replace FILE if it is there.")
@options.quiet
def backup_command(archive: Path, file: Path, force: bool, quiet: bool) -> int:
    """Copy ARCHIVE to FILE, whole and of one moment, also while another program writes to it.

    The copy is one file with its index in it, and has its name once it is whole, every article as it was added, and on disk.
    """
    with open_archive(archive) as store:
        warn_missing(store)
        with show_progress(quiet, None) as progress:
            store.backup(file, replace=force, progress=progress)
    if not quiet:
        with open_archive(file) as copy:
            say_changed(copy, "copied")
    return 0


def warn_missing(store: Archive) -> bool:
    """Say what an archive has lost, if anything."""
    if store.missing:
        say(f"warning: {store.missing}")
    return bool(store.missing)


@archive_commands.command("export")
@options.archive
@options.output
@options.quiet
def export_command(archive: Path, output: Path | None, quiet: bool) -> int:
    """Write the articles of ARCHIVE as JSON lines, the earliest first.

    wirecopy export OLD | wirecopy add NEW - makes a copy, under other settings if need be. Each article is compared with
    its checksums: exit code 3 says that some are damaged and left out, each named on stderr.
    """
    check_writable(output, inputs=files_of(archive))
    still = quiet or output is None
    with open_archive(archive) as store, open_output(output) as out, show_progress(still, None) as progress:
        is_behind = warn_missing(store)
        skipped: list[Skipped] = []
        articles = len(store)
        for number, article in enumerate(store.articles(skip=skipped.append), 1):
            write_line(asdict(article), out)
            if progress:
                progress("writing", number, articles)
    return name_skipped(skipped) or (3 if is_behind else 0)
