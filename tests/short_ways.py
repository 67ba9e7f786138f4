"""Calls of functions that have a short way for the plainest of them, and what the calls give."""

from __future__ import annotations

import inspect
import itertools
import math
import random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import torch
from parametrize import everything, listing

import ascend_array_api as xp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

    import pytest


class Call(NamedTuple):
    function: str
    given: tuple[Any, ...]
    named: dict[str, Any]


MOST = 300
"""How many combinations of values are drawn where there are more, but in `make nightly`."""


def combinations(*given: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Combine values: where there are many, each value at least once, and others drawn."""
    columns = [[*values] for values in given]
    whole = math.prod(map(len, columns))
    if whole <= MOST or everything():
        yield from itertools.product(*columns)
        return
    draw = random.Random(whole)
    orders = [draw.sample(column, len(column)) for column in columns]
    for i in range(max(map(len, columns))):
        yield tuple(order[i % len(order)] for order in orders)
    for _ in range(MOST):
        yield tuple(map(draw.choice, columns))


def of(function: str, *given: Iterable[Any], **named: Iterable[Any]) -> list[Call]:
    """Calls with combinations of arguments."""
    return [
        Call(function, values[: len(given)], dict(zip(named, values[len(given) :])))
        for values in combinations(*given, *named.values())
    ]


def outcome(call: Call) -> tuple[Any, ...]:
    """What a call gives: the result bit by bit, whose memory it shares, or the error."""
    function = xp
    for name in call.function.split("."):
        function = getattr(function, name)
    try:
        result = function(*call.given, **call.named)
    except (MemoryError, torch.OutOfMemoryError) as error:
        return (type(error),)  # it tells how much is left
    except Exception as error:  # noqa: BLE001  # it is compared
        return type(error), str(error)
    if type(result) is list:
        return tuple(described(call, part, given) for part, given in zip(result, call.given))
    return described(call, result, call.given[0] if call.given else None)


def described(call: Call, result: xp.Array, given: object) -> tuple[Any, ...]:
    tensor = xp.to_torch(result)
    shared = isinstance(given, xp.Array) and tensor.untyped_storage().data_ptr() == (
        xp.to_torch(given).untyped_storage().data_ptr()
    )
    strides = [step for step, size in zip(tensor.stride(), tensor.shape) if size > 1]
    return (
        (result.shape, result.dtype, result.device, result._spec, shared, type(tensor)),
        strides if tensor.numel() else [],
        tensor.requires_grad,
        b""
        if "empty" in call.function
        else tensor.detach().numpy(force=True).tobytes()
        if tensor.dtype is not torch.bfloat16
        else tensor.view(torch.int16).numpy(force=True).tobytes(),
    )


Way: TypeAlias = "tuple[dict[str, Any], str]"
"""What a function with a short way knows, and its name."""


def short_ways(*modules: ModuleType) -> list[Way]:
    """Return the short ways of the functions of modules."""
    ways: list[Way] = []
    for module in modules:
        for name, function in list(vars(module).items()):
            while getattr(inspect.unwrap(function), "__module__", "") == module.__name__:
                known = getattr(function, "__globals__", {})
                if known is not vars(module) and {"new", "way"} & known.keys():
                    ways.append((known, name))
                if not hasattr(function, "__wrapped__"):
                    break
                function = function.__wrapped__  # which another line may have made
    return ways


def compare(
    calls: Sequence[Call],
    ways: Sequence[Way],
    patch: pytest.MonkeyPatch,
    without: Callable[[], None] = lambda: None,
) -> None:
    """See that calls give the same without the short ways, and what else is taken away."""
    for call in calls:
        outcome(call)  # kernels are found
    short = [outcome(call) for call in calls]
    without()
    for known, _ in ways:
        if "way" in known:
            patch.setitem(known, "way", lambda *_: None)
        else:
            patch.setitem(known, "Array", None)  # nothing is one
    for call, found in zip(calls, short, strict=True):
        assert found == outcome(call), call


def taken(calls: Iterable[Call], ways: Sequence[Way], patch: pytest.MonkeyPatch) -> set[str]:
    """Return the names of the short ways that calls take."""
    names = set()

    def watched(name: str, short: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any) -> Any:
            made = short(*given)
            if made is not None and (type(made) is not list or made):
                names.add(name)
            return made

        return run

    for known, name in ways:
        for short in {"new", "way"} & known.keys():
            patch.setitem(known, short, watched(name, known[short]))
    for call in calls:
        outcome(call)
    return names


def mapped(codes: str) -> Callable[..., None]:
    """Return the test that functions of ``x`` give for batches what they give one by one."""

    @listing("code", codes.split())
    def test(code: str) -> None:
        function: Callable[[xp.Array], xp.Array] = eval(f"lambda x: {code}", {"xp": xp})
        x = xp.reshape(xp.arange(36, dtype=xp.float32), (4, 3, 3)) / 7
        for batch in (x, xp.moveaxis(xp.moveaxis(x, 0, 2) + 0, 2, 0)):
            function(batch[0, ...])  # the kernel is found
            got = torch.vmap(function)(batch)
            expected = xp.stack([function(batch[i, ...]) for i in range(4)])
            torch.testing.assert_close(xp.to_torch(got), xp.to_torch(expected), rtol=1e-5, atol=0)

    return test
