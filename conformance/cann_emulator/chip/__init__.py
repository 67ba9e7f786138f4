"""What kernels compute on Atlas A2, where a public source says so.

Each module holds algorithms on NumPy arrays, written anew from the sources that it names, with
every step rounded as the vector unit rounds it (`_vector`). `OPERATORS` lists them under the names
of CANN's operators; `tasks` has the kernels (aclnnXxx) that are made of them. Nothing here imports
torch but `tasks`, so that tools can compare the algorithms with CANN's sources without it.

Not bit for bit: `exp`, `ln` and `sqrt` are correctly rounded here, and on the chip only nearly so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _vector as v
from . import arithmetic, division, error_function, exponential, power, rounding, trigonometric

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._vector import Array

RELEASE = "CANN 8.1.RC1"
FLOATS = ("float32", "float16", "bfloat16")


@dataclass(frozen=True)
class Operator:
    """One of CANN's operators.

    Attributes
    ----------
    compute
        From arrays of one dtype to one of the same. bfloat16 comes and goes as float32.
    file
        The source, a module of impl/dynamic.
    dtypes
        For which dtypes.
    half
        What float16 is computed in: ``"float32"``, to be rounded once, or ``"float16"``.
    rounds
        Whether the source uses exp, ln or sqrt, whose last bit is the chip's own.
    """

    compute: Callable[..., Array]
    file: str
    dtypes: tuple[str, ...] = FLOATS
    half: str = "float32"
    rounds: bool = False

    @property
    def source(self) -> str:
        """Name the source."""
        return f"{RELEASE}, impl/dynamic/{self.file}.py"

    def __call__(self, *arrays: Array) -> Array:
        """Compute; arrays of float16 by way of `half`."""
        dtype = arrays[0].dtype
        with np.errstate(all="ignore"):
            if dtype == v.F16 and self.half == "float32":
                wide = self.compute(*(a.astype(v.F32) for a in arrays))
                return np.asarray(wide.astype(dtype))
            return np.asarray(self.compute(*arrays))


_DIVIDED = (*FLOATS, "int32", "int8", "uint8")

OPERATORS: dict[str, Operator] = {
    "Acos": Operator(trigonometric.acos, "acos", rounds=True),
    "Acosh": Operator(exponential.acosh, "acosh", rounds=True),
    "Addcmul": Operator(arithmetic.add_product, "addcmul", ("float32", "bfloat16")),
    "Asin": Operator(trigonometric.asin, "asin", rounds=True),
    "Asinh": Operator(exponential.asinh, "asinh", rounds=True),
    "Atan": Operator(trigonometric.atan, "atan"),
    "Atan2": Operator(trigonometric.atan2, "atan2"),
    "Atanh": Operator(exponential.atanh, "atanh", rounds=True),
    "Axpy": Operator(arithmetic.axpy, "axpy", ("float32",)),
    "Ceil": Operator(rounding.ceil, "ceil"),
    "Cos": Operator(trigonometric.cos, "cos"),
    "Cosh": Operator(exponential.cosh, "cosh", rounds=True),
    "Erf": Operator(error_function.erf, "erf"),
    "Erfc": Operator(error_function.erfc, "erfc", rounds=True),
    "Erfinv": Operator(error_function.erfinv, "erfinv", rounds=True),
    "Exp": Operator(v.exp, "exp", half="float16", rounds=True),
    "Expm1": Operator(exponential.expm1, "expm1", rounds=True),
    "Floor": Operator(rounding.floor, "floor"),
    "FloorDiv": Operator(division.floor_divide, "floor_div", _DIVIDED, half="float16"),
    "FloorMod": Operator(division.floor_modulo, "floor_mod", (*FLOATS, "int32"), half="float16"),
    "Lerp": Operator(arithmetic.lerp, "lerp"),
    "Log": Operator(v.log, "log", half="float16", rounds=True),
    "Log10": Operator(exponential.logarithm(10.0), "log", half="float16", rounds=True),
    "Log1p": Operator(exponential.log1p, "log1p", rounds=True),
    "Log2": Operator(exponential.logarithm(2.0), "log", half="float16", rounds=True),
    "LogAddExp": Operator(exponential.log_add_exp(), "log_add_exp", half="float16", rounds=True),
    "LogAddExp2": Operator(
        exponential.log_add_exp(2.0), "log_add_exp", half="float16", rounds=True
    ),
    "Mod": Operator(division.modulo, "mod", _DIVIDED, half="float16"),
    "Pow": Operator(power.power, "pow", rounds=True),
    "RealDiv": Operator(division.divide, "real_div", (*FLOATS, "int32"), half="float16"),
    "Rint": Operator(rounding.rint, "rint"),
    "Round": Operator(rounding.rint, "round"),
    "Rsqrt": Operator(exponential.rsqrt, "rsqrt", rounds=True),
    "Sigmoid": Operator(exponential.sigmoid, "sigmoid", rounds=True),
    "SigmoidGrad": Operator(arithmetic.sigmoid_slope, "sigmoid_grad"),
    "Sign": Operator(rounding.sign, "sign"),
    "Sin": Operator(trigonometric.sin, "sin"),
    "Sinh": Operator(exponential.sinh, "sinh", rounds=True),
    "SoftplusV2": Operator(exponential.softplus, "softplus_v2", rounds=True),
    "Sqrt": Operator(v.sqrt, "sqrt", rounds=True),
    "Tan": Operator(trigonometric.tan, "tan"),
    "Tanh": Operator(exponential.tanh, "tanh", rounds=True),
    "TanhGrad": Operator(arithmetic.tanh_slope, "tanh_grad"),
    "Trunc": Operator(rounding.trunc, "trunc"),
    "TruncateDiv": Operator(division.truncate_divide, "truncate_div", _DIVIDED),
    "TruncateMod": Operator(division.modulo, "truncate_mod", _DIVIDED, half="float16"),
    "Xlogy": Operator(exponential.xlogy, "xlogy", rounds=True),
}
