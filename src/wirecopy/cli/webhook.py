"""Who is told of matches: the webhooks of an archive, and what became of their messages."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import UsageError, refuse
from ..model import count, one_line
from . import options
from .show import print_table
from .writing import say

if TYPE_CHECKING:
    from ..archive.desk import Desk
    from ..service.outbound import Place

STATES = ("waiting", "delivered", "dead", "removed")
LISTED = 100
deliver_to = click.option(
    "--deliver-to",
    multiple=True,
    metavar="HOST:PORT",
    help="A receiver on this machine or in its network, to which messages may go though its address is not public; may be repeated.",
)


def open_desk(archive: Path) -> Desk:
    """What may be done beside the writer of an archive."""
    from ..archive.desk import Desk

    return Desk(archive)


def read_places(given: Sequence[str]) -> list[Place]:
    """The places of --deliver-to."""
    from ..service.outbound import read_place

    return [read_place(one) for one in given]


@click.group("webhook")
@options.archive
@options.no_talk
@click.pass_context
def webhook_command(context: click.Context, archive: Path) -> None:
    """Say who is told of matches with articles of ARCHIVE, and see what became of the messages.

    Messages are posted by watch --notify, and by the service for texts that are checked or observed with notify; they are
    sent by whichever of the two runs, or by deliver.
    """
    context.obj = archive


@webhook_command.command("new")
@click.argument("url")
@click.option(
    "--poster", metavar="NAME", help="Tell of what is posted under this name, or is of this source or author."
)
@click.option("--source", metavar="NAME", help="Tell of matches with articles of this source.")
@click.option("--author", metavar="NAME", help="Tell of matches with articles of this author.")
@options.relation
@click.option(
    "--min-share",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="X",
    help="Tell only of matches in which this share of either article is in the other.",
)
@click.option(
    "--min-words",
    type=click.IntRange(0),
    default=0,
    metavar="N",
    help="Tell only of matches with so many equal words.",
)
@options.flag("--passages", help="Tell the passages, too, with their texts.")
@click.option(
    "--link", metavar="URL", help="The page to look at, in which {query} and {found} stand for the ids."
)
@click.pass_obj
def new_command(archive: Path, /, url: str, relations: tuple[str, ...] | None, **policy: Any) -> int:
    """Make a webhook of ARCHIVE at URL, and write its secret to stdout; that cannot be shown again.

    Without --poster, --source or --author it is told of all matches; of forms only with --relation form.
    """
    from ..archive.policies import Policy

    warn_inside(url)
    chosen = Policy.from_dict(policy | {"relations": relations and list(relations)})
    with open_desk(archive) as desk:
        webhook, secret = desk.outbox.add(url, chosen)
    say(f"{webhook.id}; its secret is shown this once:")
    print(secret)
    return 0


def warn_inside(url: str) -> None:
    """Say so if nothing is sent to an address unless that is asked for; raises UsageError for what is no address."""
    from ..service.outbound import InsideError, RefusedError, UnreachableError, check_address

    try:
        check_address(url)
    except InsideError:
        say("warning: not a public address: messages go there only with --deliver-to HOST:PORT")
    except RefusedError as error:
        raise UsageError(f"{url}: {error}") from None
    except UnreachableError as error:
        say(f"warning: {one_line(url)}: {error}")


@webhook_command.command("list")
@options.as_json
@click.pass_obj
def list_command(archive: Path, as_json: bool) -> int:
    """List the webhooks of ARCHIVE, without their secrets."""
    with open_desk(archive) as desk:
        found = [one.to_dict() for one in desk.outbox.webhooks()]
    return write_rows(found, as_json, ("id", "url", "told of", "disabled"), _show_webhook)


def _show_webhook(told: Mapping[str, Any]) -> Sequence[str]:
    policy = told["policy"]
    whose = next((f"{name} {policy[name]}" for name in ("poster", "source", "author") if policy[name]), "all")
    return told["id"], told["url"], whose, told["reason"] or ""


def write_rows(
    found: Sequence[dict[str, Any]],
    as_json: bool,
    heads: Sequence[str],
    show: Callable[[dict[str, Any]], Sequence[str]],
) -> int:
    """Write objects as JSON, or as a table."""
    if as_json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        print_table(heads, [[one_line(cell) for cell in show(one)] for one in found], sys.stdout)
    return 0


@webhook_command.command("remove")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.pass_obj
def remove_command(archive: Path, ids: tuple[str, ...]) -> int:
    """Forget webhooks and all their messages."""
    with open_desk(archive) as desk:
        for id in ids:
            desk.outbox.remove(id)
    say(f"{count(len(ids), 'webhook')} removed")
    return 0


@webhook_command.command("enable")
@click.argument("id")
@click.pass_obj
def enable_command(archive: Path, id: str) -> int:
    """Let a webhook be told again that was disabled, by hand or by its receiver; replay sends what it missed."""
    with open_desk(archive) as desk:
        desk.outbox.change(id, enabled=True)
    return 0


@webhook_command.command("disable")
@click.argument("id")
@click.pass_obj
def disable_command(archive: Path, id: str) -> int:
    """Let a webhook be told nothing more; what waits for it is dead."""
    with open_desk(archive) as desk:
        desk.outbox.change(id, enabled=False)
    return 0


@webhook_command.command("rotate")
@click.argument("id")
@click.pass_obj
def rotate_command(archive: Path, id: str) -> int:
    """Write a new secret of a webhook to stdout; for a day messages are signed with the one before as well."""
    with open_desk(archive) as desk:
        print(desk.outbox.rotate(id))
    return 0


@webhook_command.command("test")
@click.argument("id")
@click.pass_obj
def test_command(archive: Path, id: str) -> int:
    """Post a message that says nothing but that it is one, and write its id to stdout."""
    with open_desk(archive) as desk:
        print(desk.outbox.post_test(id))
    return 0


@webhook_command.command("messages")
@click.option("--webhook", metavar="ID", help="Only those of this webhook.")
@click.option(
    "--state",
    type=click.Choice(STATES),
    metavar="NAME",
    help=f"Only those that are {', '.join(STATES[:-1])} or {STATES[-1]}.",
)
@options.number("--top", help=f"The newest N, {LISTED} if not told.")
@options.as_json
@click.pass_obj
def messages_command(
    archive: Path, webhook: str | None, state: str | None, top: int | None, as_json: bool
) -> int:
    """List the messages of ARCHIVE, the newest first; dead ones were given up, and can be replayed."""
    with open_desk(archive) as desk:
        found = desk.outbox.messages(webhook=webhook, state=state, limit=top or LISTED)
    heads = ("id", "webhook", "made", "state", "attempts", "error")
    return write_rows([one.to_dict() for one in found], as_json, heads, _show_message)


def _show_message(told: Mapping[str, Any]) -> Sequence[str]:
    return (
        told["id"],
        told["webhook"],
        told["made"],
        told["state"],
        f"{told['attempts']:,}",
        told["error"] or "",
    )


@webhook_command.command("replay")
@click.argument("ids", nargs=-1, metavar="ID...")
@options.flag("--all", "every", help="All dead messages of all webhooks.")
@click.pass_obj
def replay_command(archive: Path, ids: tuple[str, ...], every: bool) -> int:
    """Send messages again, under the ids that they have: of a message's ID itself, of a webhook's all that are dead."""
    refuse((bool(ids) == every, "name messages or webhooks, or all with --all"))
    with open_desk(archive) as desk:
        outbox = desk.outbox
        number = outbox.replay() if every else 0
        for id in ids:
            number += outbox.replay(webhook=id) if id.startswith("wh_") else outbox.replay(id=id)
    say(f"{count(number, 'message')} to be sent again")
    return 0


@webhook_command.command("deliver")
@deliver_to
@click.pass_obj
def deliver_command(archive: Path, deliver_to: tuple[str, ...]) -> int:
    """Send the messages that are due now, each once; a running service does so by itself.

    Exit code 1 says that some could not be delivered; they are due again later, for three days.
    """
    from ..service.delivering import deliver_due

    places = read_places(deliver_to)
    with open_desk(archive) as desk:
        counts = deliver_due(desk, places)
    say(say_delivered(counts))
    return int(bool(counts["failed"]))


def say_delivered(counts: Mapping[str, int]) -> str:
    """What became of messages, in words."""
    failed = f", {count(counts['failed'], 'message')} failed" if counts.get("failed") else ""
    return f"{count(counts.get('delivered', 0), 'message')} delivered{failed}"
