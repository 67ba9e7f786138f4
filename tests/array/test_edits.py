"""The code that messages propose: each edit runs here, on array_api_strict, on torch and on NumPy.

Where NumPy has the name that an edit replaces, the edit gives what NumPy's function gives.
"""

from __future__ import annotations

import ast
import builtins
import io
import itertools
import math
import pickle
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import array_api_compat.torch as compat
import array_api_strict
import numpy as np
import pytest
from parametrize import listing

import ascend_array_api as xp
from ascend_array_api._errors import foreign_names
from ascend_array_api._torch import torch

if TYPE_CHECKING:
    from collections.abc import Iterable

DOCS = Path(__file__).parents[2] / "docs"
PARTS = ("", "linalg", "fft", "random", "special")

# --- the edits in a text --------------------------------------------------------------------------


def edits(text: str) -> list[str]:
    """Return the pieces of code in a text, each as long as it can be."""
    words, found, i = text.split(" "), [], 0
    while i < len(words):
        for j in range(len(words), i, -1):
            piece = " ".join(words[i:j]).rstrip(".,;:")
            if is_code(piece):
                found.append(piece)
                i = j - 1
                break
        i += 1
    return found


def is_code(text: str) -> bool:
    """Say whether a text is code that computes something from names that are given."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return False
    nodes = list(ast.walk(tree))
    own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {"row", *GIVEN, *vars(builtins)}
    if any(isinstance(n, ast.Is) for n in nodes) or text.startswith("shape "):
        return False
    known = all(n.id in own for n in nodes if isinstance(n, ast.Name))
    computes = (
        ast.Call,
        ast.Subscript,
        ast.Attribute,
        ast.BinOp,
        ast.UnaryOp,
        ast.Compare,
        ast.AugAssign,
    )
    return known and any(isinstance(n, computes) for n in nodes)


# --- what they name -------------------------------------------------------------------------------

KINDS: dict[str, Any] = {
    "matrices": np.asarray([[3.0, 1.0, 2.0], [0.5, 4.0, 1.5], [1.0, 0.25, 5.0]]),
    "vectors": np.asarray([3.0, 1.0, 2.0]),
    "integers": np.asarray([2, 1, 0]),
    "complex numbers": np.asarray([[1 + 2j, 3.0], [0.5j, 2.0]]),
    "Booleans": np.asarray([True, False, True]),
    "numbers": np.asarray(2.0),
    "stacks": np.arange(1.0, 28.0).reshape(3, 3, 3),
    "rows": np.asarray([[3.0, 1.0, 2.0]]),
    "bytes": np.asarray([1, 2, 3], dtype=np.uint8),
}
"""The arrays that ``x`` may be in an edit."""


def given(lib: Any, x: Any, *, of_rows: bool = False) -> dict[str, Any]:
    """Return what edits name, as arrays of a namespace; ``mask`` selects elements, or rows."""
    made = lib.asarray(x.copy())
    y = lib.asarray((x + x if x.dtype != bool else ~x).copy())
    numbers = {
        "n": 2,
        "m": 2,
        "i": 1,
        "j": 2,
        "q": 0.5,
        "k": 1,
        "seed": 1,
        "value": x.flat[0].item(),  # a number
    }
    return {
        **numbers,
        "xp": lib,
        "numpy": np,
        "torch": torch,
        "math": math,
        "itertools": itertools,
        "pickle": pickle,
        "file": io.BytesIO(),
        "text": "1 2 3",
        "buffer": b"12345678",
        "x": made,
        "y": y,
        "z": lib.asarray(x.copy()),
        "weights": y,
        "weight": 0.5,
        "bins": lib.asarray(np.asarray([0.0, 1.5, 4.0])),
        "values": lib.asarray(x.copy()),
        "condition": lib.asarray(x > 1 if x.dtype.kind != "c" else x != 0),
        "mask": lib.asarray(
            np.arange(x.shape[0] if x.ndim else 1) != 1
            if of_rows
            else x > 1
            if x.dtype.kind != "c"
            else x != 0
        ),
        "indices": lib.asarray(np.asarray([1, 0, 1])),
        "repeats": 2,
        "repetitions": (2,),
        "shift": 1,
        "axis": 0,
        "axes": (0,),
        "shape": x.shape,
        "dtype": made.dtype,
        "device": made.device,
        "obj": [1.0, 2.0],
        "source": 0,
        "destination": -1,
        "atol": 1e-8,
        "rtol": 1e-5,
        "step": 1.0,
        "num": 5,
        "start": 1,
        "length": 2,
        "stop": 100.0,
        "pattern": r"(\d)",
        "low": 0,
        "high": 5,
        "min": 0.5,
        "max": 2.5,
        "beta": 8.0,
        "f": lambda *given: given[0],
        "g": lambda x: x,
        "iterator": iter([1.0, 2.0]),
        "c": 2.0,
    }


GIVEN = frozenset(given(np, KINDS["vectors"]))


def run(code: str, names: dict[str, Any]) -> Any:
    """Return the value of the last expression of code, or of its last assignment."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        exec(compile(ast.Module(tree.body[:-1], []), "<edit>", "exec"), names)
        return eval(compile(ast.Expression(last.value), "<edit>", "eval"), names)
    exec(code, names)
    target = last.targets[0] if isinstance(last, ast.Assign) else last.target  # type: ignore[attr-defined]
    while isinstance(target, ast.Subscript):
        target = target.value
    return names[target.id]


def plain(value: Any) -> Any:
    """Return a result in a form that compares with those of other namespaces."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, torch.Tensor):
        value = xp.asarray(value.detach())
    if isinstance(value, xp.Array) and value.dtype is xp.bfloat16:
        value = xp.astype(value, xp.float32)
    if isinstance(value, (xp.Array, array_api_strict._array_object.Array, np.ndarray, np.generic)):
        return np.asarray(value)
    return value if isinstance(value, (bool, int, float, complex, str)) else None


def check_same(one: Any, other: Any) -> None:
    if isinstance(one, list):
        assert len(one) == len(other)
        for a, b in zip(one, other):
            check_same(a, b)
    elif one is not None and not isinstance(one, str):
        one, other = np.asarray(one), np.asarray(other)
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


BEYOND: dict[str, tuple[Any, ...]] = {
    "x[indices] = values": (array_api_strict,),  # the standard has no assignment to positions
    # Each library has names of its own for devices, and torch's tensors have no such method.
    'x.to_device("cpu")': (array_api_strict, compat),
    "x.to_device(device)": (compat,),
    "xp.asarray(memoryview(buffer))": (compat,),  # torch takes no memory of one axis
    "xp.unique_all(x)": (compat,),
}
"""Edits that some namespaces refuse, and these namespaces."""


def namespaces(code: str) -> list[Any]:
    """Return the namespaces that an edit is for: those that have all names of ``xp`` in it."""
    paths = re.findall(r"\bxp\.([\w.]*\w)", code)
    return [
        lib for lib in (xp, array_api_strict, compat, np) if all(resolves(lib, p) for p in paths)
    ]


def resolves(lib: Any, path: str) -> bool:
    if path == "Array" or path.partition(".")[0] in {"random", "special"}:
        return lib is xp
    for name in path.split("."):
        if not hasattr(lib, name):
            return False
        lib = getattr(lib, name)
    return True


def tried(
    code: str,
    original: str = "",
    kinds: Iterable[str] = KINDS,
    *,
    of_rows: bool = False,
    **more: Any,
) -> list[Any]:
    """Run an edit on its namespaces, with the first kind of arrays for which all take it."""
    libs, errors = [lib for lib in namespaces(code) if lib not in BEYOND.get(code, ())], []
    assert libs, code
    for x in map(KINDS.__getitem__, kinds):
        try:
            results = [plain(run(code, given(lib, x, of_rows=of_rows) | more)) for lib in libs]
        except Exception as error:  # noqa: BLE001  # whatever a namespace raises of this kind
            errors.append(repr(error)[:150])
            continue
        for result in results:
            check_same(result, results[0])
        if original:
            check_same(results[0], plain(eval(original, given(np, x) | more | {"np": np})))
        return libs
    raise AssertionError(f"{code}: {errors}")


# --- the tables of names --------------------------------------------------------------------------

PROSE = {
    "device": "",
    "errstate": "",
    "euler_gamma": "",
    "index_exp": "",
    "s_": "",
    "dtype": "",
    "False_": "",
    "True_": "",
    "base": "",
    "contiguous": "",
    "flags": "",
    "layout": "",
    "pin_memory": "needs an accelerator",
    "hyp1f1": "is a function of SciPy's alone",
    "lpmv": "is a function of SciPy's alone",
}
"""The names whose advice is no code, or none that runs here."""

ORIGINALS = {
    "allclose": "np.all(np.isclose(x, y))",
    "amax": "np.amax(x)",
    "angle": "np.angle(x)",
    "append": "np.append(x, y, axis=0)",
    "argpartition": "np.argsort(x)",
    "partition": "np.sort(x)",
    "promote_types": "np.result_type(x, y)",
    "array_equal": "np.array_equal(x, y)",
    "array_equiv": "np.array_equiv(x, y)",
    "array_split": "np.array_split(x, [n])",
    "argwhere": "np.argwhere(x)",
    "average": "np.average(x, weights=weights)",
    "block": "np.block([[x, y], [y, x]])",
    "c_": "np.c_[x, y]",
    "cbrt": "np.cbrt(x)",
    "clip": "np.clip(x, min, max)",
    "column_stack": "np.column_stack([x, y])",
    "concatenate": "np.concatenate([x, y])",
    "corrcoef": "np.corrcoef(x)",
    "cov": "np.cov(x)",
    "cross": "np.cross(x, y)",
    "cumprod": "np.cumprod(x, axis=0)",
    "cumsum": "np.cumsum(x, axis=0)",
    "deg2rad": "np.deg2rad(x)",
    "degrees": "np.degrees(x)",
    "delete": "np.delete(x, n, axis=0)",
    "diag_indices": "np.diag_indices(n)",
    "diagflat": "np.diag(x)",
    "digitize": "np.digitize(x, bins)",
    "divmod": "np.divmod(x, y)",
    "dsplit": "np.dsplit(x, [n])",
    "dstack": "np.dstack([x, y])",
    "ediff1d": "np.ediff1d(x)",
    "extract": "np.extract(condition, x)",
    "fix": "np.trunc(x)",
    "flatnonzero": "np.flatnonzero(x)",
    "fliplr": "np.fliplr(x)",
    "flipud": "np.flipud(x)",
    "float_power": "np.float_power(x, y)",
    "fmax": "np.fmax(x, y)",
    "fmin": "np.fmin(x, y)",
    "fmod": "np.fmod(x, y)",
    "frexp": "np.frexp(x)",
    "gcd": "np.gcd(x, n)",
    "geomspace": "np.geomspace(start, stop, num)",
    "gradient": "np.gradient(x, step)",
    "heaviside": "np.heaviside(x, y)",
    "histogram": "np.histogram(x, bins)[0]",
    "histogram_bin_edges": "np.histogram_bin_edges(x, n)",
    "hstack": "np.hstack([x, y])",
    "hsplit": "np.hsplit(x, [n])",
    "identity": "np.identity(n)",
    "imag": "np.imag(x)",
    "interp": "np.interp(x, bins, y)",
    "indices": "np.indices((n, m))",
    "insert": "np.insert(x, n, y)",
    "intersect1d": "np.intersect1d(x, y)",
    "iscomplex": "np.iscomplex(x)",
    "isneginf": "np.isneginf(x)",
    "isposinf": "np.isposinf(x)",
    "isreal": "np.isreal(x)",
    "ix_": "np.ix_(x, y)",
    "kron": "np.kron(x, y)",
    "ldexp": "np.ldexp(x, y.astype(int))",
    "lexsort": "np.lexsort((x, y))",
    "mask_indices": "np.mask_indices(n, np.triu)",
    "matvec": "np.matmul(x, y[..., None])[..., 0]",
    "mgrid": "np.mgrid[:n, :m]",
    "modf": "np.modf(x)",
    "nan_to_num": "np.nan_to_num(x)",
    "nanargmax": "np.nanargmax(x)",
    "nanargmin": "np.nanargmin(x)",
    "nancumprod": "np.nancumprod(x)",
    "nancumsum": "np.nancumsum(x)",
    "nanmax": "np.nanmax(x)",
    "nanmean": "np.nanmean(x)",
    "nanmedian": "np.nanmedian(x)",
    "nanmin": "np.nanmin(x)",
    "nanpercentile": "np.nanpercentile(x, q)",
    "nanprod": "np.nanprod(x)",
    "nanquantile": "np.nanquantile(x, q)",
    "nanstd": "np.nanstd(x)",
    "nansum": "np.nansum(x)",
    "nanvar": "np.nanvar(x)",
    "ogrid": "np.ogrid[:n, :m]",
    "percentile": "np.percentile(x, q)",
    "polyfit": "np.polyfit(x, y, n)",
    "pad": "np.pad(x, (n, m))",
    "ptp": "np.ptp(x)",
    "quantile": "np.quantile(x, q)",
    "r_": "np.r_[x, y]",
    "radians": "np.radians(x)",
    "rad2deg": "np.rad2deg(x)",
    "ravel": "np.ravel(x)",
    "rint": "np.rint(x)",
    "rollaxis": "np.moveaxis(x, source, destination)",
    "rot90": "np.rot90(x)",
    "row_stack": "np.vstack([x, y])",
    "select": "np.select([condition], [x], y)",
    "setdiff1d": "np.setdiff1d(x, y)",
    "setxor1d": "np.setxor1d(x, y)",
    "split": "np.split(x, [n])",
    "swapaxes": "np.moveaxis(x, source, destination)",
    "trapezoid": "np.trapezoid(x)",
    "tri": "np.tri(n)",
    "tril_indices": "np.tril_indices(n)",
    "tril_indices_from": "np.tril_indices_from(x)",
    "triu_indices": "np.triu_indices(n)",
    "triu_indices_from": "np.triu_indices_from(x)",
    "union1d": "np.union1d(x, y)",
    "unique": "np.unique(x)",
    "unravel_index": "np.divmod(i, n)",
    "vander": "np.vander(x, n, increasing=True)",
    "vdot": "np.vdot(x, y)",
    "vecmat": "np.matmul(np.conj(x)[..., None, :], y)[..., 0, :]",
    "vsplit": "np.vsplit(x, [n])",
    "vstack": "np.vstack([x, y])",
    "linalg.cond": "np.linalg.cond(x)",
    "linalg.multi_dot": "np.linalg.multi_dot([x, y, z])",
    "fft.fft2": "np.fft.fft2(x)",
    "fft.ifft2": "np.fft.ifft2(x)",
    "fft.irfft2": "np.fft.irfft2(x)",
    "fft.rfft2": "np.fft.rfft2(x)",
}
"""Calls of NumPy that the first edit of a name replaces."""

VECTORS = ("c_", "column_stack", "diagflat", "inner", "interp", "ldexp", "pad", "polyfit", "vdot")
"""The names that edits replace for vectors alone."""

ROWS = [
    *((p, n, text) for p in PARTS for n, text in foreign_names.names(p).items() if n not in PROSE),
    *(("array", n, text) for n, text in foreign_names.ARRAY.items() if n not in PROSE),
]


def original_of(part: str, name: str, edit: str) -> str:
    """Return the call of NumPy that an edit replaces, if it is known."""
    path = f"{part}.{name}" if part else name
    operands = re.fullmatch(r"xp\.[\w.]+\((x|x, y)\)", edit)
    if path in ORIGINALS or operands is None or part in {"array", "special", "random"}:
        return ORIGINALS.get(path, "")
    known = getattr(getattr(np, part) if part else np, name, None)
    return f"np.{path}({operands[1]})" if callable(known) else ""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return files by the name of the function that reads or writes them."""
    folder = tmp_path_factory.mktemp("files")
    np.save(folder / "a.npy", np.asarray([1.0, 2.0]))
    (folder / "a.txt").write_text("1 2\n3 4\n")
    texts = dict.fromkeys(("loadtxt", "genfromtxt", "fromregex"), str(folder / "a.txt"))
    binary = dict.fromkeys(("load", "fromfile"), str(folder / "a.npy"))
    return {**texts, **binary, "tofile": str(folder / "b")}


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::DeprecationWarning")
@listing("part, name, text", ROWS, parts=4)
def test_an_edit_for_a_name_runs_on_four_namespaces(
    part: str, name: str, text: str, files: dict[str, Any]
) -> None:
    found = edits(text)
    assert found, text
    more: dict[str, Any] = {"file": files[name]} if files.get(name) else {}
    if name == "backward":
        more["x"] = xp.asarray(torch.tensor(1.0, requires_grad=True))
    kinds = ("vectors",) if name in VECTORS else KINDS
    # Some edits set options.
    with xp.options(relaxed=False), np.printoptions():
        for i, edit in enumerate(found):
            tried(edit, original_of(part, name, edit) if i == 0 else "", kinds, **more)


ATTRIBUTES = {
    name: foreign_names.of_attribute(name)
    for name in sorted({*dir(np.ndarray), *dir(torch.Tensor)} - set(dir(xp.ones(1))))
    if not name.startswith("_") and name not in foreign_names.ARRAY
}
"""What is said of the attributes of arrays that are in no table of arrays."""

OTHERS = r"xp\.to_torch|from_dlpack|\.\.\.\)"
"""Attributes of tensors and of NumPy's arrays, and calls whose arguments are left open."""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@listing("name", ATTRIBUTES, parts=4)
def test_an_edit_for_an_attribute_runs_on_four_namespaces(name: str) -> None:
    for edit in edits(ATTRIBUTES[name]):
        if not re.search(OTHERS, edit):
            with xp.options(relaxed=False):
                tried(edit)


def test_edits_of_the_standards_names_run_everywhere() -> None:
    every = [edit for _, _, text in ROWS for edit in edits(text)]
    fewer = {e: namespaces(e) for e in every if len(namespaces(e)) < 4}
    assert all(libs[0] is xp for libs in fewer.values())
    own = r"xp\.(special|random|to_torch|Array|options|median|float16|bfloat16)\b"
    assert [e for e in fewer if not re.search(own, e)] == []
    assert set(BEYOND) <= set(every)


# --- the messages of calls, and the pages ---------------------------------------------------------

REFUSED = """
    x[0] x[mask,0] x[mask,:,None] x[indices] m[0]=1.0 divmod(n,2) v==None v=='a' v.sum() v.any()
    v.tolist() v.copy() v.nbytes v.itemsize v.item() v.flatten() v.get() v.asnumpy() 3.0_in_m
    xp.asnumpy(v) xp.zeros(3,int) xp.sum(x,0) xp.round(v,2) xp.std(x,ddof=1) xp.where(v>1) v.T@v
    xp.meshgrid(v,v,sparse=True) xp.clip(v,a_min=0.0) xp.sum(v,where=mask) xp.exp(v,out=v) n/2
    xp.sort(v,kind='stable') xp.unique(v,return_counts=True) xp.concat(v,v) n*0.5 xp.sqrt(n) n+v
    x[mask,0]=1.0 xp.asarray(v,order='C') xp.add(v,v,dtype='float64') f'{v:.2f}' v[[0,2]]
    xp.add.at(v,indices,1.0) xp.add.at(x,(indices,indices),1.0) xp.maximum.at(v,indices,1.0)
    xp.zeros(3,dtype=int) xp.astype(v,bool) v[1.0]
"""
"""Calls that strict mode refuses: of matrices ``x``, ``m``, a vector ``v`` and integers ``n``."""

PAGES = ("strict-and-relaxed", "strict-takes", "coming-from-numpy", "coming-from-torch")


def refusal(call: str) -> str:
    """Return what strict mode says of a call."""
    call = call.replace("_in_", " in ")
    x, v = KINDS["matrices"], KINDS["vectors"]
    names = given(xp, x) | {"m": xp.asarray(x), "v": xp.asarray(v), "n": xp.asarray(v.astype(int))}
    names["mask"] = xp.asarray(v > 1)
    with pytest.raises((TypeError, ValueError, IndexError, AttributeError)) as caught:
        exec(call, names)
    return str(caught.value)


def of_call(call: str) -> list[str]:
    """Return the edits in what strict mode says of a call."""
    said = refusal(call)
    said = said.partition("Its form is")[0].removesuffix(" xp.options(relaxed=True) allows it.")
    sentences = re.split(r"\. |: ", said)[1:]
    return [e for s in sentences for e in edits(s.replace("y[...] = result", "y[...] = x"))]


@pytest.mark.parametrize("call", REFUSED.split())
def test_an_edit_in_a_message_runs_on_four_namespaces(call: str) -> None:
    for edit in of_call(call):
        with np.printoptions():
            tried(edit, of_rows=True)


def test_an_edit_for_writing_writes() -> None:
    """A selection by a mask is a copy, so nothing may be told to write to it."""
    (edit,) = edits("Write " + refusal("x[mask,0]=1.0").split("Write ")[1].split(". ")[0])
    x, mask = KINDS["matrices"].copy(), np.asarray([True, False, True])
    names = given(xp, x) | {"mask": xp.asarray(mask), "value": 7.0}
    exec(edit, names)
    x[mask, 0] = 7.0
    np.testing.assert_array_equal(np.asarray(names["x"]), x)


REPORTED: dict[str, tuple[str, dict[str, Any]]] = {
    "len(x)": ("len(x)", {}),
    "x.size": ("x.size", {}),
    "[*x]": ("[*x]", {}),
    "x[::-1]": ("x[::-1]", {}),
    "f'{x[0, 0]:.2f}'": ("", {"x": 2.5}),
    "xp.bincount(x)": ("np.bincount(x)", {"n": 3}),
    "xp.convolve(x, x)": ("np.convolve(x, y)", {"n": 5}),
    "xp.diag(x)": ("np.diag(x)", {}),
    "xp.logspace(1, 2, 3)": ("np.logspace(start, stop, num)", {"stop": 2.0}),
    "xp.median(x)": ("np.median(x)", {}),
}
"""Calls that a porting report alone lists, and what NumPy computes instead of their edits."""


@pytest.mark.parametrize("call", REPORTED)
def test_an_edit_in_a_report_runs_on_four_namespaces(call: str) -> None:
    original, more = REPORTED[call]
    kind = "vectors" if re.search("::|xp", call) else "matrices"
    kind = "integers" if "bincount" in call else kind
    xp.porting_report(clear=True)
    with xp.options(relaxed="warn"):
        eval(call, given(xp, KINDS[kind]))
    (note,) = xp.porting_report(clear=True)
    (edit, *_) = edits(note.message.partition("Write ")[2].partition(" Strict mode")[0])
    with xp.options(relaxed=False):
        tried(edit, original, (kind,), **more)


def test_the_edit_for_nan_to_num_replaces_infinities_too() -> None:
    x = np.asarray([np.nan, np.inf, -np.inf, 1.5])
    (edit,) = edits(foreign_names.names("")["nan_to_num"])
    for lib in namespaces(edit):
        np.testing.assert_array_equal(np.asarray(run(edit, given(lib, x))), np.nan_to_num(x))


def of_page(page: str) -> list[str]:
    """Return the edits in the tables of a page."""
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8").partition("\n## Relaxed")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    last = 1 if page.startswith("coming") else 2
    found = [
        code for row in rows if len(row) == last + 1 for code in re.findall(r"`([^`]+)`", row[last])
    ]
    return [
        code.replace("m[", "x[").replace('"npu"', '"cpu"')
        for code in found
        if is_code(code) and "...)" not in code
    ]


@pytest.mark.parametrize("page", PAGES)
def test_an_edit_in_a_table_of_a_page_runs_on_four_namespaces(page: str) -> None:
    found = of_page(page)
    assert len(found) > 2
    for edit in found:
        with xp.options(relaxed=False):  # some edits set options
            tried(edit, of_rows=True)


def test_a_page_counts_the_edits() -> None:
    """Edits for attributes are left out: these differ by the versions of NumPy and torch."""
    every = {edit for _, _, text in ROWS for edit in edits(text)}
    every |= {edit for call in REFUSED.split() for edit in of_call(call)}
    every |= {edit for page in PAGES for edit in of_page(page)}
    four = [edit for edit in every if len(namespaces(edit)) == 4 and edit not in BEYOND]
    text = (DOCS / "strict-and-relaxed.md").read_text(encoding="utf-8")
    said = f"{len(every)} pieces of code that messages and tables propose, {len(four)} of them on"
    assert said in " ".join(text.split())
