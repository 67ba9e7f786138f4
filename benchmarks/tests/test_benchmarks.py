"""The table of calls that are timed names every function, and its commands compare."""

from __future__ import annotations

import json
import re
import sys
from types import ModuleType

import numpy as np
import pytest
import torch

pytest.importorskip("array_api_compat.torch")

import ascend_array_api as xp
from benchmarks import __main__ as command
from benchmarks import checks, whole
from benchmarks.functions import CALLS, UNTIMED, Timed, compared, least, measure, operands

NO_FUNCTIONS = (type, ModuleType, type(xp.float32))


def test_every_function_is_timed_or_said_not_to_be() -> None:
    public = {
        prefix + name
        for prefix, module in (("", xp), ("linalg.", xp.linalg), ("fft.", xp.fft))
        for name in module.__all__
        if not isinstance(getattr(module, name), NO_FUNCTIONS) and name[:5] != "__ver"
    } - {"__array_api_version__"}
    timed = {n for call in CALLS for n in re.findall(r"xp\.((?:\w+\.)?\w+)\(", call.expression)}
    left_out = {name for names in UNTIMED.values() for name in names.split()}
    assert public - timed - left_out == set()
    assert not timed & left_out
    assert left_out <= public


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_operands_are_of_the_data_type(size: int) -> None:
    for code in "fdFDilB?":
        given = operands(code, size)
        assert {x.dtype.char for n, x in given.items() if n not in "ckphJij"} == {code}
        assert {x.dtype.char for n, x in given.items() if n in "kphJij"} == {"l"}
        assert given["x"].shape == (size,)


def test_calls_are_timed_for_every_namespace_that_has_them() -> None:
    rows = list(measure("cpu", [3], "xp.hypot xp.sort(x", "fl", seconds=0, memory=True))
    assert [(r.expression, r.dtype) for r in rows] == [
        ("xp.hypot(s, t)", "float32"),
        ("xp.sort(x, descending=True)", "float32"),
        ("xp.sort(x, descending=True)", "int64"),
    ]
    for row in rows:
        assert set(row.seconds) == {"ascend_array_api", "torch", "numpy"}
        assert not row.refused
        assert set(row.peaks) == {"ascend_array_api", "torch"}
    assert not list(measure("cpu", [3], total=-1))


def test_whole_programs_compute_the_same() -> None:
    """By NumPy's and torch's own functions."""
    for name in whole.WHOLE:
        found = {way: np.asarray(call()) for way, call in whole.ways(name).items()}
        expected = found["NumPy"]
        for way, result in found.items():
            assert result.shape == expected.shape, (name, way)
            assert np.isfinite(result).all(), (name, way)
            if name not in whole.DRAWING:
                assert np.allclose(result, expected, rtol=1e-9), (name, way)


def test_two_results_are_compared(
    capsys: pytest.CaptureFixture[str], monkeypatch, tmp_path
) -> None:
    path = tmp_path / "run.json"
    argv = ["", "functions", "-k", "rng.random(", "--sizes", "2", "--seconds", "0", "--json", path]
    monkeypatch.setattr(sys, "argv", [*map(str, argv)])
    threads = torch.get_num_threads()
    command.main()
    assert torch.get_num_threads() == threads
    assert "2 elements against numpy: 2 calls" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["", "compare", str(path), str(path)])
    command.main()
    assert "2 calls in both, geometric mean of after / before 1.000" in capsys.readouterr().out
    picture, ratios = tmp_path / "run.svg", tmp_path / "run.csv"
    read = ["", "functions", "--read", str(path), "--plot", str(picture), "--csv", str(ratios)]
    monkeypatch.setattr(sys, "argv", read)
    command.main()
    assert "2 elements against numpy: 2 calls" in capsys.readouterr().out
    assert "one line a call" in picture.read_text()
    run = json.loads(path.read_text())
    where, head, drawn = ratios.read_text().splitlines()
    assert where == f"# 2 elements; {run['environment']['processor']}"
    assert head == "chapter,numpy"
    chapter, calls = drawn.split(",")
    assert chapter == "random"
    quotients = sorted(Timed(**row).ratio("numpy") for row in run["rows"])
    assert list(map(float, calls.split())) == pytest.approx(quotients, rel=0.01)
    slower = json.loads(path.read_text())
    for row in slower["rows"]:
        row["seconds"]["ascend_array_api"]["least"] *= 3
    assert [cells[-1] for cells in compared(run, slower, 1.15).cells[1:]] == ["3.00", "3.00"]
    assert Timed(**run["rows"][0]).ratio("torch") is None
    assert compared(run, least([slower, run]), 1.15).cells[1:] == []


def test_late_errors_are_timed_beside_none(
    capsys: pytest.CaptureFixture[str], monkeypatch, tmp_path
) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before\n<!-- begin checks cpu -->\n<!-- end checks cpu -->\nAfter\n")
    monkeypatch.setattr(checks, "SIZES", (2,))
    options = ["--device", "cpu", "--rounds", "2", "--markdown", str(page)]
    monkeypatch.setattr(sys, "argv", ["", "checks", *options])
    command.main()
    printed, written = capsys.readouterr().out, page.read_text()
    for text in (printed, written):
        for call in ("xp.take(x, k)", "x[k] = y, again", "x % y", "xp.linalg.solve(A, V)"):
            assert call in text
    assert written.startswith("Before\n")
    assert written.endswith("After\n")


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["HEAD", "--wrong-option"], "unrecognized arguments: --wrong-option"),
        (["HEAD", "--sizes", "many"], "argument --sizes: invalid int value: 'many'"),
        (["HEAD", "--turns", "many"], "argument --turns: invalid int value: 'many'"),
        (["no-such-commit"], "git knows no commit 'no-such-commit'"),
        ([], "the following arguments are required: base"),
    ],
)
def test_what_commits_does_not_know_is_said_at_once(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["", "commits", *options])
    with pytest.raises(SystemExit) as caught:
        command.main()
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("usage: python -m benchmarks commits ")
    assert said in error


def test_a_commit_is_timed_beside_the_tree(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    options = ["-k", "rng.random(", "--sizes", "2", "--seconds", "0", "--turns", "1"]
    monkeypatch.setattr(sys, "argv", ["", "commits", "HEAD", *options])
    command.main()
    assert "2 calls in both" in capsys.readouterr().out
