"""The one function that connects to the world outside: it delivers webhooks, and nothing else uses it.

An address comes from whoever may make a webhook, so it must not reach what only this machine or its network reaches. It is read strictly, in
one spelling; its name is resolved once, and every address that it has must be public; the connection goes to one of the addresses that were looked
at, under the name that was given. Nothing is followed: no redirect, no proxy of the environment. Time and bytes are limited in all.
"""

from __future__ import annotations

import http.client
import io
import re
import socket
import ssl
import time
from collections.abc import Collection, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

from ..errors import UsageError, WirecopyError

SECONDS = 15.0
"""How long a delivery may take, once its name is resolved."""
ANSWER_BYTES = 65_536
"""How much of an answer is read; of its body, nothing is needed."""
ADDRESSES_TRIED = 2
Address = IPv4Address | IPv6Address
Place = tuple[str, int]
"""A host as it is written in an address, and a port."""

_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<target>(?:/[!$&-;=@-Z_a-z~%]*)?(?:\?[!$&-;=?@-Z_a-z~%]*)?)",
    re.ASCII,
)
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
"""What ends a name that some systems read as a number, and so as an address."""
_PORTS = {80, 443}
_FREE_PORTS = range(1024, 65536)
"""Other ports are those of mail, shells and the like, which speak no HTTP."""
_PUBLIC = IPv6Network("2000::/3")
_NOT_PUBLIC: tuple[IPv4Network | IPv6Network, ...] = (
    *map(
        IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
            *("192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4"),
            "168.63.129.16/32",  # public by its number, but a cloud's own service on every machine there
        ),
    ),
    # Protocols of the IETF with Teredo, documentation, 6to4, anycast of name servers, documentation; all else is outside 2000::/3.
    *map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")),
)


class RefusedError(WirecopyError, ValueError):
    """An address that is not connected to."""


class InsideError(RefusedError):
    """An address within this machine or its network, to which messages go only if whoever runs the service says so."""


class UnreachableError(WirecopyError):
    """A receiver that could not be reached, or gave no answer that can be understood."""


@dataclass(frozen=True, slots=True)
class Url:
    """An address in its parts; `host` is without the brackets of IPv6."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def place(self) -> Place:
        """Where it leads."""
        return self.host, self.port


@dataclass(frozen=True, slots=True)
class Reply:
    """What a receiver answers: a status, and for how many seconds it asks to wait, if it does."""

    status: int
    retry_after: float | None = None


def read_url(url: str, deliver_to: Collection[Place] = ()) -> Url:
    """The parts of an address that may be delivered to, as far as its spelling tells; raises RefusedError."""
    found = _URL.fullmatch(url)
    if not found:
        raise RefusedError(
            "expected an address such as https://example.org/hook: http or https, a name in ASCII (xn--… for others),"
            " no user, no fragment, all else percent-encoded"
        )
    written = found["host"].lower()
    host = written.strip("[]")
    port = int(found["port"] or (443 if found["scheme"] == "https" else 80))
    parts = Url(found["scheme"], host, port, found["target"])
    if parts.place in deliver_to:
        return parts
    if port not in _PORTS and port not in _FREE_PORTS:
        raise RefusedError(f"expected port 80, 443 or one from 1024 to 65535, got {port}")
    if (literal := _read_literal(written)) is not None:
        _require_public(literal)
    else:
        _require_name(host)
    return parts


def _read_literal(host: str) -> Address | None:
    """The address that a host is, written as such; None for a name."""
    if host.startswith("["):
        with suppress(ValueError):
            return IPv6Address(host[1:-1])
        raise RefusedError("expected an IPv6 address in the brackets")
    with suppress(ValueError):
        return IPv4Address(host)
    return None


def _require_name(host: str) -> None:
    labels = host.split(".")
    if len(host) > 253 or not all(map(_LABEL.fullmatch, labels)) or _NUMBER.fullmatch(labels[-1]):
        raise RefusedError(
            "expected a host's full name such as hooks.example.org, or an address of four numbers"
        )
    if len(labels) < 2:
        raise InsideError("expected a host's full name such as hooks.example.org, with a dot in it")


def _require_public(address: Address) -> None:
    is_outside = isinstance(address, IPv6Address) and address not in _PUBLIC
    if is_outside or any(address in network for network in _NOT_PUBLIC if network.version == address.version):
        raise InsideError(
            "not a public address; a receiver in this machine's own network must be named when the service is started"
        )


def resolve(url: Url, deliver_to: Collection[Place] = ()) -> list[Address]:
    """The addresses that a connection may go to.

    Raises RefusedError if one of them is not public, unless the place is one of those that are delivered to all the same; UnreachableError if there are none.
    """
    try:
        found = socket.getaddrinfo(url.host, url.port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise UnreachableError("the name cannot be resolved") from error
    addresses = [ip_address(place[0]) for *_, place in found]
    if url.place not in deliver_to:
        for address in addresses:
            _require_public(address)
            _require_elsewhere(address, url.port)
    if not addresses:
        raise UnreachableError("the name cannot be resolved")
    return list(dict.fromkeys(addresses))


def _require_elsewhere(address: Address, port: int) -> None:
    """Raise RefusedError for a public address of this machine itself, behind which are services that trust it."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect(
            (str(address), port)
        )  # sends nothing; where there is no way to it, connecting fails as well
        if probe.getsockname()[0] == str(address):
            raise InsideError(
                "an address of this machine; a receiver here must be named when the service is started"
            )


def check_address(url: str, deliver_to: Collection[Place] = ()) -> None:
    """Raise RefusedError or UnreachableError for an address that nothing would be sent to now; nobody is connected to."""
    resolve(read_url(url, deliver_to), deliver_to)


def send(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    deliver_to: Collection[Place] = (),
    seconds: float = SECONDS,
) -> Reply:
    """Post bytes to an address; returns what is answered.

    Raises RefusedError for an address that is not public, UnreachableError if nobody answers in time and in HTTP.
    """
    parts = read_url(url, deliver_to)
    addresses = resolve(parts, deliver_to)
    deadline = time.monotonic() + seconds
    try:
        with closing(_connect(parts, addresses, deadline)) as connected:
            return _exchange(parts, _Bounded(connected, deadline), body, headers)
    except http.client.HTTPException as error:
        raise UnreachableError(f"no answer in HTTP: {type(error).__name__}") from error
    except TimeoutError as error:
        raise UnreachableError(f"no answer within {seconds:g} seconds") from error
    except ssl.SSLCertVerificationError as error:
        raise UnreachableError(f"its certificate is not valid: {error.verify_message}") from error
    except (OSError, ValueError) as error:
        raise UnreachableError(_name(error)) from error


def _connect(url: Url, addresses: list[Address], deadline: float) -> socket.socket:
    """A connection to one of the addresses that were looked at, encrypted under the name that was given."""
    tried = addresses[:ADDRESSES_TRIED]
    for number, address in enumerate(tried, 1):
        try:
            connected = socket.create_connection(
                (str(address), url.port), _left(deadline) / (len(tried) - number + 1)
            )
            break
        except OSError:
            if number == len(tried):
                raise
    if url.scheme == "http":
        return connected
    try:
        connected.settimeout(_left(deadline))
        return _context().wrap_socket(connected, server_hostname=url.host)
    except BaseException:
        connected.close()
        raise


@cache
def _context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


def _exchange(url: Url, connected: _Bounded, body: bytes, headers: Mapping[str, str]) -> Reply:
    connection = http.client.HTTPConnection(url.host, url.port)
    connection.auto_open = 0  # it must not resolve the name and connect by itself
    connection.sock = connected
    if url.scheme == "https":
        connection.default_port = 443  # a Host header has no port that goes without saying
    connection.request("POST", _target(url), body, {**headers, "Connection": "close"})
    answer = connection.getresponse()
    return Reply(answer.status, _read_wait(answer.getheader("Retry-After")))


def _target(url: Url) -> str:
    return url.target if url.target.startswith("/") else f"/{url.target}"


def _read_wait(written: str | None) -> float | None:
    """How many seconds a Retry-After header asks to wait; None if it does not say."""
    if written is None:
        return None
    if re.fullmatch("[0-9]{1,9}", written.strip(), re.ASCII):
        return float(written)
    try:
        return max(0.0, parsedate_to_datetime(written).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


class _Bounded(io.RawIOBase):
    """A socket as http.client uses it, within a time for all that is done and so many bytes read."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self._socket, self._deadline, self._bytes = connected, deadline, ANSWER_BYTES

    def close(self) -> None:
        """Do nothing: whoever opened the socket closes it."""

    def sendall(self, data: Any) -> None:
        self._socket.settimeout(_left(self._deadline))
        self._socket.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self, 4096)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._bytes <= 0:
            raise http.client.LineTooLong("answer")
        self._socket.settimeout(_left(self._deadline))
        read = self._socket.recv_into(memoryview(buffer)[: self._bytes])
        self._bytes -= read
        return read


def _left(deadline: float) -> float:
    """How many seconds are left; raises TimeoutError if none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _name(error: Exception) -> str:
    """What went wrong, in words without an address or anything that the receiver said."""
    if isinstance(error, ssl.SSLError):
        return f"cannot be spoken with in TLS: {error.reason or 'cut off'}"
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be reached: {error.strerror}"
    return "cannot be reached"


def read_place(given: str) -> Place:
    """The HOST:PORT that is delivered to although it is not public; raises UsageError."""
    host, _, port = given.lower().rpartition(":")
    if not host or not re.fullmatch("[1-9][0-9]{0,4}", port, re.ASCII) or int(port) > 65535:
        raise UsageError(f"expected HOST:PORT such as 127.0.0.1:9000, got {given!r}")
    return host.strip("[]"), int(port)
