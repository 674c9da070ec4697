"""`wirecopy` and `python -m wirecopy`."""

import sys


def main() -> None:
    """Run a command; Ctrl-C while the program is still being loaded is no reason for a traceback either."""
    try:
        from .cli import main as run
    except KeyboardInterrupt:
        sys.exit("wirecopy: interrupted")
    run()


if __name__ == "__main__":
    main()
