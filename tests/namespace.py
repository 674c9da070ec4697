"""Run within a network namespace of its own: tries every address of ssrf.py and names that lie, at once and by a service; prints as JSON what was heard.

Beside 127.0.0.1 it has a private address and one that is public everywhere else. Its name server gives each name an address of this machine; one name has a public address the first time it is asked, and a private one after.
"""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import tempfile
import threading
from collections import Counter
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from receivers import wait_for
from services import serving
from ssrf import FORMS

from wirecopy import Archive
from wirecopy.archive.desk import Desk
from wirecopy.archive.policies import Policy
from wirecopy.service import outbound
from wirecopy.service.outbound import RefusedError, UnreachableError, send

PRIVATE, PUBLIC = "10.77.0.2", "93.184.216.34"
NAMES = {
    "loop.example.org": "127.0.0.1",
    "inside.example.org": PRIVATE,
    "zero.example.org": "0.0.0.0",
    "metadata.google.internal": "169.254.169.254",
    "mapped.example.org": "::ffff:127.0.0.1",
    "six.example.org": "::1",
    "nat.example.org": "64:ff9b::7f00:1",
    "10.77.0.2.nip.example": PRIVATE,
    "localhost.example.org": "127.0.0.1",
    "myself.example.org": PUBLIC,
}
REBINDING = "rebind.example.org"
heard: list[str] = []
asked: list[str] = []


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def listen(address: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    server = socket.create_server((address, port), family=family)

    def serve() -> None:
        while True:
            connected, _ = server.accept()
            heard.append(f"{address}:{port}")
            with connected:
                connected.recv(65536)
                connected.sendall(b"HTTP/1.1 200 OK\r\n\r\n")

    threading.Thread(target=serve, daemon=True).start()


def resolve(name: str) -> str | None:
    if name == REBINDING:
        asked.append(name)
        return PUBLIC if len(asked) <= 2 else PRIVATE  # of each kind of address once
    return NAMES.get(name)


def serve_names() -> None:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))

    def serve() -> None:
        while True:
            query, sender = server.recvfrom(2000)
            labels, at = [], 12
            while query[at]:
                labels.append(query[at + 1 : at + 1 + query[at]].decode())
                at += 1 + query[at]
            kind = struct.unpack(">H", query[at + 1 : at + 3])[0]
            found = resolve(".".join(labels).lower())
            address = found and ip_address(found)
            fits = address and {4: 1, 6: 28}[address.version] == kind
            head = query[:2] + struct.pack(">HHHHH", 0x8180 if found else 0x8183, 1, int(bool(fits)), 0, 0)
            body = query[12 : at + 5]
            if address and fits:
                body += b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(address.packed)) + address.packed
            server.sendto(head + body, sender)

    threading.Thread(target=serve, daemon=True).start()


def attempt(url: str) -> bool:
    try:
        send(url, b"{}", {}, seconds=1)
    except (RefusedError, UnreachableError):
        return False
    return True


def serve(urls: list[str]) -> dict[str, Any]:
    """Who hears of a service whose archive has webhooks with these addresses, and one that it is told to deliver to, once each was tried."""
    before, place = len(heard), f"{PRIVATE}:9000"
    listen(PRIVATE, 9000)
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / "news.db"
        Archive.open(archive, create=True).close()
        with Desk(archive) as desk:
            for url in [*urls, f"http://{place}/"]:
                desk.outbox.post_test(desk.outbox.add(url, Policy())[0].id)
            with serving(archive, "--deliver-to", place):
                wait_for(lambda: all(one.error or one.status for one in desk.outbox.messages(limit=1000)), 60)
            states = Counter(one.state for one in desk.outbox.messages(limit=1000))
    return {"heard": heard[before:], "states": states}


def main() -> None:
    run("ip", "link", "set", "lo", "up")
    for address in (PRIVATE, PUBLIC):
        run("ip", "addr", "add", f"{address}/32", "dev", "lo")
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as names:
        names.write("nameserver 127.0.0.1\n")
        names.flush()
        run("mount", "--bind", names.name, str(Path("/etc/resolv.conf").resolve()))
        serve_names()
        for address in ("127.0.0.1", PRIVATE, PUBLIC):
            listen(address, 80)
            listen(address, 8080)
        for port in (80, 8080):
            listen("::1", port)
        for address in ("127.0.0.1", PRIVATE, PUBLIC):
            send(f"http://{address}/", b"{}", {}, deliver_to=[(address, 80)])
        sung = sorted(heard)
        heard.clear()
        urls = [form.replace("{port}", "8080") for form in FORMS]
        lying = [f"http://{name}{port}/" for name in NAMES for port in ("", ":8080")]
        for url in [*urls, *lying]:
            attempt(url)
        silent = list(heard)
        served = serve(urls + lying)
        before = len(heard)
        # That the address is this machine's own would be refused too; here it stands for the world outside.
        outbound._require_elsewhere = lambda *_: None
        attempt(f"http://{REBINDING}/")
        first = heard[before:]
        attempt(f"http://{REBINDING}/")
        told: dict[str, Any] = {
            "sung": sung,
            "tried": len(urls) + len(lying),
            "names": len(lying),
            "heard": silent,
        }
        told["served"] = served
        print(json.dumps(told | {"rebound": first + heard[before + len(first) :]}))


if __name__ == "__main__":
    main()
