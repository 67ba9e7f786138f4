"""torch's global state is neither changed nor, but where it says so, of influence."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np
import numpys
import pytest
from processes import apart
from states import ALONE, QUICK, STATES, TOGETHER, problems

import ascend_array_api as xp
from ascend_array_api import distributed as xd
from ascend_array_api._devices.device import parse
from ascend_array_api._torch import torch
from ascend_array_api._torch.pairs import release


@pytest.mark.parametrize("part", [0, 1])
def test_results_are_the_same(part: int) -> None:
    """Each state with half of the data types; with all of them in `make nightly`."""
    dtypes = frozenset(sorted(QUICK)[part::2])
    assert not problems(TOGETHER[part], "cpu", functools.partial(xp.asarray, copy=True), dtypes)


@pytest.mark.nightly
@pytest.mark.parametrize("states", ALONE, ids=lambda states: states[0])
def test_results_are_the_same_in_any_state(states: tuple[str, ...]) -> None:
    assert not problems(states, "cpu", functools.partial(xp.asarray, copy=True))


@pytest.mark.nightly
def test_compiled_products_are_the_same_within_autocast() -> None:
    x = xp.asarray([[1.0, 2.0], [3.0, 4.001]])
    squared = torch.compile(lambda x: xp.matmul(x, x) + 1, fullgraph=True)
    with torch.autocast("cpu", torch.bfloat16):
        y = squared(x)
    assert xp.to_torch(y).dtype is y.dtype is xp.float32
    assert xp.all(y == xp.matmul(x, x) + 1)


def _on_a_mesh(states: tuple[str, ...], dtypes: frozenset[str] | None) -> list[str]:
    mesh = xd.simulated(3, parse("cpu"), least=0)

    def divided(x: np.ndarray[Any, Any]) -> xp.Array:
        axis = x.size % (x.ndim + 1)
        if axis == x.ndim:
            return xd.replicate(x.copy(), device=mesh)
        return xd.shard(x.copy(), axis, device=mesh)

    with xp.options(device=mesh, gather="allow"):
        return problems(states, "cpu", divided, dtypes)


@pytest.mark.nightly
@pytest.mark.parametrize("states", TOGETHER, ids=["some", "others"])
def test_results_are_the_same_on_a_mesh(states: tuple[str, ...]) -> None:
    assert not _on_a_mesh(states, QUICK)


@pytest.mark.nightly
@pytest.mark.parametrize("states", ALONE, ids=lambda states: states[0])
def test_results_are_the_same_on_a_mesh_in_any_state(states: tuple[str, ...]) -> None:
    assert not _on_a_mesh(states, None)


WIDE = "u//3 u%10 u>5 xp.prod(u) xp.max(u) xp.argmax(u) xp.sort(u) xp.unique_values(u) xp.flip(u)"


def called() -> list[str]:
    """Create numbers, and combine arrays with Python numbers, in every way there is."""
    out = [numpys.of_ours(code, numpys.narrow) for code in numpys.expressions(numpys.STANDARD)]
    x, c = xp.asarray([1.0, 2.0, 3.0]), xp.asarray([1j, 2.0])
    u = xp.asarray([1, 2**64 - 1], dtype=xp.uint64)
    out += [eval(code, {"u": u, "xp": xp}) for code in WIDE.split()]
    x[0] = 2.5
    x[x > 2] = 0.5
    x += 1
    x *= 2.5
    c += 1
    out += [x, c, xp.__array_namespace_info__().default_dtypes()]
    return [str(y) for y in out]


def called_first(*defaults: str) -> None:
    """Do so where these defaults of torch's are in force before anything is called."""
    before = torch.get_num_threads(), torch.is_grad_enabled()
    seed = torch.random.get_rng_state()
    with contextlib.ExitStack() as stack:
        for state in defaults:
            stack.enter_context(STATES[state]("cpu"))
        chosen = torch.get_default_dtype()
        found = called()
        assert torch.get_default_dtype() is chosen
    assert (torch.get_num_threads(), torch.is_grad_enabled()) == before
    assert torch.equal(seed, torch.random.get_rng_state())
    assert len(found) > 400
    for line in found:
        print(line)
    assert found == called(), "what was made first is kept"


@pytest.mark.nightly
def test_results_are_the_same_under_any_defaults_of_torch(
    capsys: pytest.CaptureFixture[str],
) -> None:
    float64, bfloat16, device = (
        f"{name} by default" for name in ("float64", "bfloat16", "another device")
    )
    plain = called()
    for defaults in ([float64], [bfloat16], [device], [float64, device]):
        called_first(*defaults)
        assert capsys.readouterr().out == "".join(f"{line}\n" for line in plain), defaults
    assert apart(called_first, bfloat16, device).splitlines() == "\n".join(plain).splitlines()


# Products on a device before a switch and after it; a switch of torch's is for a whole process.
SWITCHES = ["allow_tf32", "fp32_precision"][: 1 + (release(torch.__version__) >= (2, 9))]


def products(device: str, switch: str) -> None:
    """Print of which data type products are, whether they stay the same, and near."""
    x = np.random.default_rng(0).normal(size=(64, 64))

    def computed() -> list[Any]:
        made = []
        for dtype in ("float64", "complex128", "float32", "complex64", "float16", "int64"):
            scale = 100 if dtype == "int64" else 1  # sums of float16 are to stay finite
            a = xp.astype(xp.asarray(x * scale, device=device), getattr(xp, dtype))
            made += [xp.matmul(a, a), xp.tensordot(a, a), xp.vecdot(a, a)]
        return [np.asarray(xp.asarray(a, device="cpu")) for a in made]

    before = computed()
    setattr(
        torch.backends.cuda.matmul, switch, {"allow_tf32": True, "fp32_precision": "tf32"}[switch]
    )
    for a, b in zip(before, computed(), strict=True):
        scale = np.abs(b.astype(complex)).max()
        error = np.abs(a.astype(complex) - b).max() / scale if scale else 0.0
        print(a.dtype, a.tobytes() == b.tobytes(), error < 1e-5)


def _products(device: str, name: str) -> list[list[str]]:
    return [line.split() for line in apart(products, device, name).splitlines()]


@pytest.mark.nightly
@pytest.mark.parametrize("name", SWITCHES)
def test_switches_of_gpus_change_nothing_on_the_cpu(name: str) -> None:
    found = _products("cpu", name)
    assert len(found) == 18
    assert all(same == "True" for _, same, _ in found), found


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
@pytest.mark.parametrize("name", SWITCHES)
def test_products_on_gpus_are_as_exact_as_without_the_switch(name: str) -> None:
    for dtype, same, near in _products("cuda", name):
        assert near == "True", dtype
        assert same == "True" or dtype in {"float32", "complex64"}, dtype
