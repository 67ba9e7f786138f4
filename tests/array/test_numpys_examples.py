"""NumPy's own examples, of its docstrings, in relaxed mode: each gives what NumPy gives.

What differs is a closed list, with the reasons.
"""

from __future__ import annotations

import ast
import doctest
import io
import re
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import ascend_array_api as xp
from ascend_array_api._torch import dtypes as dt

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [
    f"{part}{name}"
    for part, theirs, ours in (
        ("", np, xp),
        ("linalg.", np.linalg, xp.linalg),
        ("fft.", np.fft, xp.fft),
    )
    for name in sorted(theirs.__all__)
    if callable(getattr(theirs, name)) and not isinstance(getattr(theirs, name), type)
]

REASONS = {
    "another kind of data": (
        r"datetime64|timedelta64|dtype=object|dtype=\[|np\.(ma|rec|void|bytes_|str_|dtype)\b"
        r"|f4,i4|'S\d?'|order=\(|'a', 'b'|'A string'|first_names|values, dtype|\(None\)|\"U\""
    ),
    "a class of NumPy's own": (
        r"np\.(poly1d|matrix|asmatrix|testing|exceptions|recarray|ndenumerate|nditer|vectorize)\b"
    ),
    "a function of NumPy's that relaxed mode lacks": (
        r"np\.(binary_repr|einsum_path|format_float_positional|array2string|printoptions)\b"
    ),
    "data types are torch's, which are not called and equal no other": (
        r"np\.u?int\d+\(|np\.float\d+\(|dtype == int"
    ),
    "the order in memory, and who shares it, is the namespace's own affair": (
        r"order='[FAK]'|\.flags|shares_memory|may_share|\.base\b|\.flat\b|asanyarray\(a\) is a"
    ),
    "there is no global generator, and generators have streams of their own": (
        r"np\.random\.|# .*rng|xarr|yarr|\bR[123]\b"
    ),
    "uninitialized memory": r"np\.empty",
    "a set is no array": r"test_set",
    "the identity of objects": r"\bid\(",
    "not yet": (
        r"edge_order=2|return_indices|bins='auto'|wrap=True|unique\(.*axis=0|reflect_type|mean=mean"
        r"|base=\[|ndmax|mode=('clip'|\()|np\.(insert|delete)\(\w+, (\[|slice|idx)"
        r"|np\.pad\(a, (.*'(linear_ramp|maximum|mean|median|minimum)'|2, pad_with|\{)"
    ),
    "vectors of two numbers, which NumPy has deprecated": r"np\.cross\(x, y\)",
    "fractions as steps of integers": r"dtype=(int|np\.int_)\).*arange: with dtype",
    "the input is left alone": r"assert not np\.all\(a ?== ?b\)",
    "a partition is sorted": r"\bp2\b",
    "NumPy's order is that of a table": r"np\.unique_values",
}
"""Why an example may differ, and a pattern of those that do."""


def found(module: Any, path: str) -> Any:
    for name in path.split("."):
        module = getattr(module, name, None)
    return module


def plain(value: Any) -> Any:
    """Return a result in the form in which it is compared."""
    if isinstance(value, xp.Array):
        return np.asarray(value)
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    return np.dtype(dt.NAMES[value]) if isinstance(value, type(xp.float32)) else value


def differ(got: Any, expected: Any) -> str:
    """Say how a result differs from NumPy's, or nothing."""
    got, expected = plain(got), plain(expected)
    if isinstance(expected, list):
        if not isinstance(got, (list, np.ndarray)) or len(got) != len(expected):
            return "another length"
        return next((d for d in map(differ, got, expected) if d), "")
    if isinstance(expected, (np.ndarray, np.generic, bool, int, float, complex)):
        return differ_in_numbers(np.asarray(got), np.asarray(expected))
    if isinstance(expected, (str, np.dtype, slice)):
        return "" if got == expected else f"{got!r}, not {expected!r}"
    return ""


def differ_in_numbers(got: Any, expected: Any) -> str:
    if got.shape != expected.shape:
        return f"shape {got.shape}, not {expected.shape}"
    if {got.dtype.kind, expected.dtype.kind} - set("biufc"):
        return "another kind"
    if not np.allclose(got, expected, rtol=1e-6, atol=1e-12, equal_nan=True):
        return "other values"
    return ""


def run(source: str, names: dict[str, Any]) -> Any:
    try:
        code = compile(source, "<example>", "eval")
    except SyntaxError:
        exec(compile(source, "<example>", "exec"), names)
        return None
    return eval(code, names)


def outcome(source: str, names: dict[str, Any]) -> Any:
    try:
        return run(source, names)
    except Exception as error:  # noqa: BLE001  # whatever an example raises
        return error


def differences(path: str) -> list[str]:
    """Return the examples of a function that differ, each with how.

    An example that uses what an earlier one left otherwise than in NumPy is not among them.
    """
    said: list[str] = []
    spoilt: set[str] = set()
    theirs, ours = {"np": np, "numpy": np}, {"np": xp, "numpy": xp}
    for example in doctest.DocTestParser().get_examples(found(np, path).__doc__ or ""):
        source = example.source.strip()
        if source.startswith("import numpy as np"):
            continue
        expected = outcome(source, theirs)
        got = outcome(source, ours)
        if isinstance(expected, Exception):
            continue
        error = isinstance(got, Exception)
        how = f"{type(got).__name__}: {got}" if error else differ(got, expected)
        every = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name)]
        used = {n.id for n in every} - {"np", "numpy", "plt"}
        if used & spoilt:
            spoilt |= used
        elif how:
            said.append(f"{source}  # {how}")
            spoilt |= used
        else:
            spoilt -= {n.id for n in every if isinstance(n.ctx, ast.Store)}
    return said


def reason_of(difference: str) -> str:
    return next((r for r, pattern in REASONS.items() if re.search(pattern, difference)), "")


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_numpys_examples_give_what_numpy_gives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some examples write files
    monkeypatch.setenv("MPLBACKEND", "agg")
    unexplained, reasons, examples = [], set(), 0
    with xp.options(relaxed=True, default_float="float64", device="cpu"), np.printoptions():
        for path in NAMES:
            if found(xp, path) is None:
                continue
            with redirect_stdout(io.StringIO()), np.errstate():
                of_path = differences(path)
            examples += len(doctest.DocTestParser().get_examples(found(np, path).__doc__ or ""))
            reasons |= {reason_of(difference) for difference in of_path}
            unexplained += [f"{path}: {d}" for d in of_path if not reason_of(d)]
    assert unexplained == []
    assert examples > 2500
    assert {"not yet", "another kind of data", "a class of NumPy's own"} <= reasons
