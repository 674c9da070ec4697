"""What can go wrong, as types.

    WirecopyError
    ├── UsageError        an argument that cannot be meant: unknown method, bad parameter, unknown preset
    ├── SourceError       a file or stream that cannot be read at all
    │   ├── MissingExtra  reading it needs a package that is not installed
    │   └── NothingRead   records were given, and not one of them is an article
    ├── ArchiveError      an archive that cannot be read or written: disk full, no archive at all
    │   └── BusyError     another program is writing to it
    ├── ServiceError      a service that cannot be reached, or will not do what it is asked; what it takes for wrong usage is a UsageError
    ├── WorkError         a folder for work that cannot be used: disk full, another process, other files in it
    └── MismatchError     data made under other settings than these (text version, view, format, method), or a worker that has another version

A single bad record is no exception: it is a `Skipped` (see `model`), counted and listed, and the rest goes on. Messages speak Python:
`cli/words.py` says them in options.
"""

TYPE_CHECKING = False  # the program has imported nothing yet when it imports this
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

INTERRUPTED = 130
"""The exit code of a command that was ended by Ctrl-C, as shells have it."""


class WirecopyError(Exception):
    """Everything that wirecopy raises on purpose."""


class UsageError(WirecopyError, ValueError):
    """An argument that cannot be meant."""


class SourceError(WirecopyError):
    """A file or stream that cannot be read at all."""


class MissingExtra(SourceError):  # noqa: N818 - reads as what happened
    """Reading this needs a package that is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'wirecopy[{extra}]'")


class NothingRead(SourceError):  # noqa: N818 - reads as what happened
    """Records were given, and not one of them is an article; `skipped` lists them."""

    def __init__(self, skipped: "Sequence[Any]") -> None:
        self.skipped = skipped
        first, *others = skipped
        more = first.more + sum(1 + one.more for one in others)
        also = f" ({more:,} more skipped too)" if more else ""
        super().__init__(f"no article could be read: {first.where}: {first.reason}{also}")


class ArchiveError(WirecopyError):
    """An archive that cannot be read or written."""


class BusyError(ArchiveError):
    """Another program is writing to an archive."""


class ServiceError(WirecopyError):
    """A service that cannot be reached, or will not do what it is asked: `status` is what it answered, `request_id` what its log has it under."""

    def __init__(self, message: str, status: int | None = None, request_id: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class WorkError(WirecopyError):
    """A folder for work that cannot be used."""


class MismatchError(WirecopyError):
    """Data made under other settings than these."""

    def __init__(self, what: str, expected: object, got: object, way_out: str) -> None:
        super().__init__(f"{what}: expected {expected}, got {got}; {way_out}")


def refuse(*complaints: tuple[object, str]) -> None:
    """Raise UsageError with all complaints that hold, in one message."""
    if said := [complaint for holds, complaint in complaints if holds]:
        raise UsageError("; ".join(said))
