"""How a test is repeated for many values: by draws of a product, or in one item that lists them.

``@pytest.mark.parametrize`` makes an item of each value, and of each combination where it stands
more than once.  ``conftest.py`` draws from the combinations, as `drawn` says; `make nightly` runs
them all.  Where a value has no name by which a reader would ask for it, ``@listing`` tries all
values in one item, and its message lists all that fail.
"""

from __future__ import annotations

import functools
import inspect
import os
import random
import zlib
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

T = TypeVar("T")

DRAWN = 12
"""How many combinations are drawn at least."""

DRAWN_ON_NPUS = 6
"""How many where an emulator computes."""

MOST = 60
"""How many items a function may have, if they are not one for each function of the namespace."""


def drawn(function: str, calls: Sequence[Any], least: int = DRAWN) -> list[Any]:
    """Draw calls of one function: every value of every parameter, and so many at least.

    The draw depends on the name of the function alone, so each process draws the same.
    """
    order = list(range(len(calls)))
    random.Random(zlib.crc32(function.encode())).shuffle(order)
    told: dict[int, str] = {}  # what a value looks like; many calls share one
    seen: set[tuple[str, str]] = set()
    kept: list[int] = []
    rest: list[int] = []
    for i in order:
        given = calls[i].params.items()
        values = {(name, told.get(id(v)) or told.setdefault(id(v), repr(v))) for name, v in given}
        (rest if values <= seen else kept).append(i)
        seen |= values
    kept += rest[: max(0, least - len(kept))]
    return [calls[i] for i in sorted(kept)]


def one_of_each(values: Iterable[T], key: Callable[[T], object], of: str = "") -> list[T]:
    """Draw one of the values that have a key in common; all of them in `make nightly`.

    The draw depends on what they are values of, so that all come by turns.
    """
    several: dict[object, list[T]] = {}
    for value in values:
        several.setdefault(key(value), []).append(value)
    draw = random.Random(f"2026{of}" if of else 2026)
    return [
        v for group in several.values() for v in (group if everything() else [draw.choice(group)])
    ]


def nightly(*values: Any) -> Any:
    """Mark the item of these values, of one or several parameters, as one of `make nightly`."""
    return pytest.param(*values, marks=pytest.mark.nightly)


def others_nightly(values: Iterable[Any], most: int) -> list[Any]:
    """Draw some values, and mark the items of all others as those of `make nightly`."""
    every = list(values)
    kept = set(random.Random(len(every)).sample(range(len(every)), most))

    def marked(value: Any) -> Any:
        if isinstance(value, type(pytest.param())):
            return nightly(*value.values)
        return nightly(*value) if isinstance(value, tuple) else nightly(value)

    return [v if i in kept else marked(v) for i, v in enumerate(every)]


LONG = {
    *("betaincinv", "bdtri", "chdtri", "fdtri", "gammainccinv", "gammaincinv", "nbdtri", "pdtri"),
    *("stdtrit", "bdtr", "bdtrc", "betainc", "betaincc", "fdtr", "fdtrc", "nbdtr", "nbdtrc"),
}
"""Functions that are made of thousands of calls of torch's."""


def long_ones_nightly(names: Iterable[str]) -> list[Any]:
    """Mark the items of functions of which a call takes seconds."""
    return [nightly(name) if name.rpartition(".")[2] in LONG else name for name in names]


def everything() -> bool:
    """Whether all that can be drawn is wanted, as in `make nightly`."""
    return float(os.environ.get("AAA_TEST_EXAMPLES", "1")) > 1


def listing(
    names: str, values: Iterable[Any], *, parts: int = 1
) -> Callable[..., Callable[..., None]]:
    """Try a test with each of many values, and list all those with which it fails.

    Parameters
    ----------
    names : str
        The parameters of the test that get the values, with commas between them.
    values : iterable
        A value for one name, a tuple of values for several.
    parts : int, optional
        In how many items, so that several processes can share them.
    """
    parameters = [name.strip() for name in names.split(",")]
    every = list(values)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def tried(*args: Any, part: int = 0, **kwargs: Any) -> None:
            failed: list[tuple[Any, BaseException]] = []
            for value in every[part::parts]:
                given = (value,) if len(parameters) == 1 else value
                try:
                    test(*args, **kwargs, **dict(zip(parameters, given, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 it is raised below
                    failed.append((value, error))
            if failed:
                told = "\n".join(f"{value!r}: {type(e).__name__}: {e}"[:500] for value, e in failed)
                raise AssertionError(f"{len(failed)} fail:\n{told}") from failed[0][1]

        signature = inspect.signature(test)
        others = [p for name, p in signature.parameters.items() if name not in parameters]
        if parts > 1:
            others.append(inspect.Parameter("part", inspect.Parameter.KEYWORD_ONLY))
        tried.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return pytest.mark.parametrize("part", range(parts))(tried) if parts > 1 else tried

    return decorate
