"""What docs/service.md says on running a service for others: a real nginx in front, the unit of systemd, what is refused."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from program import PROGRAM
from services import make_token

from wirecopy import Archive

DOCS = (Path(__file__).parents[1] / "docs" / "service.md").read_text("utf-8")
NAME = "copies.example"


def block(language: str) -> str:
    """The one block of a language in the page."""
    [found] = re.findall(rf"```{language}\n(.*?)```", DOCS, re.S)
    return str(found)


def free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        return int(tried.getsockname()[1])


class Proxy:
    """The proxy as others see it: by its name, with TLS."""

    def __init__(self, port: int, certificate: Path, wait: subprocess.Popen[bytes]) -> None:
        self.port = port
        self._tls = ssl.create_default_context(cafile=str(certificate))
        until = time.monotonic() + 60
        while True:
            assert wait.poll() is None, "nginx has ended"
            assert time.monotonic() < until
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.05)

    def ask(
        self, method: str, path: str, content: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer."""
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        connection = http.client.HTTPConnection(NAME, timeout=60)
        connection.sock = self._tls.wrap_socket(plain, server_hostname=NAME)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, content, named)
            answer = connection.getresponse()
            return answer.status, {one.lower(): value for one, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()


@pytest.fixture(scope="module")
def archive(known: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("deployed") / "news.db"
    with Archive.open(known) as one:
        one.backup(copy)
    return copy


@pytest.fixture(scope="module")
def token(archive: Path) -> str:
    return make_token(archive, "check", "read")


@pytest.fixture(scope="module")
def proxy(archive: Path, token: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """nginx as the page has it, in front of a service."""
    nginx = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    openssl = shutil.which("openssl")
    if not nginx or not openssl:
        pytest.skip("nginx and openssl are not installed (Debian: apt-get install nginx-light openssl)")
    folder = tmp_path_factory.mktemp("nginx")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={NAME}"]
    made += ["-addext", f"subjectAltName=DNS:{NAME}", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    outside, inside = free_port(), free_port()
    site = block("nginx")
    for given, here in (
        ("443 ssl", f"127.0.0.1:{outside} ssl"),
        (f"/etc/ssl/{NAME}.pem", str(certificate)),
        (f"/etc/ssl/{NAME}.key", str(key)),
        ("127.0.0.1:8470", f"127.0.0.1:{inside}"),
    ):
        assert site.count(given) == 1, given
        site = site.replace(given, here)
    temporary = "".join(
        f"{what}_temp_path {folder}/{what};\n"
        for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    config = folder / "nginx.conf"
    config.write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}{site}}}\n"
    )
    command = [PROGRAM, "serve", str(archive), "--port", str(inside), "--public", f"https://{NAME}"]
    with (
        subprocess.Popen(command, stderr=subprocess.PIPE) as service,
        subprocess.Popen([nginx, "-c", config, "-p", folder]) as front,
    ):
        try:
            assert service.stderr is not None
            assert f"https://{NAME}".encode() in service.stderr.readline()
            yield Proxy(outside, certificate, wait=front)
        finally:
            front.terminate()
            service.kill()


def test_a_text_is_checked_through_the_proxy(proxy: Proxy, archive: Path, token: str, draft: Path) -> None:
    given = {"Authorization": f"Bearer {token}", "Content_Type": "text/plain"}
    status, headers, content = proxy.ask("POST", "/v1/check", draft.read_bytes(), **given)
    with Archive.open(archive) as one:
        expected = [answer.to_dict() for answer in one.check(draft.read_text())]
    assert (status, [json.loads(content)]) == (200, expected)
    assert re.fullmatch("[0-9a-f]{32}", headers["x-request-id"]), "the one of nginx"


def test_nobody_is_let_in_through_the_proxy_without_a_token(proxy: Proxy) -> None:
    status, _, content = proxy.ask("POST", "/v1/check", b"text", Content_Type="text/plain")
    assert status == 401
    assert json.loads(content)["status"] == 401


def test_metrics_are_not_for_others_and_health_is(proxy: Proxy, token: str) -> None:
    assert proxy.ask("GET", "/metrics", Authorization=f"Bearer {token}")[0] == 403
    assert proxy.ask("GET", "/readyz")[0] == 200


def test_too_large_a_body_ends_at_the_proxy(proxy: Proxy, token: str) -> None:
    given = {"Authorization": f"Bearer {token}", "Content_Type": "text/plain"}
    assert proxy.ask("POST", "/v1/check", b"a" * ((4 << 20) + 1), **given)[0] == 413


@pytest.mark.parametrize(
    "options", [["--public", f"https://{NAME}"], ["--allow-host", NAME], ["--host", "0.0.0.0"]]
)
def test_a_service_for_others_needs_a_token_first(options: list[str], known: Path, tmp_path: Path) -> None:
    copy = tmp_path / "news.db"
    with Archive.open(known) as one:
        one.backup(copy)
    command = [PROGRAM, "serve", str(copy), "--port", "0", *options]
    ran: Any = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert b"the archive has no token" in ran.stderr


def test_the_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    analyse = shutil.which("systemd-analyze")
    if not analyse:
        pytest.skip("systemd-analyze is not installed")
    unit = tmp_path / "wirecopy.service"
    unit.write_text(
        block("ini").replace("/opt/wirecopy/bin/wirecopy", PROGRAM).replace("User=wirecopy", "User=root")
    )
    ran = subprocess.run([analyse, "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    assert not [line for line in ran.stderr.splitlines() if "wirecopy.service" in line]
