"""What is installed: a package that says it is typed; a wheel that holds it, its licence and nothing else."""

import re
import tarfile
import tomllib
from importlib.metadata import PathDistribution
from pathlib import Path
from zipfile import Path as ZipPath
from zipfile import ZipFile

import pytest

import wirecopy
from release.licences import Dependency, dependencies

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NAME = f"wirecopy-{PROJECT['version']}"
SOURCES = {
    path.relative_to(ROOT).as_posix(): path.stat().st_mtime
    for path in (ROOT / "pyproject.toml", *(ROOT / "src").rglob("*"), *(ROOT / "rust").rglob("*"))
    if path.is_file() and path.suffix not in {".pyc", ".so"}
}
PACKAGE = {name.removeprefix("src/") for name in SOURCES if name.startswith("src/")}


def made(ending: str) -> Path:
    """What `make wheel` made, unless something was changed since."""
    for path in (ROOT / "dist").glob(f"{NAME}{ending}"):
        if path.stat().st_mtime > max(SOURCES.values()):
            return path
    pytest.skip(f"dist has no {NAME}{ending} as new as the sources: make wheel")


@pytest.fixture(scope="module")
def wheel() -> ZipFile:
    return ZipFile(made("-*.whl"))


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(wirecopy.__file__).with_name("py.typed").is_file()


def test_the_version_is_the_same_wherever_it_stands() -> None:
    core = tomllib.loads((ROOT / "rust" / "Cargo.toml").read_text())["package"]
    assert wirecopy.__version__ == PROJECT["version"] == core["version"]


def test_a_wheel_holds_the_package_its_licence_and_nothing_else(wheel: ZipFile) -> None:
    about = {
        "METADATA",
        "RECORD",
        "WHEEL",
        "entry_points.txt",
        "licenses/LICENSE",
        "sboms/wirecopy-core.cyclonedx.json",
    }
    assert set(wheel.namelist()) == PACKAGE | {"wirecopy/_core.abi3.so"} | {
        f"{NAME}.dist-info/{name}" for name in about
    }
    assert "wirecopy/py.typed" in wheel.namelist()
    assert wheel.read(f"{NAME}.dist-info/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_a_wheel_says_what_the_project_does(wheel: ZipFile) -> None:
    installed = PathDistribution(ZipPath(str(wheel.filename), f"{NAME}.dist-info/"))
    named = ("Name", "Version", "Requires-Python", "License-Expression", "Summary")
    assert [installed.metadata[name] for name in named] == [
        PROJECT[name] for name in ("name", "version", "requires-python", "license", "description")
    ]
    extras = [
        f"{line} ; extra == '{name}'"
        for name, lines in PROJECT["optional-dependencies"].items()
        for line in lines
    ]
    assert installed.requires == PROJECT["dependencies"] + extras
    assert {entry.name: entry.value for entry in installed.entry_points} == PROJECT["scripts"]


def test_one_wheel_runs_on_every_python_and_on_old_systems(wheel: ZipFile) -> None:
    tag = re.search(
        r"^Tag: cp311-abi3-manylinux_2_(\d+)_", wheel.read(f"{NAME}.dist-info/WHEEL").decode(), re.MULTILINE
    )
    assert tag
    assert int(tag[1]) <= 28


def test_a_wheel_does_not_tell_where_it_was_built(wheel: ZipFile) -> None:
    places = [str(place).encode() for place in (ROOT, Path.home())]
    assert [name for name in wheel.namelist() for place in places if place in wheel.read(name)] == []


def test_an_sdist_holds_what_a_wheel_is_built_from_and_nothing_else() -> None:
    with tarfile.open(made(".tar.gz")) as sdist:
        names = {name.removeprefix(f"{NAME}/") for name in sdist.getnames()}
    assert names == SOURCES.keys() | {"LICENSE", "PKG-INFO", "README.md"}


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("MIT License", True),
        ("GPL-3.0-only", False),
        ("unknown", False),
        ("GPL-2.0-only OR MIT", True),
        ("MIT/Apache-2.0", True),
        ("MIT AND GPL-2.0-only", False),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", True),
        ("(MIT OR Apache-2.0) AND GPL-2.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("MPL-2.0", False),
    ],
)
def test_a_licence_is_allowed_if_each_part_has_an_allowed_alternative(licence: str, allowed: bool) -> None:
    assert Dependency("rust", "some-crate", "1.0", licence).allowed is allowed


def test_every_dependency_has_an_allowed_licence() -> None:
    found = list(dependencies())
    assert {"numpy", "pyo3"} <= {one.name for one in found}
    assert [one for one in found if not one.allowed] == []
