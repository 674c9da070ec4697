"""The service of an archive, and the tokens that it asks for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from ..errors import MissingExtra
from . import options
from .show import print_table
from .webhook import deliver_to
from .writing import say

SCOPES = ("read", "check", "write", "judge", "admin")


@click.command("serve")
@options.archive
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where to listen. Another than this machine's own needs a token in the archive.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8470,
    show_default=True,
    metavar="N",
    help="0 for any that is free.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name that requests may be for, such as that of a proxy in front; may be repeated.",
)
@click.option(
    "--public", metavar="URL", help="The address that links begin with, such as https://copies.example."
)
@options.number("--threads", help="How many checks run at once, by default one for each core.")
@options.number(
    "--waiting", help="How many more may wait, by default four for each thread; others are refused at once."
)
@click.option(
    "--body",
    "body_bytes",
    type=click.IntRange(min=1),
    default=4 << 20,
    show_default=True,
    metavar="BYTES",
    help="The largest body of a request.",
)
@click.option(
    "--rate",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    metavar="N",
    help="The most requests a second of one caller.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.1),
    default=10.0,
    show_default=True,
    metavar="X",
    help="The longest that a request may wait and work.",
)
@deliver_to
@click.option("--deliver/--no-deliver", default=True, help="Whether messages are sent to webhooks.")
@options.quiet
def serve_command(archive: Path, quiet: bool, **given: Any) -> None:
    """Serve ARCHIVE over HTTP: check texts, add articles, read stories; Ctrl-C or SIGTERM ends it.

    On this machine no token is needed until the first is made with wirecopy token. What it says of requests goes to stderr,
    as JSON lines off a terminal. Nothing is ever fetched.
    """
    try:
        from ..service.log import Log
        from ..service.serving import serve
        from ..service.settings import Settings
    except ImportError as error:
        raise MissingExtra("wirecopy serve", "service") from error
    if given["threads"] is None:
        del given["threads"]
    serve(
        Settings(archive, **given), Log(quiet=quiet), lambda address: say(f"serving {archive} at {address}")
    )


@click.group("token")
@options.archive
@options.no_talk
@click.pass_context
def token_command(context: click.Context, archive: Path) -> None:
    """Make, list or revoke the tokens that the service of ARCHIVE asks for; it need not run, and may."""
    context.obj = archive


@token_command.command("new")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    metavar="NAME",
    help=f"What it is for: {', '.join(SCOPES)}, which is all; may be repeated. By default read and check.",
)
@click.option(
    "--expires",
    metavar="DATE|TIME",
    help="Until when it is valid, or for how long: 2027-01-01, 90d. By default until it is revoked.",
)
@click.pass_obj
def new_command(archive: Path, name: str, scopes: tuple[str, ...], expires: str | None) -> int:
    """Make a token for NAME, and write it to stdout; it cannot be shown again."""
    from ..archive.desk import Desk
    from ..archive.tokens import read_expiry

    with Desk(archive) as desk:
        token, secret = desk.tokens.make(name, scopes or ("read", "check"), read_expiry(expires))
    say(f"token {token.number}, for {', '.join(token.scopes)}; it is shown this once:")
    print(secret)
    return 0


@token_command.command("list")
@options.as_json
@click.pass_obj
def list_command(archive: Path, as_json: bool) -> int:
    """List the tokens of ARCHIVE, without what they are."""
    import sys

    from ..archive.desk import Desk

    with Desk(archive) as desk:
        found = [token.to_dict() for token in desk.tokens.all().values()]
    if as_json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return 0
    heads = ("number", "name", "scopes", "made", "expires", "revoked")
    rows = [
        (str(one["number"]), one["name"], " ".join(one["scopes"]), *(one[name] or "" for name in heads[3:]))
        for one in found
    ]
    print_table(heads, rows, sys.stdout)
    return 0


@token_command.command("revoke")
@click.argument("which", metavar="NUMBER|NAME")
@click.pass_obj
def revoke_command(archive: Path, which: str) -> int:
    """Let a token be valid no more, from this moment on."""
    from ..archive.desk import Desk

    with Desk(archive) as desk:
        token = desk.tokens.revoke(which)
    say(f"token {token.number} ({token.name}) is no longer valid")
    return 0
