"""The command with which people judge pairs of an archive."""

from __future__ import annotations

import getpass
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import MissingExtra, UsageError, refuse
from ..model import Skipped, count
from . import options
from .show import show_progress
from .writing import check_writable, name_examples, open_output, say, write_line

if TYPE_CHECKING:
    from ..archive.desk import Desk
    from ..archive.queues import Queue
    from ..evaluation.pooling import Nominated

DOUBTFUL = "doubtful"
"""The name of the queue of doubtful pairs."""


@click.command("judge")
@options.archive
@options.file(
    "--pool",
    "pools",
    multiple=True,
    help="Queue the pairs of this pool, or of any file with query and found; may be repeated.",
)
@options.flag("--doubtful", help="Queue the pairs of ARCHIVE that lie near what decides their relation.")
@click.option(
    "--queue", "name", metavar="NAME", help="Which queue; by default named after the pool, or the only one."
)
@click.option(
    "--task",
    metavar="NAME|FILE",
    help="The labels of a new queue: relations (the default), cedar, codet, or a file that names them.",
)
@click.option("--judge", metavar="NAME", help="Who judges; by default your name on this machine.")
@options.file(
    "--import",
    "imported",
    multiple=True,
    help="Add judgements from this file; may be repeated. Serves nothing.",
)
@options.file(
    "--export",
    "exported",
    help="Write the judgements of the queue to this file, as JSON lines. Serves nothing.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="N", help="By default any that is free."
)
@options.flag("--open", "opens", help="Open the page in a browser.")
@options.quiet
def judge_command(
    archive: Path,
    pools: tuple[Path, ...],
    doubtful: bool,
    name: str | None,
    task: str | None,
    judge: str | None,
    imported: tuple[Path, ...],
    exported: Path | None,
    port: int,
    opens: bool,
    quiet: bool,
) -> int:
    """Judge pairs of articles of ARCHIVE in a browser: say of each how one relates to the other, by keys, without seeing what others said.

    Two people judge each pair, a third what they disagree on; more people judge in turn, or at once with wirecopy serve and tokens. The
    address is for one person, and this machine, until Ctrl-C. A judgement is on disk once the next pair is shown. Exit code 3 says that
    some records were skipped.
    """
    from ..archive.desk import Desk

    check_writable(exported, inputs=[archive], files=[*pools, *imported])
    refuse(
        (bool(pools) and doubtful, "--pool, --doubtful: one queue comes of one of them"),
        (bool(task) and not (pools or doubtful), "--task: only for a new queue, with --pool or --doubtful"),
    )
    skipped: list[Skipped] = []
    with Desk(archive) as desk:
        queue = _choose(desk, archive, pools, doubtful, name, task, quiet, skipped)
        if imported:
            _import(desk, queue, imported, quiet, skipped)
        if exported:
            _export(desk, queue, exported)
    code = name_examples(skipped)
    if not (imported or exported):
        _serve(archive, queue, judge or _own_name(), port, opens, quiet)
    return code


def _choose(
    desk: Desk,
    archive: Path,
    pools: Sequence[Path],
    doubtful: bool,
    name: str | None,
    task: str | None,
    quiet: bool,
    skipped: list[Skipped],
) -> Queue:
    """The queue that is meant, with the pairs that are to be added."""
    from ..evaluation.judging import make_queue
    from ..evaluation.pooling import read_pools
    from ..evaluation.tasks import read_task

    pairs: list[Nominated]
    if doubtful:
        name, pairs = name or DOUBTFUL, _find_doubtful(archive, quiet)
    elif pools:
        pairs, bad = read_pools(pools)
        skipped += bad
        name = name or pools[0].name.split(".")[0]
    else:
        known = desk.queues.all()
        meant = [one for one in known if name in (None, one.name)]
        if len(meant) == 1:
            return meant[0]
        names = ", ".join(one.name for one in known)
        way_out = f"name one of {names} with --queue" if known else "make one with --pool FILE or --doubtful"
        raise UsageError(f"{archive}: {'which queue is meant?' if meant else 'no such queue:'} {way_out}")
    known_one = desk.queues.get(name)
    if known_one and not task:
        from ..evaluation.judging import task_of

        chosen = task_of(known_one)
    else:
        chosen = read_task(task or "relations")
    queue, added = make_queue(desk.queues, name, chosen, pairs)
    if not quiet:
        say(f"queue {queue.name}: {count(added, 'pair')} added, {queue.pairs:,} in all")
    return queue


def _find_doubtful(path: Path, quiet: bool) -> list[Nominated]:
    from ..archive import Archive
    from ..evaluation.pooling import choose_doubtful

    with Archive.open(path) as archive, show_progress(quiet, None) as progress:
        return choose_doubtful(archive.pairs(progress=progress))


def _import(desk: Desk, queue: Queue, paths: Sequence[Path], quiet: bool, skipped: list[Skipped]) -> None:
    from ..archive.tokens import read_clock
    from ..evaluation.agreement import read_judgements
    from ..evaluation.judging import take_in, task_of

    pairs = {frozenset((one.query, one.found)) for one in desk.queues.pairs(queue.number)}
    judgements, bad = read_judgements(paths, task_of(queue), pairs)
    skipped += bad
    fresh, known = take_in(desk.queues, queue, judgements, read_clock())
    if not quiet:
        say(f"queue {queue.name}: {count(fresh, 'judgement')} added, {known:,} known or older")


def _export(desk: Desk, queue: Queue, path: Path) -> None:
    from ..evaluation.judging import read_said

    with open_output(path) as out:
        for one in read_said(desk.queues.all_said(queue.number)):
            write_line(one._asdict(), out)


def _own_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise UsageError("--judge NAME: nobody knows your name here") from None


def _serve(archive: Path, queue: Queue, judge: str, port: int, opens: bool, quiet: bool) -> None:
    """Let one person judge, at an address that nobody else knows."""
    try:
        from ..service.log import Log
        from ..service.serving import serve
        from ..service.settings import Settings
    except ImportError as error:
        raise MissingExtra("wirecopy judge", "service") from error
    key = secrets.token_urlsafe(24)
    settings = Settings(archive, port=port, person=judge, key=key, deliver=False)
    settings.check()

    def tell(address: str) -> None:
        place = f"{address}/enter?key={key}&next=/judge/{queue.number}"
        if not quiet:
            say(f"judging {archive} as {judge} at")
        print(place, flush=True)
        if opens:
            import webbrowser

            webbrowser.open(place)

    serve(settings, Log(quiet=True), tell)
