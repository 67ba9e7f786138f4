"""How emulated kernels compute: ideal, as the chip, at the edge of what is documented.

What kernels compute is asked of their tasks, which need no torch_npu; that a mode reaches them is
shown through torch_npu, in a process of its own. The answers of the chip are those of CANN's kernel
sources; `test_sources` runs the sources themselves where they are.
"""

import csv
import importlib.util
import math
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from processes import environment, python

from ascend_array_api._torch import torch
from conformance.cann_emulator import _modes, _table, hostile
from conformance.cann_emulator.chip import OPERATORS
from conformance.cann_emulator.chip import tasks as chip
from conformance.cann_emulator.kernels import TASKS as IDEAL

ROOT = Path(__file__).parents[2]
INF, NAN = math.inf, math.nan
needs_torch_npu = pytest.mark.skipif(
    importlib.util.find_spec("torch_npu") is None or sys.platform != "linux",
    reason="needs torch_npu: pip install '.[npu]'",
)


def float32(*values):
    return torch.tensor(values, dtype=torch.float32)


def float16(*values):
    return torch.tensor(values, dtype=torch.float16)


def bfloat16(*values):
    return torch.tensor(values, dtype=torch.bfloat16)


def int32(*values):
    return torch.tensor(values, dtype=torch.int32)


def same(got, wanted):
    """Equal bit for bit, all NaNs being equal."""
    wanted = np.asarray(wanted, dtype=got.numpy().dtype)
    np.testing.assert_array_equal(got.numpy(), wanted)
    np.testing.assert_array_equal(np.signbit(got.numpy()), np.signbit(wanted))


# -- modes --


@pytest.mark.parametrize(
    ("text", "name", "chip_like", "families"),
    [
        ("ideal", "ideal", False, ()),
        ("chip", "chip", True, ()),
        ("hostile:flush", "hostile:flush", True, ("flush",)),
        ("hostile:sums+order", "hostile:order+sums", True, ("order", "sums")),
        ("hostile:all", "hostile:all", True, _modes.FAMILIES),
    ],
)
def test_modes_are_read(text, name, chip_like, families):
    mode = _modes.parse(text)
    assert (str(mode), mode.chip, mode.families) == (name, chip_like, families)


@pytest.mark.parametrize("text", ["", "chips", "hostile", "hostile:", "hostile:flush,sums"])
def test_other_modes_are_refused(text):
    with pytest.raises(ValueError, match="ideal, chip, hostile:all"):
        _modes.parse(text)


def test_the_environment_names_the_mode(monkeypatch):
    monkeypatch.delenv(_modes.VARIABLE, raising=False)
    assert str(_modes.chosen()) == _modes.DEFAULT
    monkeypatch.setenv(_modes.VARIABLE, "hostile:sort")
    assert str(_modes.chosen()) == "hostile:sort"
    assert str(_modes.chosen("chip")) == "chip"


def test_families_are_those_that_can_be_named():
    assert set(hostile.FAMILIES) == set(_modes.FAMILIES)


def test_every_mode_has_every_kernel():
    for mode in ("ideal", "chip", "hostile:all"):
        tasks = _modes.tasks(_modes.parse(mode))
        assert {kernel.name for kernel in _table.kernels()} <= tasks.keys()


def test_the_first_910_sorts_as_float16():
    x, in_order = float32(1.0001, 1, -INF), (0, 0, 0)
    for family, wanted in (("910B", [-INF, 1, 1.0001]), ("910", [-INF, 1, 1])):
        sort = _modes.tasks(_modes.parse("chip"), family)["aclnnSort"]
        values, _ = sort(x, *in_order)
        same(values, np.asarray(wanted, "f4"))
    assert _modes.tasks(_modes.parse("ideal"), "910") == IDEAL


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_ideal_roots_are_rounded_correctly(dtype):
    x = np.concatenate([[1.1, 0.0, -0.0, math.inf], np.linspace(0.1, 4, 5000)]).astype(dtype)
    root = IDEAL["aclnnSqrt"](torch.from_numpy(x)).numpy()
    wide = np.sqrt(x.astype(np.float64))  # of float32 the next rounding is the only one that counts
    assert np.array_equal(root, wide.astype(dtype))
    assert np.array_equal(np.signbit(root), np.signbit(x))


def test_ideal_kernels_take_dtypes_that_torch_does_not():
    bits = torch.tensor([[True, False, False], [True, True, False], [False, True, True]])
    same(IDEAL["aclnnTrace"](bits), 3)
    same(IDEAL["aclnnReflectionPad1d"](bits, [1, 0])[:, 0].to(torch.int32), [0, 1, 1])
    far = torch.tensor([2**63, 1, 2**64 - 1], dtype=torch.uint64)
    value, place = IDEAL["aclnnKthvalue"](far, 2, 0, 0)
    assert (value.numpy(), place.numpy()) == (2**63, 0)
    half = torch.tensor([[4.0, 2.0], [2.0, 5.0]], dtype=torch.float16)
    factor = IDEAL["aclnnLinalgCholesky"](half, 0)
    assert factor.dtype == torch.float16
    same(factor.float(), [[2, 0], [1, 2]])
    q, r = IDEAL["aclnnLinalgQr"](half, 0)
    assert torch.allclose(q @ r, half.float(), atol=1e-5)


def behaviours():
    with (_table.HERE / "behaviours.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_of_behaviours_is_complete_and_true():
    rows = behaviours()
    assert [row["kernel"] for row in rows] == [kernel.name for kernel in _table.kernels()]
    assert {row["behaviour"] for row in rows} == {"chip", "ideal", "unknown"}
    assert all(row["source"] for row in rows)
    computed = {row["kernel"] for row in rows if row["behaviour"] == "chip"}
    assert computed == chip.TASKS.keys() & {row["kernel"] for row in rows}
    for row in rows:
        assert bool(row["dtypes"]) == (row["behaviour"] == "chip")
        assert set(row["dtypes"].split()) <= _table.DTYPES.keys()


# -- ideal --


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        (torch.float16, 0, 32752),
        (torch.float16, -32752, -32000),
        (torch.bfloat16, 0, 1000),
        (torch.float32, 2**24 - 1, 2**24 + 3),
        (torch.int32, 0, 3),
    ],
)
def test_random_integers_stay_within_their_bounds_when_they_are_rounded(dtype, low, high):
    drawn = IDEAL["aclnnInplaceRandom"](torch.empty(5000, dtype=dtype), low, high, 1, 2).to(dtype)
    assert drawn.min().item() >= low
    assert drawn.max().item() < high
    assert len(drawn.unique()) > 1


def test_products_of_float16_are_rounded_once():
    x = float16(*[1.0009765625] * 15)
    exact = np.float16(1.0009765625**15)
    same(IDEAL["aclnnProdDim"](x, 0, 0, torch.float16).to(torch.float16), exact)
    same(IDEAL["aclnnProd"](x * 64, torch.float16).to(torch.float16), INF)
    # 64 * 2048 is no number of float16, and its quarter is one.
    same(IDEAL["aclnnProd"](float16(64, 2048, 0.25), torch.float16).to(torch.float16), 32768)


def test_renorm_of_order_0_counts_what_is_not_0():
    x = float32(2, 0, -4, 8).reshape(2, 2)
    got = IDEAL["aclnnRenorm"](x, 0, 0, 1)
    same(got, [[2, 0], [-2, 4]])
    same(IDEAL["aclnnRenorm"](x, 2, 0, 100), x.numpy())


# -- as the chip --


@pytest.mark.parametrize(
    ("kernel", "arguments", "wanted"),
    [
        (
            "FloorDivide",
            (float32(1, 2.5, -1, -0.0, 1), float32(0.1, 1, INF, 5, 0)),
            [10, 2, 0, 0, INF],
        ),
        ("FloorDivides", (float32(1.0), 0.1), [10]),
        (
            "FloorDivide",
            (int32(16813827, 7, -7, -16777217), int32(16813828, 2, 2, -1)),
            [1, 3, -4, 16777216],
        ),
        ("DivMod", (float32(1), float32(0.1), 2), [10]),
        ("DivMod", (int32(17453499, 2**24 + 3, -7), int32(1, 1, 2), 1), [17453500, 2**24 + 4, -3]),
        ("DivMods", (float32(-0.5, 7), 2, 1), [0, 3]),
        ("FmodTensor", (float32(5, 1, 1e8, 7), float32(INF, 0.1, 3, 4)), [NAN, 0, 0, 3]),
        ("FmodScalar", (int32(17453499), 47), [4]),
        (
            "RemainderTensorTensor",
            (float32(5, 1, -1, 7), float32(INF, 1e-45, 3, -4)),
            [5, -INF, 2, -1],
        ),
        (
            "PowTensorTensor",
            (float32(3, 10, 7, 2, -2, 0), float32(3, 2, 1, 0, 0.5, -1)),
            [27.000002, 100.00001, 6.9999995, 1, NAN, INF],
        ),
        ("PowTensorScalar", (float32(3), 3), [27]),
        ("Atan", (float32(INF, -INF, 0),), [1.5707355, -1.5707355, 0]),
        ("Asin", (float32(0.7071, 1e-40),), [0.7853328, 0]),
        ("Cos", (float32(0, 26353818),), [1, -0.74085885]),
        ("Erfc", (float32(1.4e-45),), [NAN]),
        ("LogAddExp", (float32(0), float32(-17)), [0]),
        ("Floor", (float32(-0.0, 2.5),), [0, 2]),
        ("Ceil", (float32(-0.3, 0.3),), [0, 1]),
        ("Trunc", (float32(-0.3, -1.5),), [0, -1]),
        ("Round", (float32(-0.3, 2.5),), [0, 2]),
        *((name, (float32(-0.0),), [0]) for name in "Sinh Asinh Atanh Sin Tan".split()),
        ("Sign", (float32(NAN, -0.0, -3),), [0, 0, -1]),
        ("Log2", (float32(8),), [3]),
    ],
)
def test_the_chip_answers_as_its_sources(kernel, arguments, wanted):
    got = chip.TASKS[f"aclnn{kernel}"](*arguments)
    if got.is_floating_point():
        # Beyond six digits the examples say nothing where exp, ln or sqrt is involved; of the large
        # angle, whose turns take all digits but three, beyond those.
        rtol = 2e-4 if kernel == "Cos" else 2e-6
        np.testing.assert_allclose(got.numpy(), np.array(wanted, np.float32), rtol=rtol)
        zeros = np.asarray(wanted) == 0
        np.testing.assert_array_equal(np.signbit(got.numpy())[zeros], np.signbit(wanted)[zeros])
    else:
        assert got.tolist() == wanted


@pytest.mark.parametrize(
    ("x", "wanted"),
    [
        (8, complex(2.99999999176, 0)),
        (0, complex(-INF, NAN)),
        (complex(INF, 1), complex(INF, NAN)),
        (complex(0.5, -0.0), complex(-0.99999999725, 0.0)),  # the sign of the zero is lost
    ],
)
def test_log2_of_complex_numbers_on_aicpu(x, wanted):
    got = chip.TASKS["aclnnLog2"](torch.tensor([x], dtype=torch.complex128)).numpy()
    np.testing.assert_allclose(got, wanted, rtol=1e-11)
    assert np.isnan(got.imag) or not np.signbit(got.imag)
    got = chip.TASKS["aclnnLog2"](torch.tensor([x], dtype=torch.complex64)).numpy()
    np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_numbers_in_steps_on_aicpu():
    out = torch.empty(11, dtype=torch.float64)
    got = chip.TASKS["aclnnLinspace"](0, 1, 11, out)
    assert got[6:8].tolist() == [0.6000000000000001, 0.7000000000000001]
    same(chip.TASKS["aclnnLinspace"](-1.7e308, 1.7e308, 3, out), [-1.7e308, INF, 1.7e308])
    same(chip.TASKS["aclnnLinspace"](3, 5, 1, out), [3])


def test_compositions_that_were_thought_unknown():
    x = torch.linspace(-3, 3, 24).reshape(4, 6)
    variance, mean = chip.TASKS["aclnnVarMean"](x, None, 1, 1)
    assert torch.equal(variance, chip.TASKS["aclnnVarCorrection"](x, [0, 1], 1, 1))
    assert mean.shape == (1, 1)
    polar = chip.TASKS["aclnnPolar"](float32(2, 2), float32(-0.0, 26353818))
    assert polar.real.tolist() == [2, pytest.approx(2 * -0.74085885, rel=2e-4)]
    powers = chip.TASKS["aclnnLogSpace"](0, 3, 4, 3.0, torch.empty(4))
    assert powers[3] == np.float32(27.000002)


def float64(*values):
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize(
    ("values", "largest", "smallest"),
    [
        ((NAN, 1, NAN, 2, 2), 3, 1),
        ((1, NAN, -INF, INF), 3, 2),
        ((NAN, NAN), 0, 0),
        ((NAN, -INF, -INF), 0, 1),
        ((NAN, INF), 1, 0),
        ((3, 3, 1, 1), 0, 2),
    ],
)
def test_extrema_on_aicpu_pass_over_nan(values, largest, smallest):
    x = float64(*values)
    assert chip.TASKS["aclnnArgMax"](x, 0, 0).item() == largest
    assert chip.TASKS["aclnnArgMin"](x, 0, 0).item() == smallest
    assert chip.TASKS["aclnnArgMax"](x[:, None], 0, 1).shape == (1, 1)


def test_running_sums_are_rounded_at_each_place():
    add = chip.TASKS["aclnnCumsum"]
    same(add(float16(2048, 1, 1), 0, torch.float16).to(torch.float32), [2048] * 3)
    same(add(float32(2**24, 1, 1), 0, torch.float32), [2**24] * 3)
    same(add(bfloat16(256, 1, 1), 0, torch.bfloat16).to(torch.float32), [256, 256, 258])
    assert add(float16(1, NAN, 1), 0, torch.float16).isnan().tolist() == [False, True, True]
    columns = torch.ones(3000, 2, dtype=torch.float16)
    assert add(columns, 0, torch.float16)[-1].tolist() == [2048, 2048]
    # 128 lines of 32, each of which begins with the exact sum of those before.
    place = np.arange(4096)
    wanted = np.where(place < 2048, place + 1, place // 32 * 32)
    got = add(torch.ones(2, 4096 + 3, dtype=torch.float16), 1, torch.float16)
    same(got[1, :4096].to(torch.float32), wanted)
    assert got[0, 4096:].tolist() == [got[0, 4095].item()] * 3
    x = torch.from_numpy(np.random.default_rng(1).uniform(size=(2, 30000)))
    for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 4e-3)):
        rounded = x.to(dtype)
        got = add(rounded, -1, dtype).to(torch.float64)
        torch.testing.assert_close(got, rounded.to(torch.float64).cumsum(1), rtol=bound, atol=0)


def test_what_else_runs_along_an_axis():
    values, places = chip.TASKS["aclnnCummin"](int32(16777219, 16777217, 2**31 - 1), 0)
    assert (values.tolist(), places.tolist()) == ([16777220, 16777216, 16777216], [0, 1, 1])
    x = float16(*[1.0009765625] * 100)
    product = np.float16(1)
    for factor in x.numpy():
        product = np.float16(product * factor)
    assert product != np.float16(1.0009765625**100)
    assert chip.TASKS["aclnnCumprod"](x, 0, torch.float16)[-1].item() == product


def test_ranges_are_sums():
    count = chip.TASKS["aclnnArange"]
    got = count(0, 1.1, 0.1, torch.empty(11, dtype=torch.float64))
    assert got[-1].item() == 0.9999999999999999
    tenth = np.float32(0.1)
    got = count(0, 614.4, 0.1, torch.empty(48 * 128)).numpy()
    assert got[63] == np.float32(63) * tenth
    assert got[127] == np.float32(63) * tenth + np.float32(64) * tenth
    assert got[128] == np.float32(128) * tenth  # of the next core
    same(count(5, 2005, 2, torch.empty(1000)), np.arange(5, 2005, 2))
    same(count(3, 3, 1, torch.empty(0)), [])
    assert count(0, 7, 1, torch.empty(7, dtype=torch.float16)).dtype == torch.float16


def test_closeness_of_int32_passes_through_float32():
    close = chip.TASKS["aclnnIsClose"]
    assert close(int32(2**24 + 1, 7, 7), int32(2**24, 7, 8), 0, 0, 0).tolist() == [
        True,
        True,
        False,
    ]
    x, y = float32(INF, INF, NAN, 1, 3e38, -0.0), float32(INF, 1, NAN, 1.25, -3e38, 0)
    assert close(x, y, 0.25, 0, 0).tolist() == [True, False, False, True, False, True]
    # The tolerances are float16, where 1e-8 is 0.
    assert close(float32(0, 1e-7), float32(5e-9, 1e-7), 1e-5, 1e-8, 0).tolist() == [False, True]
    assert close(x, y, 0, 0, 1).tolist() == [True, False, True, False, False, True]


@pytest.mark.parametrize("order", [0, 1, 2, 3, 2.5, 0.5, -1, INF, -INF])
def test_norms_by_sums_of_powers(order):
    x = torch.from_numpy(np.random.default_rng(2).normal(size=(3, 50)))
    wanted = np.linalg.norm(x.numpy(), order, axis=1)
    for dtype, bound in ((torch.float32, 2e-6), (torch.float16, 2e-3), (torch.bfloat16, 2e-2)):
        norm = chip.TASKS["aclnnLinalgVectorNorm"](x.to(dtype), order, [1], 1, dtype)
        assert (norm.shape, norm.dtype) == ((3, 1), dtype)
        np.testing.assert_allclose(norm.to(torch.float64).numpy()[:, 0], wanted, rtol=bound)
    if order >= 0:
        distance = chip.TASKS["aclnnCdist"](x.to(torch.float32), torch.zeros(1, 50), order, 0)
        np.testing.assert_allclose(distance.numpy()[:, 0], wanted, rtol=2e-6)


def test_norms_at_the_ends():
    norm, distance = chip.TASKS["aclnnLinalgVectorNorm"], chip.TASKS["aclnnCdist"]
    same(norm(float16(200, 200), 2, None, 0, torch.float32), 282.8427)
    assert norm(float32(1, NAN), INF, None, 0, torch.float32).isnan()
    same(norm(float32(0, NAN, 3), 0, None, 0, torch.float32), 2)
    same(distance(float32(NAN, 2)[None], float32(1, 1)[None], INF, 0), [[1]])
    same(distance(float32(NAN, 2)[None], float32(1, 2)[None], 0, 0), [[1]])


def test_renorm_scales_what_is_small_too():
    renorm = chip.TASKS["aclnnRenorm"]
    same(renorm(float32(2, 0)[None], 0, 0, 1), [[1, 0]])  # its norm of order 0 would be 1
    same(renorm(float32(3, 4)[None], 2, 0, 1), [[0.6, 0.8]])
    got = renorm(float32(1e-8, 0)[None], 2, 0, 1)
    np.testing.assert_allclose(got, [[1e-9, 0]], rtol=1e-6)
    same(renorm(float16(3, 4)[None], 1, 0, 3.5).to(torch.float32), [[1.5, 2]])
    got = chip.TASKS["aclnnInplaceRenorm"](float32(3, 4)[None], 3, 0, 1)
    np.testing.assert_allclose(got, np.array([[3, 4]]) / 91 ** (1 / 3), rtol=1e-6)


def test_angles_by_the_arctangent_of_ascend_c():
    angle, pi = chip.TASKS["aclnnAngleV2"], np.float32(math.pi)
    real = float32(-1, -1, 0, -0.0, INF, -INF, INF, 2, NAN, 1, 0)
    imag = float32(0.0, -0.0, -0.0, 0, INF, -INF, -1, INF, 0, NAN, -3)
    wanted = [pi, pi, 0, 0, pi / 4, -0.75 * pi, -0.0, pi / 2, NAN, NAN, -pi / 2]
    same(angle(torch.complex(real, imag)), np.array(wanted, np.float32))
    steep = angle(torch.complex(float32(1, -1), float32(1e6, -1e6))).numpy()
    np.testing.assert_allclose(steep, [math.atan(1e4), math.atan(1e4) - math.pi], rtol=2e-6)
    turn = np.exp(1j * np.linspace(-3, 3, 999)).astype(np.complex64)
    np.testing.assert_allclose(angle(torch.from_numpy(turn)), np.angle(turn), rtol=2e-5)


def test_matrices_on_aicpu():
    sign, logarithm = chip.TASKS["aclnnSlogdet"](float32(NAN, INF, 0, -2).reshape(4, 1, 1))
    same(sign, [0, 0, 0, -1])
    same(logarithm, [-INF, INF, -INF, np.log(np.float32(2))])
    solve = chip.TASKS["aclnnTriangularSolve"]
    a, b = (torch.tensor([[x]], dtype=torch.complex64) for x in (1j, 1))
    assert [solve(b, a, 1, transpose, 0)[0].item() for transpose in (0, 1)] == [-1j, 1j]
    a = torch.tensor([[1, 2j], [0, 4]], dtype=torch.complex128)
    x, _ = solve(torch.eye(2, dtype=torch.complex128), a, 1, 1, 1)
    np.testing.assert_array_equal(x, [[1, 0], [2j, 1]])


def test_sums_by_index_of_16_bits_are_rounded_once():
    place, ones = torch.zeros(5000, dtype=torch.int64), torch.ones(5000, dtype=torch.float16)
    zero = ones[:1] * 0
    for dtype, wanted in ((torch.float16, 5000), (torch.bfloat16, 4992)):
        x, source = zero.to(dtype), ones.to(dtype)
        got = [
            chip.TASKS["aclnnScatterAdd"](x, 0, place, source),
            chip.TASKS["aclnnIndexAdd"](x, 0, place, source, 1),
            chip.TASKS["aclnnIndexPutImpl"](x, [place], source, 1, 0),
        ]
        assert [y.item() for y in got] == [wanted] * 3
        assert {y.dtype for y in got} == {dtype}
    # Along other axes each sum of float16 is rounded.
    got = chip.TASKS["aclnnIndexAdd"](zero[None], 1, place, ones[None], 1)
    assert got.item() == 2048
    written = chip.TASKS["aclnnIndexPutImpl"](zero, [place[:1]], ones[:1] * 3, 0, 0)
    assert written.item() == 3
    x = float16(0, 300, 300)  # 90000 is no number of float16
    same(chip.TASKS["aclnnLinalgCross"](x, x, 0).to(torch.float32), [0, 0, 0])


@pytest.mark.parametrize("upper", [0, 1])
def test_cholesky_multiplies_by_the_reciprocal_of_a_root(upper):
    a = torch.from_numpy(np.random.default_rng(3).normal(size=(2, 30, 30)))
    a = (a @ a.mT + torch.eye(30)).to(torch.float32)
    factor = chip.TASKS["aclnnLinalgCholesky"](a, upper)
    root = a[..., 0, 0] * (1 / IDEAL["aclnnSqrt"](a[..., 0, 0]))
    assert torch.equal(factor[..., 0, 0], root)
    got = factor.mT @ factor if upper else factor @ factor.mT
    torch.testing.assert_close(got, a, rtol=1e-5, atol=1e-4)
    a[0, 20, 20] = -1
    pivots = chip.TASKS["aclnnLinalgCholesky"](a, upper).diagonal(dim1=-2, dim2=-1)
    assert pivots.isnan()[0].tolist() == [i >= 20 for i in range(30)]


def test_rounding_on_aicpu():
    below = np.nextafter([0.5, 1.5, -0.5, 2.5], -INF)
    got = chip.TASKS["aclnnRound"](torch.tensor([*below, -0.3, -0.0, INF, NAN, 2.5, 3.5]))
    same(got, [0, 2, 0, 2, 0, -0.0, INF, NAN, 2, 4])  # not 0, 1, -1, 2, -0
    x = torch.tensor([1.25, np.nextafter(0.15, 0), 1250.0], dtype=torch.float64)
    decimals = chip.TASKS["aclnnRoundDecimals"]
    same(decimals(x, 1), [1.2, 0.2, 1250])  # not 0.1
    same(decimals(x, -2), [0, 0, 1200])
    same(decimals(x, 0), [1, 0, 1250])


@pytest.mark.parametrize(
    ("kernel", "arguments", "wanted"),
    [
        ("PowTensorTensor", (float32(3), float32(3)), 27.000002),
        ("Atan", (float32(INF),), 1.5707355),
        ("Expm1", (float32(0.47999),), 0.61570328),
        ("Erf", (float32(3.67566),), 1.0000001),
    ],
)
def test_errors_of_the_chip_in_the_last_digits(kernel, arguments, wanted):
    got = chip.TASKS[f"aclnn{kernel}"](*arguments).item()
    ideal = IDEAL[f"aclnn{kernel}"](*arguments).item()
    assert got != ideal
    assert got == pytest.approx(wanted, rel=2e-7)


@pytest.mark.parametrize(
    ("kernel", "arguments", "wanted"),
    [
        # In float16 0.1 is 0.09997559, and seven times that nearer to 0.69970703 than to 0.7001953.
        ("Muls", (float16(7, 1), 0.1), [0.69970703125, 0.0999755859375]),
        ("Adds", (float16(-0.1), 0.1, 1), [0]),
        ("Subs", (float16(0.1), 0.1, 1), [0]),
        ("Rsubs", (float16(0.1), 0.1, 1), [0]),
        ("Divs", (float16(72.1875), 72.2), [1]),
        ("DivMods", (float16(72.1875), 72.2, 2), [1]),
        # In bfloat16 1.01 is 1.0078125, and 1 + 2**-8 is 1: but not for products.
        ("Adds", (bfloat16(-1), 1.00390625, 1), [0]),
        ("Subs", (bfloat16(1), 1.00390625, 1), [0]),
        ("Rsubs", (bfloat16(1), 1.00390625, 1), [0]),
        ("Divs", (bfloat16(1.0078125), 1.01), [1]),
        ("Muls", (bfloat16(3), 1.00390625), [3.015625]),
        ("InplaceMuls", (float16(7), 0.1), [0.69970703125]),
        ("Muls", (float32(7), 0.1), [np.float32(7) * np.float32(0.1)]),
    ],
)
def test_scalars_are_of_the_dtype_of_the_other_operand(kernel, arguments, wanted):
    got = chip.TASKS[f"aclnn{kernel}"](*arguments)
    same(got.to(torch.float32), wanted)


@pytest.mark.parametrize(
    ("source", "dtype", "wanted"),
    [
        (torch.tensor([2**32 + 5, -(2**40), 7]), torch.int32, [2**31 - 1, -(2**31), 7]),
        (float32(NAN, INF, -INF, 2.9, -2.9), torch.int32, [0, 2**31 - 1, -(2**31), 2, -2]),
        (torch.tensor([70000.0]).to(torch.float16), torch.int32, [2**31 - 1]),
        (int32(100, -129, 1900, 1919, 2047), torch.int8, [100, 127, 108, 127, 0]),
        (torch.tensor([2**40]), torch.float32, [2**31]),
        (int32(-1, 300), torch.uint8, [255, 44]),
        (torch.tensor([-32768], dtype=torch.int16), torch.int32, [-32768]),
        (int32(2**24 + 1), torch.float32, [2**24]),
    ],
)
def test_conversions_of_the_chip(source, dtype, wanted):
    got = chip.TASKS["aclnnCast"](source, dtype)
    assert got.dtype == dtype
    assert got.tolist() == wanted


def test_ideal_conversions_saturate():
    assert IDEAL["aclnnCast"](int32(2047), torch.int8).tolist() == [127]


def test_small_arguments_lose_digits():
    small = chip.TASKS["aclnnAtan2"](float32(1e-38), float32(1)).item()
    assert small == pytest.approx(1.75e-39, rel=2e-3)
    assert chip.TASKS["aclnnAtan"](float32(1e-38)).item() == small
    assert chip.TASKS["aclnnTan"](float32(262225.25)).item() == pytest.approx(-0.344, abs=5e-4)
    assert math.tan(262225.25) == pytest.approx(-0.362, abs=5e-4)
    assert chip.TASKS["aclnnErfinv"](float32(2.6e-13)).item() == pytest.approx(6.8e-13, rel=2e-2)


def test_dtypes_without_a_source_stay_ideal():
    x = torch.tensor([1.0, 3.0], dtype=torch.float64)
    for kernel, arguments in (
        ("FloorDivide", (x, torch.tensor([0.1, 0.7], dtype=torch.float64))),
        ("Expm1", (x,)),
        ("Exp", (torch.complex(x, x),)),
        ("RemainderTensorTensor", (torch.tensor([7, -7]), torch.tensor([4, 4]))),
        ("PowTensorTensor", (int32(3, -2), int32(19, 3))),
    ):
        name = f"aclnn{kernel}"
        torch.testing.assert_close(chip.TASKS[name](*arguments), IDEAL[name](*arguments))


def test_halves_are_rounded_once():
    x = torch.linspace(0.1, 3, 50)
    for dtype in (torch.float16, torch.bfloat16):
        got = chip.TASKS["aclnnTanh"](x.to(dtype))
        assert got.dtype == dtype
        assert torch.equal(got, chip.TASKS["aclnnTanh"](x.to(dtype).to(torch.float32)).to(dtype))


def test_scalars_and_shapes_are_combined_as_torch_does():
    x = torch.arange(6.0).reshape(2, 3)
    assert chip.TASKS["aclnnFmodScalar"](x, 2).shape == (2, 3)
    assert chip.TASKS["aclnnAtan2"](x[:, :1], x[:1]).shape == (2, 3)
    assert chip.TASKS["aclnnFloorDivide"](int32(7), float32(2)).dtype == torch.float32
    assert chip.TASKS["aclnnSin"](int32(1)).dtype == torch.float32
    assert chip.TASKS["aclnnExp"](torch.tensor(1.0)).shape == ()


def test_mean_multiplies_before_it_adds():
    x = torch.full((1, 3), 3e38)
    assert IDEAL["aclnnMean"](x, [1], 0, torch.float32).item() == INF
    assert chip.TASKS["aclnnMean"](x, [1], 0, torch.float32).item() == pytest.approx(3e38)


def test_compositions_of_the_host_code():
    x = float32(1, 2, 4, -0.0)
    variance = chip.TASKS["aclnnVarCorrection"]
    assert variance(x, [0], 1, 0).item() == pytest.approx(x.var().item(), rel=1e-6)
    assert variance(x, [0], 1, 1).shape == (1,)
    assert math.isnan(variance(float32(1), [0], 1, 0).item())
    assert chip.TASKS["aclnnStd"](x, [0], 0, 0).item() == pytest.approx(x.std(correction=0).item())
    same(chip.TASKS["aclnnLogSumExp"](float32(300, -INF), [0], 0), 300)
    same(chip.TASKS["aclnnLogSumExp"](float32(-INF, -INF), [0], 0), -INF)
    same(chip.TASKS["aclnnSinc"](float32(0, 0.5)), [1, chip.TASKS["aclnnSinc"](float32(0.5))[0]])
    assert chip.TASKS["aclnnSinc"](float32(0.5)).item() == pytest.approx(2 / math.pi, rel=1e-6)
    same(chip.TASKS["aclnnFrac"](float32(-1.5, 2)), [-0.5, 0])


# -- hostile --


def tasks(mode):
    return _modes.tasks(_modes.parse(mode))


def test_transcendental_results_move_by_few_units():
    x = torch.linspace(-3, 3, 4000)
    moved = tasks("hostile:transcendental")["aclnnExp"](x)
    steps = moved.view(torch.int32) - chip.TASKS["aclnnExp"](x).view(torch.int32)
    assert steps.abs().max() == hostile.ULP[torch.float32]
    assert steps.unique().numel() == 5
    exact = float32(0, -INF, INF)
    same(tasks("hostile:transcendental")["aclnnExp"](exact), [1, 0, INF])
    same(tasks("hostile:transcendental")["aclnnLog"](float32(1, 0)), [0, -INF])


def test_an_element_moves_alike_wherever_it_lies():
    task = tasks("hostile:transcendental")["aclnnSin"]
    x = torch.linspace(0.1, 2, 100)
    assert torch.equal(task(x)[7:9], task(x[7:9]))
    assert torch.equal(task(x), task(x))


def test_quotients_and_roots_move_only_where_they_are_rounded():
    changed = tasks("hostile:division")
    a, b = torch.arange(1, 500.0), torch.full((499,), 7.0)
    got = changed["aclnnDiv"](a, b)
    steps = (got.view(torch.int32) - (a / b).view(torch.int32)).abs()
    assert steps.max() == 1
    assert not steps[a % 7 == 0].any()
    same(changed["aclnnSqrt"](float32(4, 0, INF)), [2, 0, INF])
    same(changed["aclnnReciprocal"](float32(0.25, -0.0)), [4, -INF])


def test_sums_depend_on_the_order():
    x = torch.tensor([[1e8, 1.0, -1e8, 1.0] * 8]) * 1.1
    plain = IDEAL["aclnnReduceSum"](x, [1], 0, torch.float32)
    others = {
        tasks("hostile:order")["aclnnReduceSum"](x + i, [1], 0, torch.float32).item()
        - IDEAL["aclnnReduceSum"](x + i, [1], 0, torch.float32).item()
        for i in range(20)
    }
    assert others != {0.0}
    exact = torch.arange(32.0).reshape(4, 8)
    for mode in ("hostile:order", "hostile:sums"):
        got = tasks(mode)["aclnnReduceSum"](exact, [1], 1, torch.float32)
        assert torch.equal(got, exact.sum(1, keepdim=True))
    assert plain.shape == tasks("hostile:sums")["aclnnReduceSum"](x, [1], 0, torch.float32).shape
    product = tasks("hostile:order")["aclnnMatmul"](exact, exact.T, 0)
    assert torch.equal(product, exact @ exact.T)


def test_sums_round_as_often_as_lanes_do():
    x = torch.full((2**20,), 0.1)
    got = tasks("hostile:sums")["aclnnReduceSum"](x, [0], 0, torch.float32).item()
    lane = np.add.accumulate(np.full(2**17, 0.1, np.float32), dtype=np.float32)[-1]
    assert got == pytest.approx(8 * float(lane), rel=1e-6)
    assert abs(got - 2**20 * 0.1) > abs(x.sum().item() - 2**20 * 0.1)


def test_accumulation_goes_in_any_order_and_loses_nothing():
    changed = tasks("hostile:accumulation")
    index = torch.tensor([0, 2, 0, 2, 1])
    x, source = torch.zeros(3), torch.tensor([1.0, 2, 3, 4, 5])
    assert changed["aclnnIndexAdd"](x, 0, index, source, 1).tolist() == [4, 5, 6]
    assert changed["aclnnScatterAdd"](x, 0, index, source).tolist() == [4, 5, 6]
    big = torch.tensor([1e8, 1, -1e8, 1, 1] * 4)
    sums = {
        changed["aclnnIndexAdd"](x, 0, torch.zeros(20, dtype=torch.int64), big + i, 1)[0].item()
        for i in range(8)
    }
    assert len(sums) > 1


def test_sorts_that_need_not_be_stable_are_not():
    changed = tasks("hostile:sort")
    x = int32(*[1] * 20, 0)
    values, index = changed["aclnnSort"](x, 0, 0, 0)
    assert values.tolist() == sorted(x.tolist())
    assert index.tolist() != [20, *range(20)]
    assert sorted(index.tolist()) == list(range(21))
    assert changed["aclnnSort"](x, 1, 0, 0)[1].tolist() == [20, *range(20)]
    values, index = changed["aclnnTopk"](x, 3, 0, 1, 1)
    assert x[index].tolist() == values.tolist() == [1, 1, 1]


def test_subnormals_are_flushed_by_what_computes():
    changed = tasks("hostile:flush")
    x = float32(1e-40, -1e-40, 1)
    same(changed["aclnnMul"](x, float32(1, 1, 1)), [0, -0.0, 1])
    same(changed["aclnnMul"](float32(2e-38), float32(0.5)), [0])
    assert changed["aclnnEqTensor"](x, torch.zeros(3)).tolist() == [True, True, False]
    same(changed["aclnnFlip"](x, [0]), x.flip(0).numpy())
    same(changed["aclnnSWhere"](torch.tensor([True]), x, x), x.numpy())


def test_open_conversions_saturate():
    changed = tasks("hostile:casts")["aclnnCast"]
    assert changed(int32(70000, -70000, 5), torch.int16).tolist() == [32767, -32768, 5]
    assert chip.TASKS["aclnnCast"](int32(70000), torch.int16).tolist() == [70000 - 65536]
    assert changed(torch.tensor([300, -1], dtype=torch.int16), torch.uint8).tolist() == [255, 0]
    assert changed(float32(40000), torch.int16).tolist() == [32767]
    assert changed(torch.tensor([300, -1]), torch.uint8).tolist() == [44, 255]


# -- through torch_npu --


@needs_torch_npu
def test_a_mode_reaches_the_kernels_and_arguments_are_refused_as_by_the_host_code():
    kept = environment("PYTEST", "TORCH", PYTHONPATH=str(ROOT), **{_modes.VARIABLE: "chip"})
    python(str(Path(__file__).with_name("emulated.py")), "modes", env=kept, timeout=300)


# -- by the sources --


def test_sources():
    """Where CANN is installed, every comparison with its kernel sources is within its limit."""
    from tools.cann_kernels import sources
    from tools.cann_kernels.kernels import COMPARISONS, compare

    try:
        root = sources.find()
    except sources.NotFoundError as error:
        pytest.skip(f"NOTHING WAS COMPARED WITH CANN'S KERNELS: {error}")
    with sources.opened(root):
        results = [compare(c, dtype, 500) for c in COMPARISONS for dtype in c.dtypes]
    compared = [result for result in results if not result.refused]
    assert not [result for result in compared if not result.good]
    assert len({result.comparison.file for result in compared}) >= 80
    assert {o.file for o in OPERATORS.values()} <= {r.comparison.file for r in compared}


def test_hostile_modes_take_single_elements_of_any_stride():
    import torch

    from conformance.cann_emulator import hostile

    single = torch.arange(9.0, dtype=torch.float64)[::3][:1]
    assert single.stride() == (3,)
    drawn = [torch.rand(3, generator=hostile._generator(x)) for x in (single, single.clone())]
    assert torch.equal(*drawn)


def test_coverage_names_each_kernel_that_is_launched():
    from tools.cann_kernels.__main__ import coverage

    launched = ("aclnnAdd", "aclnnInplaceAdd", "aclnnLtScalar", "aclnnSort", "aclnnCat")
    assert coverage(Counter(launched), {"aclnnAdd", "aclnnLtTensor"}) == {
        "compared with CANN's source": ["aclnnAdd 1"],
        "another form of such a one": ["aclnnInplaceAdd 1", "aclnnLtScalar 1"],
        "not compared, unknown": ["aclnnSort 1"],
        "not compared, ideal": ["aclnnCat 1"],
    }


def test_kernels_take_the_dtypes_that_they_list():
    half = torch.eye(3, dtype=torch.float16) * 2
    assert IDEAL["aclnnInverse"](half).to(torch.float16).diagonal().tolist() == [0.5] * 3
    assert IDEAL["aclnnCdist"](half, half, 2.0, 0)[0, 1].item() == pytest.approx(8**0.5)
    flags = torch.tensor([True, False])
    assert IDEAL["aclnnAbs"](flags).tolist() == [True, False]
    assert IDEAL["aclnnLogAddExp2"](int32(3), int32(3)).tolist() == [4.0]
    for dtype in (torch.uint16, torch.uint32, torch.uint64):
        bits = torch.iinfo(dtype).bits
        x = torch.tensor([3, 5, 2 ** (bits - 2)], dtype=dtype)
        wanted = [3, 15, 15 * 2 ** (bits - 2) % 2**bits]
        assert IDEAL["aclnnCumprod"](x, 0, dtype).tolist() == wanted


# -- all kernels in all modes --

DTYPES = (
    *(torch.bool, torch.uint8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64),
)
UNARY = """Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Erfc Erfinv Exp Exp2 Expm1 Floor
    Log Log10 Log1p Log2 Neg Reciprocal Round Rsqrt Sigmoid Sign Sin Sinc Sinh Sqrt Tan Tanh
    Trunc"""
BINARY = """Atan2 Div EqTensor FloorDivide FmodTensor LogAddExp LogAddExp2 Maximum Minimum Mul
    PowTensorTensor RemainderTensorTensor XLogYTensor"""
WITH_SCALAR = """Divs FloorDivides FmodScalar Muls PowTensorScalar RemainderTensorScalar
    XLogYScalarOther"""


def calls(dtype):
    """Calls of kernels with tensors of a dtype: of several shapes, strided, without elements."""

    def of(*shape):
        values = (torch.arange(math.prod(shape)) % 7 + 1).reshape(shape) / 8
        whole = dtype != torch.bool and not dtype.is_floating_point and not dtype.is_complex
        return (values * (8 if whole else 1)).to(dtype)

    axis, index = [0], torch.tensor([0, 1, 0])
    for x in (of(), of(0), of(3), of(2, 3), of(3, 2).T, of(2, 3, 4)[:, ::2]):
        for name in UNARY.split():
            yield name, (x,)
        for name in BINARY.split():
            yield name, (x, x)
        for name in WITH_SCALAR.split():
            yield name, (x, 2)
            yield name, (x, 0.5)
        yield "PowScalarTensor", (2.0, x)
        yield "RemainderScalarTensor", (2, x)
        for name in ("Add", "Sub"):
            yield name, (x, x, 1)
            yield name, (x, x, 2)
        for mode in (0, 1, 2) if dtype != torch.bool else ():  # of bool by way of float32
            yield "DivMod", (x, x, mode)
            yield "DivMods", (x, 2, mode)
        yield "Addcmul", (x, x, x, 2)
        yield "Lerp", (x, x, x)
        yield "Softplus", (x, 1.0, 20.0)
        yield "SigmoidBackward", (x, x)
        for other in DTYPES:
            yield "Cast", (x, other)
            yield "InplaceCopy", (torch.empty(x.shape, dtype=other), x)
        for name in ("ReduceSum", "Mean", "ReduceNansum"):
            yield name, (x, [], 0, dtype)
            yield name, (x, [], 1, dtype)
        if x.ndim and x.numel():
            for name in ("ReduceSum", "Mean"):
                yield name, (x, axis, 0, dtype)
                yield name, (x, [-1], 1, dtype)
            yield "ProdDim", (x, 0, 0, dtype)
            yield "LogSumExp", (x, axis, 0)
            yield "VarMean", (x, axis, 0, 1)
            yield "LinalgVectorNorm", (x, 2.0, axis, 0, dtype)
            yield "Cumsum", (x, 0, dtype)
            yield "Sort", (x, 0, 0, 1)
            yield "Topk", (x, 2, 0, 1, 1)
            yield "IndexAdd", (x, 0, index, x.index_select(0, index), 1)
    square = of(3, 3)
    yield "Matmul", (square, square, 0)
    yield "Matmul", (square, square[0], 0)
    yield "Matmul", (of(2, 3, 3), square, 0)
    yield "Dot", (square[0], square[0])
    yield "Mv", (square, square[0], 0)
    yield "Addmm", (square, square, square, 1, 1, 0)
    yield "ScatterAdd", (square, 0, torch.zeros(2, 3, dtype=torch.int64), square)
    for put in (0, 1):
        yield "IndexPutImpl", (square, [index], square, put, 0)
        yield "IndexPutImpl", (square, [index, index], square[0], put, 0)


def results(task, arguments):
    """The results of a call, None where it is none."""
    try:
        found = task(*arguments)
    except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError):
        return None
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.filterwarnings("ignore:Casting complex values to real")
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("mode", ["chip", *(f"hostile:{name}" for name in _modes.FAMILIES)])
def test_what_an_ideal_kernel_takes_all_modes_take(mode, dtype):
    changed, count = tasks(mode), 0
    for name, arguments in calls(dtype):
        kernel = f"aclnn{name}"
        if changed[kernel] is IDEAL[kernel]:
            continue
        wanted = results(IDEAL[kernel], arguments)
        if wanted is None:
            continue
        count += 1
        found = changed[kernel](*arguments)
        for a, b in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
            assert a.shape == b.shape, (name, arguments)
            assert a.dtype.is_complex == b.dtype.is_complex, (name, arguments)
            assert a.is_floating_point() == b.is_floating_point(), (name, arguments)
    assert count
