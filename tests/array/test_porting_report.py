"""The porting report: one run lists every edit, and the edited program runs on three namespaces.

Programs for NumPy are in ``ported``.  Their ``*.edits`` have, for each line, the words of the
report (``?``), what stands there (``-``) and what is written instead (``+``).  Where edits need
something elsewhere, an import or a definition, ``=`` names the line.

Those in ``ported/libraries`` also call SciPy and scikit-learn.  Where these give NumPy's arrays,
``!`` has the words of an error that relaxed mode raises too.
"""

from __future__ import annotations

import difflib
import functools
import os
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import array_api_compat.torch
import array_api_strict
import numpy as np
import numpys
import pytest
from parametrize import listing
from processes import in_threads, python

import ascend_array_api as xp
from ascend_array_api._reports import porting
from ascend_array_api._torch import torch
from tests.array import test_messages as messages
from workshop.samples.strategies import to_numpy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PORTED = Path(__file__).with_name("ported")
BESIDE = "SCIPY_ARRAY_API"
PROGRAMS = sorted((PORTED / "libraries" if os.environ.get(BESIDE) else PORTED).glob("*.py"))
ROOT = Path(__file__).parents[2]
IMPORT = "import numpy as np\n"


def run(source: str, name: str) -> tuple[Any, ...]:
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), names)
    results: tuple[Any, ...] = names["run"]()
    return results


def same(got: tuple[Any, ...], expected: tuple[Any, ...]) -> None:
    """See that a program gives what it gives with NumPy."""
    assert len(got) == len(expected) > 4
    for a, b in zip(got, expected):
        if isinstance(b, str):
            assert a == b
        else:
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-7, atol=1e-9)


@pytest.fixture(autouse=True)
def _no_report() -> Iterator[None]:
    xp.porting_report(clear=True)
    yield
    xp.porting_report(clear=True)


def blocks(path: Path) -> list[tuple[list[str], str, str]]:
    """Return, for each edit, the words of the report, the old text and the new text."""
    text = path.with_suffix(".edits").read_text(encoding="utf-8")
    text = re.sub(r"! .*\n- .*\n\+ .*\n", "", text)
    found = []
    for said, old, new in re.findall(r"((?:\? .*\n)*)((?:[-=] .*\n)+)((?:\+ .*\n)+)", text):
        lines = [[line[2:] for line in part.splitlines()] for part in (said, old, new)]
        found.append((lines[0], "\n".join(lines[1]), "\n".join(lines[2])))
    assert sum(len(said) for said, *_ in found) == text.count("? ")
    return found


def ported(path: Path) -> str:
    """Return a program that runs in relaxed mode: its import is ours, and no error is left."""
    source = path.read_text(encoding="utf-8")
    assert source.count(IMPORT) == 1
    text = path.with_suffix(".edits").read_text(encoding="utf-8")
    for said, old, new in re.findall(r"! (.*)\n- (.*)\n\+ (.*)\n", text):
        with pytest.raises(TypeError, match=re.escape(said)):
            run(ours(source), path.name)
        assert old in source
        source = source.replace(old, new)
    return source


def ours(source: str, library: str = "ascend_array_api") -> str:
    return source.replace(IMPORT, f"import {library} as np\n")


@pytest.fixture
def _float64() -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.mark.filterwarnings("ignore:invalid value encountered in divide")  # of scikit-learn's
@pytest.mark.usefixtures("_float64")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.stem)
def test_one_run_lists_every_edit(path: Path) -> None:
    expected = run(path.read_text(encoding="utf-8"), path.name)
    with xp.options(relaxed="warn", default_float="float64", device="cpu"):
        source = ported(path)
        xp.porting_report(clear=True)
        got = run(ours(source), str(path))
    same(got, expected)
    assert any(isinstance(a, xp.Array) for a in got)
    report = xp.porting_report()
    # Each edit is in the report, and the report has nothing else.
    listed = {(note.line, note.message): 0 for note in report}
    edited = source
    for said, old, new in blocks(path):
        assert old in edited, old
        edited = edited.replace(old, new)
        if not said:
            continue
        at = {source[: m.start()].count("\n") + 1 for m in re.finditer(re.escape(old), source)}
        assert at, old
        for words in said:
            found = [key for key in listed if key[0] in at and words in key[1]]
            assert {line for line, _ in found} == at, (words, found)
            for key in found:
                listed[key] += 1
    assert [key for key, count in listed.items() if not count] == []
    # The edited program runs in strict mode and elsewhere, with NumPy's numbers.
    for library in ("ascend_array_api", "array_api_strict", "array_api_compat.torch"):
        with xp.options(relaxed=False, default_float="float64", device="cpu"):
            same(run(ours(edited, library), path.name), expected)
    assert xp.porting_report() == report


@pytest.mark.parametrize("path", sorted(PORTED.rglob("*.py")), ids=lambda p: p.stem)
def test_the_page_counts_the_lines(path: Path) -> None:
    before = path.read_text(encoding="utf-8")
    text = path.with_suffix(".edits").read_text(encoding="utf-8")
    first = re.findall(r"! .*\n- (.*)\n\+ (.*)\n", text)
    after = ours(before)
    for old, new in [*first, *((old, new) for _, old, new in blocks(path))]:
        after = after.replace(old, new)
    lines = [line for line in before.splitlines() if line]
    compared = difflib.SequenceMatcher(None, lines, [line for line in after.splitlines() if line])
    changed = sum(j - i for kind, i, j, *_ in compared.get_opcodes() if kind != "equal")
    page = (ROOT / "docs" / "strict-and-relaxed.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if f"| `{path.stem}.py`" in line]
    counts = [cell.strip() for cell in row.split("|")[3:-1]]
    assert counts == [str(len(lines)), str(changed), str(len(first))]


@pytest.mark.nightly
def test_programs_that_call_other_libraries_too() -> None:
    """SciPy reads the variable once, so a process of its own is needed."""
    name = test_one_run_lists_every_edit.__name__
    arguments = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", __file__, "-k", name)
    done = python(*arguments, cwd=ROOT, env={**os.environ, BESIDE: "1"})
    assert "2 passed" in done.stdout


# --- every refusal of strict mode is in the report ------------------------------------------------


CODE: list[tuple[str, Callable[[], dict[str, Any]]]] = [
    *((code, functools.partial(numpys.given, xp, code)) for code in numpys.TABLE),
    *((code, messages.names) for code, _ in messages.SAID),
    *((c, messages.everyday) for c, strictly, _ in messages.both_modes() if len(strictly) > 1),
]


def words(message: str) -> str:
    """Return a message without the hint and the name: an operator has that of its function."""
    text = message.partition(" xp.options")[0].replace("expected an Array", "expected Array")
    text = text.replace(" or a Python scalar", "")  # which @ does not take
    return re.sub(r"^(\W+|\w+): ", "", text)


@pytest.mark.filterwarnings("ignore")
@listing("code, names", CODE, parts=4)
def test_the_report_has_what_strict_mode_refuses(
    code: str, names: Callable[[], dict[str, Any]]
) -> None:
    xp.porting_report(clear=True)
    refused = messages.outcome(code, names())
    if isinstance(messages.outcome(code, names(), "warn"), Exception):
        return
    said = [note.message for note in xp.porting_report()]
    if not isinstance(refused, Exception):
        assert [s for s in said if "Strict mode takes it" not in s] == []
    else:
        text = words(str(refused))
        assert any(words(s) == text for s in said), (text, said)


# --- the report -----------------------------------------------------------------------------------

PROGRAM = """
import ascend_array_api as np

def total(x):
    for scale in (0.5, 1.5, 2.5):
        y = x.sum(0) * scale
    return y

n = np.asarray([[1, 2], [3, 4]])
total(n)
"""


def process(source: str, tmp_path: Path, *, mode: str = "warn") -> tuple[str, str]:
    """Run a program in a process of its own; return what it prints, and its errors."""
    (tmp_path / "program.py").write_text(source)
    chosen = {"RELAXED": mode, "DEFAULT_FLOAT": "float64"}
    env = {**os.environ, **{f"ASCEND_ARRAY_API_{k}": v for k, v in chosen.items()}}
    done = python("program.py", cwd=tmp_path, env={**env, "PYTHONPATH": str(ROOT)})
    return done.stdout, done.stderr


def test_a_process_ends_with_one_warning(tmp_path: Path) -> None:
    out, err = process(PROGRAM, tmp_path)
    assert not out
    assert err.count("Warning") == 1
    assert "program.py:6: UserWarning: strict mode would refuse 1 line of this program." in err
    assert "porting_report" in err


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["0", "1"])
def test_other_modes_end_with_none(mode: str, tmp_path: Path) -> None:
    source = PROGRAM.replace("total(n)", "np.ones(2) * 2.0")
    assert process(source, tmp_path, mode=mode) == ("", "")


@pytest.mark.nightly
def test_a_report_that_was_read_ends_with_none(tmp_path: Path) -> None:
    out, err = process(f"{PROGRAM}\nprint(np.porting_report())", tmp_path)
    assert not err
    file, place, *messages = out.splitlines()
    assert file.endswith("program.py")
    assert place == "  6, in total: y = x.sum(0) * scale"
    assert [m.strip()[:40] for m in messages] == [
        "an array of the standard has no attribut",
        "sum: it takes 1 positional argument, and",
        "*: the Python float 0.5 cannot be combin",
    ]
    assert all(m.endswith(" (3 times)") for m in messages)


def test_entries_are_data() -> None:
    x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    with xp.options(relaxed="warn"):
        x[0], x[1]
        x.sum()
    (index, method) = xp.porting_report(clear=True)
    assert (index.function, index.count, index.code) == ("test_entries_are_data", 2, "x[0], x[1]")
    assert (method.line, method.file, method.code) == (index.line + 1, __file__, "x.sum()")
    assert xp.porting_report() == ()
    assert str(xp.porting_report()) == "Strict mode would refuse nothing."


def test_neither_other_mode_adds_to_it() -> None:
    with xp.options(relaxed=True):
        xp.asarray([[1, 2]])[0].mean()
        len(xp.ones(2)), xp.bincount(xp.asarray([1]))
    with pytest.raises(AttributeError):
        xp.ones(2).sum()
    assert xp.porting_report() == ()


def test_what_numpys_functions_ask_of_others_is_not_the_users() -> None:
    with xp.options(relaxed="warn"):
        xp.percentile(xp.asarray([3, 1, 2]), [5, 50])
        xp.add.reduce(xp.asarray([3, 1, 2]))
    assert len(xp.porting_report()) == 2


@listing(
    "code, said",
    [
        ("xp.array([1], dtype=int)", "dtype must be one of"),
        ("xp.hstack([n, x])", "int64 and float32 do not promote"),
        ("xp.append(x, n)", "int64 do not promote"),
        ("xp.dot(n, x)", "int64 and float32 do not promote"),
        ("xp.fft.fft2(xp.ones((2, 2)))", "data type float32 is not allowed"),
    ],
)
def test_the_data_types_that_the_edit_meets_are(code: str, said: str) -> None:
    xp.porting_report(clear=True)
    with xp.options(relaxed="warn"):
        eval(code, {"xp": xp, "x": xp.ones(2), "n": xp.asarray([1, 2])})
    name, types = xp.porting_report()
    assert "has no attribute" in name.message
    assert said in types.message


def test_the_length_that_python_asks_for_is_no_call(capsys: Any) -> None:
    for code in ("list(x)", "[*x]", "max(x)", "sum(x)", "a, b = x", "print(*x)"):
        with xp.options(relaxed="warn"):
            exec(code, {"x": xp.asarray([1.0, 2.0])})
    assert xp.porting_report() == ()


def test_the_size_that_functions_ask_for_is_no_matter_of_the_user() -> None:
    x = xp.asarray([1.0, 2.0, 3.0])
    with xp.options(relaxed="warn"):
        repr(x), str(x), xp.resize(x, 2), xp.put(x, [0], 1.0)
        assert x.size == 3
    (note,) = [n for n in xp.porting_report() if n.message.startswith("size:")]
    assert note.code == "assert x.size == 3"
    assert "Write math.prod(x.shape). Strict mode takes it; array_api_compat.torch" in note.message


# NumPy answers each of these of arrays of float64.
COMPARISONS = """
x.dtype == "float64"; x.dtype == "float32"; x.dtype != "float64"; x.dtype == "f8"; x.dtype == float
x.dtype == numpy.float64; x.dtype != numpy.int32; x.dtype == int; x.dtype in ("float32", "float64")
x.dtype in ["int8"]; x.dtype in (numpy.float32, numpy.float64)
x.dtype not in (numpy.float32, numpy.int32)
"""


@listing("code", re.split("; |\n", COMPARISONS.strip()))
def test_comparisons_of_data_types_with_numpys_are_listed(code: str) -> None:
    """No error tells that they are always False: the data types are torch's."""
    xp.porting_report(clear=True)
    numbers = np.asarray([1.0, 2.0])
    expected = eval(code, {"x": numbers, "numpy": np})
    with xp.options(relaxed="warn"):
        held = eval(code, {"x": xp.asarray(numbers, dtype=xp.float64), "numpy": np})
    (note,) = xp.porting_report()
    assert f"is always {held}, in strict mode too" in note.message
    edit = note.message.rpartition("Write ")[2].removesuffix(".")
    for lib in (xp, array_api_strict, array_api_compat.torch):
        x = lib.asarray(numbers.tolist(), dtype=lib.float64)
        assert eval(edit, {"x": x, "xp": lib}) is expected


def test_other_questions_for_data_types_are_not_listed() -> None:
    name = "float32"
    with xp.options(relaxed="warn"):
        x = xp.ones(3)
        y, kinds = x + 1, {x.dtype: 1}
        assert x.dtype == xp.float32
        assert x.dtype in (xp.float32, xp.float64)
        assert x.dtype == y.dtype
        assert x.dtype in kinds
        assert x.dtype not in {"float32", "float64"}  # NumPy does not find it either
        assert x.dtype != "datetime64[s]"
        assert x.dtype != "no data type"
        assert x.dtype != getattr(y, "name", None)  # type: ignore[comparison-overlap]
        assert xp.isdtype(x.dtype, "real floating")
        assert str(x.dtype).endswith(name)
        assert to_numpy(x).dtype == name
        assert repr(x)
    assert xp.porting_report() == ()


def test_comparisons_of_data_types_are_listed_by_line_and_counted(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\n"
        "def is_single(x):\n"
        "    kind = np\n"
        "    return x.dtype == kind.float32\n"
        "def run(x):\n"
        "    if x.dtype == 'float32':\n        return 1\n"
        "    return [is_single(x) for _ in range(20)]\n"
    )
    names: dict[str, Any] = {}
    exec(compile(program.read_text(), str(program), "exec"), names)
    with xp.options(relaxed="warn"):
        names["run"](xp.ones(3))
    assert [(n.line, n.function, n.count) for n in xp.porting_report()] == [
        (4, "is_single", 20),
        (6, "run", 1),
    ]


def test_a_number_for_pythons_function_is_listed_once() -> None:
    with xp.options(relaxed="warn"):
        xp.log(100)
    (note,) = xp.porting_report()
    assert "Write math.log(100)" in note.message


def test_statements() -> None:
    x, n = xp.asarray([[1.0, 2.0], [3.0, 4.0]]), xp.asarray([0, 1])
    said = {
        "x[0] = 1": "Add '...'",
        "x[n, 0] = 1": "to an array of positions",
        "x[:, n[0]]": "an array of one position",
        "x[:, n]": "Write xp.take(x, indices, axis=1)",
        "x[...] = [[[1, 2], [3, 4]]]": "expected an Array or a Python scalar",
        "x[...] = xp.ones((1, 2, 2))": "could not be broadcast",
        "n += xp.asarray([1], dtype=xp.int8)": "",
        "x8 += n": "in place. Write x = x + y instead.",
        "n //= 0": "an integer was divided by zero",
        "x[:, ::-1]": "Write xp.flip(x, axis=0). Strict mode takes it; array_api_compat.torch ",
        "xp.random.default_rng(1)": "numpy.random.default_rng(seed)",
        "xp.full(2, numpy.float32(1))": "fill_value must be a Python scalar",
        "x[0, 0] = numpy.float32(1)": "setitem: expected an Array or a Python scalar",
        "xp.arange(numpy.float32(3))": "stop must be an int or a float",
        "xp.arange(numpy.int64(3))": "",
        "xp.linspace(numpy.float32(0), 1, 3)": "start must be an int, float or complex",
        "x + numpy.float32(1)": "expected an Array or a Python scalar",
        "n == 2**64": "out of bounds for int64",
        "n < xp.asarray([1], dtype=xp.uint64)": "do not promote",
        "xp.clip(x8, 0, 300)": "out of bounds for int8",
        "xp.linalg.matrix_power(xp.asarray([[1, 2], [3, 4]]), 2)": "int64 is not allowed",
    }
    for code, words in said.items():
        names: dict[str, Any] = {"x": xp.asarray(x, copy=True), "n": xp.asarray(n, copy=True)}
        names |= {"x8": xp.asarray([1, 2], dtype=xp.int8), "xp": xp, "numpy": np}
        with xp.options(relaxed="warn"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(code, names)
        messages = [note.message for note in xp.porting_report(clear=True)]
        assert any(words in m for m in messages) if words else not messages, (code, messages)


def test_threads_add_to_one_report() -> None:
    x = xp.ones((2, 2))

    def work(_: int) -> None:
        with xp.options(relaxed="warn"):
            for _ in range(50):
                x.sum()

    in_threads(work, 4)
    assert [note.count for note in xp.porting_report()] == [200]


def test_the_report_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cell of a notebook is code of its own."""
    page = (ROOT / "docs" / "strict-and-relaxed.md").read_text(encoding="utf-8")
    assert f"keeps the last {porting._MOST:,} errors" in " ".join(page.split())
    monkeypatch.setattr(porting, "_MOST", 3)
    with xp.options(relaxed="warn"):
        for name in "abcde":
            exec(compile("x.sum()", f"<cell {name}>", "exec"), {"x": xp.ones(2)})
    assert [note.file[-2] for note in xp.porting_report(clear=True)] == ["c", "d", "e"]


def test_an_import_and_a_transform_have_one_entry_each() -> None:
    xp.porting_report(clear=True)
    with xp.options(relaxed="warn"):
        exec(compile("from ascend_array_api.fft import fft2", "<cell>", "exec"), {})
        xp.fft.fft2(xp.ones((2, 2)) + 0j)
    notes = xp.porting_report(clear=True)
    assert not [n for n in notes if "importlib" in n.file]
    assert not [n for n in notes if "norm" in n.message.partition("Its form")[0]]
