"""Options that several commands have."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from .. import methods
from ..comparison import DEFAULT_PRESET, PRESETS
from ..errors import SourceError, UsageError
from ..sources import Fields
from ..statistics import Statistics

Command = Callable[..., Any]


class _File(click.Path):
    """A path, which may be that of nothing; an empty one would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            raise SourceError("'': no such file or folder")
        return super().convert(value, param, ctx)


FILE = _File(path_type=Path)

preset_option = click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    metavar="NAME",
    default=DEFAULT_PRESET,
    show_default=True,
    help="What counts as copied: "
    + "; ".join(f"{name}, for {preset.about}" for name, preset in PRESETS.items())
    + ".",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress, no summary; complaints only.")
output_option = click.option(
    "-o", "--output", type=FILE, metavar="FILE", help="Write there instead of to stdout."
)
threads_option = click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="By default one for each core."
)
jsonl_option = click.option(
    "--jsonl", is_flag=True, help="One JSON object a line (the default off a terminal)."
)
csv_option = click.option("--csv", is_flag=True, help="One line a match, without passages.")
parquet_option = click.option("--parquet", is_flag=True, help="A Parquet file; needs --output.")
pairs_option = click.option(
    "--pairs",
    type=click.Choice(["linked", "all"]),
    default="linked",
    show_default=True,
    help="Members of a family too big to pair all with all: linked to its earliest members, or every pair.",
)
accepted_option = click.option(
    "--accepted", is_flag=True, help="With --decide method: only what the method accepts."
)
archive_argument = click.argument("archive", type=FILE)
archive_preset_option = click.option(
    "--preset",
    type=click.Choice(list(PRESETS)),
    metavar="NAME",
    help="What counts as copied, if not what the archive was made with.",
)


def decide_option(method: str) -> Callable[[Command], Command]:
    """Who decides."""
    return click.option(
        "--decide",
        type=click.Choice(["alignment", "method"]),
        default="alignment",
        show_default=True,
        help=f"Who decides: the words, or the rule of {method}.",
    )


def field_options(command: Command) -> Command:
    """Where records hold what is read of them; the command gets them as `fields`."""

    @wraps(command)
    def run(
        *arguments: Any,
        text_field: str | None,
        id_field: str | None,
        published_field: str | None,
        title_field: str | None,
        **options: Any,
    ) -> Any:
        fields = Fields(text_field, id_field, published_field, title_field)
        return command(*arguments, fields=fields, **options)

    return _with_options(
        run,
        click.option("--text-field", metavar="NAME", help="Where the text stands in a record."),
        click.option("--id-field", metavar="NAME", help="Where the id stands in a record."),
        click.option("--published-field", metavar="NAME", help="Where the date stands in a record."),
        click.option("--title-field", metavar="NAME", help="Where the title stands in a record."),
    )


def making_options(command: Command) -> Command:
    """What a new archive is made with; the command gets it as `making`, the arguments of `Archive.open`."""

    @wraps(command)
    def run(
        *arguments: Any,
        method: tuple[str, ...],
        preset: str | None,
        window: str | None,
        statistics: Path | None,
        **options: Any,
    ) -> Any:
        making = {
            "method": [read_method(one) for one in method] or None,
            "preset": preset,
            "window": window,
            "statistics": Statistics.load(statistics) if statistics else None,
        }
        return command(*arguments, making=making, **options)

    return _with_options(
        run,
        click.option(
            "--window",
            metavar="TIME",
            help="A new archive keeps articles for so long after they were published: 36h, 14d, 2w. By default for ever.",
        ),
        click.option(
            "--preset",
            type=click.Choice(list(PRESETS)),
            metavar="NAME",
            help=f"What counts as copied in a new archive: {', '.join(PRESETS)}. By default {DEFAULT_PRESET}.",
        ),
        click.option(
            "--method",
            multiple=True,
            metavar="NAME[:PARAMETER=VALUE,...]",
            help="What nominates in a new archive; may be repeated. By default as find.",
        ),
        click.option(
            "--statistics",
            type=FILE,
            metavar="FILE",
            help="What a method of a new archive weighs words by, made by wirecopy weigh.",
        ),
    )


def _with_options(command: Command, *options: Callable[[Command], Command]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def read_method(given: str) -> methods.Method:
    """A method from `name` or `name:parameter=value,…`."""
    name, _, rest = given.partition(":")
    parameters: dict[str, Any] = {}
    for part in filter(None, re.split(r",(?=\w+=)", rest)):
        parameter, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"--method {given}: expected parameter=value, got {part!r}")
        try:
            parameters[parameter] = json.loads(value)
        except ValueError:
            parameters[parameter] = value
    return methods.get(name, **parameters)
