"""What users of NumPy and torch type: in strict mode it works as in NumPy, or says what to write.

Nothing passes in silence with another meaning, and nothing is left to an error of Python's own, but
for what is named here.
"""

from __future__ import annotations

import re
import traceback
import warnings
from inspect import isfunction, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from parametrize import listing

import ascend_array_api
import ascend_array_api as xp
from ascend_array_api._errors.exceptions import MisuseError
from ascend_array_api._torch import torch

PACKAGE = Path(ascend_array_api.__file__).parent

WORKS = """
xp.asarray([1, 2, 3]); xp.asarray([[1.0, 2.0], [3.0, 4.0]]); xp.asarray(range(3)); xp.asarray(2.5)
xp.asarray((1, 2)); xp.asarray([True, False]); xp.asarray([1j, 2]); xp.asarray([x[0, 0], x[0, 1]])
xp.asarray([v, v]); xp.asarray(memoryview(b"ab")); xp.arange(5); xp.arange(1, 7, 2)
xp.arange(0.0, 1.0, 0.25)
xp.zeros(3); xp.zeros((2, 3)); xp.zeros([2, 3]); xp.ones((2, 1)); xp.full((2, 2), 7)
xp.full(3, 2.5)
xp.eye(3); xp.eye(2, 3, k=1); xp.linspace(0, 1, 5); xp.linspace(0, 1, 5, endpoint=False)
xp.zeros_like(x); xp.ones_like(n); xp.full_like(x, 3.0); xp.tril(x); xp.triu(x, k=1)
xp.meshgrid(v, v)[0]
x + x; x - 1; 1 - x; x * 2.5; x / 2; x // 2; x % 2; x ** 2; 2 ** x; -x; +x; abs(x); x @ x.T; n + 1
n * n
n // 2; n % 2; n << 1; n >> 1; n & 1; n | 1; n ^ 1; ~n; ~b; b & b; b | b; b ^ b; x == x; x != 1
x < 2
x <= 2.0; x > x; x >= 0; v == 2; n == 2; 1 < x; pow(x, 2); z + 1; z * 1j; z == z
x[0, 0]; x[0, :]; x[:, 1]; x[..., 0]; x[None, 0, :]; x[1, ...]; x[:, ::-1]; x[::2, :]; x[-1, -1]
v[1]
v[1:]; v[:-1]; v[::-1]; v[1:100]; v[b]; x[x > 2]; x[:, xp.asarray([2, 0])]; v[xp.asarray([0, 0, 1])]
x[xp.asarray([0, 1]), xp.asarray([1, 2])]; x[xp.asarray(1), :]; n[n > 1]; x[..., xp.newaxis]
x.shape; x.ndim; x.size; x.T; x.mT; len(x); float(s); int(s); bool(s); complex(s)
[float(i) for i in v]
sum(v); max(v); min(v); sorted(float(i) for i in v); 2.0 in v; f"{s:.2f}"; str(x.shape)
tuple(float(i) for i in v)
float(xp.sum(x)); xp.sum(x); xp.sum(x, axis=0); xp.sum(x, axis=(0, 1))
xp.sum(x, axis=-1, keepdims=True)
xp.sum(n); xp.prod(x, axis=1); xp.mean(x); xp.mean(x, axis=0); xp.std(x); xp.std(x, correction=1)
xp.var(x, axis=1)
xp.max(x); xp.max(x, axis=1); xp.min(x, axis=0, keepdims=True); xp.argmax(x); xp.argmin(x, axis=1)
xp.any(b)
xp.all(b); xp.all(x > 0, axis=1); xp.any(x); xp.count_nonzero(x); xp.cumulative_sum(v)
xp.cumulative_prod(v)
xp.diff(v); xp.median(v); xp.sort(-v); xp.argsort(-v); xp.searchsorted(v, v); xp.nonzero(x)[0]
xp.where(b, v, 0.0)
xp.where(x > 2, x, -x); xp.clip(x, 1, 3); xp.clip(x, min=2.0); xp.round(x / 3); xp.floor(x / 2)
xp.ceil(x / 2)
xp.trunc(x / 2); xp.sign(-x); xp.abs(-x); xp.sqrt(x); xp.square(x); xp.exp(x); xp.expm1(x)
xp.log(x); xp.log1p(x)
xp.log2(x); xp.log10(x); xp.sin(x); xp.cos(x); xp.tan(x); xp.asin(x / 10); xp.acos(x / 10)
xp.atan(x); xp.sinh(x)
xp.cosh(x); xp.tanh(x); xp.asinh(x); xp.acosh(x); xp.atanh(x / 10); xp.atan2(x, x + 1)
xp.hypot(x, x); xp.pow(x, 2)
xp.maximum(x, 2.0); xp.minimum(x, x.mT.T); xp.add(x, 1); xp.subtract(x, x); xp.multiply(x, 2)
xp.divide(x, 2)
xp.isnan(x); xp.isfinite(x); xp.isinf(x); xp.signbit(-x); xp.copysign(x, -x); xp.nextafter(x, x)
xp.logaddexp(x, x)
xp.logical_and(b, b); xp.logical_not(b); xp.bitwise_invert(n); xp.bitwise_left_shift(n, n)
xp.remainder(x, 2)
xp.real(z); xp.imag(z); xp.conj(z); xp.reciprocal(x); xp.equal(x, x); xp.less(x, 2.0)
xp.reshape(x, (3, 2)); xp.reshape(x, (-1,)); xp.reshape(x, [6]); xp.permute_dims(x, (1, 0))
xp.permute_dims(x, [1, 0])
xp.expand_dims(x, axis=0); xp.squeeze(x[None, ...], axis=0); xp.concat([x, x])
xp.concat((x, x), axis=1)
xp.stack([v, v]); xp.stack([v, v], axis=1); xp.flip(x); xp.flip(x, axis=0); xp.roll(v, 1)
xp.roll(x, 1, axis=0)
xp.repeat(v, 2); xp.tile(v, (2,)); xp.broadcast_to(v, (2, 3)); xp.moveaxis(x, 0, 1)
xp.unstack(x)[0]; xp.diag(v)
xp.take(v, xp.asarray([0, 2])); xp.take(x, xp.asarray([1]), axis=0)
xp.take_along_axis(x, xp.argsort(x), axis=1)
xp.sort(xp.unique_values(n)); xp.unique_counts(n).counts; xp.isin(n, xp.asarray([1]))
xp.matmul(x, x.T); xp.matrix_transpose(x)
xp.tensordot(x, x.T, axes=1); xp.vecdot(v, v); xp.linalg.inv(m); xp.linalg.det(m)
xp.linalg.solve(m, v)
xp.linalg.svdvals(x); xp.linalg.eigvalsh(m); xp.linalg.vector_norm(x); xp.linalg.matrix_norm(x)
xp.linalg.trace(m)
xp.linalg.outer(v, v); xp.linalg.cross(v, v); xp.linalg.matrix_rank(m); xp.linalg.pinv(x)
xp.linalg.diagonal(m)
xp.linalg.matrix_power(m, 2); xp.fft.fft(z); xp.fft.rfft(v); xp.fft.irfft(z); xp.fft.fftshift(v)
xp.fft.fftfreq(4)
xp.astype(n, xp.float32); xp.isdtype(x.dtype, "real floating"); xp.finfo(xp.float32).eps
xp.iinfo(xp.int8).max
xp.can_cast(xp.int8, xp.int16); xp.pi; xp.inf; xp.e
"""
"""Expressions that mean the same in NumPy."""

SAYS = """
relaxed=True              | x * n; n * 0.5; n / 2; n / n; xp.exp(n); xp.sqrt(n); xp.mean(n); b + b
relaxed=True              | -b; x[0]; x[1:]; x[[0, 1]]
relaxed=True              | v == [1, 2, 3]; v != (1, 2); v == a; [1, 2] == v; v == t; v != a
relaxed=True              | xp.zeros(3, dtype=float); v[a > 1]
relaxed=True              | xp.ones(3, dtype="float32"); xp.ones(3, dtype=int); bool(v[:1])
relaxed=True              | float(v[:1]); v + a
relaxed=True              | xp.sum([1, 2]); xp.add(v, [1, 2, 3]); xp.maximum(v, a); xp.sqrt(t)
relaxed=True              | xp.concat([x, n[None, :]])
relaxed=True              | v == {}; x[b2, 0]; xp.linalg.matrix_power(n2, 2); xp.where(n, v, v)
relaxed=True              | xp.where(b, v, n); v.__iadd__(d)
xp.sum(x)                 | x.sum(); x.sum(axis=0); x.sum(0); x.sum(dim=0)
xp.mean(x)                | x.mean(); x.mean(axis=1)
xp.max(x)                 | x.max(); x.amax()
xp.min(x)                 | x.min(); x.amin()
xp.std(x)                 | x.std()
xp.var(x)                 | x.var(ddof=1)
xp.argmax(x               | x.argmax(); x.argmax(dim=1)
xp.any(x)                 | b.any()
xp.all(x)                 | b.all()
xp.prod(x)                | x.prod()
xp.reshape(x              | x.reshape(3, 2); x.reshape((3, 2)); x.view(3, 2); x.flatten(); x.ravel()
xp.reshape(x              | x.resize(3, 2); x.flat
xp.astype(x               | x.astype(float); x.float(); x.double(); x.half(); n.long(); n.int()
xp.astype(x               | x.bool(); x.to(xp.float64)
asarray(x, copy=True)     | x.copy(); x.clone()
float(x)                  | s.item()
numpy.from_dlpack(        | x.tolist(); x.numpy(); x.tobytes(); x.byteswap()
x.to_device               | x.cpu(); x.cuda(); x.npu(); x.to("cpu")
xp.to_torch(x)            | x.detach(); x.requires_grad; x.grad; x.backward(); x.data_ptr()
xp.to_torch(x)            | x.stride(); x.is_contiguous()
xp.permute_dims(x         | x.transpose(1, 0); x.permute(1, 0); x.swapaxes(0, 1)
x.T                       | x.t()
xp.clip(x                 | x.clip(0, 1); x.clamp(min=0)
xp.squeeze(x              | x.squeeze()
xp.expand_dims(x          | x.unsqueeze(0)
xp.broadcast_to(x         | x.expand(2, 3); x.expand_as(x)
xp.repeat(x               | x.repeat(2)
xp.round(x)               | x.round(); round(x); round(x, 2)
xp.conj(x)                | z.conj(); z.conjugate(); z.H
xp.real(x)                | z.real; x.real
xp.imag(x)                | z.imag; x.imag
xp.nonzero(x)             | x.nonzero()
xp.cumulative_sum(x       | x.cumsum(); x.cumsum(axis=0)
xp.cumulative_prod(x      | x.cumprod()
xp.sort(x)                | v.sort(); v.partition(1)
xp.argsort(x              | v.argsort(); v.topk(2)
xp.take(x                 | v.take([0]); v.index_select(0, n)
xp.take_along_axis(x      | x.gather(1, n)
xp.where(                 | x.masked_fill(x > 0, 0.0); x.where(x > 0, x)
x[mask]                   | x.masked_select(x > 0)
x[...] = value            | x.fill(0); x.fill_(0)
x @ y                     | x.dot(v); x.mm(x.T); x.matmul(x.T); x.mv(v); x.bmm(x)
math.prod(x.shape)        | x.numel(); x.nelement(); x.nbytes
x.ndim                    | x.dim()
x += y                    | x.add_(1)
xp.linalg.trace(x)        | m.trace()
xp.linalg.diagonal(x)     | m.diagonal()
xp.linalg.vector_norm     | x.norm()
xp.exp(x)                 | x.exp(); x.exp_()
xp.to_torch(x)            | x.is_cuda; x.element_size(); x.scatter_(0, n, 1.0); x.type_as(v)
numpy.from_dlpack(x       | x.setflags(write=False); x.getfield(np.int8)
xp.abs(x)                 | x.abs(); xp.absolute(x); xp.fabs(x)
order in memory           | x.contiguous(); x.flags; xp.ones(3, order="C"); xp.zeros(3, order="F")
order in memory           | xp.asarray([1], order="C")
order in memory           | xp.reshape(x, (6,), order="F")
xp.asarray(obj)           | xp.array([1]); xp.asanyarray([1]); xp.tensor([1]); xp.as_tensor([1])
xp.asarray(obj)           | xp.from_numpy(a); xp.ascontiguousarray(a)
xp.asarray(obj)           | xp.ndarray([1]); xp.Tensor([1]); xp.asmatrix(a)
asarray(x, copy=True)     | xp.copy(x); xp.clone(x)
xp.concat([x, y           | xp.concatenate([x, x]); xp.cat([x, x]); xp.vstack([x, x])
xp.concat([x, y           | xp.hstack([x, x]); xp.append(v, v); xp.row_stack([v, v])
xp.stack([x, y]           | xp.column_stack([v, v]); xp.dstack([x, x])
xp.permute_dims(x, axes)  | xp.transpose(x); xp.permute(x, (1, 0))
xp.permute_dims(x, tuple(a)) | xp.swapaxes(x, 0, 1)
xp.expand_dims(x          | xp.unsqueeze(x, 0)
xp.reshape(x, (-1,))      | xp.ravel(x); xp.flatten(x)
xp.reshape(x, (1,))       | xp.atleast_1d(s)
xp.matmul(x, y)           | xp.dot(v, v); xp.mm(x, x.T); xp.mv(x, v); xp.bmm(x, x)
xp.matmul(x, y)           | xp.einsum("ij,jk", x, x)
xp.matmul(x, y) of vectors | xp.inner(v, v)
xp.vecdot(xp.reshape(x, (-1,)) | xp.vdot(v, v)
xp.linalg.outer           | xp.outer(v, v)
xp.linalg.cross           | xp.cross(v, v)
xp.asin(x)                | xp.arcsin(x)
xp.acos(x)                | xp.arccos(x)
xp.atan(x)                | xp.arctan(x)
xp.atan2(                 | xp.arctan2(x, x); xp.angle(z)
xp.asinh(x)               | xp.arcsinh(x)
xp.pow(x, y)              | xp.power(x, 2)
xp.divide(x, y)           | xp.true_divide(x, 2); xp.div(x, 2)
xp.multiply(x, y)         | xp.mul(x, x)
xp.subtract(x, y)         | xp.sub(x, x)
xp.negative(x)            | xp.neg(x)
xp.equal(x, y)            | xp.eq(x, x)
xp.greater(x, y)          | xp.gt(x, x)
xp.less(x, y)             | xp.lt(x, x)
xp.bitwise_invert(x)      | xp.invert(n); xp.bitwise_not(n)
xp.bitwise_left_shift     | xp.left_shift(n, 1)
xp.conj(x)                | xp.conjugate(z)
xp.max(x)                 | xp.amax(x); xp.ptp(x)
xp.min(x)                 | xp.amin(x)
xp.round(x)               | xp.around(x); xp.rint(x)
xp.trunc(x)               | xp.fix(x)
xp.clip(x, min, max)      | xp.clamp(x, 0, 1)
xp.maximum(x, 0)          | xp.relu(x); x.relu()
xp.special.expit(x)       | xp.sigmoid(x); x.sigmoid(); xp.special.sigmoid(x)
xp.exp(x - xp.max(x, axis=axis | xp.softmax(x, 0)
xp.exp(x - xp.max(x))     | xp.special.softmax(x, 0)
xp.log(xp.sum(xp.exp(     | xp.logsumexp(x); xp.special.logsumexp(x, 0)
xp.cumulative_sum(x       | xp.cumsum(v); xp.nancumsum(v)
xp.cumulative_prod(x      | xp.cumprod(v)
xp.isnan(x)               | xp.nansum(x); xp.nanmean(x); xp.nanmax(x); xp.nan_to_num(x)
xp.isnan(x)               | xp.nanstd(x)
xp.abs(x - y)             | xp.isclose(x, x); xp.allclose(x, x)
x.shape == y.shape        | xp.array_equal(x, x)
xp.unique_values          | xp.unique(n); xp.intersect1d(n, n); xp.union1d(n, n); xp.setdiff1d(n, n)
xp.isin(xp.reshape(x, (-1,)), y) | xp.in1d(n, n)
xp.unstack(x              | xp.unbind(x); x.unbind()
x[:, :n, ...]             | xp.hsplit(x, 3)
x[:n, ...]                | xp.split(v, 3); xp.array_split(v, 3)
for i in range(           | xp.chunk(v, 3)
xp.flip(x, axis=0)        | xp.flipud(x)
xp.flip(x, axis=1)        | xp.fliplr(x)
xp.concat([xp.zeros(n,     | xp.pad(v, 1)
xp.searchsorted(bins      | xp.digitize(v, v)
xp.eye(n)                 | xp.identity(3)
xp.meshgrid(              | xp.indices((2, 3))
xp.exp(xp.linspace(math   | xp.geomspace(1, 10, 3)
xp.linalg.diagonal(x)     | xp.diagonal(m)
xp.linalg.trace(x)        | xp.trace(m)
xp.linalg.det(x)          | xp.det(m)
xp.linalg.inv(x)          | xp.inverse(m); m.inverse()
xp.linalg.vector_norm     | xp.norm(x); xp.linalg.norm(x)
xp.linalg.svdvals(x)      | xp.linalg.cond(m)
x @ y @ z                 | xp.linalg.multi_dot([m, m])
xp.linalg.solve(xp.triu(x), y) | xp.linalg.solve_triangular(m, v)
xp.linalg.solve(x, y)     | xp.solve(m, v)
xp.fft.fftn(x             | xp.fft.fft2(x); xp.fft2(x)
xp.fft.rfftn(x            | xp.fft.rfft2(x)
.standard_normal(shape)   | xp.random.randn(3); xp.randn(3)
.random(shape)            | xp.random.rand(3); xp.rand(3)
.integers(low             | xp.random.randint(0, 3); xp.randint(0, 3, (2,))
default_rng(seed).normal  | xp.random.normal(0, 1)
default_rng(seed).random  | xp.random.random(3)
default_rng(seed).choice  | xp.random.choice(v)
default_rng(seed).shuffle | xp.random.shuffle(v)
default_rng(seed)         | xp.random.seed(0); xp.manual_seed(0); xp.random.RandomState(0)
.permutation(n)           | xp.randperm(3)
xp.bool                   | xp.bool_
xp.float64                | xp.double
xp.float32                | xp.float; xp.single
xp.int64                  | xp.long; xp.int_; xp.intp
xp.float16                | xp.half
xp.isdtype(x.dtype        | xp.issubdtype(x.dtype, xp.floating); xp.iscomplexobj(z)
xp.isdtype(x.dtype        | x.is_floating_point()
isinstance(x, xp.Array)   | xp.is_tensor(x)
x.shape                   | xp.shape(x)
x.ndim                    | xp.ndim(x)
math.prod(x.shape)        | xp.size(x); xp.numel(x)
xp.options(               | xp.set_default_dtype(xp.float64); xp.set_default_device("cpu")
numpy.set_printoptions    | xp.set_printoptions(precision=2); f"{x:.2f}"
gradients are torch's     | xp.no_grad()
numpy.load                | xp.load("x.npy"); xp.loadtxt("x.txt")
numpy.save                | xp.save("x.npy", x)
nothing like              | xp.nn; xp.ma; xp.linalg.lu(m)
xp.searchsorted(bins, x)  | xp.interp(v, v, v)
numpy.kaiser(n, beta)     | xp.kaiser(3, 1.0)
'axis=0' by name          | xp.sum(x, 0); xp.mean(x, 0); xp.max(x, 0); xp.any(b, 0); xp.argmax(x, 0)
'axis=0' by name          | xp.flip(x, 0); xp.sort(x, 0)
'axis=0' by name          | xp.std(x, 0); xp.cumulative_sum(v, 0); xp.stack([v, v], 0)
'axis=0' by name          | xp.concat([x, x], 0); xp.unstack(x, 0); xp.take(v, n, 0)
'dim' is 'axis'           | xp.sum(x, dim=0); xp.mean(x, dim=0); xp.concat([x, x], dim=0)
'dim' is 'axis'           | xp.stack([v, v], dim=0); xp.argmax(x, dim=1)
'dim' is 'axis'           | xp.linalg.vector_norm(x, dim=0); xp.sort(x, dim=0)
'keepdim' is 'keepdims'   | xp.sum(x, axis=0, keepdim=True); xp.max(x, axis=0, keepdim=True)
'ddof' is 'correction'    | xp.std(x, ddof=1); xp.var(x, ddof=1)
correction=1 or 0         | xp.std(x, unbiased=False)
'shape' is one tuple      | xp.zeros(2, 3); xp.ones(2, 3); xp.empty(2, 3); xp.reshape(x, 3, 2)
'shape' is one tuple      | xp.broadcast_to(v, 2, 3)
'axes' is one tuple       | xp.permute_dims(x, 1, 0)
'axes=1' by name          | xp.tensordot(x, x.T, 1)
one list or tuple         | xp.stack(v, v); xp.concat(x, x)
y[...] = result           | xp.add(x, x, out=x); xp.exp(x, out=x); xp.clip(x, 0, 1, out=x)
y[...] = result           | xp.add(x, x, x); xp.matmul(x, x.T, out=x); xp.special.erf(x, out=x)
there is no 'alpha'       | xp.add(x, x, alpha=2)
no 'rounding_mode'        | xp.divide(x, x, rounding_mode="floor")
'x1' goes by position     | xp.add(x1=x, x2=x)
y[...] = result           | xp.exp(x, x); xp.add(x, 2, out=x); xp.add(v, 2.0, None)
where() first             | xp.add(x, x, where=x > 0); xp.add(x, 2.0, where=x > 0)
where() first             | xp.exp(x, where=x > 0); xp.multiply(n, 2, where=b)
astype() converts first   | xp.add(x, x, dtype=xp.float64); xp.exp(x, dtype=float)
astype() converts first   | xp.add(n, 1, dtype=np.float32); xp.exp(x, dtype="f8")
astype() casts            | xp.add(x, x, casting="no"); xp.add(n, 1, casting="no")
astype() casts            | xp.exp(x, casting="no")
no part of the standard   | xp.add(x, 1, order="C"); xp.exp(x, order="C")
no subclasses             | xp.add(x, x, subok=True); xp.add(x, 1, subok=False)
no subclasses             | xp.exp(x, subok=True)
'x2' is missing           | xp.add(x); xp.add(x, out=x)
'x1' and 'x2' are missing | xp.add()
'x' is missing            | xp.exp()
it takes 2 positional     | xp.add(x, x, 3)
'a_min' is 'min' here     | xp.clip(x, a_min=0)
round(x * 10**n) / 10**n  | xp.round(x, 2); xp.round(x, decimals=2)
y[...] = result           | xp.sum(x, out=v); xp.mean(x, axis=0, out=v); xp.stack([v, v], out=x)
where() first             | xp.sum(x, where=x > 0); xp.max(x, where=x > 0, initial=0)
no 'like'                 | xp.zeros(3, like=a)
no 'subok'                | xp.ones_like(x, subok=True)
asarray(tensor)           | xp.zeros(3, requires_grad=True); xp.asarray([1.0], requires_grad=True)
'n=2' by name             | xp.fft.fft(z, 2); xp.fft.rfft(v, 2)
'k=1' by name             | xp.tril(m, 1)
'n=2' by name             | xp.diff(v, 2)
'endpoint=False' by name  | xp.linspace(0, 1, 5, False)
'dtype' by name           | xp.zeros(3, int); xp.ones((2, 3), float)
'diagonal' is 'k'         | xp.triu(m, diagonal=1)
stable=True or False      | xp.sort(v, kind="stable"); xp.argsort(v, kind="mergesort")
unique_counts() returns   | xp.unique_values(n, return_counts=True)
nonzero(condition)        | xp.where(x > 2)
asarray() first           | v[t > 1]; v + [1, 2, 3]; [1, 2, 3] + v; v * [1, 2, 3]; s * [1]
asarray() first           | v < [1, 2, 3]; v @ [1, 2, 3]; v - (1, 2, 3); v + t; n & [1]
numbers                   | v + "a"; v == "a"; "a" + v; v < "a"
no bool, int, float       | xp.asarray([None])
cannot be combined        | n & 1.0
None                      | v + None; None + v; v < None; xp.asarray(None)
x is None                 | v == None; v != None; None == v
divmod: write             | divmod(x, 2); divmod(2, x)
any() or all()            | bool(x == x); not x; x and x; 1 if v else 0; v in [v + 1]; float(x)
any() or all()            | int(x)
not allowed               | x["a", 0]; x[0.5, 0]; x[1.0, ...]; xp.bitwise_and(x, x); x ^ x; b @ b
not allowed               | xp.sum(b)
allowed are -3 to 2       | v[5]; x[0, -4]
relaxed=True              | divmod(v, 2.0)
out of bounds             | x[5, 0]; xp.sum(x, axis=5); xp.asarray(300, dtype=xp.int8)
out of bounds             | n8 + 300; n8 * 2**70; xp.asarray(2**70)
axes are indexed          | v[0, 0]; x[0, 0, 0]
broadcast                 | v + xp.ones(2); x + xp.ones((3, 2)); xp.broadcast_to(v, (2, 2))
python -m ascend_array    | xp.zeros(2, device="gpu"); x.to_device("tpu")
to_device                 | xp.add(x, elsewhere); v == elsewhere
list of it first          | xp.asarray({1, 2}); xp.asarray(i for i in v)
Use asarray()             | xp.Array([1, 2])
T: expected               | v.T; s.T
0 dimensions              | len(s); iter(s); list(s)
inhomogeneous             | xp.asarray([[1, 2], [3]])
the class numpy.float32   | xp.isdtype(np.float32, "integral"); xp.isdtype(x.dtype, np.float32)
the class numpy.float32   | xp.finfo(np.float32); xp.result_type(x, np.float32)
the class numpy.float32   | xp.can_cast(np.float32, xp.float64)
the class numpy.float32   | xp.__array_namespace_info__().dtypes(kind=np.float32)
float(text)               | xp.asarray("2.5")
dtype must be one         | xp.astype(x, "nothing"); xp.zeros(2, dtype=t)
zeros with where()        | n // 0; n % 0
'axis' is missing         | xp.squeeze(x); xp.expand_dims(x)
'num' is missing          | xp.linspace(0, 1)
'shape' is missing        | xp.zeros(); xp.reshape(x); xp.broadcast_to(v)
'indices' is missing      | xp.take(x); xp.take_along_axis(x)
'dtype' is missing        | xp.astype(x)
'device' is missing       | x.to_device()
'x2' is missing           | xp.linalg.solve(m); xp.tensordot(x); xp.searchsorted(v)
'arrays' is missing       | xp.concat(); xp.stack()
'low' is missing          | xp.random.default_rng(0).integers()
'd' is missing            | xp.special.multigammaln(v)
it takes 3 arguments      | xp.where(b, v); xp.where()
goes by position          | xp.sum(x=x); xp.linalg.inv(x=m); xp.fft.fft(x=z); xp.concat(arrays=[v])
'input' is 'x' here       | xp.sum(input=x); xp.linalg.det(input=m)
'arr' is 'x' here         | xp.take_along_axis(arr=x)
there is no 'a'.          | xp.sum(a=x)
there is no 'out'         | xp.where(b, v, v, out=v)
'input' is 'x1' here      | xp.where(b, input=v, other=v)
broadcast without a grid  | xp.meshgrid(v, v, sparse=True)
there is no 'nonsense'    | xp.linalg.det(m, nonsense=1); xp.broadcast_arrays(v, nonsense=1)
there is no 'nonsense'    | xp.options(nonsense=1); xp.random.default_rng(nonsense=1)
there is no 'nonsense'    | xp.random.default_rng(0).normal(nonsense=1); xp.bincount(n, nonsense=1)
there is no 'shape'       | xp.random.default_rng(0).random(shape=3)
'dtype=4' by name         | xp.random.default_rng(0).normal(0, 1, 3, 4)
'device=True' by name     | xp.options(True)
1 positional argument     | xp.linalg.svdvals(x, False); x.to_device("cpu", True)
there is no 'non_blocking' | x.to_device("cpu", non_blocking=True)
y = xp.reshape(x, shape)  | x.__setattr__("shape", (3, 2)); x.__setattr__("size", 3)
y = xp.astype(x, dtype)   | x.__setattr__("dtype", xp.float64)
y = x.to_device(device)   | x.__setattr__("device", "cpu")
Use asarray()             | xp.Array(shape=(2, 3))
a negative power          | n ** -1; xp.pow(n, -2); n.__ipow__(-1)
"""
"""What the errors of expressions say."""

PYTHONS = """
unhashable type                     | hash(x); {x: 1}; {x}
"""
"""What is left to Python, whose errors name the function and the argument.  What has no hash must
say so to Python by ``__hash__ = None``."""


def rows(text: str) -> list[tuple[str, str]]:
    """Read the expressions of a table, each with what is said of it."""
    found = []
    for line in text.strip().splitlines():
        said, _, expressions = line.partition(" | ")
        found += [(e.strip(), said.strip()) for e in expressions.split("; ")]
    return found


EXPRESSIONS = [e.strip() for line in WORKS.strip().splitlines() for e in line.split("; ")]


def names(ns: Any) -> dict[str, Any]:
    """The variables of the expressions, in NumPy or in the namespace."""
    given = {
        "x": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
        "v": [1.0, 2.0, 3.0],
        "m": [[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]],
        "n": [1, 2, 3],
        "n2": [[1, 2], [3, 4]],
        "b": [True, False, True],
        "b2": [True, False],
        "z": [1 + 2j, 3 - 1j, 2j],
        "s": 2.5,
    }
    made = {name: ns.asarray(value) for name, value in given.items()}
    a = np.asarray([1.0, 2.0, 3.0])
    return made | {"xp": ns, "np": np, "a": a, "t": torch.tensor([1.0, 2.0, 3.0], device="cpu")}


NAMESPACES = {"": xp, "linalg.": xp.linalg, "fft.": xp.fft, "special.": xp.special}
FUNCTIONS = {
    prefix + name: function
    for prefix, module in NAMESPACES.items()
    for name in module.__all__
    if isfunction(function := getattr(module, name)) and not name.startswith("_")
}
FAST = {n for n, f in FUNCTIONS.items() if "subok" in f.__code__.co_varnames} | set(
    "can_cast finfo iinfo isdtype result_type to_torch where".split()
)
"""The functions of a microsecond, whose calls the question for unknown names would make slower."""

RIGHT = {
    "shape": (2, 2),
    "start": 0,
    "stop": 1,
    "num": 3,
    "from_": xp.int8,
    "dtype": xp.int8,
    "n": 2,
    "n_rows": 2,
    "fill_value": 1,
    "source": 0,
}


@listing("name", FUNCTIONS)
def test_no_argument_is_left_out_and_none_is_unknown(name: str) -> None:
    function, called = FUNCTIONS[name], FUNCTIONS[name].__name__  # digamma is psi
    parameters = signature(function).parameters.values()
    required = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    given = [RIGHT.get(p.name, xp.ones((2, 2), device="cpu")) for p in required]
    for n in range(len(required)):
        absent = "|".join(p.name for p in required[n:])
        said = "it takes 3" if called == "where" else rf"{called}: .*'({absent})'.* missing"
        with pytest.raises(MisuseError, match=said):
            function(*given[:n])
    if name not in FAST:
        with pytest.raises(MisuseError, match=f"{called}: there is no 'nonsense'.* Its form is"):
            function(*given, nonsense=1)


def test_there_are_more_than_300() -> None:
    every = [*EXPRESSIONS, *(e for e, _ in rows(SAYS)), *(e for e, _ in rows(PYTHONS))]
    assert len(set(every)) == len(every)
    assert len(every) > 500


@np.errstate(all="ignore")
@listing("expression", EXPRESSIONS)
def test_it_works_as_in_numpy(expression: str) -> None:
    expected = eval(expression, names(np))
    with xp.options(device="cpu"):
        got = eval(expression, names(xp))
    if isinstance(expected, (str, tuple)):
        assert got == expected
        return
    expected = np.asarray(expected)
    assert np.asarray(got).dtype.kind == expected.dtype.kind
    assert np.asarray(got).shape == expected.shape
    np.testing.assert_allclose(np.asarray(got), expected, rtol=2e-5, atol=2e-6)


@listing("expression, said", rows(SAYS))
def test_it_says_what_to_write(expression: str, said: str) -> None:
    with xp.options(device="cpu"):
        given = names(xp)
        given["d"] = xp.ones(3, dtype=xp.float64)
        given["n8"] = xp.asarray([1], dtype=xp.int8)
        given["elsewhere"] = xp.asarray(torch.ones(3, device="meta"))
        with pytest.raises(Exception, match=re.escape(said)) as caught:
            eval(expression, given)
    frames = traceback.extract_tb(caught.value.__traceback__)
    raised = Path(frames[-1].filename)
    assert raised.is_relative_to(PACKAGE), f"Python's own error, in {raised}"
    assert isinstance(
        caught.value,
        (TypeError, ValueError, IndexError, AttributeError, OverflowError, ZeroDivisionError),
    )


def test_an_error_names_the_option_if_relaxed_mode_takes_the_call() -> None:
    def raised(expression: str, *, relaxed: bool) -> str:
        with xp.options(device="cpu", relaxed=relaxed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = names(xp) | {
                "d": xp.ones(3, dtype=xp.float64),
                "n8": xp.asarray([1], dtype=xp.int8),
            }
            try:
                eval(expression, given)
            except Exception as error:  # noqa: BLE001  # it is looked at
                return str(error) or "nothing"
        return ""

    silent = [
        expression
        for expression, _ in [*rows(SAYS), *rows(AXES)]
        if "relaxed=True" not in raised(expression, relaxed=False)
        and not raised(expression, relaxed=True)
    ]
    assert silent == []


AXES = """
axis | xp.sort(x, axis=None); xp.argsort(x, axis=None); xp.squeeze(x[:1, ...], axis=None)
axis | xp.take(x, n - 1, axis=None); xp.take_along_axis(x, n - 1, axis=None)
axis | xp.linalg.cross(m, m, axis=0); n // xp.asarray([0, 1, 2])
"""
"""Calls that strict mode refuses for an axis or a divisor of NumPy's."""


@pytest.mark.parametrize(("expression", "said"), rows(PYTHONS))
def test_what_is_left_to_python(expression: str, said: str) -> None:
    with pytest.raises((TypeError, AttributeError), match=said):
        eval(expression, names(xp))


def test_it_says_so_where_the_compiler_is_loaded_too() -> None:
    import torch._dynamo  # noqa: F401  (other tests load it too, later or sooner)

    with pytest.raises(TypeError, match="there is no 'nonsense'"):
        xp.random.default_rng(nonsense=1)  # type: ignore[call-arg]
