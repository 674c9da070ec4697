"""`wirecopy` and `python -m wirecopy`."""

# Little more than what Python itself has loaded by now: until `main` hears of Ctrl-C, that shows a traceback; `signal` imports a good deal.
import os
import sys

from .errors import INTERRUPTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal


def main() -> None:
    """Run a command; Ctrl-C gives no traceback, even while the program is still being loaded."""
    open_closed_streams()
    hears = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    try:
        if hears:
            signal.signal(signal.SIGINT, end_at_once)
        from .cli import main as run

        if hears:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        print("wirecopy: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    finally:
        if hears:
            signal.signal(signal.SIGINT, end_at_once)


def end_at_once(_: int, __: object) -> None:
    """End the process: an exception, while modules are loaded or when the work is done, would be shown as a fault of theirs."""
    os.write(2, b"wirecopy: interrupted\n")
    os._exit(INTERRUPTED)


def open_closed_streams() -> None:
    """Open stdin, stdout and stderr where they are closed, so that no other file takes their place and is written into.

    Data that is read from there or written there is an error, as it would be without; talk is dropped.
    """
    ways = (("stdin", os.O_WRONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w"))
    for number, (name, flags, mode) in enumerate(ways):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, flags)
            if null != number:
                os.dup2(null, number)
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115


if __name__ == "__main__":
    main()
