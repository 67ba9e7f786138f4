"""Libraries that are told of arrays: einops and autoray, beside what they give for NumPy's."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import numpy as np
import pytest
import torch

import ascend_array_api as xp
from ascend_array_api import integrations
from ascend_array_api._torch.pairs import release
from workshop.samples.strategies import to_numpy

NEEDED = "the extra test has it"


def both(shape: tuple[int, ...], dtype: str = "float32") -> tuple[Any, Any]:
    """The same numbers as an array of the namespace and as NumPy's."""
    n = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    return xp.asarray(n), n


def test_an_unknown_library_is_refused() -> None:
    with pytest.raises(ValueError, match="no library 'jax', only 'einops', 'autoray'"):
        integrations.register("jax")


def test_all_that_are_installed_are_told() -> None:
    there = tuple(n for n in ("einops", "autoray") if importlib.util.find_spec(n) is not None)
    assert integrations.register() == there
    assert integrations.register() == there


def test_a_library_that_is_not_installed_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("einops", "einops._backends"):  # which Python then does not find
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"{integrations.__name__}._einops", raising=False)
    with pytest.raises(ImportError):
        integrations.register("einops")


# --- einops ---------------------------------------------------------------------------------------


@pytest.fixture
def einops() -> Any:
    module = pytest.importorskip("einops", reason=NEEDED)
    integrations.register("einops")
    return module


@pytest.fixture(params=[False, True], ids=["strict", "relaxed"])
def mode(request: pytest.FixtureRequest) -> Any:
    with xp.options(relaxed=request.param):
        yield request.param


@pytest.mark.parametrize(
    ("function", "pattern", "named"),
    [
        ("rearrange", "a b c -> (a c) b", {}),
        ("rearrange", "a (b k) c -> k a b c", {"k": 2}),
        ("repeat", "a b c -> a (b k) c m", {"k": 2, "m": 3}),
        *(
            ("reduce", "a b (c k) -> b c", {"reduction": operation, "k": 2})
            for operation in ("sum", "mean", "max", "min", "prod")
        ),
    ],
)
def test_einops_is_as_for_numpy(
    einops: Any, mode: bool, function: str, pattern: str, named: dict[str, Any]
) -> None:
    x, n = both((2, 4, 6))
    given = getattr(einops, function)(x, pattern, **named)
    assert isinstance(given, xp.Array)
    expected = getattr(einops, function)(n, pattern, **named)
    np.testing.assert_allclose(to_numpy(given), expected, rtol=1e-5)


@pytest.mark.parametrize("operation", ["any", "all"])
def test_einops_of_truth_values(einops: Any, mode: bool, operation: str) -> None:
    n = np.asarray([[True, False, True], [True, True, True]])
    given = einops.reduce(xp.asarray(n), "a b -> a", operation)
    np.testing.assert_array_equal(to_numpy(given), einops.reduce(n, "a b -> a", operation))


@pytest.mark.parametrize(
    "pattern", ["a b, a c -> b c", "a b, c b -> a c", "a b, a b ->", "a b, a b -> b a"]
)
def test_einsum_is_as_for_numpy(einops: Any, mode: bool, pattern: str) -> None:
    (x, n), (y, m) = both((3, 3)), both((3, 3))
    given = einops.einsum(x, y, pattern)
    np.testing.assert_allclose(to_numpy(given), einops.einsum(n, m, pattern), rtol=1e-6)


def test_einsum_of_one_operand(einops: Any, mode: bool) -> None:
    x, n = both((3, 3), "int16")
    for pattern in ("i i -> i", "i j -> j", "i j ->"):
        given = einops.einsum(x, pattern)
        np.testing.assert_array_equal(to_numpy(given), einops.einsum(n, pattern))


def test_einops_repeats_without_copies(einops: Any) -> None:
    x = xp.ones((2, 1))
    repeated = xp.to_torch(einops.repeat(x, "a b -> a b c", c=1000))
    assert repeated.untyped_storage().nbytes() <= 2 * 1000 * 4


def test_einops_packs_and_asks_for_shapes(einops: Any, mode: bool) -> None:
    x, _ = both((2, 3, 4))
    packed, shapes = einops.pack([x, xp.ones((2, 3))], "a b *")
    assert packed.shape == (2, 3, 5)
    assert [part.shape for part in einops.unpack(packed, shapes, "a b *")] == [(2, 3, 4), (2, 3)]
    assert einops.parse_shape(x, "a _ c") == {"a": 2, "c": 4}
    assert einops.asnumpy(x).shape == (2, 3, 4)


def test_einops_unpacks_the_first_axes_in_relaxed_mode(einops: Any) -> None:
    """einops indexes the axes up to ``*`` alone, which strict mode refuses."""
    parts = [xp.ones((2, 3, 4)), xp.zeros((2, 5, 4))]
    packed, shapes = einops.pack(parts, "a * c")
    with pytest.raises(einops.EinopsError) as caught:
        einops.unpack(packed, shapes, "a * c")
    assert "2 of 3 axes are indexed" in str(caught.value.__cause__)
    with xp.options(relaxed=True):
        unpacked = einops.unpack(packed, shapes, "a * c")
    assert all(bool(xp.all(a == b)) for a, b in zip(unpacked, parts))


def test_einops_passes_derivatives(einops: Any) -> None:
    t = torch.ones(2, 3, requires_grad=True)
    x = xp.asarray(t)
    total = einops.einsum(x, einops.rearrange(x, "a b -> b a"), "a b, b a ->")
    xp.to_torch(total).backward()
    assert torch.equal(t.grad, torch.full((2, 3), 2.0))  # type: ignore[arg-type]


@pytest.mark.skipif(release(torch.__version__) < (2, 13), reason="einops' calls are opaque to it")
def test_einops_compiles(einops: Any) -> None:
    x, n = both((2, 3, 4))

    def function(x: xp.Array) -> xp.Array:
        return einops.rearrange(x, "a b c -> (a c) b") + 1

    compiled = torch.compile(function, fullgraph=True, backend="eager")
    expected = einops.rearrange(n, "a b c -> (a c) b") + 1
    np.testing.assert_array_equal(to_numpy(compiled(x)), expected)


# --- autoray --------------------------------------------------------------------------------------


@pytest.fixture
def do() -> Any:
    module = pytest.importorskip("autoray", reason=NEEDED)
    integrations.register("autoray")
    return module.do


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *(("concatenate", ([0, 1],)), ("power", (2.0,)), ("arctan2", (2.0,)), ("transpose", ())),
        *(("transpose", ((1, 0),)), ("astype", ("float64",))),
    ],
)
def test_autoray_finds_numpys_names_in_strict_mode(
    do: Any, name: str, given: tuple[Any, ...]
) -> None:
    x, n = both((2, 3))
    if name == "concatenate":
        ours, theirs = do(name, (x, x)), do(name, (n, n))
    else:
        ours, theirs = do(name, x, *given), do(name, n, *given)
    assert isinstance(ours, xp.Array)
    np.testing.assert_allclose(to_numpy(ours), theirs, rtol=1e-6)


def test_autoray_finds_numpys_functions_in_relaxed_mode(do: Any) -> None:
    x, n = both((2, 3))
    with xp.options(relaxed=True):
        for name, given in (("sum", (1,)), ("cumsum", (0,)), ("linalg.norm", ()), ("ravel", ())):
            np.testing.assert_allclose(to_numpy(do(name, x, *given)), do(name, n, *given))


def test_autoray_draws_from_one_generator(do: Any) -> None:
    like = {"like": "ascend_array_api"}
    do("random.seed", 7, **like)
    first = do("random.normal", 1.0, 2.0, (3,), **like)
    expected = xp.random.default_rng(7).normal(1.0, 2.0, (3,))
    assert bool(xp.all(first == expected))
    uniform = do("random.uniform", 2.0, 3.0, size=(2, 2), dtype="float64", **like)
    assert uniform.dtype is xp.float64
    assert bool(xp.all((uniform >= 2) & (uniform < 3)))
    assert do("random.uniform", **like).shape == ()
    assert do("random.normal", size=2, dtype=xp.complex64, **like).dtype is xp.complex64


def test_autoray_makes_arrays_like_another(do: Any) -> None:
    x = xp.ones(2, dtype=xp.complex64)
    for name, given in (("ones", (3,)), ("full", (3, 2.0)), ("identity", (3,)), ("eye", (3,))):
        made = do(name, *given, like=x)
        assert (made.dtype, made.device) == (x.dtype, x.device), name
    listed = do("array", [1.0, 2.0], dtype="float64", like=x)
    assert (listed.dtype, listed.device) == (xp.float64, x.device)
    n = np.ones(2, np.float32)
    copied = do("array", n, like=x)
    n[0] = 5
    assert float(copied[0]) == 1.0
    assert do("from_numpy", n, like=x).dtype is xp.complex64


def test_autoray_moves_arrays(do: Any) -> None:
    x, n = both((2,))
    np.testing.assert_array_equal(do("to_numpy", x), n)
    assert do("to_device", x, None) is x
    assert do("to_device", x, "cpu").device == "cpu"
    with pytest.raises(ValueError, match="device"):
        do("to_device", x, "nowhere")


def test_autoray_decomposes_as_it_does_for_numpy(do: Any) -> None:
    x, n = both((4, 2))
    assert [part.shape for part in do("linalg.svd", x)] == [
        part.shape for part in do("linalg.svd", n)
    ]
    pair = do("complex", x, x)
    np.testing.assert_array_equal(to_numpy(pair), n + 1j * n)
