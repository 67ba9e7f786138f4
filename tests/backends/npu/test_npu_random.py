"""Random numbers on NPUs: the stream of the CPU, made on the device and left there."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from npu import EMULATOR, QUIET_TORCH_NPU, needs_emulator, needs_two_devices

import ascend_array_api as xp
from ascend_array_api._devices.device import parse
from ascend_array_api._torch import torch
from tests.parametrize import nightly, others_nightly

DRAWS: dict[str, tuple[Any, ...]] = dict.fromkeys(
    "random standard_normal lognormal standard_exponential laplace logistic gumbel".split(), ()
)
DRAWS |= {"standard_cauchy": (), "cauchy": (), "uniform": (-1.0, 2.0), "normal": (1.0, 2.0)}
DRAWS |= {"standard_t": (3.0,), "rayleigh": (2.0,), "exponential": (2.0,), "weibull": (0.7,)}
DRAWS |= {"pareto": (3.0,), "power": (3.0,), "wald": (3.0, 2.0), "triangular": (0.0, 0.3, 1.0)}
DRAWS |= {"noncentral_chisquare": (3.0, 2.0), "noncentral_f": (3.0, 20.0, 2.0), "f": (3.0, 4.0)}
DRAWS |= {"standard_gamma": (0.5,), "gamma": (2.0, 3.0), "beta": (0.5, 2.0), "chisquare": (3.0,)}
DRAWS |= {"vonmises": (1.0, 2.0), "dirichlet": ([1.0, 2.0, 3.0],)}
DRAWS |= {"multivariate_normal": ([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]])}
WHOLE: dict[str, tuple[Any, ...]] = {"integers": (0, 1000), "poisson": (30.0,), "zipf": (2.5,)}
WHOLE |= {"binomial": (200, 0.3), "geometric": (0.2,), "logseries": (0.6,), "choice": (10,)}
WHOLE |= {"negative_binomial": (5.0, 0.3), "multinomial": (20, [0.2, 0.3, 0.5])}
WHOLE |= {"hypergeometric": (60, 80, 70), "multivariate_hypergeometric": ([16, 8, 40], 30)}
WHOLE |= {"permutation": (100,)}
SIZES: dict[str, Any] = dict.fromkeys(("random", "standard_normal", "integers"), 1001)
SIZES |= dict.fromkeys(("multinomial", "multivariate_hypergeometric"), 20)
SIZES |= {"uniform": (3, 5), "dirichlet": 50, "multivariate_normal": 50}
DTYPES = (None, xp.float64, xp.float16)
CASES = [(name, dtype) for name in DRAWS for dtype in DTYPES]
CASES += [(name, None) for name in WHOLE]
LONG = ("hypergeometric", "multinomial", "multivariate_hypergeometric")


def drawn(device: str, name: str, kind: Any = xp.random.Philox, **options: Any) -> xp.Array:
    rng = xp.random.Generator(kind(42, device=device))
    if name != "permutation":
        options.setdefault("size", SIZES.get(name, 100))
    x: xp.Array = getattr(rng, name)(*(DRAWS | WHOLE)[name], **options)
    assert x.device == device
    return x


def host(x: xp.Array) -> Any:
    return xp.to_torch(x).cpu()


def on_device(patch: pytest.MonkeyPatch) -> None:
    """Let the device draw few numbers too, as in captured functions."""
    patch.setattr(type(parse("npu:0").backend), "most_uploaded", 0)


@pytest.mark.parametrize(
    ("name", "dtype"),
    others_nightly([nightly(*c) if c[0] in LONG else c for c in CASES], len(CASES) // 5),
)
def test_the_stream_of_the_cpu_without_a_copy_to_the_host(
    name: str, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the device; and on the host from where one copy brings it, which gives the same bits."""
    options = {} if dtype is None else {"dtype": dtype}
    expected = host(drawn("cpu", name, **options))
    uploaded = counted(name, options, kernels=0, copies=1)
    assert torch.equal(uploaded, expected)
    on_device(monkeypatch)
    result = counted(name, options)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if name in {"random", "integers", "choice", "permutation"}:
        assert torch.equal(result, expected)
    elif name in WHOLE:  # a rounding error may decide between two neighbours
        assert (result != expected).sum() <= 2
    else:
        eps = torch.finfo(result.dtype).eps
        near = torch.isclose(result, expected, rtol=32 * eps, atol=32 * eps)
        assert near.all()


def counted(name: str, options: Any, **most: int) -> Any:
    """Draw, and count: nothing leaves the device, and no more is done there than said."""
    if EMULATOR is None:
        return host(drawn("npu:0", name, **options))
    with EMULATOR.counting() as counts:
        x = drawn("npu:0", name, **options)
        torch.npu.synchronize()
    assert counts.to_host == (0, 0)
    assert not counts.fallbacks
    assert sum(counts.kernels.values()) <= most.get("kernels", 10**9)
    assert counts.to_device[0] <= most.get("copies", 10**9)
    return host(x)


def test_many_numbers_and_arrays_and_captured_functions_are_drawn_on_the_device() -> None:
    """Numbers that a capture took from the host would be the same in each replay."""
    rngs = [xp.random.default_rng(42, device=device) for device in ("npu:0", "cpu")]
    npu = rngs[0]
    x = xp.ones(3, device="npu:0")
    step = xp.captured(lambda x: x + npu.normal(size=3), otherwise="raise")
    for turn in range(4):
        y = step(x)
        expected = 1 + host(rngs[1].normal(size=3))
        assert torch.allclose(host(y), expected, rtol=1e-5, atol=1e-6), turn
    for draw in (lambda r: r.random(2**18 + 1), lambda r: r.random(), lambda r: r.permutation(9)):
        numbers = [draw(rng) for rng in rngs]
        assert torch.equal(*map(host, numbers))
    assert npu.bytes(5) == rngs[1].bytes(5)
    assert npu.bit_generator.state == rngs[1].bit_generator.state
    if EMULATOR is not None:
        with EMULATOR.counting() as counts:
            npu.random(2**18 + 1), npu.normal(x)
        assert counts.to_device == (0, 0)
    with pytest.raises(ValueError, match="scale"):
        npu.normal(0.0, -1.0)
    assert npu.bit_generator.advance(-(2**16) - 2).state == rngs[1].bit_generator.state


RANGES = [
    (0, 7, xp.int8),
    (0, 2**32 - 1, xp.uint32),
    (-5, 3 * 2**30, xp.int64),
    (0, 2**64 - 1, xp.uint64),
    (3, 3 * 2**61, xp.uint64),
    (-(2**63), 2**62, xp.int64),
]


@pytest.mark.parametrize(("low", "high", "dtype"), RANGES)
def test_integers_are_the_same(
    low: int, high: int, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_device(monkeypatch)
    results = []
    for device in ("cpu", "npu:0"):
        rng = xp.random.default_rng(3, device=device)
        x = rng.integers(low, high, size=100, dtype=dtype, endpoint=True)
        assert x.dtype == dtype
        signed = {xp.uint32: torch.int32, xp.uint64: torch.int64}.get(dtype, dtype)
        results.append(xp.to_torch(x).view(signed).cpu())
    assert torch.equal(*results)


def test_arrays_are_permuted_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    on_device(monkeypatch)

    def permuted(device: str) -> list[Any]:
        rng = xp.random.default_rng(3, device=device)
        x = xp.reshape(xp.arange(24, device=device), (4, 6))
        y = xp.astype(x, xp.float32, copy=True)
        rng.shuffle(y, axis=1)
        p = [0.1, 0.2, 0.3, 0.4]
        found = [rng.permutation(x), rng.permuted(x, axis=1), rng.permuted(x), y]
        found += [rng.choice(x, size=2, replace=False), rng.choice(x, size=(2, 2), axis=1)]
        found += [rng.choice(4, size=9, p=p), rng.choice(4, size=3, p=p, replace=False)]
        return [host(a) for a in found]

    for x, y in zip(permuted("cpu"), permuted("npu:0")):
        assert torch.equal(x, y)


@pytest.mark.nightly
@needs_emulator
@pytest.mark.parametrize(("checks", "waits"), [("late", 0), ("wait", 1), ("off", 0)])
def test_arrays_of_parameters_wait_where_they_are_asked_to(checks: Any, waits: int) -> None:
    assert EMULATOR is not None
    rng = xp.random.default_rng(1, device="npu:0")
    loc, scale = (xp.asarray([1.0, 2.0], device="npu:0") for _ in range(2))
    n = xp.asarray([5, 50], device="npu:0")
    for draw in (
        lambda: rng.normal(loc, scale),
        lambda: rng.gamma(loc, scale),
        lambda: rng.binomial(n, scale / 4),
        lambda: rng.poisson(scale * 8),
        lambda: rng.integers(n),
    ):
        with xp.options(checks=checks):
            with EMULATOR.counting() as counts:
                draw()
                torch.npu.synchronize()
            assert counts.to_host[0] == waits
            assert counts.to_host[1] <= 3  # a byte for each condition


@needs_emulator
@QUIET_TORCH_NPU
@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
def test_normal_vectors_do_not_wait_for_their_covariance(method: Any) -> None:
    assert EMULATOR is not None
    rng = xp.random.default_rng(1, device="npu:0")
    mean, cov = (xp.asarray(v, device="npu:0") for v in ([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]]))
    with EMULATOR.counting() as counts:
        rng.multivariate_normal(mean, cov, 3, method=method)
        torch.npu.synchronize()
    assert counts.to_host == (0, 0)


@pytest.mark.parametrize("kind", [xp.random.Philox, xp.random.Native])
def test_bad_arrays_leave_the_generator_as_it_was(kind: Any) -> None:
    rng = xp.random.Generator(kind(1, device="npu:0"))
    before = rng.bit_generator.state
    wrong = xp.asarray([1.0, float("nan")], device="npu:0")
    for call, name in [
        (lambda: rng.normal(0.0, wrong), "scale"),
        (lambda: rng.poisson(-wrong), "lam"),
        (lambda: rng.integers(xp.asarray([1, 0], device="npu:0")), "high"),
        (lambda: rng.choice(2, p=wrong), "p"),
    ]:
        with xp.options(checks="wait"), pytest.raises(ValueError, match=name):
            call()
    assert rng.bit_generator.state == before
    with pytest.raises(ValueError, match="devices"):
        rng.normal(xp.zeros(2, device="cpu"))


@pytest.mark.parametrize("name", ["random", "standard_normal", "integers", "gamma", "poisson"])
def test_native(name: str) -> None:
    x, again = (host(drawn("npu:0", name, xp.random.Native)) for _ in range(2))
    assert torch.equal(x, again)
    rng = xp.random.Generator(xp.random.Native(42, device="npu:0"))
    copy = pickle.loads(pickle.dumps(rng))
    assert torch.equal(host(rng.random(9)), host(copy.random(9)))


@needs_two_devices
def test_every_device_has_the_stream() -> None:
    x = [host(drawn(device, "random")) for device in ("npu:0", "npu:1")]
    assert torch.equal(*x)
    assert np.isfinite(x[0].numpy()).all()


@pytest.mark.nightly
def test_torchs_generators_are_left_alone() -> None:
    before = torch.npu.get_rng_state(), torch.get_rng_state()
    for name in DRAWS | WHOLE:
        drawn("npu:0", name)
    drawn("npu:0", "random", xp.random.Native)
    after = torch.npu.get_rng_state(), torch.get_rng_state()
    assert all(torch.equal(x, y) for x, y in zip(before, after))
