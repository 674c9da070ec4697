"""Installs what `make wheel` made as a stranger would, and runs the demo and an archive with it.

The wheel is installed with the oldest and with the newest dependencies that it allows, without a compiler on the PATH; the
sdist with the newest, by cargo. Then the program runs with nothing in its environment but PATH and a HOME that cannot be
written, for root as nobody. It has to find in the archive what it finds without, and to answer the same each time.

    /usr/bin/python3 release/trial.py
"""

import os
import pwd
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
UV = ROOT / ".venv-release" / "bin" / "uv"
TRIALS = (("*.whl", "lowest"), ("*.whl", "highest"), ("*.tar.gz", "highest"))
COMMANDS = (
    "demo demo --run",
    "add news.db demo/articles.jsonl",
    "check news.db demo/pages --jsonl",
    "pairs news.db --csv",
    "find demo/articles.jsonl --csv",
)


def call(*command: object, **options: Any) -> str:
    """What a program prints; it has to succeed."""
    arguments = [str(argument) for argument in command]
    printed: str = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True, **options).stdout
    return printed


def alone(folder: Path) -> dict[str, str]:
    """Variables that let nothing else be found."""
    return {"PATH": str(folder / "bin"), "HOME": str(folder / "home")}


def install(folder: Path, ending: str, resolution: str) -> None:
    """Make an environment, and let its pip put the file of `dist` into it."""
    [package] = (ROOT / "dist").glob(ending)
    python, pins = folder / "bin" / "python", folder / "pins.txt"
    call(sys.executable, "-m", "venv", folder)
    (folder / "home").mkdir(mode=0o555)
    how = ("--only-binary=:all:", f"--resolution={resolution}", f"--python={python}")
    pins.write_text(
        call(UV, "pip", "compile", "--quiet", "--no-annotate", "--no-header", *how, ROOT / "pyproject.toml")
    )
    print(f"{package.name} with {', '.join(pins.read_text().split())}", flush=True)
    variables = os.environ if package.suffix == ".gz" else os.environ | alone(folder)
    call(python, "-m", "pip", "install", "--quiet", "--constraint", pins, package, env=variables)


def stranger(python: Path) -> dict[str, Any]:
    """Options that run a program as nobody, where one may."""
    if os.geteuid():
        return {}
    nobody = pwd.getpwnam("nobody")
    options = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": ()}
    try:
        call(python, "-c", "", **options)
    except PermissionError:
        print(f"runs as root: {sys.executable} is closed to others")
        return {}
    return options


def run(folder: Path) -> list[str]:
    """What each command prints."""
    work, wirecopy = folder / "work", folder / "bin" / "wirecopy"
    work.mkdir()
    work.chmod(0o777)
    options = {"cwd": work, "env": alone(folder), **stranger(folder / "bin" / "python")}
    return [call(wirecopy, *command.split(), **options) for command in COMMANDS]


def main() -> int:
    """Try all, and say what came out."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        printed = []
        for number, (ending, resolution) in enumerate(TRIALS):
            install(Path(name, str(number)), ending, resolution)
            printed.append(run(Path(name, str(number))))
    pairs, matches = (sorted(lines.splitlines()) for lines in printed[0][-2:])
    assert pairs == matches, "an archive has other pairs than its articles"
    assert printed == [printed[0]] * len(TRIALS), "the answers are not the same after each installation"
    print(f"all {len(TRIALS)} work, and find the same {len(matches) - 1} pairs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
