"""Every call of the samples under torch's switches, beside the same call without them."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.samples import FUNCTIONS, Seeded, converted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workshop.samples import Call

HALF: Final = ("float16", "bfloat16")
QUICK: Final = frozenset({"int64", "float32", "bfloat16", "complex64"})


@contextlib.contextmanager
def switched(turn: Callable[[Any], Any], value: Any, back: Any) -> Iterator[None]:
    turn(value)
    try:
        yield
    finally:
        turn(back)


def autocast(dtype: Any, device_type: str) -> contextlib.ExitStack:
    stack = contextlib.ExitStack()
    for kind in {"cpu", device_type}:
        stack.enter_context(torch.autocast(kind, dtype))
    return stack


STATES: Final[dict[str, Callable[[str], Any]]] = {
    "autocast to bfloat16": functools.partial(autocast, torch.bfloat16),
    "autocast to float16": functools.partial(autocast, torch.float16),
    "inference mode": lambda _: torch.inference_mode(),
    "no_grad": lambda _: torch.no_grad(),
    "float64 by default": lambda _: switched(torch.set_default_dtype, torch.float64, torch.float32),
    "bfloat16 by default": lambda _: switched(
        torch.set_default_dtype, torch.bfloat16, torch.float32
    ),
    "another device by default": lambda _: torch.device("meta"),
    "deterministic algorithms": lambda _: switched(torch.use_deterministic_algorithms, True, False),
    "all warnings": lambda _: switched(torch.set_warn_always, True, torch.is_warn_always_enabled()),
    "anomalies": lambda _: torch.autograd.set_detect_anomaly(True),
    "another seed": lambda _: switched(torch.default_generator.manual_seed, 12345, 54321),
    "flushed subnormals": lambda _: switched(torch.set_flush_denormal, True, False),
    "another number of threads": lambda _: switched(
        torch.set_num_threads, torch.get_num_threads() + 2, torch.get_num_threads()
    ),
    "coarse products": lambda _: switched(
        torch.set_float32_matmul_precision, "medium", torch.get_float32_matmul_precision()
    ),
}
"""What is switched on in a context, for a device type."""

ROUNDED: Final = {
    "flushed subnormals": 0.0,
    "another number of threads": 1e-12,
    "coarse products": 1e-12,
}
"""The states in which results may differ, and by how much relatively those of float64 may."""

PRODUCTS: Final = 0.05
"""How much coarse products of float32 may differ."""

TOGETHER: Final = (
    (
        *("autocast to bfloat16", "inference mode", "float64 by default", "all warnings"),
        *("deterministic algorithms", "anomalies", "another seed"),
    ),
    ("autocast to float16", "no_grad", "bfloat16 by default", "another device by default"),
)
"""States that change nothing: several of them at a time find what each would."""


ALONE: Final = [(state,) for state in STATES]
CALLED: Final = sorted(name for name, function in FUNCTIONS.items() if function.calls)


def settings() -> list[Any]:
    """Return torch's switches."""
    return [
        torch.get_default_dtype(),
        torch.get_default_device(),
        torch.get_num_threads(),
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.are_deterministic_algorithms_enabled(),
        torch.is_warn_always_enabled(),
        torch.is_anomaly_enabled(),
        torch.get_float32_matmul_precision(),
    ]


def problems(
    states: tuple[str, ...],
    device_type: str,
    array: Callable[[Any], Any],
    dtypes: frozenset[str] | None = None,
) -> list[str]:
    """Return what differs in some states, of all functions, and see that these are as before."""
    before, seed = settings(), torch.random.get_rng_state()
    wrong = [
        f"{name}: {what}"
        for name in CALLED
        for what in differences(name, states, device_type, array, dtypes)
    ]
    assert settings() == before
    assert "another seed" in states or torch.equal(seed, torch.random.get_rng_state())
    return wrong


def inputs(call: Call, name: str, dtype: str, array: Callable[[Any], Any]) -> list[Any]:
    """Return the inputs of a call, those for float32 in half precision where that is asked for."""
    half = getattr(xp, dtype) if dtype in HALF else None

    def made(value: Any) -> Any:
        x = array(value)
        return xp.astype(x, half) if half is not None and x.dtype is xp.float32 else x

    drawn = call.inputs(Seeded("float32" if half is not None else dtype, name))
    return [half if half and _is_dtype(v) else converted(xp, v, made) for v in drawn]


def _is_dtype(value: Any) -> bool:
    return type(value).__name__ == "DType"


def arrays(result: Any) -> Iterator[Any]:
    """Yield the arrays among results."""
    if isinstance(result, xp.Array):
        yield result
    elif isinstance(result, (list, tuple)):
        for part in result:
            yield from arrays(part)


def called(call: Call, given: list[Any]) -> list[Any] | str:
    """Return the arrays that come of a call, and what it wrote to, or the error."""
    try:
        result = call.bound(xp)(*given)
    except Exception as error:  # noqa: BLE001  # it is to be the same
        return f"{type(error).__name__}: {error}"
    return [*arrays(result), *(arrays(given) if call.writes else ())]


def seen(result: list[Any] | str) -> list[Any] | str:
    """Return data types and values: of the array, and of the tensor in it."""
    if isinstance(result, str):
        return result
    found = []
    for x in result:
        tensor = xp.to_torch(xp.asarray(x, device="cpu")).detach()
        wide = tensor.to(torch.float32) if tensor.dtype == torch.bfloat16 else tensor
        found.append((str(x._spec.dtype), str(x.dtype), str(tensor.dtype), np.asarray(wide)))
    return found


def calls(name: str, dtypes: frozenset[str] | None) -> Iterator[tuple[Call, str]]:
    """Yield the calls of a function, each with the data types that it is made for."""
    function = FUNCTIONS[name]
    halves = HALF if "float32" in function.dtypes else ()
    for dtype in dict.fromkeys((*function.dtypes, *halves)):
        if dtypes is None or dtype in dtypes:
            for call in function.calls:
                if call.when(Seeded("float32" if dtype in HALF else dtype, name)):
                    yield call, dtype


def differences(
    name: str,
    states: tuple[str, ...],
    device_type: str,
    array: Callable[[Any], Any],
    dtypes: frozenset[str] | None = None,
) -> list[str]:
    """Return which calls of a function differ in some states from the same without them."""
    wrong = []
    for call, dtype in calls(name, dtypes):
        plain = seen(called(call, inputs(call, name, dtype, array)))
        given = inputs(call, name, dtype, array)
        with contextlib.ExitStack() as stack:
            for state in states:
                stack.enter_context(STATES[state](device_type))
            result = called(call, given)
        if not same(found := seen(result), plain, states):
            wrong.append(f"{dtype}, {call.says}: {found if isinstance(found, str) else ''}")
    return wrong


def same(found: list[Any] | str, plain: list[Any] | str, states: tuple[str, ...]) -> bool:
    """Say whether results are the same, up to rounding where a state allows for that."""
    if isinstance(found, str) or isinstance(plain, str):
        return found == plain
    if [x[:3] for x in found] != [x[:3] for x in plain]:
        return False
    tolerance = max((ROUNDED[state] for state in states if state in ROUNDED), default=None)
    return all(_near(x[3], y[3], tolerance, states) for x, y in zip(found, plain, strict=True))


def _near(x: Any, y: Any, tolerance: float | None, states: tuple[str, ...]) -> bool:
    if tolerance is None or x.dtype.kind not in "fc" or x.shape != y.shape:
        return x.shape == y.shape and x.tobytes() == y.tobytes()
    limits = np.finfo(x.dtype)
    near = max(tolerance, 64 * limits.eps) if tolerance else 0.0
    if limits.bits == 32 and "coarse products" in states:
        near = PRODUCTS
    scale = np.max(np.abs(y), where=np.isfinite(y), initial=0.0)
    return np.allclose(x, y, near, float(limits.tiny) + near * scale, equal_nan=True)
