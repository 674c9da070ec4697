"""How this package gets to the workers of a cluster: as an archive that Spark sends to them, and unpacks there.

    archive_package → a zip archive ─ship→ a folder beside each executor ─enter→ on the path of its Python

Workers have a Python with pyspark, pyarrow and NumPy; this package they may not have, or in another version. What is sent goes before what
is installed there. A stage asks each worker for its version before it unpickles anything: an answer of two versions would be nobody's.
"""

from __future__ import annotations

import argparse
import atexit
import hashlib
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wirecopy

from .. import _core
from ..errors import MismatchError, SourceError, UsageError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ASKED = 32
"""Tasks that ask the workers of a cluster what they have, before any work is done; later each stage asks where it runs."""
_LEFT_OUT = ("__pycache__", ".mypy_cache", ".ruff_cache")
_NAME = "wirecopy"
_HOME = Path(__file__).resolve().parents[1]
Contents = dict[str, bytes]


def archive_package(folder: Path, wheel: Path | None = None) -> Path:
    """A zip archive of this package in a folder, named by its version and by a digest of what is in it.

    It is of the package as it is installed here, native core included; or of a wheel, where workers are of another platform. The same
    contents make the same bytes.
    """
    contents = _read_wheel(wheel) if wheel else _read_installed()
    digest = hashlib.blake2b(digest_size=6)
    for name, content in contents.items():
        digest.update(f"{len(name)} {name} {len(content)} ".encode())
        digest.update(content)
    path = folder / f"{_NAME}-{wirecopy.__version__}-{digest.hexdigest()}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            entry = zipfile.ZipInfo(name)  # of 1980, whenever it is made
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, content)
    return path


def _read_installed() -> Contents:
    names = sorted(path for path in _HOME.rglob("*") if path.is_file() and not {*path.parts} & {*_LEFT_OUT})
    contents = {f"{_NAME}/{path.relative_to(_HOME).as_posix()}": path.read_bytes() for path in names}
    if not any(name.startswith(f"{_NAME}/_core.") and not name.endswith(".pyi") for name in contents):
        core = Path(_core.__file__)  # an editable installation may have it elsewhere
        contents[f"{_NAME}/{core.name}"] = core.read_bytes()
    return contents


def _read_wheel(wheel: Path) -> Contents:
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = sorted(name for name in archive.namelist() if name.startswith(f"{_NAME}/"))
            contents = {name: archive.read(name) for name in names if not name.endswith("/")}
    except (OSError, zipfile.BadZipFile) as error:
        raise SourceError(f"{wheel}: not a wheel: {error}") from None
    version = wheel.name.split("-")[1] if wheel.name.count("-") >= 4 else ""
    if version != wirecopy.__version__:
        raise UsageError(
            f"{wheel.name}: expected a wheel of wirecopy {wirecopy.__version__}, which is what runs here"
        )
    return contents


@cache
def _archive_here(wheel: Path | None) -> Path:
    """The archive, kept until this process ends: executors fetch it whenever they start."""
    folder = tempfile.mkdtemp(prefix="wirecopy-package-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return archive_package(Path(folder), wheel)


def ship(session: SparkSession, wheel: Path | str | None = None) -> str:
    """The name by which workers of a session find this package from now on, for the `package` of `run`; it is sent to them.

    It is the package as it is installed here, or that in a wheel of the same version.
    """
    path = _archive_here(Path(wheel) if wheel else None)
    session.addArtifacts(f"{path}#{path.stem}", archive=True)
    return path.stem


def provide(session: SparkSession, package: str | None) -> str | None:
    """The archive that workers find this package in, sent if none is named and they are not of this machine; None if they have it anyway.

    Raises MismatchError where a worker has none, or another version.
    """
    here = is_here(session)
    way_out = f"leave package out, so that it is sent, or give Spark an archive of {wirecopy.__version__} by that name (docs/spark.md)"
    if here and package is None:
        way_out = f"let PYSPARK_PYTHON be a Python that has wirecopy {wirecopy.__version__}: here it is {sys.executable}"
    elif package is None:
        way_out = "look at the log of that worker"
        try:
            package = ship(session)
        except Exception as error:  # of Py4J, gRPC or Spark, by how the session reaches its cluster
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            way_out = (
                f"it could not be sent there ({reason}): install wirecopy {wirecopy.__version__} where workers run, "
                "or name an archive that they have with package"
            )
    require_same(session, package, 1 if here else ASKED, way_out)
    return package


def is_here(session: SparkSession) -> bool:
    """Whether tasks of a session run in this machine's own Python."""
    master = session.conf.get("spark.master", "") or ""
    is_remote = type(session).__module__.startswith("pyspark.sql.connect")
    return not is_remote and master.startswith("local") and not master.startswith("local-cluster")


def require_same(session: SparkSession, package: str | None, tasks: int, way_out: str) -> None:
    """Raise MismatchError if a worker that is asked does not have this version; so many tasks ask."""
    enter = entering(package)

    def ask(batches: Iterator[Any]) -> Iterator[Any]:
        import socket

        import pyarrow

        for _ in batches:
            pass
        if wrong := enter():
            yield pyarrow.RecordBatch.from_pydict({"host": [socket.gethostname()], "wrong": [wrong]})

    asked = session.range(0, tasks, 1, tasks).mapInArrow(ask, "host string, wrong string")
    for host, wrong in sorted(map(tuple, asked.collect())):
        raise MismatchError(f"wirecopy on the worker {host}", _show(*_version()), wrong, way_out)


def entering(package: str | None) -> Callable[[], str]:
    """What puts this package on the path of a worker, and says what is wrong there: nothing, if it is this version.

    It goes there by value, since nothing of this package can be imported before; so it holds all that it uses.
    """
    expected = _version()

    def enter() -> str:
        import importlib
        import os
        import sys

        if package is not None:
            folders = [os.getcwd(), *sys.path]  # noqa: PTH109
            try:
                from pyspark import SparkFiles

                # A session has a folder of its own in that of what was named when Spark was started.
                root = SparkFiles.getRootDirectory()
                folders = [root, os.path.dirname(root), *folders]  # noqa: PTH120
            except Exception:  # a worker with the client alone: then its folder is on the path
                pass
            places = [os.path.join(folder, package) for folder in folders]  # noqa: PTH118
            place = next((place for place in places if os.path.isdir(place)), None)  # noqa: PTH112
            if place is None:
                return f"no archive named {package!r}"
            known = getattr(sys.modules.get("wirecopy"), "__file__", None)
            if known is not None and os.path.dirname(os.path.dirname(known)) != place:  # noqa: PTH120
                for name in [name for name in sys.modules if name.partition(".")[0] == "wirecopy"]:
                    del sys.modules[name]
            if sys.path[0] != place:
                sys.path.insert(0, place)
                importlib.invalidate_caches()
        try:
            import wirecopy
            import wirecopy.spark.stages
            from wirecopy import _core
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        found = (wirecopy.__version__, _core.TEXT_VERSION)
        return "" if found == expected else f"{found[0]} with text version {found[1]}"

    return enter


def _version() -> tuple[str, str]:
    return wirecopy.__version__, _core.TEXT_VERSION


def _show(version: str, text_version: str) -> str:
    return f"{version} with text version {text_version}"


def main() -> None:
    """Write the archive for those who send it themselves."""
    parser = argparse.ArgumentParser(
        prog="python -m wirecopy.spark.shipping",
        description="Write an archive of this package for spark-submit --archives.",
    )
    parser.add_argument("folder", type=Path, help="where to write it")
    parser.add_argument("--wheel", type=Path, help="of this wheel, where workers are of another platform")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    print(archive_package(asked.folder, asked.wheel))


if __name__ == "__main__":
    main()
