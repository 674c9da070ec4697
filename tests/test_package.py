"""What is installed: a package that says it is typed."""

import tomllib
from pathlib import Path

import wirecopy

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(wirecopy.__file__).with_name("py.typed").is_file()


def test_the_version_is_the_same_wherever_it_stands() -> None:
    core = tomllib.loads((ROOT / "rust" / "Cargo.toml").read_text())["package"]
    assert wirecopy.__version__ == PROJECT["version"] == core["version"]
