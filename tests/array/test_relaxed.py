"""NumPy's calls: relaxed mode answers each as NumPy does, and strict mode refuses what is not the
standard's by the name of the option, and changes nothing.

The expressions stand in tests/numpys.py; values, shape and data type must be NumPy's.  `REFUSED` is
what relaxed mode refuses.  What NumPy has and no line names is left out by name, on the page.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpys import (
    MORE,
    RELAXED,
    STANDARD,
    TABLE,
    VALUES,
    expressions,
    given,
    narrow,
    of_numpy,
    of_ours,
    outcome,
    parts,
    quiet,
    relaxed,
    rows,
    same,
)
from parametrize import listing
from processes import apart
from steps import entered

import ascend_array_api as xp
from ascend_array_api._options import settings
from ascend_array_api._torch import dtypes as dt
from ascend_array_api._torch import torch
from workshop.cells import table
from workshop.samples import FUNCTIONS, DType, Seeded
from workshop.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ERRORS = (TypeError, ValueError, IndexError, AttributeError, ArithmeticError)

STATEMENTS = """
    y = np.zeros(5); np.copyto(y, v); np.copyto(y, 1.5, where=b)
    y = np.zeros(5); np.copyto(y, 2); np.copyto(y, v, where=False)
    y = np.zeros((2, 2)); y.fill(3)
    y = np.zeros((3, 3)); np.fill_diagonal(y, 2.0)
    y = np.zeros((3, 3)); np.fill_diagonal(y, [1, 2, 3])
    y = np.array([3.0, 1.0, 2.0]); y.partition(1); r = y[1]
    y = np.array([1.0, 2.0, 3.0]); np.place(y, y > 1, [7.0, 8.0])
    y = np.zeros(5); np.put(y, [0, 3], [1.0, 2.0]); np.put(y, [5, -7, 1], [1.0, 2.0, 3.0], "wrap")
    y = np.zeros(4); np.put(y, [5, -7, 1], [1.0, 2.0, 3.0], "clip")
    y = np.zeros((2, 3)); np.put(y, [-6, 5, 2], [1.0, 2.0])
    y = np.zeros((2, 3)); np.put(y, [[1, 2], [3, -1]], [1.0, 2.0])
    y = np.zeros((2, 3)); y.put([1, -1], 5.0); np.put(y, [-6], [1.0, 2.0]); np.put(y, [5], [3.0])
    y = np.zeros((2, 3)); np.put_along_axis(y, np.array([[1], [2]]), 9.0, 1)
    y = np.array([1.0, 2.0, 3.0]); np.putmask(y, y > 1, [7.0, 8.0, 9.0])
    y = np.zeros(4); r = y[::2].ravel(); y[0] = 1
    y = np.zeros(4); r = y.ravel(); y[0] = 1
    y = np.array([[3.0, 1.0], [0.0, 2.0]]); y.sort()
    y = np.array([[3.0, 1.0], [0.0, 2.0]]); y.sort(axis=0)
    y = np.array([1.0, np.nan]); np.nan_to_num(y, copy=False)
    y = z / 0; r = np.nan_to_num(y, nan=1.0), y
    y = np.array([complex(np.inf, np.nan)]); np.nan_to_num(y, False, 3.0)
    with np.errstate(all="ignore"): y = np.array([1.0]) / 0
    y = np.zeros(5); np.subtract(v, w, out=y)
    y = np.zeros(1); np.subtract(v[:1], 3, out=y)
    y = np.zeros(1); np.subtract(v[:1], 3, out=(y,))
    y = np.zeros(()); np.sum(v, out=y)
    y = np.zeros(4); np.sum(m, axis=0, out=y)
    y = np.zeros((2, 5)); np.nancumsum(n, 0, None, y[0]); np.nanmean(m, 0, out=y[1, :4])
    y = np.zeros((2, 3)); y[0] = [1, 2, 3]; y[:, 1] += 5; y[y > 4] = -1
    y = v.copy(); r = np.conj(y); y[0] = 9
    y = np.zeros((2, 3)); y += np.arange(3); y *= 2
    y = z.copy(); y.real = 9; y.imag = v[:3]
    y = z.copy(); y.view(float)[0] = 9.0
    y = np.zeros(4, complex); y[1:3].view(float)[1] = 2.0; y.view(float).view(complex)[3] = 1.0
    y = np.reshape(np.arange(12.0), (3, 4)); y.flat[::5] = 7.0; r = list(y.flat), y.flat[5]
    y = np.zeros((2, 3)); y.flat = 2.0
    y = i.copy(); y[...] = 2.7; y[:2] = numpy.asarray([5, 6]); y[2] = numpy.int8(4); y[3] = True
    y = i.copy(); y[:2] = [7.0, 8.0]; y[2] = numpy.float32(3.5)
    y = b.copy(); y += True; y *= b; y += b; y *= False
    y = b.copy(); r = np.add(y, y), y * y, False * y, True + y
    y = m.copy(); np.add.at(y, [0, 2, 0, 0], m[numpy.asarray([0, 1, 2, 0])])
    y = m.copy(); np.subtract.at(y, ([0, 1, 0], [2, 2, 2]), 7); np.maximum.at(y, [0, 0], 2.0)
    y = k.copy(); np.multiply.at(y, ([0, 1, 0], [2, 2, 2]), 7); np.minimum.at(y, [0, 0], 2)
    y = m.copy(); np.hypot.at(y, ([0, 1, 0], [2, 2, 2]), 7)
    y = k.copy(); np.add.at(y, ([0, 1, 0], [2, 2, 2]), 7); np.maximum.at(y, [1, 1], k[0])
"""
"""Statements that change arrays; what they leave is ``r``, or ``y`` where there is none."""

KEYS = """
    0 (slice(None),[0,2]) [1,0] numpy.asarray([0,1]) numpy.asarray([True,False]) [True,False] True
    (numpy.asarray([0,1]),numpy.asarray([2,0])) numpy.bool_(False) (None,1) [] ([0,1],[1,2])
"""
"""Keys of an array of two axes, read and written."""

REFUSED = """
bogus | np.sum(v,0,bogus=1)
x | np.sum(v,x=v)
'to' is missing | np.can_cast(np.float32)
where needs out | np.add(v,v,where=v>1)
initial | np.max(v,where=v>1)
not cast to out's dtype | np.add(v,v,out=np.zeros(5,dtype=np.int64))
out must be an Array | np.add(v,v,out=numpy.zeros(5)) np.add(v,v,out=(np.zeros(5),np.zeros(5)))
out must .*ndarray\\. W | np.exp(v,out=numpy.zeros(5))
order='name' | np.sort(v,order='name')
axis | np.unique(np.ones((2,2)),axis=0)
mode 'mean' | np.pad(v,1,'mean')
out of range | np.dsplit(v,[1])
broadcast | np.add(v,v,np.zeros(3)) x[:2]==np.zeros(3,np.uint64) np.zeros(3)==[1,2]
quantile: NumPy's method='lower' is not taken | np.quantile(v,0.5,method='lower')
cov: NumPy's fweights=\\[1, 2, 1, 1, 1\\] is not taken | np.cov(v,fweights=[1,2,1,1,1])
cov: NumPy's aweights=\\[1.0\\] is not taken | np.cov(v,aweights=[1.0])
gradient: NumPy's edge_order=2 is not taken | np.gradient(v,edge_order=2)
polyfit: NumPy's full=True is not taken | np.polyfit(v,v,1,full=True)
polyfit: NumPy's cov='unscaled' is not taken | np.polyfit(v,v,1,cov='unscaled')
copyto: NumPy's casting='unsafe' is not taken | np.copyto(v,v,'unsafe')
histogram: bins='auto' is not taken | np.histogram(v,'auto')
fill_diagonal: NumPy's wrap=True is not taken | np.fill_diagonal(v,1.0,wrap=True)
unravel_index: NumPy's order='F' is not taken | np.unravel_index(1,(2,2),'F')
ravel_multi_index: NumPy's mode='clip' is not taken | np.ravel_multi_index((1,1),(2,2),'clip')
intersect1d: NumPy's return_indices=True is not taken | np.intersect1d(v,v,return_indices=True)
pad: NumPy's stat_length=2 is not taken | np.pad(v,1,stat_length=2)
einsum: NumPy's dtype=<class 'float'> is not taken | np.einsum('i',v,dtype=float)
average: weights sum to 0 | np.average([1.0,2.0],weights=[1,-1])
average: weights sum to 0 | np.average([1.0,2.0],weights=[0.0,0.0])
average: weights have shape | np.average(box,None,np.ones(4)) np.average(box,0,np.ones(3))
average: weights have shape | np.average(box,(0,1),np.ones((3,2))) np.average(box,1,np.ones((3,1)))
dtype must be one of floating-point numbers | np.mean(i,dtype=int) np.std(i,dtype=int)
dtype must be one of floating-point numbers | np.var(i,dtype=int)
dtype must be one of floating-point numbers | np.nanmean(i,dtype=int) np.nanvar(i,dtype=int)
dtype must be one of floating-point numbers | np.mean(i,dtype=numpy.int8) np.std(i,dtype=bool)
dtype must be one of floating-point numbers | np.var(i,dtype=numpy.int8) np.nanmean(i,dtype=bool)
must be one of the namespace's data types | np.zeros(2,dtype='datetime64[s]')
must be one of the namespace's data types | np.zeros(2,dtype='no␣type')
must be one of the namespace's data types | np.zeros(2,dtype=object)
complex | i.__setitem__(0,1j)
item: only an array of 0 dimensions | k.item()
put: a position is out of bounds | np.put(m,[0,12],1.0) np.put(m,[0,-13],1.0)
put: mode must be | np.put(m,[0],1.0,'turn')
interp: period must not be 0 | np.interp(1.0,[1.0,2.0],[1.0,2.0],period=0)
behind each array | np.einsum(v,0)
imag: | setattr(v,'imag',1.0)
at least 2 elements | np.gradient([1.0])
rollaxis: start must be from -3 to 3 .* got 4 | np.rollaxis(box,0,4)
rollaxis: start must be from -3 to 3 .* got -4 | np.rollaxis(box,0,-4)
empty | np.linalg.cond(np.ones((2,0,0))) np.linalg.cond(np.ones((0,0)),1)
empty | np.linalg.cond(np.ones((0,0))) np.linalg.cond(np.ones((2,0,0)),1)
insert: position 4 is out of bounds | np.insert([1,2,3],4,0)
insert: position -4 is out of bounds | np.insert([1,2,3],-4,0)
n must be from 0 | np.diff([1,2],n=-1)
diff | np.diff(a)
'k' of the result is one of no array | np.einsum('ij->k',k)
names an index twice | np.einsum('ij->ii',k)
'1' in 'i1' is no letter | np.einsum('i1',k)
is no letter | np.einsum('i\u03b1',k)
does not name the axes | np.einsum('ijk',k) np.einsum('..ij',k) np.einsum('ij->i',v)
is for 2 arrays | np.einsum('ij,ij',k)
einsum: | np.einsum('i->i->i',k) np.einsum('ij-i',k)
has sizes | np.einsum('ii',k)
is one tuple, as in zeros\\(\\( | np.zeros(2,3) np.empty(2,3) np.ones(2,3)
flat: .* Write xp\\.reshape\\(x, \\(-1,\\)\\) to read | m.T.flat
view: .* is not read as | z[::2].view(float) np.ones(3).view(complex)
view: .* is not read as | np.ones((4,2)).T.view(complex)
view: .* is not read as | z[0].view(float) np.ones(()).view(np.int8)
view: .* is not read as | np.ones(3,dtype=np.int8).view(int)
"""
"""What relaxed mode refuses of arrays that it leaves alone, and the words."""

SENSELESS = """
    np.fabs(z) np.deg2rad(z) np.degrees(z) np.isposinf(z) np.isneginf(z) np.unravel_index([6],(2,3))
    np.unravel_index([-1],(2,3)) np.unravel_index(d,(2,0)) np.ravel_multi_index(([0,2],[2,0]),(2,3))
    np.ravel_multi_index(([0,-1],[2,0]),(2,3)) np.ravel_multi_index((1,3),(2,3)) np.ix_(d) np.ix_(1)
    np.resize(d,(-1,)) np.resize(d,(-2,-3)) np.vsplit(d[0],1) np.rot90(d,1,(0,0))
    np.rot90(d,1,(0,-2)) np.diag_indices_from(d) np.diag_indices_from(d[0])
    np.tril_indices_from(d[0]) np.triu_indices_from(d[None]) np.quantile(d,-.1)
    np.quantile(d,[.5,1.5]) np.percentile(d,[50,101]) np.percentile(d,-1) np.histogram(d,0)
    np.histogram(d,-1) np.histogram(d,3,(2,0)) np.histogram(d,[2,1]) np.histogram(d,[0,2,1])
    np.histogram(d*np.nan) np.histogram(d/0) np.histogram(d,3,(0,np.inf)) np.digitize(d,[2,1,3])
    np.digitize(d,[1,3,2]) np.digitize(d,[3,1,2]) np.ediff1d(i,to_begin=1.5) np.ediff1d(i,[1j])
    np.ediff1d(np.asarray([3,1,2],dtype=np.uint8),[1],[2]) np.cov(d[None]) np.cov(d,d[None])
    np.corrcoef(d[None][[0,0,0]]) np.select([d],[d],7) np.select([],[]) np.select([d>1,d],[d,d])
    np.partition(d,3) np.partition(d,-3,0) np.argpartition(d,[0,77]) np.partition(d,6,None)
    np.fill_diagonal(d[0],9) np.fill_diagonal(np.ones((2,2,3)),9) np.place(d,d>2,[])
    np.place(d[0],[True,False],[1]) np.nanquantile(d,[np.nan]) np.quantile(d,d)
"""
"""What NumPy refuses, and relaxed mode too."""

NEVER = """
    np.sqrt(object()) np.add(v,'1') np.where(None,v,v) v[0.0] np.zeros(2,dtype='no␣type')
    np.result_type() np.bitwise_and(v,v) numpy.sin(numpy.ones(5),out=v)
"""
"""What no mode takes, so that no error may speak of the option."""

WIDENED = """
    np.nanquantile(m,[0.1,0.75],1) np.nanpercentile(n,[0,50,100]) np.cov(m,m*m,False)
    np.cov(m,v[:3],False) np.corrcoef(m) np.corrcoef(v,w) np.cov(m) np.cov(v,w)
    np.cov(m,rowvar=False) np.cov(m,bias=True) np.cov(v) np.dot(2,v) np.interp(v,x,u)
    np.interp(v,x,u,-9.0,9.0) np.percentile(m,[25,75],0) np.quantile(m,[0.1,0.5,1.0])
    np.polyval(v,2.0) np.quantile(n1,[0.,0.5,1.]) np.quantile(box,[0.2,0.9],(0,2)) np.corrcoef(c)
    np.cov(c) np.corrcoef(square,rowvar=False) np.cov(g[:2],rowvar=False) np.cov(g,g[:,0],False)
    np.cov(q,q*q,rowvar=False) np.interp(q,one,one*2) np.interp(q,one,one*2,-1.,9.)
    np.interp(ends,pair,pair*2) np.interp(q,pair,pair*2,right=0.) np.interp(q,pair,pair*2,0.)
"""
"""What NumPy computes in float64 whatever it is given: here the data type of the arrays stays."""


METHODS_LEFT_OUT = (
    "base byteswap choose ctypes data dump dumps flags getfield resize setfield setflags tofile"
)
"""What NumPy's arrays have and those of relaxed mode have not: memory, files, fields."""

NUMPYS_OWN = (
    "broadcast_shapes complexfloating flexible generic integer number signedinteger unsignedinteger"
)
DATA_TYPES = {"float16", *(dt.NAMES[d] for d in dt.STANDARD)}


# --- the table ------------------------------------------------------------------------------------


@listing("expression", TABLE, parts=4)
def test_relaxed_mode_answers_as_numpy_and_strict_mode_refuses_or_too(expression: str) -> None:
    """Strict mode comes last: functions read NumPy's calls from the first relaxed mode on."""
    expected = of_numpy(expression)
    with relaxed():
        same(of_ours(expression), expected)
    with relaxed(False):
        if TABLE[expression]:
            same(of_ours(expression), expected)
        else:
            names = given(xp, expression)
            with pytest.raises(ERRORS, match=r"relaxed=True\)? allows it\."):
                eval(expression, names)
            unchanged(names)
    if TABLE[expression]:
        with relaxed(False, "float32"):
            same(of_ours(expression, narrow), of_numpy(expression, narrow), kinds=True)


def unchanged(names: dict[str, Any]) -> None:
    for name in VALUES.keys() & names.keys():
        np.testing.assert_array_equal(to_numpy(names[name]), VALUES[name], f"{name} has changed")


def test_relaxed_mode_gives_numpys_data_types() -> None:
    differ = set()
    with relaxed():
        for expression in TABLE:
            try:
                expected = of_numpy(expression, narrow)
            except (TypeError, ValueError):  # it writes to an array of the wider data type
                continue
            for a, b in zip(parts(of_ours(expression, narrow)), parts(expected)):
                if isinstance(a, xp.Array) and dt.NAMES[a.dtype] != np.asarray(b).dtype.name:
                    differ.add(expression)
    assert differ == set(expressions(WIDENED))


@listing(
    "statements",
    [
        *filter(None, (line.strip() for line in STATEMENTS.splitlines())),
        *(f"y = d.copy(); r = y[{key}].copy(); y[{key}] = -1.0; r = y, r" for key in KEYS.split()),
    ],
)
def test_what_changes_arrays(statements: str) -> None:
    theirs = given(np, statements)
    with quiet():
        exec(statements, theirs)
    with relaxed():
        ours = given(xp, statements)
        exec(statements, ours)
        same(ours.get("r", ours["y"]), theirs.get("r", theirs["y"]))


@listing("said, expression", rows(REFUSED))
def test_what_relaxed_mode_does_not_take_is_refused(said: str, expression: str) -> None:
    with relaxed():
        names = given(xp, expression)
        with pytest.raises(ERRORS, match=said):
            eval(expression, names)
        unchanged(names)


@listing("expression", expressions(SENSELESS))
def test_what_numpy_refuses_is_refused(expression: str) -> None:
    with pytest.raises((TypeError, ValueError)):
        of_numpy(expression)
    # An axis that stands twice and an empty list are refused by other classes than NumPy's.
    with relaxed(), pytest.raises((TypeError, ValueError)), np.errstate(all="ignore"):
        of_ours(expression)


@listing("expression, mode", list(itertools.product(expressions(NEVER), (False, True))))
def test_what_no_mode_allows_is_not_promised(expression: str, mode: bool) -> None:
    with relaxed(mode), pytest.raises((TypeError, IndexError, ValueError)) as caught:
        of_ours(expression)
    assert "relaxed" not in str(caught.value)


# --- sizes, axes and flags ------------------------------------------------------------------------

NONE = {"axis": "0", "axes": "(0,)", "correction": "0", "ddof": "0", "shape": "(2, 3)"}
"""What stands for a size or an axis whose default is None."""


def forms(text: str) -> list[str]:
    """Return how else a number, a flag or a shape can be given."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):  # it is no literal
        return []
    if isinstance(value, (bool, int, float)):
        return [f"A({text})", f"G({text})"] if isinstance(value, bool) else [f"A({text})"]
    whole = isinstance(value, (tuple, list)) and {type(v) for v in value} == {int}
    return [f"A([*{text}])", f"({''.join(f'A({v}), ' for v in value)})"] if whole else []


def others(expression: str, seen: set[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    """Yield a call, and the same call with one argument in another form, once a parameter."""
    call = next((n for n in ast.walk(ast.parse(expression)) if isinstance(n, ast.Call)), None)
    if call is None or call.col_offset:
        return
    function, rest = ast.unparse(call.func), expression[call.end_col_offset :]
    try:
        parameters = inspect.signature(eval(function, {"np": np, "numpy": np, **VALUES})).parameters
    except ValueError:  # it is written in C
        parameters = {}
    plain: list[list[str]] = [[ast.unparse(a)] for a in call.args]
    plain += [[k.arg or "", ast.unparse(k.value)] for k in call.keywords]
    names = [*parameters, *"0123456789"][: len(call.args)] + [str(k.arg) for k in call.keywords]
    every = [(plain, i, name) for i, name in enumerate(names)]
    for name, p in parameters.items():
        number = isinstance(p.default, (bool, int, float))
        text = repr(p.default) if number else NONE.get(name, "")
        if name not in names and p.kind not in {p.POSITIONAL_ONLY, p.VAR_POSITIONAL} and text:
            every.append(([*plain, [name, text]], len(plain), name))
    for arguments, i, name in every:
        for form in forms(arguments[i][-1]):
            if name not in {"where", "sorted"} and (function, name, form[:2]) not in seen:
                seen.add((function, name, form[:2]))
                changed = [[*a[:-1], form] if j == i else a for j, a in enumerate(arguments)]
                yield tuple(  # type: ignore[misc]
                    f"{function}({', '.join('='.join(a) for a in given)}){rest}"
                    for given in (arguments, changed)
                )


OURS = {"A": xp.asarray, "G": lambda v: np.asarray(v)[()]}
THEIRS = dict.fromkeys("AG", OURS["G"])
"""An array of 0 dimensions stands for NumPy's scalar, an array of integers for a shape."""


def test_sizes_axes_and_flags_are_read_as_numpy_reads_them() -> None:
    seen: set[tuple[str, str, str]] = set()
    wrong, cases = [], 0
    with relaxed():
        for plain, changed in (pair for e in TABLE for pair in others(e, seen)):
            expected = outcome(lambda code: of_numpy(code, **THEIRS), changed)
            if isinstance(expected, Exception):
                continue
            cases += 1
            try:
                same(of_ours(changed, **OURS), expected)
            except Exception as error:  # noqa: BLE001  # they are shown together
                if not str(outcome(of_ours, plain)).endswith("relaxed mode neither."):
                    wrong.append(f"{changed}: {error}")
    assert cases > 600
    # The page says what to write for it.
    assert wrong == ["np.isscalar(A(3)): assert False == True"], "\n".join(wrong)


GENERATORS = """
    beta(1.0,2.0) binomial(5,0.5) choice(5) choice(v) chisquare(2.0) dirichlet([1.0,2.0])
    exponential() f(2.0,3.0) gamma(2.0) geometric(0.5) gumbel() hypergeometric(5,4,3) laplace()
    integers(5) logistic() lognormal() logseries(0.5) multinomial(5,[0.5,0.5])
    negative_binomial(5,0.5) multivariate_hypergeometric([5,4],3) noncentral_chisquare(2.0,1.0)
    multivariate_normal([0.0,0.0],[[1.0,0.0],[0.0,1.0]]) noncentral_f(2.0,3.0,1.0) normal()
    pareto(2.0) permutation(5) permutation(m) permuted(m) poisson() power(2.0) random() rayleigh()
    standard_cauchy() standard_exponential() standard_gamma(2.0) standard_normal() standard_t(3.0)
    triangular(0.0,0.5,1.0) uniform() vonmises(0.0,1.0) wald(1.0,1.0) weibull(2.0) zipf(2.0)
"""
"""A call of each of the draws."""

DRAWN = (
    *("size=A(2)", "size=A([2, 3])", "size=(A(2), A(3))", "size=G(2)", "size=G([2, 3])"),
    *("axis=A(0)", "replace=G(True)", "shuffle=A(True)", "endpoint=G(False)"),
)


def test_sizes_and_flags_of_draws_are_read_as_numpy_reads_them() -> None:
    seen, wrong = set(), []
    for call in GENERATORS.split():
        head = call.partition("[")[0]
        whole = re.sub(r"(?<![.\d])(\d+)(?![.\d])", r"A(\1)", head)
        calls = [f"{call[:-1]}, {one})".replace("(, ", "(") for one in DRAWN]
        for text in (*calls, whole + call[len(head) :]):
            code = f"np.random.default_rng(0).{text}"
            expected = outcome(lambda code: np.shape(of_numpy(code, **THEIRS)), code)
            if isinstance(expected, tuple):
                seen.add(text)
                with relaxed():
                    got = outcome(lambda code: np.shape(of_ours(code, **OURS)), code)
                if got != expected:
                    wrong.append(f"{text}: {got}")
    assert len(seen) > 200
    assert not wrong, "\n".join(wrong)


# --- the names ------------------------------------------------------------------------------------
def named(pattern: str) -> set[str]:
    return set(re.findall(pattern, " ".join([STANDARD, RELAXED, STATEMENTS, *MORE])))


PAGE = (Path(__file__).parents[2] / "docs" / "strict-and-relaxed.md").read_text("utf-8")
ROWS = PAGE.partition("| left out | why |")[2].split("\n\n")[0].splitlines()[2:]
CELLS = " ".join(row.split("|")[1] for row in ROWS)
LEFT_OUT = {name for names in re.findall(r"`([\w ]+)`", CELLS) for name in names.split()}
"""What NumPy's main namespace has and relaxed mode has not, by the page, which says why."""


def test_all_of_numpy_is_in_the_table_or_left_out() -> None:
    theirs = {n for n in dir(np) if not n.startswith("_") and callable(getattr(np, n))}
    seen = named(r"\bnp\.(\w+)") | set(NUMPYS_OWN.split()) | DATA_TYPES
    assert not LEFT_OUT & seen
    assert theirs <= LEFT_OUT | seen
    with xp.options(relaxed=True):
        assert all(hasattr(xp, name) for name in seen)
        assert not any(hasattr(xp, name) for name in LEFT_OUT)
    for name in seen | LEFT_OUT:
        if not hasattr(xp, name):
            with pytest.raises(AttributeError) as caught:
                getattr(xp, name)
            assert ("relaxed=True" in str(caught.value)) == (name in seen), name


@pytest.mark.parametrize("chapter", ["linalg", "fft"])
def test_all_of_its_chapters_too(chapter: str) -> None:
    module = getattr(np, chapter)
    theirs = {n for n in dir(module) if not n.startswith("_") and callable(getattr(module, n))}
    left_out = {"test", "tensorinv", "tensorsolve", "LinAlgError"}
    assert theirs <= left_out | named(rf"\bnp\.{chapter}\.(\w+)")


def test_all_of_its_methods_too() -> None:
    theirs = {n for n in dir(np.ndarray) if not n.startswith("_")}
    left_out = set(METHODS_LEFT_OUT.split())
    seen = named(r"(?:\b[a-z]|[\])])\.(\w+)") & theirs
    assert theirs <= left_out | seen
    x = xp.ones((2, 2))
    with xp.options(relaxed=True):
        assert all(hasattr(x, name) for name in seen)
        assert not any(hasattr(x, name) for name in left_out)


@listing("mode", [False, True])
def test_no_attribute_raises_but_for_its_absence(mode: bool) -> None:
    protocols = ["__array_function__", "__array_interface__", "__cuda_array_interface__", "__len__"]
    names = ("bool", "int64", "uint16", "bfloat16", "float32", "complex64")
    with relaxed(mode):
        for name, shape in itertools.product(names, [(), (2,), (2, 3), (1, 2, 3), (0, 2)]):
            x = xp.zeros(shape, dtype=getattr(xp, name))
            for attribute in {*dir(np.ndarray), *dir(torch.Tensor), *dir(xp.Array), *protocols}:
                assert hasattr(x, attribute) in {True, False}
            assert hasattr(x, "imag") is mode
            assert hasattr(x, "T") is (mode or x.ndim == 2)
            assert hasattr(x, "mT") is (x.ndim >= 2)


def in_a_new_process() -> None:
    import pickle

    from ascend_array_api import fft, linalg, v2023_12
    from ascend_array_api._chapters import elementwise, statistical
    from ascend_array_api.linalg import _decompositions

    first = (xp.sum is statistical.sum, xp.add is elementwise.add, v2023_12.sum is xp.sum)
    assert all(first)
    assert linalg.svd is _decompositions.svd
    with xp.options(relaxed=False):
        pass
    assert xp.sum is statistical.sum
    with xp.options(relaxed=True):
        assert float(xp.sum(xp.ones((2, 2)), 0)[1]) == 2
        assert v2023_12.sum is xp.sum
    with pytest.raises(TypeError, match="positional argument|axis"):
        xp.sum(xp.ones((2, 2)), 0)
    for function in (xp.sum, xp.add, xp.meshgrid, linalg.svd, fft.fft, v2023_12.linalg.svd):
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.nightly
def test_nothing_is_replaced_before_the_mode_is_chosen() -> None:
    apart(in_a_new_process)


def in_a_relaxed_process() -> None:
    options = settings.current()
    assert (options.relaxed, options.default_float) == (True, "float64")
    assert options.host_fallback == "error"
    x = xp.array([[1, 2], [3, 4]])
    assert xp.sum(x, 0).tolist() == [4, 6]
    assert xp.concatenate([x, x], 1).shape == (2, 4)
    assert (float(x.mean()), xp.pi) == (2.5, np.pi)


@pytest.mark.nightly
def test_a_whole_process_in_relaxed_mode() -> None:
    chosen = {"RELAXED": "1", "DEFAULT_FLOAT": "float64", "HOST_FALLBACK": "error"}
    named = {f"ASCEND_ARRAY_API_{name}": value for name, value in chosen.items()}
    apart(in_a_relaxed_process, env=os.environ | named)


# --- NumPy's operands and functions ---------------------------------------------------------------

OF_NUMPY = """
    np.sum(v) np.sum(m,axis=0) np.mean(v) np.mean(m,0) np.std(v) np.var(m,axis=1) np.prod(v)
    np.max(v) np.min(m,axis=1) np.any(b) np.all(b) np.argmax(v) np.argmin(m,axis=0) np.cumsum(v)
    np.cumprod(v) np.clip(v,0,1) np.round(v,1) np.argsort(v) np.sort(v) np.ravel(m)
    np.reshape(m,(4,3)) np.transpose(m) np.squeeze(t[:1,...]) np.repeat(v,2) np.take(v,[0,1])
    np.swapaxes(t,0,1) np.trace(s) np.diagonal(s) np.searchsorted(x,0.25) np.nonzero(i)
    np.compress(b,v) np.dot(v,w) np.real(z) np.imag(z) np.imag(v) np.add.reduce(v)
    np.add.accumulate(v) np.median(v) np.ptp(v) np.shape(m) np.ndim(m) np.size(m) np.sin(v)
"""


@listing("expression, mode", list(itertools.product(expressions(OF_NUMPY), (True, False))))
def test_numpys_own_functions_take_arrays(expression: str, mode: bool) -> None:
    with relaxed(mode):
        got = eval(expression, {**given(xp, expression), "np": np})
        if mode:
            same(got, of_numpy(expression))
        else:  # NumPy's own results there
            for a, b in zip(parts(got), parts(of_numpy(expression))):
                np.testing.assert_allclose(np.asarray(a), b, rtol=1e-12)


def test_numpys_functions_of_several_operands_that_the_namespace_lacks() -> None:
    special = pytest.importorskip("scipy.special")
    values = np.asarray([0.5, 1.5, 2.5])
    x = xp.asarray(values)
    with xp.options(relaxed=True, host_fallback="allow"):
        got = special.jv(1, x)
        assert isinstance(got, np.ndarray)
        np.testing.assert_array_equal(got, special.jv(1, values))
        np.testing.assert_array_equal(special.jv(values, x), special.jv(values, values))
        with pytest.raises(TypeError):
            special.jv(xp, x)
    with pytest.raises(TypeError, match=r"^jv: the namespace has no such .*relaxed=True\) allows"):
        special.jv(1, x)


def test_numpy_scalars_count_as_python_scalars() -> None:
    x = xp.asarray([1.0, 2.0], dtype=xp.float32)
    with relaxed():
        for scalar in (np.float32(2), np.float64(2), np.int64(2)):
            assert (x * scalar).dtype is (scalar * x).dtype is xp.float32


def test_out_is_an_array_of_the_library_that_writes() -> None:
    x, out = xp.asarray([0.0, 1.0], device="cpu"), np.empty(2)
    assert np.exp(x, out=out) is out
    np.testing.assert_allclose(out, [1.0, np.e], rtol=1e-6)
    np.add(x, np.ones(2), out=out)
    np.testing.assert_allclose(out, [1.0, 2.0])
    for function, instead in ((np.exp, "exp"), (np.absolute, "abs")):
        with pytest.raises(TypeError, match=rf"Write out\[\.\.\.\] = xp.{instead}\(x\)\."):
            function(x, out=xp.empty(2))


DTYPES = ("bool", "int64", "uint16", "float32", "float64", "complex128")
FROM_LISTS = {"bool", "int64", "float64", "complex128"}
"""What lists of Python scalars become."""
NO_LISTS = {"from_dlpack", "linalg.cross", "reshape"}
"""What is of the protocol alone, or of whose operand the sample reads an attribute."""
TAKERS = [
    name
    for name in table.names()
    if not name.is_metadata and not name.key.startswith(("Array.", "random."))
]


def each(value: Any, convert: Callable[[np.ndarray[Any, Any]], Any]) -> Any:
    """Convert the arrays among inputs."""
    if isinstance(value, np.ndarray):
        return convert(value.copy())
    if isinstance(value, DType):
        return getattr(xp, value.name)
    if isinstance(value, (list, tuple)):
        return type(value)(each(v, convert) for v in value)
    return value


@listing("name", TAKERS, parts=4)
def test_every_function_takes_numpys_arrays_and_lists(name: table.Name) -> None:
    """The oracle is the function of arrays of the namespace, which samples compare with NumPy."""
    seen = 0
    for i, call in enumerate(FUNCTIONS[name.key].calls):
        for dtype in (d for d in DTYPES if d in name.dtypes):
            draw = Seeded(dtype, f"{name.key} {i}")
            if not call.when(draw):
                continue
            with quiet():
                inputs = call.inputs(draw)
            forms: list[Callable[[Any], Any]] = [lambda a: a]
            if dtype in FROM_LISTS and name.key not in NO_LISTS:
                forms.append(np.ndarray.tolist)
            with relaxed():
                expected = list(parts(call.bound(xp)(*each(inputs, xp.asarray))))
                for form in forms:
                    got = list(parts(call.bound(xp)(*each(inputs, form))))
                    for a, b in zip(got, expected, strict=True):
                        assert np.asarray(a).dtype == np.asarray(b).dtype
                        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))
                    seen += 1
    assert seen


def test_powers_of_foreign_arrays_take_the_exact_form() -> None:
    """IEEE 754's products and quotients; a power by logarithms is an ulp off in places."""
    x = np.random.default_rng(3).uniform(0.1, 3, 2000).astype(np.float32)
    for exponent, expected in {2: x * x, -1: 1 / x}.items():
        for base, power in itertools.product((x, xp.asarray(x)), (exponent, np.float16(exponent))):
            with xp.options(relaxed=True):
                got = to_numpy(xp.pow(base, power))
            assert got.dtype == np.float32
            wrong = np.flatnonzero(got != expected)
            assert not wrong.size, (type(base), power, len(wrong))


INTERVALS = [
    *((np.float32(0), np.float64(1)), (np.float64(0), np.float32(1)), (np.float16(0), 3)),
    *((0.5, np.float32(2)), (np.float32(0), np.int64(3)), (np.int8(-2), np.float16(3))),
    *((np.float32(0), 1j), (np.complex64(1j), 2.0), (np.float32(0.5), np.float32(2))),
]


@listing("ends, default", list(itertools.product(INTERVALS, ("float32", "float64"))))
def test_ends_of_an_interval_have_numpys_data_type(ends: Any, default: str) -> None:
    expected = np.linspace(*ends, 3)
    with relaxed(default=default):
        got = to_numpy(xp.linspace(*ends, 3))
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def test_ends_of_ranges_are_numpys_scalars() -> None:
    ends = np.float32(0.5), np.float32(2)
    with pytest.raises(TypeError, match=re.escape("xp.options(relaxed=True) allows it.")):
        xp.linspace(*ends, 4)
    with relaxed():
        np.testing.assert_array_equal(to_numpy(xp.arange(*ends)), [0.5, 1.5])


def test_calls_of_numpys_form_make_no_error_that_is_dropped() -> None:
    """An axis or data type by position makes no text of an error.  Python's profiler says so."""
    x = xp.reshape(xp.arange(6.0), (2, 3))
    seen: list[str] = []
    calls = """
        np.sum(x,0) x.sum(0) np.mean(x,1) np.std(x,0) np.ones((2,3),float) np.max(x,-1)
        np.tril(x,-1) np.argmax(x,numpy.int64(1))
    """
    with xp.options(relaxed=True, default_float="float64"):
        for call in calls.split():
            code = compile(call, "<call>", "eval")
            names = {"np": xp, "numpy": np, "x": x}
            eval(code, names)
            seen += [name for _, name in entered(eval, code, names)]
            got = eval(code, names)
            expected = eval(code, {"np": np, "numpy": np, "x": to_numpy(x)})
            assert dt.NAMES[got.dtype] == np.asarray(expected).dtype.name
            np.testing.assert_allclose(to_numpy(got), expected, rtol=1e-6)
    assert "sum" in seen
    assert "misuse" not in seen
