"""Steps in relaxed mode: lines of NumPy's Python, run with NumPy and with the namespace as ``np``.

After each line all variables are compared, with their data types; what docs/strict-and-relaxed.md
names as a difference is not drawn.  Lines that NumPy refuses, or warns of, are left out.
"""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

import ascend_array_api as xp

from ..samples.strategies import to_numpy
from .choices import Rejected, assume
from .programs import written

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .choices import Choices
    from .programs import Program

_MOST_ELEMENTS = 40
_DTYPES = ("float64", "int64", "float32", "int32", "bool", "uint8", "int16", "complex128")
_KINDS = {
    "bool": "b",
    "int64": "i",
    "int32": "i",
    "uint8": "s",
    "int16": "s",
    "float32": "f",
    "float64": "f",
    "complex128": "c",
}
"""The letters by which lines say what they are for; s is of small integers, whose floating-point
results NumPy makes narrower than the default."""


class _Lines:
    """The variables of NumPy and of the namespace."""

    def __init__(self, program: Program, choices: Choices) -> None:
        self.program = program
        self.choices = choices
        self.theirs: dict[str, Any] = {}
        self.ours: dict[str, Any] = {}
        self.own: list[str] = []
        """The arrays to which lines may write: made here, or views of these."""
        self.count = 0
        self.views = program.device.type != "mesh"

    def array(self) -> None:
        """Make an array."""
        dtype, shape = self.choices.one(_DTYPES), self.choices.one(((3,), (2, 3), (4,), (3, 3), ()))
        generator = np.random.default_rng(self.choices.below(2**16))
        whole = generator.integers(0 if dtype == "uint8" else -6, 7, shape)
        values = np.asarray(whole / 4 if dtype in ("float32", "float64") else whole).astype(dtype)
        if dtype == "bool":
            values = np.asarray(whole > 0)
        if dtype == "complex128":
            values = np.asarray(whole + 1j * generator.integers(-3, 4, shape))
        if values.dtype.kind == "f" and values.ndim and self.choices.below(5) == 4:
            values[0] = np.nan
        name = self.name()
        self.own.append(name)
        self.theirs[name] = values
        self.ours[name] = xp.asarray(values.copy())
        self.program.tells(lambda: f"{name} = {written(self.ours[name])}")

    def name(self) -> str:
        self.count += 1
        return f"v{self.count - 1}"

    def some(self, kinds: str, axes: int = 0, of: Any = None) -> str:
        """Choose an array of some kinds."""
        names = [
            n
            for n in reversed(self.theirs if of is None else of)
            if isinstance(v := self.theirs[n], (np.ndarray, np.generic))
            and _KINDS.get(v.dtype.name, "?") in kinds
            and v.ndim >= axes
            and (v.size or not axes)
        ]
        return str(self.choices.one(names))

    def run(self, line: str, name: str = "") -> None:
        """Run a line with NumPy, and then with the namespace."""
        tried = {n: v.copy() if isinstance(v, np.ndarray) else v for n, v in self.theirs.items()}
        try:
            with warnings.catch_warnings(), np.errstate(all="raise"):
                warnings.simplefilter("error")
                exec(line, {"np": np, "numpy": np}, tried)
        except Exception:  # noqa: BLE001  (whatever NumPy refuses)
            raise Rejected from None
        if name:
            for value in _parts(tried[name]):
                value = np.asarray(value)
                # NumPy's functions of Booleans give float16, which the package does not.
                assume(value.dtype.name in _KINDS or not (value.size or value.dtype.kind == "f"))
                assume(value.size <= _MOST_ELEMENTS and value.ndim <= 4)
        for value in tried.values():
            bound = (
                np.asarray(value) if isinstance(value, (np.ndarray, np.generic)) else np.zeros(())
            )
            assume(bound.dtype.kind not in "fc" or not (np.abs(bound) > 1e4).any())
        assume(not self.hangs_on_rounding(line) and not self.hangs_on_order(line))
        exec(line, {"np": np, "numpy": np}, self.theirs)
        if name and not isinstance(self.theirs[name], np.ndarray) and name in self.own:
            self.own.remove(name)
        if name and name not in self.own:
            line += self.parted(name)
        self.program.tells(lambda: line)
        self.program.outcome.calls += 1
        exec(line, {"np": xp, "numpy": np}, self.ours)
        self.check()

    def hangs_on_rounding(self, line: str) -> bool:
        """Say whether a line steps, where sums of parts on a mesh may be on the other side."""
        mesh = self.program.device.type == "mesh"
        return mesh and re.search(r"//|%|mod|floor|ceil|round|rint|trunc|sign", line) is not None

    def hangs_on_order(self, line: str) -> bool:
        """Say whether it writes to a position twice, of which accelerators keep any one."""
        twice = re.search(r"\[\[0, 0|\[0, -1, 0\]|np\.put\(\w+, \[0, 0", line)
        return self.program.late and twice is not None

    def parted(self, name: str) -> str:
        """Part a value from what is written to: return what does so, and do it for NumPy's."""
        # Whether it is a view, other than a part, is not for the next lines to depend on.  Nor is
        # a single number, which here is an array of no dimensions, and a view.
        value = self.theirs[name]
        if isinstance(value, (np.ndarray, np.generic)):
            if isinstance(value, np.ndarray) and not self.shared(value):
                return ""
            self.theirs[name] = value.copy()
            return f"; {name} = {name}.copy()"
        if isinstance(value, (tuple, list)) and value and all(hasattr(v, "copy") for v in value):
            self.theirs[name] = [v.copy() for v in value]
            return f"; {name} = [v.copy() for v in {name}]"
        return ""

    def shared(self, value: np.ndarray) -> bool:
        return any(np.may_share_memory(value, self.theirs[n]) for n in self.own)

    def check(self) -> None:
        """Compare all variables."""
        # What was float32 once is no better later.
        narrow = any(v.dtype == np.float32 for v in self.theirs.values() if hasattr(v, "dtype"))
        for name, theirs in self.theirs.items():
            ours, right = list(_parts(self.ours[name])), list(_parts(theirs))
            if len(ours) != len(right):
                raise AssertionError(f"{name} has {len(ours)} parts, expected {len(right)}")
            for a, b in zip(ours, right):
                _alike(a, b, name, narrow=narrow)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for part in value:
            yield from _parts(part)
    else:
        yield value


def _alike(ours: Any, theirs: Any, name: str, *, narrow: bool) -> None:
    if not isinstance(theirs, (np.ndarray, np.generic)):
        if isinstance(ours, xp.Array):  # a single number is an array of no dimensions
            ours = to_numpy(ours).item()
        rtol, atol = (1e-4, 1e-5) if narrow else (1e-9, 1e-10)
        if not np.isclose(ours, theirs, rtol, atol, equal_nan=True):
            raise AssertionError(f"{name} is {ours!r}, expected {theirs!r}")
        return
    if not isinstance(ours, xp.Array):
        raise AssertionError(f"{name} is {ours!r}, no array")  # noqa: TRY004
    found, right = to_numpy(ours), np.asarray(theirs)
    if found.dtype != right.dtype or found.shape != right.shape:
        text = f"{found.dtype.name}{found.shape}, expected {right.dtype.name}{right.shape}"
        raise AssertionError(f"{name} is {text}")
    if right.dtype.kind not in "fc":
        equal = np.array_equal(found, right)
    else:
        bound = 1e-4 if narrow else 1e-9
        equal = np.allclose(found, right, rtol=bound, atol=bound, equal_nan=True)
    if not equal:
        raise AssertionError(f"{name} is {found!r}, expected {right!r}")


def _relaxed(program: Program, choices: Choices) -> None:
    """Run lines of NumPy's Python."""
    program.what = "relaxed"
    lines = _Lines(program, choices)
    with xp.options(relaxed=True, default_float="float64"):
        program.tells(lambda: "xp.options(relaxed=True, default_float='float64'); np = xp")
        program.tells(lambda: "import numpy")
        for _ in range(1 + choices.below(3)):
            lines.array()
        for _ in range(1 + choices.below(8)):
            with suppress(Rejected):
                choices.one((_one, _one, _two, _write, _write, _part))(lines)
    program.check_all()


def _one(lines: _Lines) -> None:
    kinds, axes, text = lines.choices.one(ONES)
    v, name = lines.some(kinds, axes), lines.name()
    lines.program.what = f"relaxed {text}"
    lines.run(f"{name} = {text.format(v=v)}", name)


def _two(lines: _Lines) -> None:
    kinds, others, text = lines.choices.one(TWOS)
    v, w, name = lines.some(kinds), lines.some(others), lines.name()
    lines.program.what = f"relaxed {text}"
    lines.run(f"{name} = {text.format(v=v, w=w)}", name)


def _part(lines: _Lines) -> None:
    """Take a part of an array that may be written to: both show what is written to either."""
    assume(lines.views)
    text = lines.choices.one(PARTS)
    y, name = lines.some("bisfc", 1, lines.own), lines.name()
    lines.program.what = f"relaxed {text}"
    lines.own.append(name)
    try:
        lines.run(f"{name} = {text.format(y=y)}", name)
    except Rejected:
        lines.own.remove(name)
        raise


def _write(lines: _Lines) -> None:
    kinds, axes, text = lines.choices.one(WRITES)
    y = lines.some(kinds, axes, lines.own)
    # What negative numbers become as unsigned ones is the processor's affair.
    w = lines.some("bis" if lines.theirs[y].dtype == np.uint8 else "bisf")
    lines.program.what = f"relaxed {text}"
    lines.run(text.format(y=y, w=w))


# --- lines: the kinds of data types, how many axes there are at least, and the text -------------

ONES = (
    *(("bisfc", 0, t) for t in ("{v} + 1", "2 * {v}", "{v} * 0.5", "{v} == 1", "np.array({v})")),
    *(("bisfc", 0, t) for t in ("abs({v})", "{v}.copy()", "{v}.ravel()", "{v}.T", "{v}.flatten()")),
    *(("bisfc", 0, t) for t in ("{v}.sum()", "{v}.any()", "np.all({v})", "{v}.reshape(-1)")),
    *(("bisfc", 0, t) for t in ("{v}.astype(complex)", "np.isnan({v})", "np.logical_not({v})")),
    *(("bisfc", 0, t) for t in ("np.count_nonzero({v})", "np.tile({v}, 2)", "np.repeat({v}, 2)")),
    *(("bisfc", 0, t) for t in ("np.zeros_like({v})", "np.atleast_2d({v})", "{v}.astype(bool)")),
    *(("bisfc", 0, t) for t in ("np.real({v})", "np.imag({v})", "{v}.tolist()", "np.size({v})")),
    *(("bisfc", 0, t) for t in ("np.outer({v}, {v})", "np.append({v}, 1)")),
    ("isfc", 0, "np.conj({v})"),  # of Booleans NumPy's function has int8, and its method has bool
    *(("bisf", 0, t) for t in ("{v} > 0.5", "{v} <= 1", "{v}.max()", "np.min({v})", "{v} != 0")),
    *(("bisf", 0, t) for t in ("np.maximum({v}, 1)", "np.minimum({v}, 0.5)", "np.clip({v}, 0, 2)")),
    *(("bisf", 0, t) for t in ("{v}.astype(float)", "{v}.astype(numpy.float32)", "np.ptp({v})")),
    *(("bisf", 0, t) for t in ("{v}.astype(int)", "np.unique({v})", "np.sort({v}, axis=None)")),
    *(("bisf", 0, t) for t in ("np.where({v} > 0, {v}, 0)", "np.where({v} > 0, 0.5, {v})")),
    *(("bisf", 0, t) for t in ("np.max({v}, initial=1)", "np.nanmax({v})", "np.nansum({v})")),
    *(("bisf", 0, t) for t in ("np.max({v}, where={v} > 0, initial=0)", "np.floor({v})")),
    *(("bisf", 0, t) for t in ("np.fmax({v}, 1)", "np.fmin({v}, {v})", "np.nanmin({v})")),
    *(("bisf", 0, t) for t in ("np.nan_to_num({v})", "np.isclose({v}, 1)", "np.isin({v}, [1, 2])")),
    *(("bif", 0, t) for t in ("{v}.mean()", "{v}.std()", "np.var({v}, ddof=0)", "{v} / 2")),
    *(("bif", 0, t) for t in ("np.sqrt(abs({v}))", "np.sin({v})", "np.exp({v})", "np.exp2({v})")),
    *(("bif", 0, t) for t in ("np.median({v})", "np.nanmean({v})", "np.nanstd({v})")),
    *(("bif", 0, t) for t in ("np.average({v})", "np.percentile({v}, 30)", "np.arctan2({v}, 2)")),
    *(("if", 0, t) for t in ("np.quantile({v}, 0.5)", "np.hypot({v}, 1)", "np.cbrt({v})")),
    *(("if", 0, t) for t in ("np.degrees({v})", "np.nanvar({v})", "np.heaviside({v}, 0.5)")),
    *(("isfc", 0, t) for t in ("-{v}", "1 - {v}", "{v} ** 2", "np.square({v})", "{v}.prod()")),
    *(("isf", 0, t) for t in ("{v} // 3", "{v} % 4", "np.fmod({v}, 3)", "divmod({v}, 3)")),
    *(
        ("isf", 0, t)
        for t in ("np.sign({v})", "np.round({v}, 1)", "np.round({v})", "np.trunc({v})")
    ),
    *(("isf", 0, t) for t in ("np.power({v}, 2)", "np.mod({v}, 2.5)", "np.add({v}, 1.5)")),
    *(("is", 0, t) for t in ("{v} & 1", "{v} << 1", "~{v}", "np.bincount({v}.ravel() % 3)")),
    *(("b", 0, t) for t in ("~{v}", "{v} & True", "{v} | {v}", "{v} ^ {v}", "np.cumsum({v})")),
    *(("f", 0, t) for t in ("{v} * numpy.float32(0.5)", "np.signbit({v})")),
    *(("bisfc", 1, t) for t in ("{v}[0]", "{v}[-1]", "{v}[..., 0]", "{v}[::-1]", "{v}[1:]")),
    *(("bisfc", 1, t) for t in ("{v}[[0, 0]]", "{v}[None]", "{v}[..., [0, -1]]", "{v}[{v} == 0]")),
    *(("bisfc", 1, t) for t in ("{v}[np.array([0, 1])]", "{v}[True]", "{v}[[]]", "len({v})")),
    *(
        ("bisfc", 1, t)
        for t in ("{v}.sum(axis=0)", "{v}.sum(-1)", "{v}.cumsum(0)", "{v}.nonzero()")
    ),
    *(("bisfc", 1, t) for t in ("np.concatenate([{v}, {v}])", "np.stack([{v}, {v}], 1)")),
    *(("bisfc", 1, t) for t in ("np.roll({v}, 1)", "np.flip({v})", "np.pad({v}, 1)")),
    *(("bisfc", 1, t) for t in ("np.insert({v}, 1, 2)", "np.insert({v}, 0, 1, axis=0)")),
    *(("bisfc", 1, t) for t in ("np.delete({v}, 0)",)),
    *(("bisfc", 1, t) for t in ("np.delete({v}, [0, -1], axis=-1)", "np.diff({v})")),
    *(
        ("bisfc", 1, t)
        for t in ("np.array_split({v}, 2)", "np.expand_dims({v}, 0)", "np.diag({v})")
    ),
    *(("bisfc", 1, t) for t in ("np.take({v}, [0, -1], 0)", "np.take({v}, 0)", "list({v})")),
    *(("bisfc", 1, t) for t in ("np.swapaxes({v}, 0, -1)", "np.hstack([{v}, {v}])")),
    *(
        ("bisf", 1, t)
        for t in ("{v}.max(axis=0)", "{v}.min(-1)", "{v}.argmax()", "np.argmin({v}, -1)")
    ),
    *(("bisf", 1, t) for t in ("np.argsort({v}, kind='stable')", "np.sort({v})", "{v}[{v} > 0]")),
    *(("bisf", 1, t) for t in ("np.argwhere({v} > 0)", "np.nonzero({v})", "np.where({v})")),
    *(
        ("bisf", 1, t)
        for t in ("np.nanmax({v}, axis=-1)", "np.nansum({v}, axis=0)", "max({v}.ravel())")
    ),
    *(
        ("bisf", 1, t)
        for t in ("np.sum({v}, where={v} > 0)", "np.any({v}, axis=-1, where={v} < 1)")
    ),
    *(
        ("bisf", 1, t)
        for t in ("np.searchsorted(np.sort({v}.ravel()), 0.5)", "np.extract({v} > 0, {v})")
    ),
    *(("isf", 1, t) for t in ("np.diff({v}, n=2)", "np.diff({v}, axis=0, prepend=0)")),
    *(
        ("isf", 1, t)
        for t in ("{v}.cumprod()", "np.prod({v}, axis=0, keepdims=True)", "np.ediff1d({v})")
    ),
    *(
        ("isf", 1, t)
        for t in ("np.nanargmax({v})", "np.nancumsum({v})", "np.nanprod({v}, axis=-1)")
    ),
    *(("if", 1, t) for t in ("{v}.mean(axis=0)", "np.std({v}, -1)", "np.average({v}, axis=0)")),
    *(("if", 1, t) for t in ("np.mean({v}, axis=-1, keepdims=True)", "np.gradient({v}, axis=0)")),
    *(("if", 1, t) for t in ("np.average({v}, weights=abs({v}) + 1)", "np.linalg.norm({v})")),
    *(
        ("if", 1, t)
        for t in ("np.trapezoid({v})", "np.mean({v}, where={v} > 0)", "np.median({v}, 0)")
    ),
    *(("if", 1, t) for t in ("np.nanmean({v}, axis=0)", "np.digitize({v}, [0, 1])")),
    *(("bisfc", 2, t) for t in ("{v}[0, 1]", "{v}[:, 0]", "{v}[[0, 1], [1, 0]]", "{v}[0, ::2]")),
    *(("bisfc", 2, t) for t in ("{v}[[0, -1], 1]", "{v}[:, None, 0]", "{v}[{v}[:, 0] == 0]")),
    *(
        ("bisfc", 2, t)
        for t in ("np.sum({v}, axis=(0, 1))", "{v}.sum(axis=(0, -1), keepdims=True)")
    ),
    *(
        ("bisfc", 2, t)
        for t in (
            "{v}.transpose(1, 0)",
            "np.tril({v})",
            "np.triu({v}, 1)",
            "np.rot90({v})",
            "np.fliplr({v})",
        )
    ),
    *(("bisfc", 2, t) for t in ("np.einsum('ij->ji', {v})", "{v}.reshape(-1, 1)", "np.trace({v})")),
    *(
        ("isfc", 2, t)
        for t in ("np.einsum('ij,ij->i', {v}, {v})", "{v} @ {v}.T", "np.dot({v}, {v}.T)")
    ),
    *(("bisf", 2, t) for t in ("np.max({v}, axis=(0, 1))", "np.any({v}, axis=(0, 1))")),
)
TWOS = (
    *(("bisfc", "bisfc", t) for t in ("{v} + {w}", "{v} * {w}", "{v} == {w}", "np.add({v}, {w})")),
    *(("bisfc", "bisfc", t) for t in ("np.where({v} == 0, {v}, {w})", "np.append({v}, {w})")),
    *(
        ("bisfc", "bisfc", t)
        for t in ("np.concatenate([{v}, {w}], axis=None)", "np.kron({v}, {w})")
    ),
    *(("bisfc", "bisfc", t) for t in ("np.logical_and({v}, {w})", "np.array_equal({v}, {w})")),
    *(
        ("bisfc", "bisfc", t)
        for t in ("np.stack([{v}, {w}])", "np.vstack([{v}, {w}])", "{v} != {w}")
    ),
    *(("bisfc", "bisfc", t) for t in ("np.outer({v}, {w})", "np.result_type({v}, {w}) == 0")),
    *(("bisf", "bisf", t) for t in ("{v} > {w}", "np.maximum({v}, {w})", "np.minimum({v}, {w})")),
    *(("bisf", "bisf", t) for t in ("np.fmax({v}, {w})", "{v} <= {w}", "np.clip({v}, {w}, 2)")),
    *(
        ("bisf", "bisf", t)
        for t in ("np.isin({v}, {w})", "np.union1d({v}, {w})", "np.setdiff1d({v}, {w})")
    ),
    *(
        ("if", "if", t)
        for t in ("np.arctan2({v}, {w})", "np.hypot({v}, {w})", "{v} / (abs({w}) + 1)")
    ),
    *(
        ("isf", "isf", t)
        for t in ("{v} // (abs({w}) + 1)", "np.fmod({v}, abs({w}) + 2)", "{v} - {w}")
    ),
    *(("isf", "isf", t) for t in ("np.dot({v}.ravel(), {w}.ravel())", "{v} % (abs({w}) + 2)")),
    *(
        ("isfc", "isfc", t)
        # Of a single number NumPy's inner() makes 0 of 0 * nan.
        for t in ("{v} @ {w}", "np.inner({v}.ravel(), {w}.ravel())", "np.tensordot({v}, {w}, 1)")
    ),
    *(("is", "is", t) for t in ("{v} & {w}", "{v} | {w}", "{v} ^ {w}")),
    *(
        ("bisfc", "i", t)
        for t in ("{v}.take({w} % 2)", "{v}[{w} % 2]", "{v}[{w}]", "{v}[..., {w} % 2]")
    ),
    *(
        ("bisfc", "b", t)
        for t in ("{v}[{w}]", "np.sum({v}, where={w})", "{v} * {w}", "np.where({w}, {v}, 1)")
    ),
    *(("bisfc", "b", t) for t in ("np.compress({w}.ravel(), {v}.ravel())", "{v}[~{w}]")),
)
PARTS = (
    "{y}[1:]",
    "{y}[0]",
    "{y}[..., 0]",
    "{y}[::2]",
    "{y}[:, 1]",
    "{y}[None]",
    "{y}[:]",
    "{y}.T",
)
WRITES = (
    *(("bisfc", 1, t) for t in ("{y}[0] = 1", "{y}[-1] = {w}", "{y}[1:] = 0", "{y}[...] = {w}")),
    *(
        ("bisfc", 1, t)
        for t in ("{y}[[0, 0]] = 1", "{y}[{y} == 0] = 1", "{y}[:] = {w}", "{y}.fill(1)")
    ),
    *(("bisfc", 1, t) for t in ("{y}[::2] = {w}", "{y}[0] = {y}[-1]", "{y}[...] = {y}[::-1]")),
    *(
        ("bisfc", 1, t)
        for t in ("np.put({y}, [0, -1], [1, 0])", "np.put({y}, [0, 0, 0], [1, 0, 1])")
    ),
    *(("bisfc", 1, t) for t in ("np.copyto({y}, {w})", "np.place({y}, {y} == 0, [1])")),
    *(
        ("bisfc", 1, t)
        for t in ("np.putmask({y}, {y} == 1, [0, 1, 1])", "{y}[True] = 1", "{y}[[]] = 1")
    ),
    *(
        ("bisf", 1, t)
        # NumPy would read what it has just written, if they overlap.
        for t in ("{y}[{y} > 0] = {w}.copy()", "np.copyto({y}, {w}, where={y} > 0)", "{y}.sort()")
    ),
    *(("isf", 1, t) for t in ("{y}[[0, 0, -1, 0]] = [1, 2, 3, 4]", "{y}[[0, 0]] += 1")),
    *(
        ("isf", 1, t)
        for t in ("{y}[{y} > 0] += 2", "np.clip({y}, 0, 2, out={y})", "{y}[1:] += {y}[:-1]")
    ),
    *(("isf", 1, t) for t in ("np.add({y}, 1, out={y}, where={y} > 0)", "{y}[[0, -1, 0]] -= 1")),
    *(
        ("isf", 1, t)
        for t in ("np.maximum({y}, 1, out={y})", "np.cumsum({y}, 0, out={y})", "{y}[:-1] *= 2")
    ),
    *(("isf", 2, t) for t in ("{y}[[0, 0, 1], [1, 1, 0]] = [5, 6, 7]", "np.fill_diagonal({y}, 3)")),
    *(
        ("isf", 2, t)
        for t in ("{y}[0], {y}[1] = {y}[1].copy(), {y}[0].copy()", "{y}[:, 0] = [1, 2]")
    ),
    *(("isf", 2, t) for t in ("{y}[:, [0, 0]] += 1", "{y}[0, {y}[0] > 0] = 4", "{y}.T[0] = 2")),
    *(("isfc", 0, t) for t in ("{y} += {w}", "{y} -= 1", "{y} *= {w}", "{y} += 1", "{y} *= True")),
    *(("isf", 0, t) for t in ("np.add({y}, {w}, out={y})", "np.multiply({y}, 2, out={y})")),
    *(("isf", 0, t) for t in ("np.add({y}, {w}, {y})", "{y} //= 2", "{y} %= 3", "{y} **= 2")),
    *(("f", 0, t) for t in ("{y} /= 2", "np.sin({y}, out={y})", "np.nan_to_num({y}, copy=False)")),
    *(
        ("b", 0, t)
        for t in ("{y} &= {w}", "{y} |= True", "{y} ^= {y}", "np.logical_not({y}, out={y})")
    ),
    *(("bisfc", 0, t) for t in ("{y}[()] = 1", "{y}[...] = 0")),
)

STEPS: tuple[Callable[[Program, Choices], None], ...] = (_relaxed,)
