"""The language of CANN's TBE kernels, on NumPy arrays: what each instruction computes on Atlas A2.

A `Tensor` holds an array and the name of its dtype; bfloat16 is held as float32. Each instruction
rounds once to its dtype. exp, ln and sqrt are correctly rounded. Conversions from float to float
lose the sign of zero, those to integers saturate and take NaN for 0; "not equal" is false for NaN.
Narrowing integers saturates from int64 to int32 and takes the low bytes else, which is open.
"""

# The calls have the names and the signatures that the kernels use, and CANN's documents describe.
# ruff: noqa: D102, D103, FBT002

from __future__ import annotations

import math
import operator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Array = np.ndarray[Any, Any]

NUMPY = {
    **{name: np.dtype(name) for name in ("float16", "float32", "float64", "bool", "complex64")},
    **{
        f"{kind}{bits}": np.dtype(f"{kind}{bits}")
        for kind in ("int", "uint")
        for bits in (8, 16, 32, 64)
    },
    "bfloat16": np.dtype(np.float32),
    "uint1": np.dtype(bool),
    "float": np.dtype(np.float32),
    "int": np.dtype(np.int32),
}
SHORT = {
    "uint1": "u1",
    "bool": "s8",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "complex64": "c64",
    "complex32": "c32",
    **{f"int{bits}": f"s{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"u{bits}" for bits in (8, 16, 32, 64)},
}
FLOATS = ("float16", "bfloat16", "float32")


class UnsupportedError(TypeError):
    """The chip has no such instruction, or the interpreter lacks it."""


class Chip:
    """What a chip supports: the tables of CANN, by instruction."""

    def __init__(
        self,
        name: str,
        calls: dict[str, Any],
        same: dict[str, str],
        intrinsics: dict[str, set[str]],
    ) -> None:
        self.name, self._calls, self._same, self._intrinsics = name, calls, same, intrinsics

    def supports(self, call: str, dtype: str = "") -> bool:
        """Answer ``api_check_support``."""
        if call.startswith("tik."):
            plain = call[4:]
            return self.has_intrinsic("v" + plain[4:] if plain.startswith("vec_") else plain, dtype)
        plain = call.rsplit(".", maxsplit=1)[-1]
        by_chip = self._calls.get(self._same.get(plain, plain))
        if by_chip is None:
            return False
        dtypes = by_chip.get(self.name, by_chip.get("AllSoc"))
        return bool(dtypes) and (not dtype or dtype in dtypes)

    def has_intrinsic(self, name: str, dtype: str = "") -> bool:
        """Answer ``intrinsic_check_support``."""
        dtypes = self._intrinsics.get(name.removeprefix("Intrinsic_"))
        return dtypes is not None and (not dtype or dtype in dtypes)


CHIP: list[Chip] = []  # the one that kernels run on, set by `sources`


def _need(call: str, dtype: str) -> None:
    if not CHIP[0].supports(call, dtype):
        raise UnsupportedError(f"{call} of {dtype} on {CHIP[0].name}")


class Constant:
    """A scalar of the language."""

    def __init__(self, value: Any, dtype: str | None = None) -> None:
        value = getattr(value, "value", value)
        dtype = dtype or ("int32" if isinstance(value, int) else "float32")
        self.dtype = {"int": "int32", "float": "float32"}.get(dtype, dtype)
        self.value = scalar(value, self.dtype).item()

    def __float__(self) -> float:
        return float(self.value)

    def __int__(self) -> int:
        return int(self.value)

    __index__ = __int__

    def __bool__(self) -> bool:
        return bool(self.value)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == getattr(other, "value", other))

    def __hash__(self) -> int:
        return hash(self.value)

    def __neg__(self) -> Constant:
        return Constant(-self.value, self.dtype)

    def astype(self, dtype: str) -> Constant:
        return Constant(self.value, dtype)


def _operators() -> None:
    def pair(function: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
        def forward(a: Constant, b: Any) -> Constant:
            return Constant(function(a.value, getattr(b, "value", b)), a.dtype)

        def backward(a: Constant, b: Any) -> Constant:
            return Constant(function(getattr(b, "value", b), a.value), a.dtype)

        return forward, backward

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
        forward, backward = pair(getattr(operator, name))
        setattr(Constant, f"__{name}__", forward)
        setattr(Constant, f"__r{name}__", backward)


_operators()


class Tensor:
    """An array and the name of its dtype."""

    def __init__(self, data: Array, dtype: str) -> None:
        if data.dtype != NUMPY[dtype]:
            raise UnsupportedError(f"{data.dtype} for {dtype}")
        self.data, self.dtype = data, dtype
        self.op = SimpleNamespace(tag="", attrs={}, input_tensors=[], name="")

    @property
    def shape(self) -> list[int]:
        return list(self.data.shape)

    @property
    def ndim(self) -> int:
        return self.data.ndim

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def round_to_bfloat16(x: Array) -> Array:
    """Round float32 to the nearest bfloat16, ties to even."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    with np.errstate(over="ignore"):
        rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(
            0xFFFF0000
        )
    return np.where(np.isnan(x), x, rounded.view(np.float32)).astype(np.float32)


def _stored(x: Array, dtype: str) -> Array:
    x = np.asarray(x).astype(NUMPY[dtype])
    return round_to_bfloat16(x) if dtype == "bfloat16" else x


def scalar(value: Any, dtype: str) -> Any:
    """Return a number in a dtype; integers wrap around."""
    kind = NUMPY[dtype]
    with np.errstate(all="ignore"):
        if kind.kind in "iu":
            bits = int(value) & (2 ** (8 * kind.itemsize) - 1)
            return np.array(bits, dtype=f"u{kind.itemsize}").view(kind)[()]
        return _stored(np.asarray(value, dtype=np.float64), dtype)[()]


def _value(x: Any, dtype: str) -> Any:
    return x.data if isinstance(x, Tensor) else scalar(getattr(x, "value", x), dtype)


def _quiet(function: Callable[..., Any], *arguments: Any) -> Any:
    with np.errstate(all="ignore"):
        return function(*arguments)


def _two(call: str, function: Callable[[Any, Any], Any]) -> Callable[[Tensor, Tensor], Tensor]:
    def instruction(lhs: Tensor, rhs: Tensor) -> Tensor:
        _need(call, lhs.dtype)
        if lhs.dtype != rhs.dtype or lhs.shape != rhs.shape:
            raise UnsupportedError(f"{call}: {lhs.dtype} {lhs.shape} and {rhs.dtype} {rhs.shape}")
        return Tensor(_stored(_quiet(function, lhs.data, rhs.data), lhs.dtype), lhs.dtype)

    return instruction


def _with_scalar(call: str, function: Callable[[Any, Any], Any]) -> Callable[[Tensor, Any], Tensor]:
    def instruction(tensor: Tensor, value: Any) -> Tensor:
        _need(call, tensor.dtype)
        result = _quiet(function, tensor.data, _value(value, tensor.dtype))
        return Tensor(_stored(result, tensor.dtype), tensor.dtype)

    return instruction


def _one(call: str, function: Callable[[Any], Any]) -> Callable[..., Tensor]:
    def instruction(tensor: Tensor, impl_mode: str | None = None) -> Tensor:
        del impl_mode
        _need(call, tensor.dtype)
        return Tensor(_stored(_quiet(function, tensor.data), tensor.dtype), tensor.dtype)

    return instruction


def _through_float64(function: Callable[[Any], Any]) -> Callable[[Array], Any]:
    return lambda x: function(x.astype(np.float64))


def _larger(a: Array, b: Array) -> Any:
    if a.dtype.kind in "iu":
        return np.maximum(a, b)
    return np.where(a == b, np.where(np.signbit(a), b, a), np.maximum(a, b))


def _smaller(a: Array, b: Array) -> Any:
    if a.dtype.kind in "iu":
        return np.minimum(a, b)
    return np.where(a == b, np.where(np.signbit(a), a, b), np.minimum(a, b))


def _quotient(a: Array, b: Array) -> Any:
    if a.dtype.kind in "iu":  # int64: taken as exact, 0 for a divisor of 0
        return np.where(b == 0, 0, a // np.where(b == 0, 1, b))
    return np.divide(a, b)


vadd, vsub, vmul = _two("vadd", np.add), _two("vsub", np.subtract), _two("vmul", np.multiply)
vdiv, vmax, vmin = _two("vdiv", _quotient), _two("vmax", _larger), _two("vmin", _smaller)
vand, vor = _two("vand", np.bitwise_and), _two("vor", np.bitwise_or)
vadds, vmuls = _with_scalar("vadds", np.add), _with_scalar("vmuls", np.multiply)
vmaxs, vmins = _with_scalar("vmaxs", _larger), _with_scalar("vmins", _smaller)
vabs, vnot = _one("vabs", np.abs), _one("vnot", np.invert)
vexp, vlog = _one("vexp", _through_float64(np.exp)), _one("vlog", _through_float64(np.log))
vsqrt = _one("vsqrt", _through_float64(np.sqrt))
vrec = _one("vrec", _through_float64(lambda x: 1 / x))
vrsqrt = _one("vrsqrt", _through_float64(lambda x: 1 / np.sqrt(x)))
vtanh = _one("vtanh", _through_float64(np.tanh))
vsignbit = _one("vsignbit", np.signbit)


def vsubs(tensor: Tensor, value: Any) -> Tensor:
    return vadds(tensor, -_value(value, tensor.dtype))


def vrelu(tensor: Tensor) -> Tensor:
    return vmaxs(tensor, 0)


def vlrelu(tensor: Tensor, alpha: Any = 0) -> Tensor:
    scaled = tensor.data * _value(alpha, tensor.dtype)
    return Tensor(
        _stored(np.where(tensor.data >= 0, tensor.data, scaled), tensor.dtype), tensor.dtype
    )


def vmod(lhs: Tensor, rhs: Tensor) -> Tensor:
    _need("vmod", lhs.dtype)
    if lhs.dtype == "int64":
        divisor = np.where(rhs.data == 0, 1, rhs.data)
        return Tensor(np.where(rhs.data == 0, 0, np.mod(lhs.data, divisor)), "int64")
    a, b = cast_to(lhs, "float32"), cast_to(rhs, "float32")
    return cast_to(vsub(a, vmul(b, floor(vdiv(a, b), "float32"))), lhs.dtype)


def powi(lhs: Tensor, rhs: Tensor) -> Tensor:
    """Powers of int32: the sequence is not visible, taken as exact and wrapping."""
    _need("powi", lhs.dtype)
    exponent = rhs.data.astype(np.int64)
    result, base = np.ones_like(lhs.data), lhs.data.copy()
    with np.errstate(all="ignore"):
        for bit in range(32):
            result = np.where((np.maximum(exponent, 0) >> bit) & 1, result * base, result)
            base = base * base
    inverse = np.where(lhs.data == 1, 1, np.where(lhs.data == -1, np.where(exponent & 1, -1, 1), 0))
    return Tensor(np.where(exponent < 0, inverse, result).astype(np.int32), "int32")


def vmla(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    _need("vmla", a.dtype)
    product = _stored(
        _quiet(np.multiply, a.data.astype(c.data.dtype), b.data.astype(c.data.dtype)), c.dtype
    )
    return Tensor(_stored(_quiet(np.add, product, c.data), c.dtype), c.dtype)


def vmadd(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    _need("vmadd", a.dtype)
    return vadd(vmul(a, c), b)


def vaxpy(a: Tensor, b: Tensor, value: Any) -> Tensor:
    _need("vaxpy", a.dtype)
    factor = np.full_like(b.data, _value(value, b.dtype))
    return vmla(a, Tensor(factor, b.dtype), b)


COMPARE = {
    "eq": np.equal,
    "ne": lambda a, b: (a < b) | (a > b),
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _compared(lhs: Tensor, rhs: Any, how: str) -> Array:
    result = _quiet(COMPARE[how], lhs.data, _value(rhs, lhs.dtype))
    return np.broadcast_to(result, lhs.data.shape)


def vcmp(lhs: Tensor, rhs: Any, operation: str = "lt", mode: str = "bool") -> Tensor:
    _need("vcmp", lhs.dtype)
    return Tensor(np.array(_compared(lhs, rhs, operation)), "uint1" if mode == "bit" else "bool")


def vsel(condition: Tensor, lhs: Any, rhs: Any) -> Tensor:
    dtype = next((x.dtype for x in (lhs, rhs) if isinstance(x, Tensor)), "float16")
    chosen = np.where(condition.data.astype(bool), _value(lhs, dtype), _value(rhs, dtype))
    return Tensor(_stored(chosen, dtype), dtype)


def vcmpsel(
    lhs: Tensor, rhs: Any = None, operation: str = "lt", slhs: Any = None, srhs: Any = None
) -> Tensor:
    _need("vcmpsel", lhs.dtype)
    rhs = 2.0 if rhs is None else rhs
    slhs = lhs if slhs is None else slhs
    srhs = (rhs if isinstance(rhs, Tensor) else 0.0) if srhs is None else srhs
    return (
        vsel(Tensor(np.array(_compared(lhs, rhs, operation)), "bool"), slhs, srhs)
        if any(isinstance(x, Tensor) for x in (slhs, srhs))
        else Tensor(
            _stored(
                np.where(
                    _compared(lhs, rhs, operation), _value(slhs, lhs.dtype), _value(srhs, lhs.dtype)
                ),
                lhs.dtype,
            ),
            lhs.dtype,
        )
    )


# -- conversions --


def _half_away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.sign(x), whole)


ROUNDINGS: dict[str, Callable[[Array], Any]] = {
    "round": np.rint,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "round_half_up": _half_away,
}


def _integers(x: Array, dtype: str, rounding: str) -> Array:
    limits = np.iinfo(NUMPY[dtype])
    whole = ROUNDINGS[rounding](x.astype(np.float64))
    whole = np.where(np.isnan(whole), 0.0, whole)
    if limits.bits < 64:
        return np.clip(whole, float(limits.min), float(limits.max)).astype(NUMPY[dtype])
    # float64 holds every number below 2**63 that comes from a float; 2**63 itself is too large.
    whole = np.maximum(whole, float(limits.min))
    over = whole >= 2.0**limits.bits / (2 if limits.min else 1)
    return np.where(over, limits.max, np.where(over, 0, whole).astype(NUMPY[dtype]))


def convert(tensor: Tensor, dtype: str, rounding: str | None = None) -> Tensor:
    """Convert by the instruction; without a rounding to the nearest, to integers towards zero."""
    source, x = tensor.dtype, tensor.data
    if source == dtype and (source != "float32" or rounding is None):
        return tensor
    with np.errstate(all="ignore"):
        if source == dtype:
            return Tensor(
                (ROUNDINGS[rounding or "round"](x) + np.float32(0)).astype(np.float32), dtype
            )
        if dtype in ("bool", "uint1"):
            return Tensor(x != 0, dtype)
        if dtype in FLOATS:
            return Tensor(_stored(x, dtype), dtype)
        if source in FLOATS:
            return Tensor(_integers(x, dtype, rounding or "trunc"), dtype)
        if (source, dtype) == ("int64", "int32"):
            return Tensor(np.clip(x, -(2**31), 2**31 - 1).astype(np.int32), dtype)
        return Tensor(x.astype(NUMPY[dtype]), dtype)


def _can_convert(source: str, dtype: str) -> bool:
    chip, pair = CHIP[0], f"{SHORT[source]}2{SHORT[dtype]}"
    return (
        source == dtype
        or chip.supports("tbe.dsl.cast_to", pair)
        or chip.has_intrinsic("vconv", "deq" if pair == "s322f16" else pair)
        or chip.has_intrinsic("vconv", pair + "z")
        or {source, dtype} == {"bool", "float16"}
    )


def cast_to(data: Tensor, dtype: str, f1628IntegerFlag: bool = True) -> Tensor:  # noqa: N803
    dtype = dtype.lower()
    if data.dtype == dtype:
        return data
    if data.dtype == "float16" and dtype in ("int8", "uint8") and not f1628IntegerFlag:
        data = vadds(data, -0.5)
    if not _can_convert(data.dtype, dtype):
        for between in ("float32", "float16"):
            if _can_convert(data.dtype, between) and _can_convert(between, dtype):
                return convert(convert(data, between), dtype)
        raise UnsupportedError(f"no conversion of {data.dtype} to {dtype} on {CHIP[0].name}")
    return convert(data, dtype)


def _rounder(name: str) -> Callable[..., Tensor]:
    def instruction(tensor: Tensor, dtype: str = "int32", decimals: int = 0) -> Tensor:
        if decimals:
            raise UnsupportedError(f"{name} with decimals")
        pair = f"{SHORT[tensor.dtype]}2{SHORT[dtype]}"
        _need(name, pair)
        return convert(tensor, dtype, name)

    return instruction


floor, ceil, trunc = _rounder("floor"), _rounder("ceil"), _rounder("trunc")
round_, round_half_up = _rounder("round"), _rounder("round_half_up")


# -- shapes and reductions --


def sizes(shape: Sequence[Any]) -> list[int]:
    return [int(getattr(n, "value", n)) for n in shape]


def broadcast(value: Any, shape: Sequence[Any], output_dtype: str | None = None) -> Tensor:
    if isinstance(value, Tensor):
        return Tensor(np.array(np.broadcast_to(value.data, sizes(shape))), value.dtype)
    if isinstance(value, Constant):
        dtype = output_dtype or value.dtype
    else:
        dtype = output_dtype or ("float16" if isinstance(value, float) else "int32")
    return Tensor(np.full(sizes(shape), _value(value, dtype), dtype=NUMPY[dtype]), dtype)


def _reduction(call: str, function: Callable[[Array, Array], Any]) -> Callable[..., Tensor]:
    """One axis after the other, one element after the other, in the tensor's own dtype."""

    def instruction(tensor: Tensor, axis: Any, keepdims: bool = False, **_: Any) -> Tensor:
        _need(call, tensor.dtype)
        axes = axis if isinstance(axis, (list, tuple)) else [axis]
        x = tensor.data
        for a in sorted({i % x.ndim for i in sizes(axes)}, reverse=True):
            total = np.take(x, 0, a)
            for i in range(1, x.shape[a]):
                total = _stored(_quiet(function, total, np.take(x, i, a)), tensor.dtype)
            x = np.expand_dims(total, a) if keepdims else total
        return Tensor(np.asarray(x), tensor.dtype)

    return instruction


reduce_sum, reduce_prod = _reduction("reduce_sum", np.add), _reduction("reduce_prod", np.multiply)
reduce_max, reduce_min = _reduction("reduce_max", _larger), _reduction("reduce_min", _smaller)
reduce_all, reduce_any = (
    _reduction("reduce_all", np.logical_and),
    _reduction("reduce_any", np.logical_or),
)


def reduce_mean(tensor: Tensor, axis: Any, keepdims: bool = False) -> Tensor:
    axes = axis if isinstance(axis, (list, tuple)) else [axis]
    count = math.prod(tensor.data.shape[i] for i in {i % tensor.ndim for i in sizes(axes)})
    total = reduce_sum(tensor, axis, keepdims)
    return Tensor(
        _stored(total.data / _value(float(count), tensor.dtype), tensor.dtype), tensor.dtype
    )


CALLS = {
    name: function
    for name, function in dict(globals()).items()
    if name.startswith(("v", "reduce_")) and callable(function)
} | {
    "cast_to": cast_to,
    "floor": floor,
    "ceil": ceil,
    "trunc": trunc,
    "round": round_,
    "round_half_up": round_half_up,
    "broadcast": broadcast,
    "full": broadcast,
    "powi": powi,
    "sum": reduce_sum,
}
