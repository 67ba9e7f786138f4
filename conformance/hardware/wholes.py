"""Calls whose results are judged as wholes: products, decompositions, sorts, random numbers.

A call is torch's, and its ideal answer NumPy's, of operands of the same names: `x`, `y` are
vectors, `u` is a positive one, `m`, `n` are matrices, `s` is a positive definite one, `t` a
triangular one, `p`, `q` are stacks of three matrices, `c`, `d` are rows of three, `e` has few
values, `f` rows of few values; `i` permutes, `k` repeats places; `z` is 10,000 zeros. `seed` makes
random numbers repeat. `r0`, `r1`, `r2` are the results, in NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Whole:
    """A call of one kernel, for several data types and sizes.

    Attributes
    ----------
    kernel, call
        As those of `probes.Points`.
    ideal : str
        An expression of the exact operands.
    got : str
        An expression of the operands and results, that is to be as the ideal answer.
    dtypes : str
        Those of the operands.
    sizes : tuple of int
        The length of vectors, and of the sides of matrices.
    switch : str
        An attribute of ``torch.npu`` that is true in the call.
    name : str
        Set apart from other calls of the kernel.
    emulated : str
        What the emulated chip is expected to give, by its own ``kernel``, where that is further
        from the ideal answer than rounding leads.
    """

    kernel: str
    call: str
    ideal: str
    got: str = "r0"
    dtypes: str = "float32"
    sizes: tuple[int, ...] = (40,)
    switch: str = ""
    name: str = ""
    emulated: str = ""

    def id(self, dtype: str, size: int) -> str:
        """Name it."""
        parts = (self.kernel, dtype, str(size), self.name or self.switch)
        return ".".join(part.replace(".", " ") for part in parts if part)


_INTS: Final = " int64"
_REAL: Final = "float32 float64"
_COMPLEX: Final = " complex64 complex128"
_CUBE: Final = "float32 float16 bfloat16"
_SIZES: Final = (16, 100, 500)
HF32: Final = "matmul.allow_hf32"

_PRODUCTS: Final = (
    ("Mm", "torch.mm(m, n)", "m @ n"),
    ("Matmul", "torch.matmul(p, m)", "p @ m"),
    ("BatchMatMul", "torch.bmm(p, q)", "p @ q"),
    ("Mv", "torch.mv(m, x)", "m @ x"),
    ("Addmm", "torch.addmm(m, n, m)", "m + n @ m"),
    ("Baddbmm", "torch.baddbmm(p, q, p)", "p + q @ p"),
    ("InplaceAddmm", "m.addmm_(n, n)", "m + n @ n"),
)

_BOTH: Final = "np.stack([r0, x[r1]])"
_ROWS: Final = "np.stack([r0, m[np.arange(len(m)), r1]])"

WHOLES: Final = (
    *(
        Whole(kernel, call, ideal, "r0", "float32" if switch else _CUBE, _SIZES, switch)
        for switch in ("", HF32)
        for kernel, call, ideal in _PRODUCTS
    ),
    Whole("Mm", "torch.mm(m * 0 + 300, m * 0 + 300)", "m * 0 + 300**2 * len(m)", dtypes=_CUBE,
          name="overflow"),
    Whole("Mm", "torch.mm(m * 1e-25, n * 1e-16)", "(m @ n) * 1e-41", name="subnormal"),
    Whole("Dot", "torch.dot(x, y)", "x @ y", dtypes=_CUBE + " int32", sizes=_SIZES),
    Whole("Inverse", "torch.inverse(s)", "np.linalg.inv(s)", dtypes="float32" + _COMPLEX,
          sizes=(3, 40)),
    Whole("LinalgCholesky", "torch.linalg.cholesky(s)", "np.linalg.cholesky(s)", sizes=(3, 40)),
    Whole("LinalgQr", "torch.linalg.qr(m)", "np.concatenate([m, np.eye(len(m))])",
          "np.concatenate([r0 @ r1, r0.conj().T @ r0])", _REAL + _COMPLEX, (3, 40)),
    Whole("Svd", "torch.linalg.svd(m)", "np.concatenate([m, [np.linalg.svd(m)[1]]])",
          "np.concatenate([(r0 * r1) @ r2, [r1]])", sizes=(3, 40)),
    Whole("Slogdet", "torch.slogdet(m)", "np.stack(np.linalg.slogdet(m))", "np.stack([r0, r1])",
          _REAL + _COMPLEX, (3, 40)),
    Whole("Slogdet", "torch.slogdet(m * float('nan'))", "np.array([np.nan, np.nan])",
          "np.stack([r0, r1])", _REAL, name="NaN", emulated="kernel(m * float('nan'))"),
    Whole("TriangularSolve", "torch.triangular_solve(m, t)", "np.linalg.solve(t, m)",
          dtypes=_REAL + _COMPLEX),
    Whole("TriangularSolve", "torch.triangular_solve(m, t, transpose=True)",
          "np.linalg.solve(t.T, m)", dtypes=_REAL + _COMPLEX, name="transposed",
          emulated="kernel(m, t, 1, 1, 0)"),
    Whole("emulator_fft_C2C", "torch.fft.fft(x)", "np.fft.fft(x)", dtypes="complex64",
          sizes=(16, 100, 1000)),
    Whole("emulator_fft_C2R", "torch.fft.irfft(x)", "np.fft.irfft(x)", dtypes="complex64",
          sizes=(16, 100, 1000)),
    Whole("emulator_fft_R2C", "torch.fft.rfft(x)", "np.fft.rfft(x)", sizes=(16, 100, 1000)),
    Whole("Linspace", "torch.linspace(-1, 3, 101, dtype=dtype, device=device)",
          "np.linspace(-1, 3, 101)", dtypes=_REAL + " float16"),
    Whole("Linspace", "torch.linspace(-7, 2**40, 11, dtype=dtype, device=device)",
          "np.array([int(-7 + (2**40 + 7) * j / 10) for j in range(11)])", dtypes="int64"),
    Whole("LogSpace", "torch.logspace(-2, 2, 101, dtype=dtype, device=device)",
          "np.logspace(-2, 2, 101)"),
    Whole("Arange", "torch.arange(0.1, 20, 0.1, dtype=dtype, device=device)",
          "0.1 + 0.1 * np.arange(199)", dtypes=_REAL),
    Whole("Arange", "torch.arange(0.1, 9000, 0.1, dtype=dtype, device=device)",
          "0.1 + 0.1 * np.arange(89999)", dtypes=_REAL, name="long",
          emulated="kernel(0.1, 9000, 0.1, torch.empty(89999, dtype=dtype))"),
    Whole("Arange", "torch.arange(-5, 2**40, 2**36 + 1, dtype=dtype, device=device)",
          "np.arange(-5, 2**40, 2**36 + 1)", dtypes="int64"),
    Whole("Prod", "torch.prod(u)", "u.prod()", dtypes=_REAL + _COMPLEX + _INTS),
    Whole("Cumprod", "torch.cumprod(u, 0)", "np.cumprod(u)", dtypes=_REAL + _INTS),
    Whole("Cumprod", "torch.cumprod(u, 0)", "np.cumprod(u)", dtypes="float16", sizes=(10,)),
    Whole("Cumsum", "torch.cumsum(x, 0)", "np.cumsum(x)",
          dtypes=_REAL + _COMPLEX + " float16" + _INTS),
    Whole("Cumsum", "torch.cumsum(z + 1, 0)", "np.cumsum(z + 1)", dtypes="float16", name="ones",
          emulated="kernel(z + 1, 0, dtype)"),
    Whole("Trace", "torch.trace(m)", "np.trace(m)", dtypes=_REAL + _COMPLEX + _INTS),
    Whole("VarMean", "torch.var_mean(x, 0)", "np.stack([x.var(ddof=1), x.mean()])",
          "np.stack([r0, r1])", sizes=_SIZES),
    Whole("LinalgVectorNorm", "torch.linalg.vector_norm(x)", "np.linalg.norm(x)", dtypes=_CUBE),
    Whole("LinalgCross", "torch.linalg.cross(c, d)", "np.cross(c, d)",
          dtypes=_REAL + _COMPLEX + _INTS),
    Whole("Cdist", "torch.cdist(m, n)", "np.sqrt(((m[:, None] - n[None]) ** 2).sum(-1))",
          sizes=(16, 100)),
    *(
        Whole(kernel, call, "m * np.minimum(1, 1 / np.sqrt((m**2).sum(1, keepdims=True)))")
        for kernel, call in (
            ("Renorm", "torch.renorm(m, 2, 0, 1.0)"),
            ("InplaceRenorm", "m.renorm_(2, 0, 1.0)"),
        )
    ),
    Whole("Addr", "torch.addr(m, x, y)", "m + np.outer(x, y)", dtypes=_REAL + _INTS),
    Whole("InplaceAddr", "m.addr_(x, y)", "m + np.outer(x, y)", dtypes=_REAL + _INTS),
    Whole("AngleV2", "torch.angle(x)", "np.angle(x)", dtypes="float32 complex64",
          emulated="kernel(x)"),
    Whole("Polar", "torch.polar(u, x)", "u * np.exp(1j * x)"),
    Whole("RoundDecimals", "torch.round(x, decimals=2)", "np.round(x, 2)", dtypes=_REAL),
    Whole("InplaceRoundDecimals", "x.round_(decimals=2)", "np.round(x, 2)", dtypes=_REAL),
    Whole("LeftShifts", "x << 3", "x * 8", dtypes="int32 int64"),
    Whole("IsClose", "torch.isclose(x, y, rtol=0.15, atol=0.01)",
          "abs(x - y) <= 0.01 + 0.15 * abs(y)", dtypes=_REAL + _INTS, sizes=(1000,)),
    Whole("Histc", "torch.histc(x, 10, -2, 2)", "np.histogram(x, 10, (-2, 2))[0]", sizes=(1000,)),
    # What chooses elements is to name those that it chooses.
    *(
        Whole(kernel, call, f"np.stack([{ideal}] * 2)", got, "float32" + _INTS)
        for kernel, call, ideal, got in (
            ("Sort", "torch.sort(x)", "np.sort(x)", _BOTH),
            ("Topk", "torch.topk(x, 5)", "np.sort(x)[:-6:-1]", _BOTH),
            ("Kthvalue", "torch.kthvalue(x, 3)", "np.sort(x)[2]", _BOTH),
            ("MedianDim", "torch.median(x, 0)", "np.sort(x)[(len(x) - 1) // 2]", _BOTH),
            ("Cummax", "torch.cummax(x, 0)", "np.maximum.accumulate(x)", _BOTH),
            ("Cummin", "torch.cummin(x, 0)", "np.minimum.accumulate(x)", _BOTH),
            ("MaxDim", "torch.max(m, 1)", "m.max(1)", _ROWS),
            ("MinDim", "torch.min(m, 1)", "m.min(1)", _ROWS),
        )
    ),
    Whole("Cummin", "torch.cummin(x * 0 + 16777217, 0)", "x * 0 + 16777217", dtypes="int32",
          name="beyond float32", emulated="kernel(x * 0 + 16777217, 0)"),
    *(
        Whole(kernel, f"torch.{name}({call}, 1)", f"({ideal}).{name}(1)", dtypes=dtypes, name=what,
              emulated=f"kernel({call}, 1, 0)")
        for kernel, name in (("ArgMax", "argmax"), ("ArgMin", "argmin"))
        for call, ideal, dtypes, what in (
            ("m", "m", _REAL + _INTS, ""),
            ("m + 0 / (m > 0)", "m + np.where(m > 0, 0, np.nan)", _REAL, "NaN"),
        )
    ),
    Whole("Unique2", "torch.unique(e, return_inverse=True, return_counts=True)",
          "np.concatenate([np.unique(e), e, np.unique(e, return_counts=True)[1]])",
          "np.concatenate([r0, r0[r1], r2])", _REAL + _INTS),
    Whole("UniqueConsecutive",
          "torch.unique_consecutive(e, return_inverse=True, return_counts=True)",
          "np.concatenate([e, e, [1 + np.count_nonzero(np.diff(e))]])",
          "np.concatenate([r0[r1], np.repeat(r0, r2), [len(r0)]])", _REAL + _INTS),
    Whole("UniqueDim", "torch.unique(f, dim=0, return_inverse=True)",
          "np.concatenate([np.unique(f, axis=0), f])", "np.concatenate([r0, r0[r1]])",
          _REAL + _INTS),
    Whole("IndexPutImpl", "x.index_put_((i,), y)", "y[np.argsort(i)]", dtypes=_REAL + _INTS),
    Whole("InplacePut", "x.put_(i, y)", "y[np.argsort(i)]", dtypes=_REAL + _COMPLEX + _INTS),
    *(
        Whole(kernel, call, "x + np.bincount(k, y, len(x))", dtypes=_REAL + _INTS, name=name)
        for kernel, call, name in (
            ("IndexAdd", "torch.index_add(x, 0, k, y)", ""),
            ("ScatterAdd", "torch.scatter_add(x, 0, k, y)", ""),
            ("IndexPutImpl", "x.index_put_((k,), y, accumulate=True)", "adds"),
        )
    ),
    *(
        Whole(kernel, call, f"np.ones({len(claims)}, bool)", f"np.array([{', '.join(claims)}])",
              dtypes, name=name)
        for kernel, call, dtypes, name, claims in (
            ("InplaceUniform", "seed(z).uniform_()", _REAL, "",
             ("r0.min() >= 0", "r0.max() < 1", "abs(r0.mean() - 0.5) < 0.02",
              "abs(r0.std() - 12**-0.5) < 0.02", "len(np.unique(r0)) > 9900")),
            ("InplaceUniform", "seed(z).uniform_()", "float16 bfloat16", "", ("r0.max() < 1",)),
            ("InplaceNormal", "seed(z).normal_()", _REAL, "",
             ("abs(r0.mean()) < 0.05", "abs(r0.std() - 1) < 0.05", "3 < abs(r0).max() < 8")),
            ("InplaceRandom", "seed(z).random_(0, 10)", "float32 int64", "",
             ("set(np.unique(r0)) == set(range(10))", "abs(r0.mean() - 4.5) < 0.2")),
            ("InplaceBernoulli", "seed(z).bernoulli_(0.25)", _REAL + _INTS, "",
             ("set(np.unique(r0)) == {0, 1}", "abs(r0.mean() - 0.25) < 0.02")),
            ("InplaceBernoulliTensor", "seed(z).bernoulli_(torch.full_like(z, 0.25))", _REAL, "",
             ("set(np.unique(r0)) == {0, 1}", "abs(r0.mean() - 0.25) < 0.02")),
            ("Multinomial", "torch.multinomial(seed(u), len(u))", _REAL, "",
             ("(np.sort(r0) == np.arange(len(u))).all()",)),
            ("Randperm", "torch.randperm(1000, dtype=dtype, device=seed(x).device)", "int64 int32",
             "", ("(np.sort(r0) == np.arange(1000)).all()", "(r0 != np.arange(1000)).any()")),
        )
    ),
)  # fmt: skip


@cache
def operands(kind: str, size: int) -> Mapping[str, Array]:
    """Return the operands as float64, complex128 or int64 (``kind`` is f, c or i)."""
    generator = np.random.default_rng(size)

    def numbers(*shape: int) -> Array:
        if kind == "i":
            return generator.integers(-50, 50, shape)
        values = generator.uniform(-2, 2, shape)
        return values + 1j * generator.uniform(-2, 2, shape) if kind == "c" else values

    m = numbers(size, size)
    eye = np.eye(size)
    s, u = m @ m.conj().T / size + eye, generator.uniform(0.5, 1.5, size)
    t = np.triu(m) / size + 2 * eye
    return {
        "x": numbers(size),
        "y": numbers(size),
        "u": generator.integers(1, 3, size) if kind == "i" else u,
        "m": m,
        "n": numbers(size, size),
        "s": s,
        "t": t,
        "p": numbers(3, size, size),
        "q": numbers(3, size, size),
        "c": numbers(size, 3),
        "d": numbers(size, 3),
        "e": generator.integers(-2, 3, size),
        "f": generator.integers(0, 2, (size, 2)),
        "z": np.zeros(10000),
    }


def places(size: int) -> dict[str, Array]:
    """Return the operands that are int64 whatever the data type is."""
    generator = np.random.default_rng(size)
    return {"i": generator.permutation(size), "k": generator.integers(0, max(size // 4, 1), size)}
