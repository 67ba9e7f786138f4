"""No function waits for a GPU unless it must: asked of every function for every data type."""

import inspect
from functools import partial

import pytest

import ascend_array_api as xp
from ascend_array_api._torch import torch
from workshop.cells import libraries, page, table
from workshop.cells.command import _print_waits
from workshop.cells.measure import DEVICE, Cell, Measurement, Outcome
from workshop.cells.waits import IN_LIBRARIES, waits

NAMES = {name.key: name for name in table.names()}

ON_GPU = torch.cuda.is_available()
on_gpu = pytest.mark.skipif(not ON_GPU, reason="needs CUDA")


@on_gpu
@pytest.mark.one_each
@pytest.mark.parametrize("name", table.names() if ON_GPU else [], ids=lambda name: name.key)
def test_no_needless_waits(name):
    cells = list(Measurement("cuda:0").cells([name]))
    assert not [c.outcome.notes for c in cells if not c.is_on_device]
    if name.key not in IN_LIBRARIES:
        assert not page.waits(cells)


def values(**options):
    return xp.asarray([0.25, 0.5, 0.75], device="cuda:0", **options)


BESIDE_THE_STANDARD = {
    "median": lambda x: xp.median(x),
    "median of an axis": lambda x: xp.median(xp.stack([x, x]), axis=1),
    "convolve": lambda x: xp.convolve(x, x[:2]),
    "diag": lambda x: xp.diag(x),
    "logspace": lambda x: xp.logspace(0, 2, 5, device=x.device),
    "x ** 2": lambda x: x**2,
    "x /= 3": lambda x: x.__itruediv__(3),
}


@on_gpu
@pytest.mark.one_each
@pytest.mark.parametrize("dtype", [xp.float32, xp.float64], ids=str)
@pytest.mark.parametrize("name", BESIDE_THE_STANDARD)
def test_no_needless_waits_beside_the_standard(name, dtype):
    assert not waits(lambda: partial(BESIDE_THE_STANDARD[name], values(dtype=dtype)))


MANY = ("betainc", "betaincc", "betaincinv", "bdtr", "bdtrc", "bdtri", "fdtr", "fdtrc", "fdtri")
"""Ends of names of functions that launch more kernels for few elements than a GPU's queue holds."""


@on_gpu
@pytest.mark.one_each
@pytest.mark.parametrize("dtype", [xp.float32, xp.float64], ids=str)
@pytest.mark.parametrize("name", xp.special.__all__ if ON_GPU else [])
def test_no_needless_waits_in_special_functions(name, dtype):
    function = getattr(xp.special, name)
    x = values(dtype=dtype)
    operands = len(inspect.signature(function).parameters)
    if name.endswith((*MANY, "stdtr", "stdtrit")):
        return
    if name != "multigammaln":
        assert not waits(lambda: partial(function, *[x] * operands))
    if operands == 2:
        assert not waits(lambda: partial(function, x, 2))


@on_gpu
def test_the_witnesses_see_waits():
    x = torch.ones(3, device="cuda")
    assert not waits(lambda: lambda: x + 1)
    assert waits(lambda: x.sum().item) == "in torch"
    assert waits(lambda: lambda: x.cpu()) == "in torch"
    assert waits(lambda: lambda: torch.tensor(1.0, device="cuda")) == "in torch"
    _, solver = next(iter(libraries.Calls(64)))
    assert waits(lambda: solver) == "in a library"


@on_gpu
def test_the_library_waits_by_itself():
    found = libraries.measured()
    assert len({name for name, _ in found}) == 6
    assert all(found.values()), found


@on_gpu
def test_other_errors_are_not_taken_for_waits():
    with pytest.raises(RuntimeError, match="The size of tensor"):
        waits(lambda: lambda: torch.ones(2, device="cuda") + torch.ones(3, device="cuda"))
    assert torch.cuda.get_sync_debug_mode() == 0


def test_waits_are_reported(capsys):
    quiet = Cell(NAMES["add"], "float32", Outcome(DEVICE))
    known = Cell(NAMES["linalg.svd"], "float32", Outcome(DEVICE, waited={"in torch"}))
    assert not _print_waits([quiet, known])
    assert "waits: linalg.svd of float32: in torch: cuSOLVER" in capsys.readouterr().out
    found = [Cell(NAMES["sort"], d, Outcome(DEVICE, waited={"in torch"})) for d in ("int8", "bool")]
    assert _print_waits([quiet, known, *found])
    assert "sort of int8 bool: in torch: IT NEED NOT" in capsys.readouterr().out


def test_the_exceptions_are_decompositions_alone():
    assert set(IN_LIBRARIES) <= set(NAMES)
    never = {"linalg.inv", "linalg.solve", "linalg.det", "linalg.qr", "linalg.cholesky"}
    assert not never & set(IN_LIBRARIES)
