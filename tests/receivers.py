"""Receivers of webhooks on 127.0.0.1, each on a port of its own, that behave well or badly."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """What came: the headers, in lower case, and the body of each request; and what is answered."""

    port: int = 0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def place(self) -> tuple[str, int]:
        return "127.0.0.1", self.port

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.received]


@contextmanager
def receiving(**behaviour: Any) -> Iterator[Receiver]:
    """A receiver that answers with a status and headers, after some seconds."""
    receiver = Receiver(**behaviour)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:  # its sender was killed meanwhile
                return
            receiver.received.append(({name.lower(): value for name, value in self.headers.items()}, body))
            time.sleep(receiver.seconds)
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", receiver.port), Handler) as server:
        receiver.port = server.server_port
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield receiver
        finally:
            server.shutdown()


@contextmanager
def speaking(talk: Callable[[socket.socket], object]) -> Iterator[Receiver]:
    """A receiver that says what it likes to whoever connects."""
    receiver = Receiver()
    with socket.create_server(("127.0.0.1", 0)) as server:
        receiver.port = server.getsockname()[1]

        def serve() -> None:
            while True:
                try:
                    connected, _ = server.accept()
                except OSError:
                    return
                receiver.received.append(({}, b""))
                threading.Thread(target=answer, args=(connected,), daemon=True).start()

        def answer(connected: socket.socket) -> None:
            with connected:
                try:
                    talk(connected)
                    # What is closed with something unread is reset, and what was said is lost.
                    connected.shutdown(socket.SHUT_WR)
                    connected.settimeout(1)
                    while connected.recv(65536):
                        pass
                except OSError:
                    pass

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield receiver
        finally:
            server.shutdown(socket.SHUT_RDWR)


def sing(connected: socket.socket) -> None:
    """Answer whoever connects: what a canary does."""
    connected.recv(65536)
    connected.sendall(b"HTTP/1.0 204 x\r\n\r\n")


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def wait_for(is_so: Callable[[], object], seconds: float = 20) -> None:
    """Wait until something is so; fails if that takes too long."""
    until = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)
