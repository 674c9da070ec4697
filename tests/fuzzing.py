"""Requests of every shape that the description of a service allows, and of shapes that it does not, made by schemathesis."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from services import Served

DESCRIPTION = Path(__file__).parents[1] / "src" / "wirecopy" / "service" / "openapi.json"
SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_schema_conformance", "response_headers_conformance", "unsupported_method"),
)
TOLD = 6000
"""How many characters of what went wrong are told: the last ones sum it up."""


def fuzz(served: Served, requests: int, *, examples: int, has_token: bool) -> tuple[int, str]:
    """Make at least so many requests, with the token of the service or without; returns how many, and what went wrong."""
    header = ["-H", f"Authorization: Bearer {served.token}"] if has_token else []
    before, made = count_requests(served), 0
    with tempfile.TemporaryDirectory() as folder:
        while made < requests:
            command = [
                *(
                    str(SCHEMATHESIS),
                    "run",
                    str(DESCRIPTION),
                    "--url",
                    served.url,
                    *header,
                    "--warnings",
                    "off",
                ),
                *("--checks", ",".join(CHECKS), "--max-examples", str(examples), "--no-shrink"),
                *("--seed", str(made + 1), "--request-timeout", "60", "--continue-on-failure"),
            ]
            ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
            made = count_requests(served) - before
            if ran.returncode:
                return made, ran.stdout[-TOLD:] + ran.stderr[-TOLD:]
    return made, ""


def count_requests(served: Served) -> int:
    """How many requests a service has answered."""
    counted = served.ask("GET", "/metrics").content.decode()
    return int(sum(float(one) for one in re.findall(r"^wirecopy_requests_total\{.*\} (\S+)$", counted, re.M)))
