"""The receiver in docs/service.md, run as it stands there: it is told of a text that is checked, and of one that is watched."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from program import talk, wirecopy
from receivers import free_port
from records import jsonl
from services import serving

PAGE = Path(__file__).parents[1] / "docs" / "service.md"


def program() -> str:
    [found] = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(found.splitlines()) <= 32
    return str(found)


@contextmanager
def running(folder: Path, secret: str, port: int) -> Iterator[subprocess.Popen[str]]:
    (folder / "receiver.py").write_text(program())
    given = {**os.environ, "WEBHOOK_SECRET": secret, "PORT": str(port)}
    command = [sys.executable, str(folder / "receiver.py")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=given, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("how", ["serve", "watch"])
def test_from_nothing_to_a_message_that_was_verified(
    tmp_path: Path, records: list[dict[str, Any]], how: str
) -> None:
    path, port = tmp_path / "news.db", free_port()
    assert wirecopy("add", path, "-", input=jsonl(*records[:2])).returncode == 0
    made = wirecopy(
        "webhook", path, "new", f"http://127.0.0.1:{port}/", "--source", "Courier", "--min-share", 0.3
    )
    assert "warning: not a public address" in talk(made)
    post = {"id": "post 7", "text": records[0]["text"]}
    with running(tmp_path, made.stdout.decode().strip(), port) as receiver:
        assert receiver.stdout is not None
        if how == "serve":
            with serving(path, "--deliver-to", f"127.0.0.1:{port}") as served:
                assert served.ask("POST", "/v1/check", post, notify="true").status == 200
                said = [receiver.stdout.readline() for _ in range(2)]
        else:
            for _ in range(
                50
            ):  # the receiver may not listen yet; a watch that finds it down leaves the message to the next
                ran = wirecopy(
                    "watch", path, "--notify", "--deliver-to", f"127.0.0.1:{port}", input=jsonl(post)
                )
                if "not delivered" not in talk(ran):
                    break
                time.sleep(0.1)
                wirecopy("webhook", path, "replay", "--all")
            said = [receiver.stdout.readline() for _ in range(2)]
    assert said == ["post 7: 100% of it is in a, identical\n", "post 7: 56% of it is in b, partial\n"]
