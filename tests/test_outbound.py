"""The one function that connects out: where it goes, where it never goes, and what it puts up with."""

from __future__ import annotations

import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from receivers import Receiver, free_port, receiving, sing, speaking
from ssrf import FORMS

from wirecopy.errors import UsageError
from wirecopy.service import outbound
from wirecopy.service.outbound import (
    RefusedError,
    Reply,
    UnreachableError,
    read_place,
    read_url,
    resolve,
    send,
)

PUBLIC = "93.184.216.34"


def post(receiver: Receiver, **options: object) -> Reply:
    return send(receiver.url, b'{"a":1}', {"x-told": "yes"}, deliver_to=[receiver.place], **options)  # type: ignore[arg-type]


# Where it never goes


@pytest.fixture(scope="module")
def canary() -> Iterator[Receiver]:
    """A listener on every address of this machine, that notes who connects."""
    with ExitStack() as stack:
        canary = stack.enter_context(speaking(sing))
        try:
            other = socket.create_server(("::1", canary.port), family=socket.AF_INET6)
        except OSError:
            other = None

        def listen() -> None:
            while other is not None:
                try:
                    other.accept()[0].close()
                except OSError:
                    return
                canary.received.append(({}, b""))

        threading.Thread(target=listen, daemon=True).start()
        yield canary
        if other is not None:
            other.shutdown(socket.SHUT_RDWR)
            other.close()


def test_the_canary_sings(canary: Receiver) -> None:
    assert post(canary) == Reply(204)
    assert len(canary.received) == 1
    canary.received.clear()


def test_there_are_more_than_eighty_forms_each_once() -> None:
    assert len(FORMS) == len(set(FORMS)) > 80


@pytest.mark.parametrize("form", FORMS)
def test_no_form_reaches_this_machine(form: str, canary: Receiver) -> None:
    url = form.replace("{port}", str(canary.port))
    with pytest.raises((RefusedError, UnreachableError)):
        send(url, b"{}", {}, seconds=1)
    assert canary.received == []


@pytest.mark.parametrize(
    "form", [form for form in FORMS if "localhost." not in form and "google" not in form]
)
def test_no_form_is_taken_for_a_webhook_even_before_it_is_resolved(form: str) -> None:
    with pytest.raises(RefusedError):
        read_url(form.replace("{port}", "8080"))


@pytest.mark.parametrize(
    "url",
    [
        *("https://example.org", "https://Example.ORG/", "http://example.org:8080/a/b?c=d&e=%20"),
        *("https://xn--bcher-kva.example/", f"http://{PUBLIC}/", "https://[2606:2800:220:1::1]:8443/x"),
        *("https://a.b.c.example.co/~x/;y=@z", "https://example.org?q", "https://1.example2.org/"),
    ],
)
def test_an_address_of_the_world_outside_is_taken(url: str) -> None:
    assert read_url(url).host == read_url(url).host.lower()


def answer_names(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let names resolve to these addresses, one list a look-up; returns what is looked up."""
    asked: list[str] = []

    def look_up(host: str, port: int, **_: object) -> list[object]:
        asked.append(host)
        found = answers[min(len(asked), len(answers)) - 1]
        return [(0, 0, 0, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


@pytest.mark.parametrize(
    "private", ["127.0.0.1", "10.1.2.3", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fe80::1%lo"]
)
def test_a_name_with_one_private_address_is_refused_whole(
    private: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_names(monkeypatch, [PUBLIC, private])
    with pytest.raises(RefusedError):
        resolve(read_url("https://rebind.example.org"))


def test_a_name_is_resolved_once_and_the_connection_goes_to_what_was_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = answer_names(monkeypatch, [PUBLIC], ["127.0.0.1"])
    connected: list[object] = []

    def connect(place: object, *_: object, **__: object) -> None:
        connected.append(place)
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(UnreachableError):
        send("http://rebind.example.org:8080/", b"", {})
    assert asked == ["rebind.example.org"]
    assert connected == [(PUBLIC, 8080)]


def test_a_public_address_of_this_machine_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    answer_names(monkeypatch, ["127.0.0.1"])
    monkeypatch.setattr(outbound, "_NOT_PUBLIC", ())
    with pytest.raises(RefusedError, match="of this machine"):
        resolve(read_url("http://me.example.org"))


NAMESPACE = Path(__file__).with_name("namespace.py")


def test_nothing_in_a_private_network_hears_of_any_form() -> None:
    """In a network of its own, with a name server that lies, listeners on private addresses and on the ports of HTTP."""
    command = ["unshare", "--map-root-user", "--net", "--mount"]
    if not shutil.which("unshare"):
        pytest.skip("no network namespace can be made here: there is no unshare")
    can = "ip link set lo up && mount --bind /etc/hosts /etc/resolv.conf"
    tried = subprocess.run([*command, "sh", "-c", can], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"no network namespace can be made here: {tried.stderr.decode().strip()}")
    ran = subprocess.run(
        [*command, sys.executable, NAMESPACE], capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert said["sung"] == ["10.77.0.2:80", "127.0.0.1:80", "93.184.216.34:80"]
    assert said["tried"] == len(FORMS) + said["names"]
    assert said["heard"] == []
    assert said["served"] == {
        "heard": ["10.77.0.2:9000"],
        "states": {"delivered": 1, "waiting": said["tried"]},
    }
    assert said["rebound"] == ["93.184.216.34:80"]


# Where it goes


def test_a_named_place_is_delivered_to_and_no_other(canary: Receiver) -> None:
    canary.received.clear()
    with receiving() as receiver:
        assert post(receiver) == Reply(200)
        [(headers, body)] = receiver.received
        assert (body, headers["x-told"], headers["host"]) == (b'{"a":1}', "yes", f"127.0.0.1:{receiver.port}")
        for place in (("127.0.0.1", receiver.port + 1), ("localhost", receiver.port)):
            with pytest.raises(RefusedError):
                send(receiver.url, b"", {}, deliver_to=[place])
        assert len(receiver.received) == 1
        assert (
            send(
                f"http://localhost:{receiver.port}", b"", {}, deliver_to=[("localhost", receiver.port)]
            ).status
            == 200
        )
    assert canary.received == []


@pytest.mark.parametrize(
    ("given", "place"),
    [("127.0.0.1:80", ("127.0.0.1", 80)), ("[::1]:9", ("::1", 9)), ("Desk:8080", ("desk", 8080))],
)
def test_a_place_is_a_host_and_a_port(given: str, place: tuple[str, int]) -> None:
    assert read_place(given) == place


@pytest.mark.parametrize("given", ["", "desk", "desk:", ":80", "desk:0", "desk:65536", "desk:８０", "desk:x"])
def test_what_is_no_place_is_refused(given: str) -> None:
    with pytest.raises(UsageError, match="HOST:PORT"):
        read_place(given)


def test_proxies_of_the_environment_are_not_asked(canary: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    canary.received.clear()
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{canary.port}")
        monkeypatch.setenv(name.upper(), f"http://127.0.0.1:{canary.port}")
    with receiving() as receiver:
        assert post(receiver).status == 200
    assert canary.received == []


def test_a_redirect_is_an_answer_that_is_not_followed(canary: Receiver) -> None:
    canary.received.clear()
    for status in (301, 302, 307, 308):
        with receiving(status=status, headers={"Location": f"http://127.0.0.1:{canary.port}/"}) as receiver:
            assert post(receiver) == Reply(status)
            assert len(receiver.received) == 1
    assert canary.received == []


# What it puts up with


def drip(text: bytes) -> Callable[[socket.socket], object]:
    def talk(connected: socket.socket) -> None:
        for byte in text:
            connected.sendall(bytes([byte]))
            time.sleep(0.05)

    return talk


def flood(start: bytes, chunk: bytes) -> Callable[[socket.socket], object]:
    def talk(connected: socket.socket) -> None:
        connected.recv(65536)
        connected.sendall(start)
        while True:
            connected.sendall(chunk)

    return talk


@pytest.mark.parametrize(
    ("talk", "said"),
    [
        (lambda connected: None, "HTTP"),
        (lambda connected: connected.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"), "HTTP"),
        (lambda connected: connected.sendall(os.urandom(2000).replace(b"\n", b"")), "HTTP"),
        (lambda connected: connected.sendall(b"HTTP/1.1 200\xff\xff OK\r\n\r\n"), "HTTP"),
        (lambda connected: connected.sendall(b"HTTP/1.1 99999 OK\r\n\r\n"), "HTTP"),
        (flood(b"HTTP/1.1 200 OK\r\n", b"a: b\r\n"), "HTTP"),
        (flood(b"HTTP/1.1 200 OK\r\nx: ", b"y" * 4096), "HTTP"),
        (flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "HTTP"),
        (lambda connected: time.sleep(3), "within 0.4 seconds"),
        (drip(b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 100), "within 0.4 seconds"),
    ],
    ids=[
        "closing",
        "other protocol",
        "noise",
        "bad status",
        "great status",
        "headers",
        "header",
        "continue",
        "silent",
        "dripping",
    ],
)
def test_a_receiver_that_talks_garbage_or_for_ever_ends_in_time(
    talk: Callable[[socket.socket], object], said: str
) -> None:
    with speaking(talk) as receiver:
        started = time.monotonic()
        with pytest.raises(UnreachableError, match=f"{said}|reached"):
            post(receiver, seconds=0.4)
        assert time.monotonic() - started < 2.5


@pytest.mark.parametrize("length", ["", "Content-Length: 99999999999\r\n", "Transfer-Encoding: chunked\r\n"])
def test_an_endless_body_is_not_waited_for(length: str) -> None:
    with speaking(flood(f"HTTP/1.1 202 OK\r\n{length}\r\n".encode(), b"x" * 65536)) as receiver:
        assert post(receiver) == Reply(202)


def test_a_receiver_that_reads_nothing_ends_in_time() -> None:
    with speaking(lambda connected: time.sleep(3)) as receiver, pytest.raises(UnreachableError):
        send(receiver.url, b"x" * 50_000_000, {}, deliver_to=[receiver.place], seconds=0.4)


def test_a_receiver_that_is_down_is_unreachable() -> None:
    with pytest.raises(UnreachableError, match="cannot be reached: Connection refused"):
        post(Receiver(free_port()))


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
        ("9" * 30, None),
    ],
)
def test_how_long_to_wait_is_read_where_it_is_said(written: str, seconds: float | None) -> None:
    with receiving(status=503, headers={"Retry-After": written}) as receiver:
        assert post(receiver) == Reply(503, seconds)


# TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of localhost, by nobody that anybody trusts, with its key."""
    folder = tmp_path_factory.mktemp("tls")
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
    ]
    made += ["-addext", "subjectAltName=DNS:localhost"]
    made += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "made.pem")]
    try:
        subprocess.run(made, capture_output=True, check=True)
    except FileNotFoundError:
        pytest.skip("no openssl to make a certificate with")
    return folder


@pytest.fixture
def encrypted(certificate: Path) -> Iterator[tuple[int, list[str | None]]]:
    """A receiver in TLS: its port, and the names under which it was called."""
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "made.pem", certificate / "key.pem")
    context.sni_callback = lambda _, name, __: names.append(name)

    def talk(connected: socket.socket) -> None:
        with context.wrap_socket(connected, server_side=True) as inside:
            inside.recv(65536)
            inside.sendall(b"HTTP/1.1 200 OK\r\n\r\n")

    with speaking(talk) as receiver:
        yield receiver.port, names


def test_a_certificate_that_nobody_vouches_for_is_refused(encrypted: tuple[int, list[str | None]]) -> None:
    port, _ = encrypted
    with pytest.raises(UnreachableError, match="certificate is not valid: self-signed"):
        send(f"https://localhost:{port}/", b"", {}, deliver_to=[("localhost", port)])


def test_a_certificate_counts_for_the_name_that_was_given(
    encrypted: tuple[int, list[str | None]], certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port, names = encrypted
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "made.pem"))
    outbound._context.cache_clear()
    try:
        places = [("localhost", port), ("127.0.0.1", port)]
        assert send(f"https://localhost:{port}/", b"", {}, deliver_to=places) == Reply(200)
        assert names == ["localhost"]
        with pytest.raises(UnreachableError, match="certificate is not valid: IP address mismatch"):
            send(f"https://127.0.0.1:{port}/", b"", {}, deliver_to=places)
    finally:
        outbound._context.cache_clear()


def test_http_where_tls_is_expected_is_said_to_be() -> None:
    with receiving() as receiver, pytest.raises(UnreachableError, match="TLS"):
        send(receiver.url.replace("http:", "https:"), b"", {}, deliver_to=[receiver.place])
