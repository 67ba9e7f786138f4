"""The developers' workshop: what measures and checks the package, in a checkout of the repository.

Its commands are those of ``python -m workshop``.  No wheel has this folder; ``conformance``, which
the wheel has, imports nothing of it.
"""

from typing import Final

NAME: Final = __name__
"""What this package is imported as."""
