"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path

import click

from ..comparison import DEFAULT_PRESET, PRESETS

FILE = click.Path(path_type=Path)

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
