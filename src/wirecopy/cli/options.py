"""Options that several commands have, each a decorator that is named as its option: `@options.quiet`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial, wraps
from pathlib import Path
from typing import Any

import click

from .. import methods
from ..comparison import DEFAULT_PRESET, PRESETS, RELATIONS
from ..errors import SourceError, UsageError
from ..sources import Fields
from ..statistics import Statistics
from .writing import choose_form

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


class _File(click.Path):
    """A path, whether or not anything is there; an empty one is refused, as it would mean the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            raise SourceError("'': no such file or folder")
        return super().convert(value, param, ctx)


FILE = _File(path_type=Path)

flag = partial(click.option, is_flag=True)
file = partial(click.option, type=FILE, metavar="FILE")
number = partial(click.option, type=click.IntRange(min=1), metavar="N")
method = partial(click.option, "--method", multiple=True, metavar="NAME[:PARAMETER=VALUE,...]")
_preset = partial(
    click.option, "--preset", type=click.Choice(list(PRESETS)), metavar="NAME", show_default=True
)


def choice(name: str, *choices: str, help: str) -> Decorator:
    """An option that takes one of the choices, by default the first."""
    return click.option(name, type=click.Choice(choices), default=choices[0], show_default=True, help=help)


def decide(method: str) -> Decorator:
    """The option --decide, where `method` says in words whose rule it is."""
    help = f"Who decides: the words, or the rule of {method}."
    return choice("--decide", "alignment", "method", help=help)


PRESETS_TOLD = "; ".join(f"{name}, for {preset.about}" for name, preset in PRESETS.items())
preset = _preset(default=DEFAULT_PRESET, help=f"What counts as copied: {PRESETS_TOLD}.")
archive_preset = _preset(help="What counts as copied, if not what the archive was made with.")
place_preset = _preset(
    help=f"What counts as copied: {', '.join(PRESETS)}. By default what the archive was made with, or {DEFAULT_PRESET}."
)
archive_decide = decide("the one method of the archive")
archive = click.argument("archive", type=FILE)
paths = click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=FILE)
within = click.option(
    "--in",
    "within",
    type=FILE,
    multiple=True,
    metavar="PATH|ARCHIVE",
    help="Where the articles are whose ids, as a table shows them, are given; may be repeated.",
)
quiet = flag("-q", "--quiet", help="No progress, no summary; complaints only.")
no_talk = flag(
    "-q", "--quiet", expose_value=False, help="As everywhere; nothing is said here but complaints."
)
output = file("-o", "--output", help="Write there instead of to stdout.")
threads = number("--threads", help="By default one for each core.")
wait = click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait for another program that is writing to the archive.",
)
as_json = flag("--json", "as_json", help="As JSON.")
replace = flag("--replace", help="An id that is there with other content: take the new one.")
skipped = file("--skipped", help="Write every record that is skipped to this file, as JSON lines.")
accepted = flag("--accepted", help="With --decide method: only what the method accepts.")
pairs = choice(
    "--pairs",
    "linked",
    "all",
    help="Members of a family too big to pair all with all: linked to its earliest members, or every pair.",
)
html = file("--html", help="Write it to this file as well, as one HTML page to look at, print and send.")
confirm = click.option(
    "--confirm",
    metavar="NAME[:PARAMETER=VALUE,...]",
    help="Only pairs whose articles stand in one cluster of what this method accepts by itself.",
)
boilerplate = file(
    "--boilerplate", help="Write the boilerplate that was left out to this file, as JSON lines."
)

relation = click.option(
    "--relation",
    "relations",
    type=click.Choice([str(one) for one in RELATIONS]),
    multiple=True,
    metavar="NAME",
    callback=lambda _context, _option, given: given or None,
    help=f"Write only what is {', '.join(RELATIONS[:-1])} or {RELATIONS[-1]}; may be repeated.",
)

_FORMS = {
    "jsonl": "One JSON object a line (the default off a terminal).",
    "csv": "One line a match, with titles, sources, dates, addresses and what is shared.",
    "parquet": "A Parquet file; needs --output.",
}
_MORE_FORMS = {
    "json": "One JSON object with nodes and links, as d3 and networkx read it.",
    "graphml": "GraphML, for Gephi and the like.",
}
_TEXT = "With --jsonl: with titles, sources, dates, addresses and the texts of passages, too."
_RAW = (
    "With --csv: cells as they are. Else one that a spreadsheet would take for a formula has a ' before it."
)


def forms(*forms: str, **told: str) -> Decorator:
    """Options for these forms of output, --csv among them, and --output; the command gets them as `form` and `output`.

    What is `told` of a form is said of matches, unless it is given; then there are no passages, and no --text.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def run(*arguments: Any, output: Path | None, raw: bool, text: bool = False, **options: Any) -> Any:
            asked = [form for form in forms if options.pop(form)]
            form = choose_form(asked, raw, text, output, [one for one in forms if one in _MORE_FORMS])
            return command(*arguments, form=form, output=output, **options)

        said = _FORMS | _MORE_FORMS | told
        flags = [flag(f"--{form}", help=said[form]) for form in forms]
        flags.insert(forms.index("csv") + 1, flag("--raw", help=_RAW))
        if not told:
            flags.insert(forms.index("jsonl") + 1, flag("--text", help=_TEXT))
        return _with_options(run, *flags, output)

    return decorate


def fields(command: Command) -> Command:
    """Options for where records hold what is read of them; the command gets them as `fields`."""
    held = {
        name: name for name in ("text", "id", "published", "title", "source", "author", "language", "url")
    }
    held |= {"published": "date", "url": "address"}

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        names = {name: options.pop(f"{name}_field") for name in held}
        read = {name: options.pop(name) for name in ("date_format", "encoding")}
        return command(*arguments, fields=Fields(**names, **read), **options)

    return _with_options(
        run,
        *(
            click.option(f"--{name}-field", metavar="NAME", help=f"Where the {what} stands in a record.")
            for name, what in held.items()
        ),
        click.option(
            "--date-format",
            metavar="FORM",
            help="How dates are written, as for strptime: %d/%m/%Y. Without, ISO 8601 and other forms that mean one thing.",
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            help="The encoding of text files and records, such as latin1. Without, that of a text file is told by its looks, and records are UTF-8.",
        ),
    )


def making(command: Command) -> Command:
    """Options for how a new archive is made; the command gets them as `making`, the arguments of `Archive.open`."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        making = {name: options.pop(name) for name in ("method", "preset", "window", "statistics")}
        making["method"] = [read_method(one) for one in making["method"]] or None
        if making["statistics"]:
            making["statistics"] = Statistics.load(making["statistics"])
        return command(*arguments, making=making, **options)

    return _with_options(
        run,
        click.option(
            "--window",
            metavar="TIME",
            help="A new archive keeps articles for so long after they were published: 36h, 14d, 2w. By default for ever.",
        ),
        _preset(
            help=f"What counts as copied in a new archive: {', '.join(PRESETS)}. By default {DEFAULT_PRESET}."
        ),
        method(help="What nominates in a new archive; may be repeated. By default as find."),
        file("--statistics", help="What a method of a new archive weighs words by, made by wirecopy weigh."),
    )


def _with_options(command: Command, *options: Decorator) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


_ALIGNMENT_ONLY = {
    "preset": "--preset: not with --decide method, which compares no words",
    "min_share": "--min-share: not with --decide method, which compares no words",
    "fail_over": "--fail-over: not with --decide method, which compares no words",
    "boilerplate": "--boilerplate: not with --decide method, which knows none",
    "confirm": "--confirm: not with --decide method, which confirms itself",
    "relation": "--relation: not with --decide method, which compares no words",
    "pairs": "--pairs: not with --decide method, which gives all",
    "parquet": "--decide method writes JSON lines, CSV or a table",
    "text": "--text: not with --decide method, which compares no words",
    "html": "--html: not with --decide method, which gives no passages to show",
    "notify": "--notify: not with --decide method, which gives no matches",
}


def needing_alignment(by_method: bool, **given: object) -> list[tuple[object, str]]:
    """Complaints for `refuse` about options that are given although a method decides, in the order of the arguments."""
    return [(by_method and is_given, _ALIGNMENT_ONLY[name]) for name, is_given in given.items()]


def read_method(given: str) -> methods.Method:
    """The method that `name` or `name:parameter=value,…` stands for."""
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
