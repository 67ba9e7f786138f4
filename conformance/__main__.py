"""The entry point of ``python -m conformance``."""

import sys

from .cli import main


def run() -> int:
    """Run the command line of this process."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
