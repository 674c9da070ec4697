"""Lists the licence of everything that wirecopy is built, run and tested with, and says which are not on the list.

.venv/bin/python release/licences.py
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path

ALLOWED = {
    *(
        "0BSD",
        "Apache-2.0",
        "Apache-2.0 WITH LLVM-exception",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "3-Clause BSD License",
        "BSL-1.0",
        "CC0-1.0",
    ),
    *("MIT", "MIT-0", "PSF-2.0", "Unicode-3.0", "Unlicense", "Zlib"),
    *("Apache Software License", "BSD License", "MIT License"),
}
"""By the names of SPDX; the last line by those of the Python index, as older packages have them."""
TOOLS = {"hypothesis": "MPL-2.0", "pathspec": "Mozilla Public License 2.0"}
"""Licences that tools may have which no user gets."""
UNCHANGED = {"certifi": "Mozilla Public License 2.0"}
"""Packages that come beside ours as they are, and stay under their own licence: the web framework needs a list of authorities."""


@dataclass(frozen=True)
class Dependency:
    """A package or crate, and its licence in its own words."""

    kind: str
    name: str
    version: str
    licence: str

    @property
    def allowed(self) -> bool:
        """Whether every part of the licence has an allowed alternative."""
        return self.licence in (TOOLS.get(self.name), UNCHANGED.get(self.name)) or all(
            any(licence.strip(" ()") in ALLOWED for licence in re.split(" OR |/", part))
            for part in self.licence.split(" AND ")
        )


def python_licence(package: Distribution) -> str:
    """The expression; in older packages the classifiers, else the name."""
    about = package.metadata.json
    classified = [
        line.split(" :: ")[-1] for line in about.get("classifier", ()) if line.startswith("License ::")
    ]
    return str(
        about.get("license_expression")
        or " AND ".join(name.split(" (")[0] for name in classified)
        or str(about.get("license") or "").strip().partition("\n")[0]
        or _title_of_licence(package)
    )


def _title_of_licence(package: Distribution) -> str:
    """The first line of the licence that comes with a package whose metadata name none."""
    files = [file for file in package.files or () if file.name.upper().startswith("LICENSE")]
    return next((file.read_text().strip().partition("\n")[0] for file in files), "unknown")


def dependencies() -> Iterator[Dependency]:
    """What is installed beside this Python, then what `rust/Cargo.lock` names."""
    for package in sorted(distributions(), key=lambda package: package.name.lower()):
        yield Dependency("python", package.name, package.version, python_licence(package))
    command = ["cargo", "metadata", "--quiet", "--locked", "--format-version=1"]
    crates = subprocess.run(
        command, cwd=Path(__file__).parents[1] / "rust", check=True, stdout=subprocess.PIPE
    )
    for crate in json.loads(crates.stdout)["packages"]:
        yield Dependency("rust", crate["name"], crate["version"], crate["license"] or "unknown")


def main() -> int:
    """Print all, and fail if one is not allowed."""
    found = list(dependencies())
    for one in found:
        print(f"{one.kind:8}{one.name:24}{one.version:12}{one.licence}")
    refused = [f"{one.name}: {one.licence}" for one in found if not one.allowed]
    print(f"{len(found)} dependencies, {len(refused)} with a licence that is not allowed", *refused, sep="\n")
    return bool(refused)


if __name__ == "__main__":
    sys.exit(main())
