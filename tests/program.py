"""The program as a user runs it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("wirecopy"))


def hear_interrupts() -> None:
    """For a new process: Ctrl-C ends it, also where the tests themselves run in the background and do not hear it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def on_terminal(*arguments: object, width: int = 100) -> tuple[int, str]:
    """Run on a terminal of its own: exit code, and all that was shown."""
    parent, child = pty.openpty()
    with subprocess.Popen(
        [PROGRAM, *map(str, arguments)],
        stdin=child,
        stdout=child,
        stderr=child,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(width), "NO_COLOR": ""},
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
