"""Asks which locked dependencies have known vulnerabilities: pip-audit for Python, cargo-audit, where it is installed, for Rust.

Fails if there is one. What cannot be asked, as its data cannot be reached from here, is said and is no failure.

    .venv-release/bin/python release/audit.py
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-release.lock")
PYTHON = (
    *(sys.executable, "-m", "pip_audit", "--format=json", "--progress-spinner=off", "--disable-pip"),
    *("--require-hashes", *(f"--requirement={lock}" for lock in LOCKS)),
)
RUST = ("cargo", "audit", "--json", "--file=rust/Cargo.lock")


def ask(name: str, command: tuple[str, ...]) -> Any:
    """What a program reports; empty, and why, if it cannot."""
    ran = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    try:
        return json.loads(ran.stdout)
    except ValueError:
        print(f"{name} was not asked:", *ran.stderr.strip().splitlines()[-1:])
        return {}


def main() -> int:
    """Print what is known of how many, and fail if something is."""
    packages = ask("pip-audit", PYTHON).get("dependencies", [])
    crates = ask("cargo-audit", RUST)
    known = [
        f"{one['name']} {one['version']}: {bad['id']}" for one in packages for bad in one.get("vulns", ())
    ]
    for bad in crates["vulnerabilities"]["list"] if crates else ():
        known.append(f"{bad['package']['name']} {bad['package']['version']}: {bad['advisory']['id']}")
    asked = sum("vulns" in one for one in packages)
    print(
        *known,
        f"{len(known)} known vulnerabilities; asked about {asked} of {len(packages)} packages"
        f" and {crates['lockfile']['dependency-count'] if crates else 'no'} crates",
        sep="\n",
    )
    return bool(known)


if __name__ == "__main__":
    sys.exit(main())
