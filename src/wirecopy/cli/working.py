"""Where copies are looked for: in memory, or in a folder where a pile would not fit, which is removed at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import NothingRead, WorkError, refuse
from ..pile import DISK_A_BYTE, estimate_held, estimate_memory, free_memory, remove_work
from .writing import say


@contextmanager
def work_in(
    work: Path | None,
    memory: int | None,
    size: int | None,
    output: Path | None,
    quiet: bool,
    *,
    can_work: bool = True,
    always: bool = False,
) -> Iterator[dict[str, Any]]:
    """How to work on so many bytes, as options of `wirecopy.find`: in the folder named, or in one beside the output if the pile would not fit.

    What it takes is said first, of work in memory only if `always` asked for. The folder is removed at the end, also where
    nothing was read or the reader of the output left; after another error it stays, to be gone on with.
    """
    refuse((memory and not work, "--memory: only with --work DIR"))
    if work is None and can_work and estimate_memory(size or 0) > free_memory():
        work = _beside(output)
        say(f"the pile may not fit into memory: working in {work}, as with --work")
    if not quiet and size is not None and (work or always):
        disk = f", {size * DISK_A_BYTE / 1e6:,.0f} MB of disk in {work}" if work else ""
        needed = (memory or free_memory() // 2 if work else estimate_memory(size)) / 1e6
        say(f"{size / 1e6:,.1f} MB of input, about {needed:,.0f} MB of memory{disk}")
        held = estimate_held(size)
        if work and memory and memory < held:
            more = "are needed for what is held of every article; going on with as much as that takes"
            say(f"--memory {memory / 1e6:,.0f}MB: about {held / 1e6:,.0f} MB {more}")
    try:
        yield {"work": work, "memory": memory}
    except (NothingRead, BrokenPipeError):
        _remove(work)
        raise
    _remove(work)


def _beside(output: Path | None) -> Path:
    """A folder beside a file or folder to write, in the current one where nothing can be: stdout, a device."""
    if output is None or (output.exists() and not (output.is_file() or output.is_dir())):
        return Path("wirecopy.work")
    return output.with_suffix(".work")


def _remove(work: Path | None) -> None:
    """Remove the folder, if there is one; that it stays is no reason to fail, and said."""
    if work is not None:
        try:
            remove_work(work)
        except WorkError as error:
            say(str(error))
