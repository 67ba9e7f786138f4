"""Names of NumPy and torch that the standard lacks, and what to write instead.

Imports no chapter: it looks up functions by name when an error needs them.

It is used only if the namespace, one of its parts or an array lacks an attribute.  In the tables,
``xp`` is the namespace and ``x`` an array.

https://data-apis.org/array-api/2023.12/API_specification/index.html
"""

from __future__ import annotations

import functools
import inspect
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

# --- the tables -----------------------------------------------------------------------------------

_NAMESPACE: Final = """
absolute            xp.abs(x)
addcdiv             x + value * y / z
addcmul             x + value * y * z
addmm               z + x @ y
allclose            xp.all(xp.abs(x - y) <= atol + rtol * xp.abs(y))
alltrue             xp.all(x)
amax                xp.max(x)
amin                xp.min(x)
angle               xp.atan2(xp.imag(x), xp.real(x))
append              xp.concat([x, y])
apply_along_axis    xp.stack([f(row) for row in xp.unstack(x)])
arccos              xp.acos(x)
arccosh             xp.acosh(x)
arcsin              xp.asin(x)
arcsinh             xp.asinh(x)
arctan              xp.atan(x)
arctan2             xp.atan2(x, y)
arctanh             xp.atanh(x)
argwhere            xp.stack(xp.nonzero(x), axis=-1)
around              xp.round(x)
array               xp.asarray(obj), with copy=True for a copy
array_equal         x.shape == y.shape and bool(xp.all(x == y))
array_repr          repr(x)
array_split         x[:n] and x[n:]
array_str           str(x)
as_tensor           xp.asarray(obj)
asanyarray          xp.asarray(obj)
asarray_chkfinite   xp.asarray(obj), and xp.all(xp.isfinite(x)) to check it
ascontiguousarray   xp.asarray(obj)
asfortranarray      xp.asarray(obj): the order in memory is no part of the standard
asmatrix            xp.asarray(obj)
atleast_1d          xp.reshape(x, (-1,)) where x.ndim == 0
atleast_2d          x[None, :] where x.ndim == 1
atleast_3d          x[None, :, None] where x.ndim == 1
average             xp.sum(x * weights) / xp.sum(weights)
bitwise_count       a sum of xp.bitwise_and(xp.bitwise_right_shift(x, i), 1) over the bits i
bitwise_not         xp.bitwise_invert(x)
bmm                 xp.matmul(x, y)
bool_               xp.bool
broadcast_tensors   xp.broadcast_arrays(x, y)
cat                 xp.concat([x, y], axis=0)
cdouble             xp.complex128
cfloat              xp.complex64
chunk               x[:n] and x[n:]
clamp               xp.clip(x, min, max)
clone               xp.asarray(x, copy=True)
column_stack        xp.stack([x, y], axis=-1)
compress            x[condition]
concatenate         xp.concat([x, y], axis=0)
conjugate           xp.conj(x)
copy                xp.asarray(x, copy=True)
copyto              x[...] = y
cov                 d = x - xp.mean(x, axis=-1, keepdims=True); d @ d.mT / (n - 1)
cross               xp.linalg.cross(x, y)
csingle             xp.complex64
cumprod             xp.cumulative_prod(x, axis=0)
cumsum              xp.cumulative_sum(x, axis=0)
deg2rad             x * (xp.pi / 180)
degrees             x * (180 / xp.pi)
det                 xp.linalg.det(x)
device              the name: device="cpu"
diagonal            xp.linalg.diagonal(x)
digitize            xp.searchsorted(bins, x, side="right")
div                 xp.divide(x, y)
divmod              (x // y, x % y)
dot                 xp.matmul(x, y), or xp.vecdot(x, y) of vectors
double              xp.float64
dstack              xp.stack([x, y], axis=-1) of matrices
einsum              xp.matmul(x, y), xp.tensordot(x, y, axes=...) or xp.vecdot(x, y, axis=...)
eq                  xp.equal(x, y)
erf                 xp.special.erf(x)
exp2                xp.special.exp2(x)
extract             x[condition]
fabs                xp.abs(x)
fill_diagonal       xp.where(xp.eye(n, dtype=xp.bool), value, x)
fix                 xp.trunc(x)
flatnonzero         xp.nonzero(xp.reshape(x, (-1,)))[0]
flatten             xp.reshape(x, (-1,))
fliplr              xp.flip(x, axis=1)
flipud              xp.flip(x, axis=0)
float               xp.float32 or xp.float64
float_power         xp.pow(xp.astype(x, xp.float64), y)
fmax                xp.where(xp.isnan(x), y, xp.where(xp.isnan(y), x, xp.maximum(x, y)))
fmin                xp.where(xp.isnan(x), y, xp.where(xp.isnan(y), x, xp.minimum(x, y)))
fmod                x - xp.trunc(x / y) * y
from_numpy          xp.asarray(obj)
frombuffer          xp.asarray(memoryview(buffer))
fromfunction        f(*xp.meshgrid(xp.arange(n), xp.arange(m), indexing="ij"))
fromiter            xp.asarray(list(iterator))
gather              xp.take_along_axis(x, indices, axis=axis)
ge                  xp.greater_equal(x, y)
geomspace           xp.logspace(start, stop, num), of the exponents
gradient            xp.diff(x) / step
gt                  xp.greater(x, y)
half                xp.float16
hsplit              x[:, :n] and x[:, n:]
hstack              xp.concat([x, y], axis=1), or axis=0 of vectors
identity            xp.eye(n)
in1d                xp.isin(x, y)
index_select        xp.take(x, indices, axis=axis)
indices             xp.meshgrid(xp.arange(n), xp.arange(m), indexing="ij")
inner               xp.vecdot(x, y)
insert              xp.concat([x[:n], y, x[n:]])
int                 xp.int32
int_                xp.int64
intc                xp.int32
intersect1d         xp.unique_values(x[xp.isin(x, y)])
intp                xp.int64
inverse             xp.linalg.inv(x)
invert              xp.bitwise_invert(x)
is_tensor           isinstance(x, xp.Array)
isclose             xp.abs(x - y) <= atol + rtol * xp.abs(y)
iscomplex           xp.imag(x) != 0
iscomplexobj        xp.isdtype(x.dtype, "complex floating")
isneginf            x == -xp.inf
isposinf            x == xp.inf
isreal              xp.imag(x) == 0
isrealobj           not xp.isdtype(x.dtype, "complex floating")
isscalar            isinstance(x, (bool, int, float, complex))
issubdtype          xp.isdtype(x.dtype, "integral")
kron                xp.reshape(x[:, None, :, None] * y[None, :, None, :], (n, m))
le                  xp.less_equal(x, y)
left_shift          xp.bitwise_left_shift(x, y)
lerp                x + weight * (y - x)
lgamma              xp.special.gammaln(x)
load                xp.asarray(numpy.load(file))
loadtxt             xp.asarray(numpy.loadtxt(file))
logaddexp2          xp.log2(xp.special.exp2(x) + xp.special.exp2(y))
logsumexp           m = xp.max(x); m + xp.log(xp.sum(xp.exp(x - m)))
long                xp.int64
lt                  xp.less(x, y)
manual_seed         xp.random.default_rng(seed)
masked_select       x[mask]
mm                  xp.matmul(x, y)
movedim             xp.moveaxis(x, source, destination)
mul                 xp.multiply(x, y)
mv                  xp.matmul(x, y)
nan_to_num          xp.where(xp.isnan(x), 0.0, x)
nanargmax           xp.argmax(xp.where(xp.isnan(x), -xp.inf, x))
nanargmin           xp.argmin(xp.where(xp.isnan(x), xp.inf, x))
nancumsum           xp.cumulative_sum(xp.where(xp.isnan(x), 0.0, x))
nanmax              xp.max(xp.where(xp.isnan(x), -xp.inf, x))
nanmean             xp.mean(x[~xp.isnan(x)])
nanmedian           xp.median(x[~xp.isnan(x)])
nanmin              xp.min(xp.where(xp.isnan(x), xp.inf, x))
nanprod             xp.prod(xp.where(xp.isnan(x), 1.0, x))
nanstd              xp.std(x[~xp.isnan(x)])
nansum              xp.sum(xp.where(xp.isnan(x), 0.0, x))
nanvar              xp.var(x[~xp.isnan(x)])
ndarray             xp.Array, or xp.asarray(obj) to make one
ndim                x.ndim
ne                  xp.not_equal(x, y)
neg                 xp.negative(x)
no_grad             torch.no_grad(); gradients are torch's
norm                xp.linalg.vector_norm(x), or xp.linalg.matrix_norm(x)
numel               x.size
outer               xp.linalg.outer(x, y)
pad                 xp.concat([xp.zeros(n), x, xp.zeros(m)])
percentile          xp.sort(x)[round((n - 1) * q / 100)], which does not interpolate
permute             xp.permute_dims(x, axes)
polyval             y = y * x + c for each coefficient c
power               xp.pow(x, y)
ptp                 xp.max(x) - xp.min(x)
put                 x[indices] = values
quantile            xp.sort(x)[round((n - 1) * q)], which does not interpolate
rad2deg             x * (180 / xp.pi)
radians             x * (xp.pi / 180)
rand                xp.random.default_rng(seed).random(shape)
randint             xp.random.default_rng(seed).integers(low, high, shape)
randn               xp.random.default_rng(seed).standard_normal(shape)
randperm            xp.random.default_rng(seed).permutation(n)
ravel               xp.reshape(x, (-1,))
relu                xp.maximum(x, 0)
repeat_interleave   xp.repeat(x, repeats, axis=axis)
resize              xp.reshape(x, shape), of as many elements
right_shift         xp.bitwise_right_shift(x, y)
rint                xp.round(x)
rot90               xp.flip(xp.permute_dims(x, (1, 0)), axis=0)
row_stack           xp.concat([x, y], axis=0)
rsqrt               1 / xp.sqrt(x)
save                numpy.save(file, numpy.asarray(x))
savetxt             numpy.savetxt(file, numpy.asarray(x))
select              xp.where(condition, x, y)
set_default_device  xp.options(device=...)
set_default_dtype   xp.options(default_float=...)
set_printoptions    numpy.set_printoptions(...), which holds for arrays here too
setdiff1d           xp.unique_values(x[~xp.isin(x, y)])
sgn                 xp.sign(x)
shape               x.shape
short               xp.int16
sigmoid             xp.special.expit(x)
sinc                xp.special.sinc(x)
single              xp.float32
size                x.size
softmax             e = xp.exp(x - xp.max(x)); e / xp.sum(e)
solve               xp.linalg.solve(x, y)
split               x[:n] and x[n:]
sub                 xp.subtract(x, y)
svd                 xp.linalg.svd(x)
swapaxes            xp.moveaxis(x, source, destination), or xp.permute_dims(x, axes)
t                   x.T
tensor              xp.asarray(obj)
Tensor              xp.Array, or xp.asarray(obj) to make one
topk                xp.argsort(x, descending=True)[:k]
trace               xp.linalg.trace(x)
transpose           xp.permute_dims(x, axes), or x.T of a matrix
trapezoid           xp.sum((x[1:] + x[:-1]) / 2) * step
trapz               xp.sum((x[1:] + x[:-1]) / 2) * step
tri                 xp.tril(xp.ones((n, n)))
tril_indices        xp.nonzero(xp.tril(xp.ones((n, n))))
triu_indices        xp.nonzero(xp.triu(xp.ones((n, n))))
true_divide         xp.divide(x, y)
unbind              xp.unstack(x)
union1d             xp.unique_values(xp.concat([x, y]))
unique              xp.unique_values(x), or xp.unique_all(x)
unravel_index       (i // n, i % n)
unsqueeze           xp.expand_dims(x, axis=0)
vander              x[:, None] ** xp.arange(n)
vdot                xp.vecdot(x, y)
vectorize           f(x), of functions of the namespace
vsplit              x[:n, ...] and x[n:, ...]
vstack              xp.concat([x, y], axis=0), or xp.stack([x, y]) of vectors
"""

_LINALG: Final = """
cond                s = xp.linalg.svdvals(x); s[..., 0] / s[..., -1]
multi_dot           x @ y @ z
norm                xp.linalg.vector_norm(x), or xp.linalg.matrix_norm(x)
solve_triangular    xp.linalg.solve(x, y)
tensorinv           xp.reshape(xp.linalg.inv(xp.reshape(x, (n, n))), shape)
tensorsolve         xp.reshape(xp.linalg.solve(xp.reshape(x, (n, n)), y), shape)
vander              x[:, None] ** xp.arange(n)
"""

_FFT: Final = """
fft2                xp.fft.fftn(x, axes=(-2, -1))
ifft2               xp.fft.ifftn(x, axes=(-2, -1))
irfft2              xp.fft.irfftn(x, axes=(-2, -1))
rfft2               xp.fft.rfftn(x, axes=(-2, -1))
"""

_RANDOM: Final = """
MT19937             xp.random.Philox(seed)
PCG64               xp.random.Philox(seed)
RandomState         xp.random.default_rng(seed)
SFC64               xp.random.Philox(seed)
get_rng_state       xp.random.default_rng(seed).bit_generator.state
get_state           xp.random.default_rng(seed).bit_generator.state
manual_seed         xp.random.default_rng(seed)
rand                xp.random.default_rng(seed).random(shape)
randint             xp.random.default_rng(seed).integers(low, high, shape)
randn               xp.random.default_rng(seed).standard_normal(shape)
random_integers     xp.random.default_rng(seed).integers(low, high, shape, endpoint=True)
random_sample       xp.random.default_rng(seed).random(shape)
ranf                xp.random.default_rng(seed).random(shape)
sample              xp.random.default_rng(seed).random(shape)
seed                xp.random.default_rng(seed)
"""

_SPECIAL: Final = """
bessel_j0           xp.special.j0(x)
bessel_j1           xp.special.j1(x)
bessel_y0           xp.special.y0(x)
bessel_y1           xp.special.y1(x)
expm1               xp.expm1(x)
log1p               xp.log1p(x)
log_softmax         m = xp.max(x); x - m - xp.log(xp.sum(xp.exp(x - m)))
logsumexp           m = xp.max(x); m + xp.log(xp.sum(xp.exp(x - m)))
modified_bessel_i0  xp.special.i0(x)
modified_bessel_i1  xp.special.i1(x)
modified_bessel_k0  xp.special.k0(x)
modified_bessel_k1  xp.special.k1(x)
round               xp.round(x)
softmax             e = xp.exp(x - xp.max(x)); e / xp.sum(e)
"""

_ARRAY: Final = """
H                   xp.conj(x).mT
add                 x + y
add_                x += y
addmm               x + y @ z
argpartition        xp.argsort(x)
astype              xp.astype(x, dtype)
backward            xp.to_torch(x).backward()
base                The standard does not say which arrays share memory.
bfloat16            xp.astype(x, xp.bfloat16)
bmm                 x @ y
bool                xp.astype(x, xp.bool)
byte                xp.astype(x, xp.uint8)
byteswap            numpy.asarray(x).byteswap()
cdouble             xp.astype(x, xp.complex128)
cfloat              xp.astype(x, xp.complex64)
char                xp.astype(x, xp.int8)
choose              xp.where(condition, y, z)
clip                xp.clip(x, min, max)
contiguous          The order in memory is no part of the standard: leave it out.
copy_               x[...] = y
cpu                 x.to_device("cpu")
cuda                x.to_device(device)
data                x, or xp.to_torch(x).data
data_ptr            xp.to_torch(x).data_ptr()
detach              xp.asarray(xp.to_torch(x).detach())
dim                 x.ndim
div                 x / y
div_                x /= y
dot                 x @ y, or xp.vecdot(x, y)
double              xp.astype(x, xp.float64)
dump                pickle.dump(x, file)
dumps               pickle.dumps(x)
eq                  x == y
expand              xp.broadcast_to(x, shape)
expand_as           xp.broadcast_to(x, y.shape)
fill                x[...] = value
fill_               x[...] = value
flags               The order in memory is no part of the standard.
flat                xp.reshape(x, (-1,))
float               xp.astype(x, xp.float32)
ge                  x >= y
gt                  x > y
half                xp.astype(x, xp.float16)
int                 xp.astype(x, xp.int32)
is_contiguous       xp.to_torch(x).is_contiguous()
is_floating_point   xp.isdtype(x.dtype, "real floating")
item                float(x), int(x), bool(x) or complex(x), of one element
itemsize            xp.finfo(x.dtype).bits // 8, or xp.iinfo(x.dtype).bits // 8
layout              The order in memory is no part of the standard.
le                  x <= y
long                xp.astype(x, xp.int64)
lt                  x < y
masked_fill         xp.where(mask, value, x)
masked_fill_        x[mask] = value
matmul              x @ y
mm                  x @ y
mul                 x * y
mul_                x *= y
mv                  x @ y
narrow              x[start : start + length]
nbytes              x.size * xp.finfo(x.dtype).bits // 8
ndimension          x.ndim
ne                  x != y
neg                 -x
nelement            x.size
new_full            xp.full(shape, value, dtype=x.dtype, device=x.device)
new_ones            xp.ones(shape, dtype=x.dtype, device=x.device)
new_tensor          xp.asarray(obj, dtype=x.dtype, device=x.device)
new_zeros           xp.zeros(shape, dtype=x.dtype, device=x.device)
npu                 x.to_device(device)
numpy               numpy.asarray(x.to_device("cpu"))
partition           xp.sort(x)
pin_memory          xp.asarray(xp.to_torch(x).pin_memory())
pow                 x ** y
real                xp.real(x), or x where it is real
repeat              xp.repeat(x, repeats), or xp.tile(x, repetitions) as torch's repeats
requires_grad_      xp.to_torch(x).requires_grad_()
reshape             xp.reshape(x, shape)
roll                xp.roll(x, shift)
scatter             x[indices] = values
searchsorted        xp.searchsorted(x, values)
select              x[i, ...]
short               xp.astype(x, xp.int16)
squeeze             xp.squeeze(x, axis=axis)
storage             xp.to_torch(x).untyped_storage()
stride              xp.to_torch(x).stride()
strides             xp.to_torch(x).stride()
sub                 x - y
sub_                x -= y
take                xp.take(x, indices, axis=axis)
tile                xp.tile(x, repetitions)
to                  x.to_device(device), or xp.astype(x, dtype)
tobytes             numpy.asarray(x).tobytes()
tofile              numpy.asarray(x).tofile(file)
tolist              numpy.asarray(x).tolist()
type                xp.astype(x, dtype), or x.dtype
unflatten           xp.reshape(x, shape)
unique              xp.unique_values(x)
view                xp.reshape(x, shape), or xp.asarray(xp.to_torch(x).view(dtype)) for its bits
view_as             xp.reshape(x, y.shape)
where               xp.where(condition, x, y)
zero_               x[...] = 0
"""


def _read(table: str) -> dict[str, str]:
    rows: dict[str, str] = {}
    for line in table.strip().splitlines():
        name, text = line.split(maxsplit=1)
        rows[name] = text
    return rows


ARRAY: Final = _read(_ARRAY)
"""Advice for attributes of arrays, where no function of the same name gives it."""

_TABLES: Final = {
    "": _NAMESPACE,
    "linalg": _LINALG,
    "fft": _FFT,
    "random": _RANDOM,
    "special": _SPECIAL,
}


@functools.cache
def names(part: str) -> dict[str, str]:
    """Return the table of a part of the namespace: missing names, and what to write instead."""
    return _read(_TABLES.get(part, ""))


# --- errors ---------------------------------------------------------------------------------------


def _written(text: str) -> str:
    return text if text.endswith(".") else f"Write {text}."


def of_array(name: str, x: object, hint: str = "") -> AttributeError:
    """Return the error for an attribute that arrays of other libraries have."""
    text = f" {_written(said)}" if (said := of_attribute(name)) else ""
    message = f"an array of the standard has no attribute {name!r}.{text}{hint}"
    return AttributeError(message, name=name, obj=x)


def of_attribute(name: str) -> str:
    """Return the code to write instead of an attribute of NumPy's or torch's arrays."""
    if name in ARRAY:
        return ARRAY[name]
    here = _function_of(name)
    if here or name in names(""):
        return here or names("")[name]
    in_place = _function_of(name.removesuffix("_"))
    if in_place:
        return f"x[...] = {in_place}"
    torch, numpy = sys.modules["torch"], sys.modules["numpy"]
    for owner, given in ((torch.Tensor, "xp.to_torch(x)"), (numpy.ndarray, "numpy.asarray(x)")):
        if hasattr(owner, name):
            return f"{given}.{name}{'(...)' if callable(getattr(owner, name)) else ''}"
    return ""


def _function_of(name: str) -> str:
    """Return a call of the namespace's function of a name, or nothing if there is none."""
    top: Any = sys.modules[__name__.partition(".")[0]]
    for part in ("", "linalg", "special"):
        module = getattr(top, part) if part else top
        function = vars(module).get(name) if name in module.__all__ else None
        if inspect.isfunction(function):
            every = inspect.signature(function).parameters.values()
            more = sum(p.default is p.empty and p.kind is not p.KEYWORD_ONLY for p in every) > 1
            return f"xp.{part}{'.' if part else ''}{name}(x{', ...' if more else ''})"
    return ""


class NotHere:
    """An attribute that arrays of other libraries have; it raises an error with advice."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, owner: object = None) -> Any:
        raise of_array(self._name, instance)


def _advice(part: str, name: str) -> str:
    """Return advice for a name that a part of the namespace lacks."""
    top: Any = sys.modules[__name__.partition(".")[0]]
    if name in names(part):
        return _written(names(part)[name])
    if part == "random" and hasattr(top.random.Generator, name):
        return f"Write xp.random.default_rng(seed).{name}(...)."
    for other in _TABLES:
        chapter = getattr(top, other) if other else top
        if name in chapter.__all__:
            return f"Write {f'xp.{other}' if other else 'xp'}.{name}."
        if name in names(other):
            return _written(names(other)[name])
    path = f"{part}.{name}" if part else name
    for library, given in (("numpy", "numpy.asarray(x)"), ("torch", "xp.to_torch(x)")):
        module = sys.modules.get(f"{library}.{part}" if part else library)
        known = vars(module).get(name) if module is not None else None
        if callable(known) and not isinstance(known, type):
            return (
                f"The standard has nothing like {library}.{path}; call that with {given}, and "
                "xp.asarray() takes its result back."
            )
        if known is not None or name in getattr(module, "__all__", ()):
            return f"The standard has nothing like {library}.{path}."
    return ""


def of_module(module: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module of the namespace."""
    part = module.rpartition(".")[2]
    part = part if part in _TABLES else ""

    def absent(name: str) -> Any:
        text = f"module {module!r} has no attribute {name!r}"
        advice = "" if name.startswith("_") else _advice(part, name)
        raise AttributeError(
            f"{text}. {advice}" if advice else text, name=name, obj=sys.modules.get(module)
        )

    return absent


def listed(module: str) -> Callable[[], list[str]]:
    """Return the ``__dir__`` of a module: its public names, and the names that all modules have."""

    def public() -> list[str]:
        own = vars(sys.modules[module])
        beside = {n for n in own if n.startswith("v2") or n.endswith("Error")}
        return sorted({*own["__all__"], *beside, *(n for n in own if n.startswith("__"))})

    return public


def complete(namespace: dict[str, Any]) -> None:
    """Add ``__dir__`` and, unless there is one, ``__getattr__`` to the globals of a module.

    The module itself does not define them, because type checkers would then accept every name.
    """
    namespace["__dir__"] = listed(namespace["__name__"])
    namespace.setdefault("__getattr__", of_module(namespace["__name__"]))
