"""The commands that tell stories: what belongs together, which came first, who copied whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import IO, Any, Literal

import click

from ..comparison import DEFAULT_PRESET
from ..errors import SourceError, UsageError, refuse
from ..grouping.covering import KEEP
from ..grouping.graphs import Graph
from ..grouping.records import Change, Member, Origin, Series, Story
from ..grouping.stories import RULES, STORY_HEADS
from ..model import clean, count, one_line
from ..pile import Stories, opinions, stories
from ..sources import Fields, total_bytes
from ..sources.copying import copy_records, plan_copy
from ..sources.kinds import is_sqlite
from . import options
from .archive import files_of, open_archive
from .html import write_html
from .naming import Ids, find_meant
from .show import (
    TABLE_ROWS,
    WIDE,
    fit,
    open_console,
    plain,
    print_columns,
    print_table,
    show_date,
    show_progress,
)
from .working import work_in
from .writing import (
    CSV,
    check_writable,
    csv_writer,
    name_output,
    name_problems,
    open_output,
    open_skipped,
    say,
    tame,
    write_line,
    write_lines,
    write_parquet,
)

SERIES_HEADS = ("series", "title", "articles", "sources", "first_seen", "last_seen", "slots")
paths_or_archive = click.argument(
    "paths", nargs=-1, required=True, metavar="PATH...|ARCHIVE", type=options.FILE
)


@click.command("stories")
@paths_or_archive
@click.option("--story", "wanted", metavar="ID", help="Only the story with this article, in full.")
@options.flag("--series", "as_series", help="Instead of stories: forms that are filled in again and again.")
@options.file("--links", help="Write what joins the stories to this file, as JSON lines.")
@options.preset
@options.method(help="Nominate with this method, such as winnowing:window_words=8; may be repeated.")
@options.decide("the one --method given, with --rule closure")
@options.choice(
    "--rule",
    *RULES,
    help="What is a story: what shares a passage with its first article, or all that matches join, for evaluation.",
)
@options.html
@options.work
@options.memory
@options.skipped
@options.fields
@options.forms(
    "jsonl", "csv", "parquet", csv="One line an article.", jsonl="One story a line, as a JSON object."
)
@options.threads
@options.quiet
def stories_command(
    paths: tuple[Path, ...],
    wanted: str | None,
    as_series: bool,
    links: Path | None,
    html: Path | None,
    form: str,
    output: Path | None,
    skipped: Path | None,
    quiet: bool,
    **asked: Any,  # what is asked of `tell`
) -> int:
    """Tell the stories of a pile or an archive: which articles carry one text, in which versions, and which probably comes from which.

    Exit code 3 says that it is done but some records were skipped, three of each kind named on stderr.
    """
    check_writable(output, links, html, skipped, inputs=all_files(paths))
    refuse(
        (wanted and as_series, "--story or --series: one at a time"),
        *options.needing_alignment(asked["decide"] == "method", html=html),
    )
    with tell(paths, output, skipped, quiet, **asked) as told:
        story = _choose(wanted, told, paths) if wanted else None
        if story:
            _write_one(story, form, output)
        elif as_series:
            _write_series(told.series, form, output, told)
        else:
            _write_stories(told, form, output, paths)
        write_lines(links, told.links if links else ())
        if html:
            rule = {"rule": told.rule} if told.rule != RULES[0] else {}
            write_html(told, html, paths, quiet, asked["threads"], only=story and story.id, options=rule)
        return summarise_stories(told, quiet)


@click.command("graph")
@paths_or_archive
@click.option(
    "--by",
    type=click.Choice(["source"]),
    help="Between newspapers instead of articles: who carries later what another had.",
)
@options.preset
@options.method(help="Nominate with this method, such as winnowing:window_words=8; may be repeated.")
@options.work
@options.memory
@options.skipped
@options.fields
@options.forms(
    *("jsonl", "csv", "parquet", "json", "graphml"),
    jsonl="One edge a line, as a JSON object.",
    csv="One edge a line.",
)
@options.threads
@options.quiet
def graph_command(
    paths: tuple[Path, ...],
    by: str | None,
    form: str,
    output: Path | None,
    skipped: Path | None,
    quiet: bool,
    **asked: Any,  # what is asked of `tell`
) -> int:
    """Write the links between the articles of a pile or an archive, or between its sources, as a graph.

    An edge leads from the earlier to the later. Exit code 3 says that it is done but some records were skipped, three of each kind named
    on stderr.
    """
    check_writable(output, skipped, inputs=all_files(paths))
    with tell(paths, output, skipped, quiet, decide="alignment", rule="anchored", **asked) as told:
        graph = told.graph(by)
        _write_graph(graph, form, output)
        code = name_problems(told)
        if not quiet and told.articles:
            said = count(len(graph.nodes), "source" if by else "article"), count(len(graph), "edge")
            say(f"{count(told.articles)}, a graph of {' and '.join(said)}")
        return code


@click.command("dedup")
@options.paths
@options.file(
    "-o",
    "--output",
    required=True,
    help="The file, or for a folder or several files the folder, to write to.",
)
@options.choice(
    "--keep",
    *KEEP,
    help="Which of two that cover each other; of one that holds another whole, always that one.",
)
@options.file("--dropped", help="Write what is left out, for which kept record, to this file, as JSON lines.")
@options.preset
@options.method(help="Nominate with this method, such as winnowing:window_words=8; may be repeated.")
@options.work
@options.memory
@options.skipped
@options.fields
@options.threads
@options.quiet
def dedup_command(
    paths: tuple[Path, ...],
    output: Path,
    keep: str,
    dropped: Path | None,
    skipped: Path | None,
    quiet: bool,
    fields: Fields,
    **asked: Any,  # what is asked of `tell`
) -> int:
    """Write one of each: the records of a pile as they came, without those that a kept one covers.

    JSON lines, JSON, CSV, TSV and Parquet files, and folders of texts or pages; never across forms. Exit code 3 says that it is done but some
    records were skipped, three of each kind named on stderr.
    """
    refuse(*((is_sqlite(path), f"{path} is an archive: export it first") for path in paths))
    check_writable(None if output.is_dir() else output, dropped, skipped, inputs=paths)
    places = plan_copy(paths, output)
    with tell(
        paths, output, skipped, quiet, decide="alignment", rule="anchored", fields=fields, **asked
    ) as told:
        kept = told.keep_one(keep, threads=asked["threads"])
        with name_output(output):
            written = copy_records(places, fields, set(kept.articles).__contains__)
        write_lines(dropped, kept.dropped)
        code = name_problems(told)
        if not quiet:
            say(f"{count(told.articles)}, {len(kept.dropped):,} left out, {written:,} written to {output}")
        return code


def _write_graph(graph: Graph, form: str, output: Path | None) -> None:
    if form == "parquet":
        write_parquet(graph.to_arrow(), output)
        return
    with open_output(output) as out:
        if form == "jsonl":
            for edge in graph:
                write_line(dict(zip(graph.heads, edge, strict=True)), out)
        elif form == "json":
            write_line(graph.to_dict(), out)
        elif form == "graphml":
            tame(out).writelines(graph.graphml())
        elif form in CSV:
            csv_writer(graph.heads, form, out)(graph)
        else:
            heads = [head.replace("_", " ") for head in graph.heads]
            rows = ([_show_cell(cell) for cell in edge] for edge in graph[:TABLE_ROWS])
            print_table(heads, rows, out)
            _say_more(len(graph) - TABLE_ROWS, out)


def _show_cell(cell: Any) -> str:
    return f"{cell:,.0f}" if isinstance(cell, int | float) else "" if cell is None else one_line(cell)


def all_files(paths: Sequence[Path]) -> Iterator[Path]:
    """All files of the paths, those of an archive included."""
    return chain.from_iterable(files_of(path) if is_sqlite(path) else [path] for path in paths)


@contextmanager
def tell(
    paths: tuple[Path, ...],
    output: Path | None,
    skipped: Path | None,
    quiet: bool,
    *,
    work: Path | None,
    memory: int | None,
    preset: str,
    method: tuple[str, ...],
    decide: Literal["alignment", "method"],
    rule: Literal["anchored", "closure"],
    fields: Fields,
    threads: int | None,
) -> Iterator[Stories]:
    """The stories of some paths, or of the one archive that is given, which stays open meanwhile, as does a folder for work."""
    by_method, archives = decide == "method", [path for path in paths if is_sqlite(path)]
    refuse(
        (archives and len(paths) > 1, f"{archives[0] if archives else ''} is an archive: give it alone"),
        (archives and (preset != DEFAULT_PRESET or method or by_method), "an archive has its own preset and methods"),
        (by_method and len(method) != 1, f"--decide method: needs one --method, got {len(method)}"),
        (by_method and rule != "closure", "--decide method: only with --rule closure"),
        (by_method and work, "--work: not with --decide method, which holds all sketches in memory"),
        (archives and (work or memory), "--work: not with an archive, which is in a file already"),
        *options.needing_alignment(by_method, preset=preset != DEFAULT_PRESET),
    )  # fmt: skip
    inputs = list(paths)
    if archives:
        with open_archive(archives[0], threads=threads) as store, store.at_one_moment():
            with show_progress(quiet, None) as progress:
                told = stories(store, rule=rule, progress=progress)
            yield told
        return
    chosen, size = [options.read_method(one) for one in method], total_bytes(inputs)
    common: dict[str, Any] = {"threads": threads, "fields": fields}
    can_work = not (by_method or any(one.is_directed for one in chosen))
    with work_in(work, memory, size, output, quiet, can_work=can_work) as how:
        with show_progress(quiet, size) as progress, open_skipped(skipped) as skip:
            common |= {"progress": progress, "skip": skip}
            if by_method:
                found = opinions(inputs, chosen[0], **common)
                told = stories(found, rule=rule, threads=threads, progress=progress)
            else:
                told = stories(inputs, rule=rule, preset=preset, method=chosen or None, **how, **common)
        yield told


def _choose(wanted: str, told: Stories, paths: Sequence[Path]) -> Story:
    """The story of the article that is meant, by its id as a table shows it."""
    meant = find_meant(wanted, [*told.ids, *told.former])
    if len(meant) > 1:
        raise UsageError(f"{wanted}: may be {', '.join(map(one_line, meant[:3]))}: write more of the id")
    story = told.of(meant[0]) if meant else None
    if story is None:
        raise SourceError(f"{wanted}: no article of {', '.join(map(str, paths))} has this id")
    return story


def _write_stories(told: Stories, form: str, output: Path | None, paths: Sequence[Path]) -> None:
    if form == "parquet":
        write_parquet(told.to_arrow(), output)
        return
    with open_output(output) as out:
        if form == "jsonl":
            tame(out).writelines(told.json_lines())
        elif form in CSV:
            csv_writer(STORY_HEADS, form, out)(told.rows())
        else:
            _show_stories(told, out, paths)


def _write_one(story: Story, form: str, output: Path | None) -> None:
    refuse((form not in ("jsonl", "table"), "--story: one story is written as JSON, or shown as a table"))
    with open_output(output) as out:
        if form == "jsonl":
            write_line(story.to_dict(), out)
        else:
            _show_story(story, out)


def _write_series(series: Sequence[Series], form: str, output: Path | None, told: Stories) -> None:
    refuse((form == "parquet", "--series: written as JSON lines or CSV, or shown as a table"))
    with open_output(output) as out:
        if form == "jsonl":
            for one in series:
                write_line(one.to_dict(), out)
        elif form in CSV:
            csv_writer(SERIES_HEADS, form, out)(
                (one.id, one.title, len(one.articles), " ".join(one.sources), one.first_seen, one.last_seen, one.slots)
                for one in series
            )  # fmt: skip
        elif series:
            shown = sorted(series, key=lambda one: -len(one.articles))[:TABLE_ROWS]
            columns = {
                "articles": [f"{len(one.articles):,}" for one in shown],
                "slots": [f"{one.slots:,}" for one in shown],
                "first": [show_date(one.first_seen or "") for one in shown],
                "last": [show_date(one.last_seen or "") for one in shown],
            }
            names = [one.id for one in shown]
            print_columns(
                open_console(out), columns, [one.title for one in shown], names, Ids(lambda: told.ids)
            )
            _say_more(len(series) - len(shown), out)


def _say_more(more: int, out: IO[str]) -> None:
    if more > 0:
        print(f"… and {more:,} more; write all with --output FILE", file=out)


def _show_stories(told: Stories, out: IO[str], paths: Sequence[Path]) -> None:
    """Print the largest stories, and how many there are."""
    if not len(told):
        if told.articles:
            out.write(f"nothing found: no stories of two articles or more among {count(told.articles)}\n")
        return
    console = open_console(out)
    sizes = told.sizes()
    largest = (-sizes).argsort(kind="stable")[:TABLE_ROWS]
    shown = sorted(told.tell(sorted(largest.tolist())), key=lambda story: -len(story.articles))
    columns = {
        "articles": [f"{len(one.articles):,}" for one in shown],
        "sources": [f"{len(one.sources):,}" if one.sources else "" for one in shown],
        "versions": [f"{len(one.versions):,}" if console.width >= WIDE else "" for one in shown],
        "first seen": [show_date(one.first_seen or "") for one in shown],
    }
    print_columns(
        console, columns, [one.title for one in shown], [one.id for one in shown], Ids(lambda: told.ids)
    )
    _say_more(len(told) - len(shown), out)
    inside = count(int(sizes.sum()))
    print(f"{count(len(told), 'story', 'stories')} of {inside}, the largest of {sizes.max():,}", file=out)
    places = " ".join(quote(clean(str(path))) for path in paths)
    print(f"one in full: wirecopy stories {places} --story ID", file=out)


def _show_story(story: Story, out: IO[str]) -> None:
    """Print one story in full: its articles in time, and what each version changed."""
    console = open_console(out)
    counts = f"{count(len(story.articles))}, {count(len(story.versions), 'version')}, {count(len(story.sources), 'source')}"
    out.write(f"{plain(story.title) or one_line(story.id)}: {counts}; {_say_origin(story.origin)}\n")
    members = story.articles
    is_wide = console.width >= WIDE
    numbers = {one.id: str(number) for number, one in enumerate(members, 1)}
    columns = {
        "": [numbers[one.id] for one in members],
        "version": [str(one.version) for one in members],
        "date": [show_date(one.published or "") for one in members],
        "source": [fit(plain(one.source), console.width // 6) for one in members],
        "from": [_say_parent(one, numbers, is_wide) for one in members],
    }
    ids = Ids(lambda: numbers)
    print_columns(console, columns, [one.title for one in members], list(numbers), ids)
    for version in story.versions:
        if version.change:
            out.write(
                f"version {version.number}, of version {version.change.since}: {_say_change(version.change)}\n"
            )


def _say_parent(member: Member, numbers: dict[str, str], is_wide: bool) -> str:
    if not member.parent:
        return ""
    basis = f" ({member.parent.basis})" if is_wide else ""
    return numbers[member.parent.article] + basis


def _say_change(change: Change) -> str:
    counts = {one: getattr(change, one) for one in ("added", "cut", "reworded", "moved")}
    said = [f"{count(number, 'word')} {what}" for what, number in counts.items() if number]
    return ", ".join(said or ["other marks only"]) + "; revised at the same address" * change.revised


def _say_origin(origin: Origin) -> str:
    if origin.agency:
        return f"credited to {plain(origin.agency)}" + ", which is not among these articles" * (
            not origin.present
        )
    return (
        "the first of them is known"
        if origin.basis == "earliest"
        else f"which was first is not known: {origin.basis}"
    )


def summarise_stories(told: Stories, quiet: bool) -> int:
    """Name what was skipped, say what was found; return the exit code."""
    code = name_problems(told)
    for warning in told.warnings:
        say(f"warning: {warning}")
    if not told.articles:
        say("no articles found")
    elif not quiet:
        sizes = told.sizes()
        said = [count(told.articles), f"{count(len(told), 'story', 'stories')} of {count(int(sizes.sum()))}"]
        said.append(f"the largest of {int(sizes.max(initial=0)):,}")
        said.append(count(len(told.grouped.links), "link"))
        if told.placeholders:
            said.append(count(told.placeholders, "placeholder"))
        say(", ".join(said))
    return code
