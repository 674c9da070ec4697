"""A service as a user runs it, in a process of its own, and what it answers."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from program import PROGRAM, hear_interrupts, wirecopy

from wirecopy import Archive


@dataclass(frozen=True)
class Reply:
    """The answer to one request."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    def json(self) -> Any:
        return json.loads(self.content)


@dataclass
class Served:
    """A running service."""

    process: subprocess.Popen[bytes]
    url: str
    token: str | None = None
    said: list[str] = field(default_factory=list)
    """The lines that it wrote to stderr."""

    @property
    def place(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        return str(parts.hostname), int(parts.port or 80)

    def ask(
        self,
        method: str,
        path: str,
        content: Any = None,
        *,
        kind: str = "application/json",
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = 60,
        **query: Any,
    ) -> Reply:
        """The answer to a request; what is no bytes is sent as JSON."""
        secret = token if token is not None else self.token
        given = {"Authorization": f"Bearer {secret}"} if secret else {}
        body = content if content is None or isinstance(content, bytes) else json.dumps(content).encode()
        if body is not None:
            given["Content-Type"] = kind
        asked = quote(path, safe="/%:") + (f"?{urlencode(query, doseq=True)}" if query else "")
        connection = http.client.HTTPConnection(*self.place, timeout=timeout)
        try:
            connection.request(method, asked, body, {**given, **(headers or {})})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, found, answer.read())
        finally:
            connection.close()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """End it; returns its exit code."""
        self.process.send_signal(number)
        return self.process.wait(60)


@contextmanager
def serving(
    archive: Path, *options: object, token: str | None = None, program: Sequence[str] = (PROGRAM,)
) -> Iterator[Served]:
    """A service of an archive that listens at a free port, which is killed at the end if it has not ended."""
    command = [*program, "serve", str(archive), "--port", "0", *map(str, options)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, preexec_fn=hear_interrupts) as process:
        stream = process.stderr
        assert stream is not None
        said: list[str] = []
        address = None
        for line in stream:
            said.append(line.decode())
            if found := re.search(r"serving .* at (http://\S+)", said[-1]):
                address = found[1]
                break
        assert address, "".join(said)
        served = Served(process, address, token, said)
        listening = threading.Thread(target=lambda: said.extend(line.decode() for line in stream))
        listening.start()
        try:
            yield served
        finally:
            process.kill()
            process.wait()
            listening.join()


def make_token(archive: Path, *scopes: str, name: str = "test") -> str:
    """A new token."""
    given = [one for scope in scopes for one in ("--scope", scope)]
    ran = wirecopy("token", archive, "new", name, *given)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.decode().strip()


def copy_archive(known: Path, folder: Path) -> Path:
    """A copy of an archive, to change."""
    with Archive.open(known) as archive:
        archive.backup(folder / "news.db")
    return folder / "news.db"
