"""The entry point of ``python -m conformance``."""

import sys


def run() -> int:
    """Run the command line of this process."""
    try:
        from .cli import main  # an interruption while modules are loaded is one as well
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
