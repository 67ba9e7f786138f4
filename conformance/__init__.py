"""Judge an array namespace by the upstream conformance suite and report what was seen.

Run it as ``python -m conformance`` in a checkout of the repository; ``conformance/README.md`` says
what the result proves.  The wheel has this folder as ``ascend_array_api_conformance``, for
``conformance`` is too common a name to be taken in everybody's site-packages.  So nothing in here
names the package that it is in, and this module imports nothing.
"""

from pathlib import Path
from typing import Final

NAME: Final = __name__
"""What this package is imported as."""

COMMAND: Final = f"python -m {NAME}"
"""What runs it."""

ROOT: Final = Path(__file__).parents[1]
"""The folder above, which has the package that is judged: a checkout, or site-packages."""

CHECKOUT: Final = (ROOT / "pyproject.toml").is_file()
"""Whether this is a checkout of the repository, whose tables can be written."""

REPOSITORY: Final = "https://github.com/ascend-array-api/ascend-array-api"
"""Where the package comes from: no index has it, so no command may name it without this."""


def install(extra: str) -> str:
    """Return the command that installs the package with an extra."""
    if CHECKOUT:
        return f"pip install '.[{extra}]'"
    return f"pip install 'ascend-array-api[{extra}] @ git+{REPOSITORY}'"
