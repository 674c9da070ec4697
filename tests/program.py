"""The program as a user runs it: what it is given, and what it says."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from records import lines

PROGRAM = str(Path(sys.executable).with_name("wirecopy"))


def wirecopy(
    *arguments: object, cwd: Path | None = None, timeout: float = 120, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    command = [PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, cwd=cwd, check=False, timeout=timeout, **options)


def talk(ran: subprocess.CompletedProcess[bytes]) -> str:
    """What it said beside its answer, which is never a traceback."""
    assert b"Traceback" not in ran.stderr, ran.stderr.decode()
    return ran.stderr.decode()


def ids(archive: Path) -> set[str]:
    """Of all articles in an archive."""
    return {article["id"] for article in lines(wirecopy("export", archive).stdout)}


def hear_interrupts() -> None:
    """For a new process: Ctrl-C ends it, also where the tests themselves run in the background and do not hear it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def on_terminal(*arguments: object, width: int = 100, pager: str = "cat") -> tuple[int, str]:
    """Run on a terminal of its own: exit code, and all that was shown."""
    parent, child = pty.openpty()
    with subprocess.Popen(
        [PROGRAM, *map(str, arguments)],
        stdin=child,
        stdout=child,
        stderr=child,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(width), "NO_COLOR": "", "PAGER": pager},
    ) as process:
        os.close(child)
        shown = b""
        try:
            while chunk := os.read(parent, 1 << 16):
                shown += chunk
        except OSError:  # how Linux says that the other side is closed
            pass
    os.close(parent)
    return process.returncode, shown.decode()
