"""Random numbers: NumPy's ``Generator``, with the same stream on every device.

There is no global generator: make one with ``default_rng``.

https://numpy.org/doc/stable/reference/random/generator.html
"""

from __future__ import annotations

from typing import Any

from .._errors.foreign_names import complete, of_module
from ._bit_generators import BitGenerator, Native, Philox
from ._generator import Generator, default_rng

__all__ = ["BitGenerator", "Generator", "Native", "Philox", "SeedSequence", "default_rng"]


def __getattr__(name: str) -> Any:
    if name == "SeedSequence":  # NumPy's own, imported when it is asked for
        from numpy.random import SeedSequence

        return SeedSequence
    return _absent(name)


_absent = of_module(__name__)
complete(globals())
