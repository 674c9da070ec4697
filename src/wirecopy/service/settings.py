"""How a service is run."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from ..errors import refuse

PORT = 8470
OWN_NAMES = frozenset(("localhost", "127.0.0.1", "::1", "[::1]"))
"""What a machine calls itself."""


def count_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Settings:
    """Where a service listens, what it serves, and its limits."""

    archive: Path
    host: str = "127.0.0.1"
    port: int = PORT
    """0 for any that is free."""
    hosts: tuple[str, ...] = ()
    """Names that requests may be for, beside this machine's own: those of a proxy in front."""
    public: str | None = None
    """The address that links begin with, such as https://copies.example; without, where it listens."""
    threads: int = field(default_factory=count_cores)
    """How many checks run at once: they are work for the processor."""
    waiting: int | None = None
    """How many more may wait; by default four for each thread. What comes then is refused at once."""
    body_bytes: int = 4 << 20
    seconds: float = 10.0
    """How long a request may wait and work, and how long its body may take to come."""
    rate: int = 1000
    """How many requests a second one caller may make."""
    write_seconds: float = 5.0
    """How long a change waits for another program that is writing."""
    deliver: bool = True
    """Whether messages are sent to webhooks."""
    deliver_to: tuple[str, ...] = ()
    """Addresses, HOST:PORT, to which messages may go although they are not public."""

    person: str | None = None
    """For whom alone it is, if for one person on this machine."""
    key: str | None = field(default=None, repr=False)
    """What that person's browser has for a session; nobody else is let in without a token."""

    def check(self) -> None:
        """Raise UsageError for what cannot be meant."""
        public = urlsplit(self.public or "http://localhost")
        refuse(
            (not 0 <= self.port < 1 << 16, f"port: expected 0 to 65535, got {self.port}"),
            (self.threads < 1, f"threads: expected at least 1, got {self.threads}"),
            (self.rate < 1, f"rate: expected at least 1, got {self.rate}"),
            (self.seconds <= 0, f"seconds: expected more than 0, got {self.seconds}"),
            (self.body_bytes < 1, f"body_bytes: expected at least 1, got {self.body_bytes}"),
            (
                public.scheme not in ("http", "https")
                or not public.hostname
                or public.query
                or public.fragment,
                f"public: expected an address such as https://copies.example, got {self.public!r}",
            ),
        )

    @property
    def is_local(self) -> bool:
        """Whether only this machine can connect."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def is_for_others(self) -> bool:
        """Whether others than this machine are to ask: they can connect, or a proxy in front has a name for them."""
        public = urlsplit(self.public).hostname if self.public else None
        return not self.is_local or not OWN_NAMES.issuperset({*self.hosts, *filter(None, [public])})

    @property
    def most_waiting(self) -> int:
        """How many may wait for a thread."""
        return 4 * self.threads if self.waiting is None else self.waiting

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """The names that a request may be for."""
        own = ("localhost", "127.0.0.1", "[::1]") if self.is_local or self.host in ("0.0.0.0", "::") else ()
        shown = f"[{self.host}]" if ":" in self.host else self.host
        public = urlsplit(self.public).hostname if self.public else None
        return frozenset(name.lower() for name in (*own, shown, *self.hosts, *filter(None, [public])))

    @property
    def address(self) -> str:
        """Where it is reached, for people and links."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (self.public or f"http://{host}:{self.port}").rstrip("/")
