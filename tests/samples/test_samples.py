"""The table of samples is complete: every function has one, and says what is tested of it."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import numpy as np

import ascend_array_api as xp
from workshop.samples import FUNCTIONS, Seeded, slopes

NO_FUNCTIONS = (type, ModuleType, type(xp.float32))
VERSIONS = {"__version__", "__array_api_version__"}
INSPECTION = {"capabilities", "default_device", "default_dtypes", "devices", "dtypes"}


def names() -> Iterator[str]:
    """Name every function and constant of the namespace, and all that its array has."""
    for prefix, module in (
        ("", xp),
        ("linalg.", xp.linalg),
        ("fft.", xp.fft),
        ("special.", xp.special),
    ):
        for name in module.__all__:
            value = getattr(module, name)
            if not isinstance(value, NO_FUNCTIONS) and name not in VERSIONS:
                yield prefix + name
    own = {"__init__", "__init_subclass__", "__array_priority__"}
    yield from (
        f"Array.{name}"
        for name, v in vars(xp.Array).items()
        if name[:2] == "__" and callable(v)
        if name not in own
    )
    yield from (f"Array.{name}" for name in "T mT to_device dtype device ndim shape size".split())


MISSING = """{} has no sample: in the file of its chapter in workshop/samples, say

    covers("{}", DTYPES)(by_numpy())  # or another comparison; or listed(), with the reason
    on("{}", one, plain)  # a call, and one for each mode
    because("{}", flat="...")  # where it has no derivative
"""


def test_every_function_has_a_sample() -> None:
    missing = sorted(set(names()) - set(FUNCTIONS))
    assert not missing, "\n".join(MISSING.format(*[name] * 4) for name in missing)
    surplus = {n for n in FUNCTIONS if not n.startswith("random.")} - set(names()) - INSPECTION
    assert not surplus, "these are no functions of the namespace"


def test_every_sample_says_what_is_tested() -> None:
    for name, function in FUNCTIONS.items():
        assert bool(function.compared) != bool(function.elsewhere), f"{name}: covers() or listed()"
        assert bool(function.calls) != bool(function.uncalled), f"{name}: on()"
        differentiated = next(slopes(function), None) is not None
        elsewhere = name.startswith("special.")  # tests/chapters/test_special.py
        assert differentiated or function.flat or elsewhere, f"{name}: slope() or because(flat=)"
        assert not (function.slopes and function.flat), name


def test_every_data_type_has_a_call() -> None:
    for name, function in FUNCTIONS.items():
        for dtype in function.dtypes:
            made = [call for call in function.calls if call.when(Seeded(dtype, ""))]
            assert made or function.uncalled, (name, dtype)


def test_inputs_for_derivatives_are_drawn_alike_in_every_run() -> None:
    for name in ("sort", "linalg.inv", "Array.__getitem__"):
        first, again = (list(slopes(FUNCTIONS[name])) for _ in range(2))
        for one, other in zip(first, again, strict=True):
            assert all(map(np.array_equal, one.operands, other.operands))
