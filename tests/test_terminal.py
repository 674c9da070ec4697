"""What a person at a terminal sees."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path


def at_a_terminal(*arguments: str | Path) -> tuple[int, str]:
    """The exit code, and all that is printed, of a command whose stdout and stderr are a terminal."""
    terminal, its_side = os.openpty()
    program = Path(sys.executable).with_name("wirecopy")
    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "xterm"}
    started = subprocess.Popen([program, *arguments], env=environment, stdout=its_side, stderr=its_side)
    os.close(its_side)
    printed = b""
    with contextlib.suppress(OSError):
        while block := os.read(terminal, 1 << 16):
            printed += block
    os.close(terminal)
    return started.wait(), printed.decode()


def test_find_works_at_a_terminal(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(30))
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(words, "utf-8")
    code, printed = at_a_terminal("find", tmp_path)
    assert "identical" in printed
    assert code == 0
