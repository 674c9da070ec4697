"""Articles as they come, from a stream or a folder that grows: each is answered, then kept."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import numpy as np

from .. import _core
from ..errors import SourceError, refuse
from ..model import ABOUT, Articles, Relation, count, one_line
from ..sources import Fields, jsonl, read
from ..sources.paths import Files
from . import options
from .archive import find_files, open_or_make, say_changed
from .show import say_verdict
from .webhook import deliver_to, open_desk, read_places
from .words import in_options
from .writing import count_skipped, say, say_ahead, say_ranked, say_skipped, write_line

if TYPE_CHECKING:
    from ..archive import Archive, Observed

VERBS = {
    Relation.IDENTICAL: "identical to",
    Relation.NEAR_DUPLICATE: "near-duplicate of",
    Relation.CONTAINED_IN: "contained in",
    Relation.CONTAINS: "contains",
    Relation.PARTIAL: "most from",
    Relation.FORM: "filled in anew: form of",
}
"""How an article that came relates to one that was there, the closest relation first."""


@click.command("watch")
@options.archive
@click.argument("folder", default="-", metavar="[DIR]", type=options.FILE)
@options.flag("--once", help="Of a folder: end after what is there.")
@click.option(
    "--every",
    type=click.FloatRange(min=0.05),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to look into the folder.",
)
@options.replace
@options.flag(
    "--notify",
    help="Tell the webhooks of the archive what articles share with others, and send the messages.",
)
@deliver_to
@options.archive_decide
@options.relation
@options.making
@options.fields
@options.wait
@options.flag("--jsonl", help="One JSON object an article (the default off a terminal).")
@options.quiet
def watch_command(
    archive: Path,
    folder: Path,
    once: bool,
    every: float,
    replace: bool,
    notify: bool,
    deliver_to: tuple[str, ...],
    decide: Literal["alignment", "method"],
    relations: tuple[str, ...] | None,
    making: dict[str, Any],
    fields: Fields,
    wait: float,
    jsonl: bool,
    quiet: bool,
) -> int:
    """Answer articles as they come, and keep them in ARCHIVE, which is made if there is none.

    Articles come as JSON lines through stdin, or as files in the folder DIR, which is looked into again and again; a file
    is read once it has stopped growing. Each article is answered with one line as soon as it is kept: what it shares with
    those that came before, or why it was not kept. The end of the input or Ctrl-C ends it.
    """
    from ..archive import Status

    refuse(
        *options.needing_alignment(decide == "method", relation=relations, notify=notify),
        (deliver_to and not notify, "--deliver-to: only with --notify"),
    )
    from_folder = str(folder) != "-"
    if from_folder and not folder.is_dir():
        raise SourceError(
            f"{folder}: expected a folder, or - for stdin; add files with wirecopy add {archive} {folder}"
        )
    reading = dataclasses.replace(fields, about=ABOUT)
    reading.check()
    batches = _in_folder(folder, archive, reading, once, every) if from_folder else _in_lines(reading)
    as_json = jsonl or not sys.stdout.isatty()
    counts: Counter[str] = Counter()
    with (
        open_or_make(archive, quiet, **making) as store,
        open_delivery(archive, notify, deliver_to, quiet) as wake,
    ):
        before = len(store)
        if not quiet and not from_folder and sys.stdin.isatty():
            say("reading articles as JSON lines; Ctrl-D ends")
        try:
            for batch in batches:
                for one in batch.skipped:
                    counts["unusable"] += 1
                    say_skipped(one)
                for row in range(len(batch)):
                    # Others may write between two articles.
                    with store.writing(wait=wait):
                        [observed] = store.observe(
                            batch.take([row]),
                            decide=decide,
                            relations=relations,
                            replace=replace,
                            notify=notify,
                        )
                    wake()
                    counts[observed.status] += 1
                    if observed.ahead:
                        say_ahead(observed.answer.query, observed.ahead)
                    # What a folder held before is no news.
                    if not (from_folder and observed.status == Status.KNOWN):
                        write(observed, as_json)
        except KeyboardInterrupt:
            say("")
        if not quiet:
            summarise_watched(counts, before, store)
    return count_skipped(counts["unusable"])


@contextmanager
def open_delivery(
    archive: Path, notify: bool, deliver_to: tuple[str, ...], quiet: bool
) -> Iterator[Callable[[], object]]:
    """Send messages meanwhile, and at the end what is due then; gives what is called when there may be some."""
    if not notify:
        yield lambda: None
        return
    from ..service.delivering import Deliverer, deliver_due

    places = read_places(deliver_to)
    deliverer = Deliverer(archive, places)
    deliverer.start()
    try:
        yield deliverer.wake
    finally:
        deliverer.stop()
    with open_desk(archive) as desk:
        deliver_due(desk, places)
        waiting = desk.outbox.count()["messages_waiting"]
    if waiting and not quiet:
        say(
            f"{count(waiting, 'message')} not delivered yet: sent by the next watch --notify, by wirecopy serve, or wirecopy webhook {archive} deliver"
        )


def summarise_watched(counts: Counter[str], before: int, store: Archive) -> None:
    """Say what became of the articles that came, by their status; there were so many articles before."""
    others = {
        "known already": counts["known"],
        "not kept": counts["late"] + counts["skipped"],
        "left the window": before + counts["added"] - len(store),
    }
    say_changed(store, f"{count(counts['added'] + counts['replaced'])} kept", others)


def write(observed: Observed[Any], as_json: bool) -> None:
    """Write what is to be said of an article as one line, without delay: as JSON, or for a person."""
    observed = dataclasses.replace(observed, reason=in_options(observed.reason))
    if as_json:
        write_line(observed.to_dict(), sys.stdout)
    else:
        sys.stdout.write(one_line(say_observed(observed)) + "\n")
    sys.stdout.flush()


def say_observed(observed: Observed[Any]) -> str:
    """The answer to an article that came, and why it was not kept, if so, for a person."""
    from ..archive import Ranked

    answer = observed.answer
    if isinstance(answer, Ranked):
        said = say_ranked(answer)
        if answer.opinions:
            said += f"; first {answer.opinions[0].found}"
    else:
        said = say_verdict(answer)
        if answer.matches:
            best = min(answer.matches, key=lambda match: list(VERBS).index(match.relation))
            said += f"; {VERBS[best.relation]} {best.found}"
            story = next(one.story for one in answer.found if one.match is best)
            said += f", story {story}" if story not in (None, best.found) else ""
    not_kept = "" if observed.kept else f"; not kept: {observed.reason}"
    return f"{answer.query}: {said}{not_kept}"


def _in_lines(fields: Fields) -> Iterator[Articles]:
    """Read stdin, one batch for each line."""
    lines: Iterable[bytes] = sys.stdin.buffer
    if fields.encoding:
        read = TextIOWrapper(sys.stdin.buffer, fields.encoding, "replace", newline="\n")
        lines = (line.encode() for line in read)
    for number, line in enumerate(lines, 1):
        batch = jsonl.parse(np.frombuffer(line, np.uint8), number, "-", fields)
        # The number of a line means nothing the next time: a record without an id is named as a bare text is.
        if list(batch.ids) == [f"-:{number}"]:
            batch = dataclasses.replace(batch, ids=_core.blake3_hex([bytes(batch.text)]))
        yield batch


def _in_folder(folder: Path, archive: Path, fields: Fields, once: bool, every: float) -> Iterator[Articles]:
    """Read the files of a folder, again when they change; a file that grows is read once it has stopped."""
    before: dict[Path, Any] = {}
    taken: dict[Path, Any] = {}
    while True:
        [found] = find_files([folder], archive)
        now = {file.path: _state(file.path) for file in found.files}
        ready = [
            file
            for file in found.files
            if taken.get(file.path) != now[file.path] and (once or before.get(file.path) == now[file.path])
        ]
        for work in read([Files(tuple(ready))], fields=fields):
            yield work()
        taken |= {file.path: now[file.path] for file in ready}
        if once:
            return
        before = now
        time.sleep(every)


def _state(path: Path) -> tuple[int, int] | None:
    """Size and time of change of a file, which differ once it has changed; None where there is none."""
    try:
        known = path.lstat()
    except OSError:
        return None
    return known.st_size, known.st_mtime_ns
