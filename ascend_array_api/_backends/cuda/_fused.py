"""Elementwise functions on GPUs as one kernel each, in place of compositions of a dozen kernels.

They are written in CUDA C++ for torch's own generator of elementwise kernels, which torch uses for
most functions of complex numbers.  The generator compiles them at the first call, caches them on
disk, and handles shapes, strides and launches.  A launch takes a third of the host's time of a
launch by Triton.

Their code is in ``_fused.cu``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from importlib import resources
from typing import Any, Final

from ..._reports.capturing import here
from ..._routes._derivatives import differentiated
from ..._routes._derivatives import plain as undisturbed
from ..._routes._kernels import Kernel
from ..._torch import Tensor, torch
from ..._torch import dtypes as dt
from ..._torch.private import differentiating, is_wrapped, jit_kernel
from ..._torch.tracing import traced_as

_WITH_SCALAR: Final = "template <typename T> T xp_scalar(T x, T n) { return xp_entry<T>(x, n); }"


def _short(code: str) -> str:
    """Return code without comments and needless blanks, because each call copies the text."""
    code = " ".join(re.sub("//.*", "", code).split())
    return re.sub(r" ?([(){};,=<>*/?&|]) ?", r"\1", code)


def _read() -> tuple[dict[str, str], dict[str, str]]:
    """Return the helpers in ``_fused.cu``, and the functions for users, by their names."""
    helpers, functions = {}, {}
    code = (resources.files(__package__) / "_fused.cu").read_text(encoding="utf-8")
    for block in code.split("\n\n"):
        short = _short(block)
        if entry := re.match(r"// entry: (\w+)$", block.strip(), re.MULTILINE):
            functions[entry[1]] = short
        elif short:
            helpers[short.partition("(")[0].split()[-1]] = short
    return helpers, functions


_HELPERS, _CODE = _read()


@functools.cache
def code_of(name: str) -> str:
    """Return the code of a function, preceded by the helpers that it needs."""
    code = _CODE[name]
    for helper, text in reversed(_HELPERS.items()):
        if re.search(rf"\b{helper}\b", code):
            code = text + code
    return code


@functools.cache
def _compiled(name: str) -> Kernel:
    return jit_kernel(torch.cuda.jiterator, code_of(name))


@functools.cache
def _compiled_with_number(name: str) -> Kernel:
    return jit_kernel(torch.cuda.jiterator, code_of(name) + _WITH_SCALAR, n=1.0)


def plain(*tensors: Tensor) -> bool:
    """Say whether torch's generator may take tensors: nothing can differentiate or trace it."""
    return tensors[0].is_cuda and undisturbed(*tensors)


def where_plain(make: Callable[[], Kernel], otherwise: Kernel, operands: int) -> Kernel:
    """Return a function that calls a kernel, made at the first call, for ``plain`` tensors.

    For one or two tensors it tests this inline, because the test must cost next to nothing.  It
    leaves more tensors, traces and all other cases to ``otherwise``.
    """
    kernel: Kernel | None = None

    @functools.wraps(otherwise, assigned=("__name__",), updated=())
    def unary(x: Tensor, *more: Tensor) -> Any:
        nonlocal kernel
        if (
            more
            or type(x) is not torch.Tensor
            or not x.is_cuda
            or (x.requires_grad or is_wrapped(x) or differentiating())
        ):
            return otherwise(x, *more)
        if kernel is None:
            kernel = make()
        if here.capture is not None:
            here.capture.sees((x,))
        return kernel(x)

    @functools.wraps(otherwise, assigned=("__name__",), updated=())
    def binary(x1: Tensor, x2: Tensor) -> Any:
        nonlocal kernel
        if (
            type(x1) is not torch.Tensor
            or type(x2) is not torch.Tensor
            or not x1.is_cuda
            or (x1.requires_grad or x2.requires_grad or differentiating())
            or (is_wrapped(x1) or is_wrapped(x2))
        ):
            return otherwise(x1, x2)
        if kernel is None:
            kernel = make()
        if here.capture is not None:
            here.capture.sees((x1, x2))
        return kernel(x1, x2)

    return traced_as(otherwise)(binary if operands == 2 else unary)


def fused(
    name: str, otherwise: Kernel, partials: Callable[..., tuple[Tensor, ...]] | None = None
) -> Kernel:
    """Return the kernel of a name, which leaves derivatives and traces to a composition.

    Partial derivatives, if given, serve both: see ``differentiated``.
    """

    @functools.wraps(otherwise, assigned=("__name__",), updated=())
    def fused_or_composed(*tensors: Tensor) -> Tensor:
        return (_compiled(name) if plain(*tensors) else otherwise)(*tensors)

    whole = fused_or_composed if partials is None else differentiated(fused_or_composed, partials)
    operands = _CODE[name].partition("xp_entry(")[2].partition(")")[0].count("T ")
    return where_plain(lambda: _compiled(name), whole, operands)


def frequencies(places: Tensor, last: int, size: int, length: float) -> Tensor:
    """Return the frequencies of positions; positions after the last one are negative."""
    kernel = _compiled("frequency")
    return kernel(places, last=float(last), size=float(size), length=length)


def search_keys(*tensors: Tensor) -> tuple[Tensor, ...] | None:
    """Return real numbers as integers in the same order; None if they must not be read."""
    if not plain(*tensors):
        return None
    bits = dt.int32 if tensors[0].dtype is dt.float32 else dt.int64
    key = _compiled("search_key")
    return tuple([key(tensor.view(bits)) for tensor in tensors])


def with_number(kernel: Kernel, function: Callable[[Tensor, float], Tensor | None]) -> Kernel:
    """Return a kernel of two tensors for a Python number as the second, which makes no tensor.

    The function returns None for numbers that it leaves to the kernel itself.
    """

    def by_number(x: Tensor, value: float) -> Tensor:
        result = function(x, value) if plain(x) else None
        if result is None:
            result = kernel(x, torch.full((), value, dtype=x.dtype, device=x.device))
        return result

    return by_number


def fused_with_number(name: str, kernel: Kernel) -> Kernel:
    """Return the kernel of a name for a Python number as the second operand."""

    def function(x: Tensor, value: float) -> Tensor:
        return _compiled_with_number(name)(x, n=float(value))

    return with_number(kernel, function)
