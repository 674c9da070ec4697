"""`wirecopy` and `python -m wirecopy`."""

import sys


def main() -> None:
    """Run a command; Ctrl-C gives no traceback, even while the program is still being loaded."""
    try:
        from .cli import main as run
    except KeyboardInterrupt:
        sys.exit("wirecopy: interrupted")
    run()


if __name__ == "__main__":
    main()
