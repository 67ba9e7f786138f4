"""The operators of arrays, attached to the class from above the functions that compute them.

Names no device type; knows kernels by their operations alone.

The class declares each operator with its true signature.  Declarations of forward operators also
have the body that ``torch.compile`` traces; calls without a compiler never run it.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from .._arrays.array import Array, implements, wrap, wrote
from .._arrays.axes import broadcast
from .._arrays.memory import check_writable, is_repeated, kept, meet, overlap
from .._arrays.promotion import SCALARS
from .._calls import traces
from .._calls.elementwise import (
    TAKEN,
    call,
    computed,
    computed_by,
    fast_binary,
    fast_unary,
    slow_binary,
    slow_unary,
)
from .._calls.interchange import asarray, to_numpy
from .._calls.operands import operation
from .._calls.plainest import plainest
from .._chapters.linear_algebra import product
from .._errors.exceptions import describe, foreign, not_broadcastable
from .._options import relaxed
from .._routes import elementwise as ops
from .._routes import indexing, linear_algebra
from .._routes._dimensions import is_in_order
from .._routes._faults import check_fault
from .._routes._kernels import takes_scalar
from .._routes._operations import OPS, cast
from .._torch import dtypes as dt
from .._torch import torch
from .._torch.private import in_transform, trace_comparisons
from .._torch.tracing import TRACED, comparison, traced_as

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch import Tensor

    from .._devices.device import Spec
    from .._routes._operations import Op

F = TypeVar("F", bound="Callable[..., Any]")
_Tensor: Final = torch.Tensor


def _is_operand(x: object) -> bool:
    """Say whether an operator accepts an operand."""
    return isinstance(x, (Array, *SCALARS)) or relaxed.takes(x)


# --- operands that operators do not accept --------------------------------------------------------

# Operators raise instead of returning NotImplemented, because Python's reaction to that is no help.
# It compares by identity without an error, it takes an array for the number of times to repeat a
# list, and its own TypeError does not say what to write instead.


def _foreign(symbol: str, other: object, reflected: str | None = None) -> Any:
    """Refuse an operand; return NotImplemented if its reflected method may know arrays."""
    if reflected is not None and not _is_ignorant(other):
        knows = getattr(type(other), reflected, None)
        if knows is not None and knows is not getattr(object, reflected, None):
            return NotImplemented
    raise _refusal(symbol, other)


def _check_repeats(symbol: str, self: Array, other: object) -> None:
    """Refuse a list times one integer: Python and NumPy repeat the list, and arrays multiply."""
    one = not self._tensor.dim() and self._spec.dtype in dt.INTEGER
    if symbol == "*" and one and isinstance(other, (list, tuple)):
        raise TypeError(
            f"*: {describe(other)} times one integer may mean to repeat it, or to multiply its "
            "elements. Write y * int(n), or xp.asarray(y) * n."
        )


def _refusal(symbol: str, other: object) -> TypeError:
    if other is None:
        hint = " 'x is None' asks whether there is no array." if symbol in _EQUALITY else ""
        error = TypeError(f"{symbol}: an array does not combine with None.{hint}")
    elif isinstance(other, (str, bytes)):
        error = TypeError(
            f"{symbol}: an array does not combine with the text {other!r}; arrays hold numbers. "
            "Ask isinstance(x, str) first where it may be either."
        )
    else:
        allowed = "an Array" if "@" in symbol else "an Array or a Python scalar"
        error = foreign(symbol, other, allowed)
    if symbol in _EQUALITY or (relaxed.would_take(other) and not relaxed.on()):
        return TypeError(f"{error}{relaxed.HINT}")
    return error


_EQUALITY: Final = {"==", "!="}


def _is_ignorant(other: object) -> bool:
    """Say whether an object's reflected methods cannot know arrays: those of lists or tensors."""
    return isinstance(other, (Sequence, torch.Tensor)) or type(other).__module__ == "builtins"


def _equality_of(symbol: str, self: Array, other: Any) -> Any:
    """Compare an array with an operand that operators do not accept.

    Return the operand's own answer, or in relaxed mode NumPy's; in strict mode refuse the rest.
    Python would say, by identity, that the two differ.
    """
    if not _is_ignorant(other):
        asked: Any = type(other).__eq__ if symbol == "==" else type(other).__ne__
        answer = asked(other, self)
        if answer is not NotImplemented:
            return answer
    refusal = _refusal(symbol, other)
    if not relaxed.allows(refusal):
        raise refusal
    tensor = self._tensor.detach()
    values = to_numpy(wrap(cast(tensor, dt.float32) if self.dtype is dt.bfloat16 else tensor))
    compare = operator.eq if symbol == "==" else operator.ne
    try:
        answer = compare(values, other)
    except ValueError as error:
        raise ValueError(f"{symbol}: {error}.") from error
    return asarray(answer, device=self.device)


# --- operators that compute elementwise -----------------------------------------------------------


def _prefix(op: Op, symbol: str) -> Callable[[Any], Any]:
    """Return the method for ``<symbol> array``."""
    slow = slow_unary(op.name, symbol)
    TRACED[op.name] = slow
    return fast_unary(op, symbol, slow)


def _forward(op: Op, symbol: str, reflected: str) -> Callable[[Any, Any], Any]:
    """Return the method for ``array <symbol> other``; ``reflected`` names that of ``other``."""
    op_name = op.name

    def foreign(self: Array, other: object) -> Any:
        _check_repeats(symbol, self, other)
        if _is_operand(other):
            return TAKEN
        if symbol in _EQUALITY:
            return _equality_of(symbol, self, other)
        return _foreign(symbol, other, reflected)

    slow, checked = slow_binary(op_name, symbol, foreign)

    def traced(self: Array, other: object) -> Any:
        # ``_computed`` has refused the call: not every scalar is exact beside this data type, so
        # this one must be asked by its value.
        op, spec = OPS[op_name], self._spec
        if isinstance(other, (int, float)) and takes_scalar(op, spec, other):
            return wrap(op.native(self._tensor, other), op.result(spec))
        return checked(self, other)

    TRACED[op_name] = traced
    return fast_binary(op, symbol, slow)


_REVERSED: Final = {"subtract": torch.rsub}
"""torch's functions of an array and of a Python scalar that comes first, by operation."""


def _takes_natively(op: Op, spec: Spec, value: object) -> bool:
    """Say whether torch's own function combines arrays with a Python number exactly."""
    if type(value) is not float and type(value) is not int:
        return False
    found = op.kernels.get(spec)
    return found is not None and found.takes(value) is op.native  # not a row's kernel


def _inverts(spec: Spec) -> bool:
    """Say whether the reciprocal is the exact quotient of 1, and have its kernel found."""
    if spec.dtype in ops.inverse.dtypes:
        ops.inverse.kernels_for(spec)
    return spec.device.backend.exact_scalars


_PLAINEST_REFLECTED: Final = {
    "subtract": plainest(
        "self: array, other: number if exact(subtract, spec, other)",
        "torch.rsub(tensor, other)",
        kernel=ops.subtract,
        exact=_takes_natively,
        subtract=ops.subtract,
        name="-",
    ),
    "divide": plainest(
        "self: array, other: number if other == 1 and inverts(spec)",
        "kernel(tensor)",
        kernel=ops.inverse,
        inverts=_inverts,
        name="/",
    ),
}


def _reflected(op: Op, symbol: str) -> Callable[[Any, Any], Any]:
    """Return the method for ``other <symbol> array``, where ``other`` is no array."""
    op_name, reversed_ = op.name, _REVERSED.get(op.name)

    def slow(self: Array, other: Array | complex, /) -> Array:
        op = OPS[op_name]
        _check_repeats(symbol, self, other)
        if not _is_operand(other):
            refused: Array = _foreign(symbol, other)  # or NotImplemented
            return refused
        if (
            reversed_ is not None
            and (type(other) is float or type(other) is int)
            and takes_scalar(op, self._spec, other)
        ):
            spec = self._spec
            kernel = spec.device.backend.with_scalar(f"r{op_name}", spec.dtype) or reversed_
            return computed_by(kernel, symbol, self, other, self._spec)
        op, tensors, spec = operation(op, symbol, other, self)
        return computed(op, spec, symbol, *tensors)

    if op_name not in _PLAINEST_REFLECTED:
        return slow
    TRACED[f"r{op_name}"] = slow if reversed_ is None else traces.subtracted(slow)
    return _PLAINEST_REFLECTED[op_name](slow)


def _inplace(op: Op, symbol: str, name: str) -> Callable[[Any, Any], Any]:
    """Return the method for ``array <symbol>= other``.

    If it raises, the array is unchanged: all checks come before the first write.
    """
    op_name, native, kernels = op.name, op.native, op.kernels
    write: Any = op.inplace

    def method(self: Any, other: Any, /) -> Any:
        try:
            spec, target = self._spec, self._tensor
            # torch's own kernels check, before they write, that the result has the array's shape,
            # and that no memory is repeated.  Those of other vendors need not, and some lose the
            # device where they write to a transposed view.
            if not spec.device.plain and (
                is_repeated(target)
                or not is_in_order(target)
                or (type(other) is Array and other.shape != self.shape)
            ):
                return checked(self, other)
            if type(other) is Array:
                last = other._tensor
                if (
                    other._spec is spec
                    and kernels[spec].users is native
                    and type(target) is type(last) is _Tensor
                    and not meet(target, last)  # it raises where torch.func hides addresses
                ):
                    write(target, last)
                    return self
            elif (
                _takes_natively(op, spec, other) and type(target) is _Tensor and not in_transform()
            ):
                write(target, other)
                return self
        except (KeyError, TypeError):
            pass  # the kernel is not known yet
        except RuntimeError as error:
            tensors = [x._tensor for x in (self, other) if type(x) is Array]
            check_fault(error, symbol, spec.device, tensors)
        return checked(self, other)

    def checked(self: Any, other: Any, /) -> Any:
        op = OPS[op_name]
        if not _is_operand(other):
            return _foreign(symbol, other, f"__r{name}__")
        target: Tensor = self._tensor
        op, tensors, spec = operation(op, symbol, self, other)
        last = source = tensors[-1]
        check_inplace(symbol, target, self._spec.dtype, last, spec.dtype)
        # torch's in-place function serves if it is the kernel, the result keeps the array's data
        # type, and no element is read after it was written.  Otherwise compute, and copy back.
        device = self._spec.device
        direct = op.inplace if spec is self._spec and op.is_native(spec) else None
        try:
            in_order = device.plain or is_in_order(target)
            if direct is not None and in_order and not overlap(target, last):
                direct(target, last)
            else:
                source = call(op, spec, symbol, kept(*tensors), *tensors[1:])
                indexing.copy_to(target, cast(source, target.dtype))
        except RuntimeError as error:
            check_fault(error, symbol, spec.device, (target, last))
            raise
        wrote(self, (source,))
        return self

    if write is None:
        return checked
    TRACED[f"i{name}"] = checked
    return method


def check_inplace(
    symbol: str, target: Tensor, own: dt.DType, other: Tensor, result: dt.DType
) -> None:
    """Check that the result of an in-place operator fits the array: data type, shape, memory."""
    if result is not own:
        error = TypeError(
            f"{symbol}: the result would be of {dt.NAMES[result]}, which is not cast to the "
            f"array's dtype, {dt.NAMES[own]}, in place. Write x = x {symbol[:-1]} y instead."
        )
        if not relaxed.casts(result, own):
            raise error
        relaxed.require(error)
    shape = tuple(target.shape)
    common = broadcast(shape, other.shape)
    if common is None:
        raise not_broadcastable(symbol, shape, tuple(other.shape))
    if common != shape:
        raise ValueError(
            f"{symbol}: an operand of shape {tuple(other.shape)} could not be broadcast to the "
            f"array's shape {shape}; an array does not grow in place."
        )
    check_writable(symbol, target)


# --- products of matrices -------------------------------------------------------------------------


def _matmul(self: Array, other: Any) -> Any:
    if not isinstance(other, Array) and not relaxed.takes(other):
        return _foreign("@", other, "__rmatmul__")
    return product("@", self, other)


def _rmatmul(self: Array, other: Any, /) -> Any:
    if not isinstance(other, Array) and not relaxed.takes(other):
        return _foreign("@", other)
    return product("@", other, self)


def _imatmul(self: Array, other: Any, /) -> Any:
    if not isinstance(other, Array):
        return _foreign("@=", other, "__rmatmul__")
    kept_self = wrap(kept(self._tensor, other._tensor), self._spec)
    made = product("@=", kept_self, other)
    check_inplace("@=", self._tensor, self._spec.dtype, made._tensor, made._spec.dtype)
    if made.shape != self.shape:
        raise ValueError(
            f"@=: the product has shape {made.shape}, which an array of shape {self.shape} cannot "
            "take in place. Write x = x @ y instead."
        )
    indexing.copy_to(self._tensor, made._tensor)
    wrote(self, (made,))
    return self


TRACED["matmul"] = _matmul


# --- attached -------------------------------------------------------------------------------------

_PREFIX: Final = {
    "abs": (ops.abs, "abs"),
    "neg": (ops.negative, "-"),
    "pos": (ops.positive, "+"),
    "invert": (ops.bitwise_invert, "~"),
}
_ARITHMETIC: Final = {
    "add": (ops.add, "+"),
    "sub": (ops.subtract, "-"),
    "mul": (ops.multiply, "*"),
    "truediv": (ops.divide, "/"),
    "floordiv": (ops.floor_divide, "//"),
    "mod": (ops.remainder, "%"),
    "pow": (ops.pow, "**"),
    "and": (ops.bitwise_and, "&"),
    "or": (ops.bitwise_or, "|"),
    "xor": (ops.bitwise_xor, "^"),
    "lshift": (ops.bitwise_left_shift, "<<"),
    "rshift": (ops.bitwise_right_shift, ">>"),
}
_COMPARISONS: Final = {
    "lt": (ops.less, "<", "gt"),
    "le": (ops.less_equal, "<=", "ge"),
    "gt": (ops.greater, ">", "lt"),
    "ge": (ops.greater_equal, ">=", "le"),
    "eq": (ops.equal, "==", "eq"),
    "ne": (ops.not_equal, "!=", "ne"),
}
_COMMUTE: Final = {"add", "mul"}
"""Operators whose forward method also serves as the reflected one."""


def _traced_by_declaration(name: str, method: F) -> F:
    """Attach a method; the compiler traces the body of its declaration instead."""
    return implements(name)(traced_as(vars(Array)[name])(method))


for _name, (_op, _symbol) in _PREFIX.items():
    _traced_by_declaration(f"__{_name}__", _prefix(_op, _symbol))
for _name, (_op, _symbol) in _ARITHMETIC.items():
    _method = _traced_by_declaration(f"__{_name}__", _forward(_op, _symbol, f"__r{_name}__"))
    if _name in _COMMUTE:
        setattr(Array, f"__r{_name}__", _method)
    elif _op.name in _PLAINEST_REFLECTED:
        _traced_by_declaration(f"__r{_name}__", _reflected(_op, _symbol))
    else:
        implements(f"__r{_name}__")(_reflected(_op, _symbol))
    _method = _inplace(_op, f"{_symbol}=", _name)
    if _op.inplace is None:
        implements(f"__i{_name}__")(_method)
    else:
        _traced_by_declaration(f"__i{_name}__", _method)
for _name, (_op, _symbol, _other) in _COMPARISONS.items():
    _method = _traced_by_declaration(f"__{_name}__", _forward(_op, _symbol, f"__{_other}__"))
    setattr(Array, f"__{_name}__", comparison(_method))
trace_comparisons(Array)

_traced_by_declaration("__matmul__", fast_binary(linear_algebra.matmul, "@", _matmul))
implements("__rmatmul__")(_rmatmul)
implements("__imatmul__")(_imatmul)
