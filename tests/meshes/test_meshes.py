"""Arrays over several devices, which one process simulates: layouts, writes, errors, gathers."""

from __future__ import annotations

import copy
import importlib
import itertools
import pickle
import threading
import time
import warnings

import numpy as np
import pytest
import torch
from parametrize import listing, others_nightly
from processes import calling, python
from refusals import refused

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._backends.mesh import _transport
from ascend_array_api._backends.mesh._sharded import extents
from ascend_array_api._backends.mesh._transport import bytes_of as as_bytes
from ascend_array_api._backends.mesh._watch import RanksError, Watch
from ascend_array_api._backends.mesh.ordering import _owner
from ascend_array_api._devices.device import parse, spec
from ascend_array_api._routes import indexing, judging, random
from ascend_array_api._routes._kernels import Kernels


@pytest.fixture
def three():
    return xd.init("cpu", simulate=3)


def host(x):
    return np.asarray(xd.gather(x))


NUMBERS = np.arange(35.0).reshape(7, 5) % 11 - 4


# --- layouts --------------------------------------------------------------------------------------


def test_a_mesh_is_a_device():
    mesh = xd.init("cpu", simulate=9)  # no other test makes another mesh of this name
    assert mesh not in xp.__array_namespace_info__().devices()
    assert xp.zeros(9, device=str(mesh)).device is mesh
    with xp.options(device=mesh):
        assert xp.__array_namespace_info__().default_device() is mesh
        assert mesh in xp.__array_namespace_info__().devices()
        assert xp.ones(9).device is mesh


@pytest.mark.parametrize(("size", "name"), [(1, "mesh(cpu, 1)"), (2, "mesh(cpu, 2, simulated)")])
def test_a_mesh_of_several_devices_in_one_process_says_that_they_are_simulated(size, name):
    mesh = xd.init("cpu", simulate=size)
    assert str(mesh) == name
    assert xd.rank(mesh) == 0


def test_as_many_meshes_as_are_said(monkeypatch):
    monkeypatch.setattr(_transport, "_numbers", itertools.count(_transport._FIRST))
    keys = {_transport.fresh_key() for _ in range(64)}
    assert len(keys) == 64
    with pytest.raises(RuntimeError, match="a process can have 64 meshes, and has them"):
        _transport.fresh_key()


@pytest.mark.parametrize(
    "make",
    [
        lambda x: xp.zeros_like(x),
        lambda x: xp.ones_like(x),
        lambda x: xp.empty_like(x),
        lambda x: xp.full_like(x, 2.0),
        lambda x: xp.asarray(NUMBERS, device=x.device),
        lambda x: xp.arange(7, device=x.device),
        lambda x: xp.linspace(0, 1, 7, device=x.device),
        lambda x: xp.eye(7, device=x.device),
        lambda x: xp.random.default_rng(1, device=x.device).normal(size=(7, 2)),
        lambda x: xp.astype(x, xp.float32),
        lambda x: x + 1,
        lambda x: xp.exp(x) > 2,
        lambda x: x * xp.sum(x, axis=0),
        lambda x: xp.sum(x, axis=1),
        lambda x: x @ xd.replicate(xp.ones((5, 2), dtype=x.dtype, device=x.device)),
        lambda x: copy.copy(x),
    ],
)
def test_results_are_divided(make, three):
    made = make(xp.asarray(NUMBERS, device=three))
    assert made.device is three
    assert xd.layout(made) == xd.Layout(0, (3, 3, 1))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 12])
@pytest.mark.parametrize("axis", [0, 1])
def test_parts_are_those_of_torch(n, axis, mesh):
    size = len(mesh.backend.transport.ranks)
    x = np.arange(n * 2).reshape((n, 2) if axis == 0 else (2, n))
    divided = xd.shard(x, axis, device=mesh)
    assert [p.shape[axis] for p in xd.parts(divided)] == [length for _, length in extents(n, size)]
    chunks = torch.from_numpy(x).chunk(size, axis) if n else ()
    for part, chunk in zip(xd.parts(divided), chunks):
        np.testing.assert_array_equal(np.asarray(part), chunk.numpy())
    np.testing.assert_array_equal(host(divided), x)


def test_goes_from_layout_to_layout(mesh):
    x = xd.shard(NUMBERS, 1, device=mesh)
    assert xd.shard(x, 1) is x
    assert xd.layout(xd.shard(x, 0)).axis == 0
    assert xd.layout(xd.replicate(x)) == xd.Layout(None, ())
    np.testing.assert_array_equal(host(xd.shard(x, -2)), NUMBERS)
    np.testing.assert_array_equal(np.asarray(x.to_device("cpu")), NUMBERS)


def test_puts_parts_of_any_sizes_together(three):
    pieces = [NUMBERS[:1], NUMBERS[1:1], NUMBERS[1:]]
    x = xd.from_parts([p.copy() for p in pieces], device=three)
    assert xd.layout(x).sizes == (3, 3, 1)
    np.testing.assert_array_equal(host(x), NUMBERS)
    with pytest.raises(ValueError, match="differ in shape apart from axis 0"):
        xd.from_parts([NUMBERS, NUMBERS[:, :1], NUMBERS], device=three)
    with pytest.raises(ValueError, match="differ in shape apart from axis 1"):
        xd.from_parts([NUMBERS, NUMBERS[:1], NUMBERS], axis=1, device=three)
    vector = xd.from_parts([NUMBERS[0], NUMBERS[0, :2], NUMBERS[1, 2:]], device=three)
    np.testing.assert_array_equal(host(vector), [*NUMBERS[0], *NUMBERS[0, :2], *NUMBERS[1, 2:]])
    side = xd.from_parts([NUMBERS[:, :1], NUMBERS[:, 1:], NUMBERS], axis=1, device=three)
    np.testing.assert_array_equal(host(side), np.concatenate([NUMBERS, NUMBERS], 1))
    with pytest.raises(ValueError, match="differ in data type"):
        xd.from_parts([np.zeros(2), np.zeros(2, int), np.zeros(2)], device=three)


test_what_is_refused = refused(
    r"""
[ValueError]
expected a mesh, got cpu | xd.shard(a, device="cpu"); xd.replicate(a, device="cpu")
expected a mesh, got cpu | xd.from_parts(a, device="cpu"); xd.load("kept", device="cpu")
^init: simulate must be a positive number | xd.init("cpu", simulate=0)
^init: .*is one already | xd.init(three, simulate=2)
^save: .*expected arrays on one mesh, got cpu | xd.save({"x": v}, "kept")
different devices | xp.add(ones, xp.ones(3, device="cpu"))
different devices | xp.add(ones, xp.ones(3, device=xd.init("cpu", simulate=2)))
^.*gather must be one of 'warn', 'error', 'allow' | xp.options(gather="never")
[TypeError]
expected Array | xd.layout(a); xd.parts(a); xd.gather(a)
there is no 'dim'|'dim' is 'axis' here | xd.shard(ones, dim=0)
it takes 1 positional argument | xd.gather(ones, 0)
it takes 1 positional argument, and 'simulate=2' | xd.init("cpu", 2)
'x' is missing | xd.replicate()
there is no 'reset' | xd.gather_report(reset=True)
there is no 'where' | xd.layout(ones, where=1)
there is no 'devices'\. Its form is | xd.shard(a, axis=0, devices=2, device=three)
'axis' goes by position | xd.shard(ones, 0, axis=0)
there is no 'devices' | xd.init(devices="cpu")
^save: x | xd.save({"x": 3}, "kept")
""",
    xd=lambda: xd,
    a=lambda: np.ones(3),
    three=lambda: xd.init("cpu", simulate=3),
    ones=lambda: xp.ones(3, device=xd.init("cpu", simulate=3)),
)


def test_what_is_empty_has_parts_on_each_device(three):
    x = xd.shard(NUMBERS, 1, device=three)
    for made in (xp.empty((7, 5), device=three), xp.empty_like(x)):
        layout = xd.layout(made)
        assert len(layout.sizes) == 3
        assert sum(layout.sizes) == (7, 5)[layout.axis]
        made[...] = 1.5
        assert float(xp.sum(made)) == 1.5 * 35


def test_positions_are_where_they_are_taken(three):
    x = xd.shard(NUMBERS, 0, device=three)
    with xp.options(relaxed=True, device="cpu"):
        for positions in ([0, 2, -1], np.asarray([0, 2, -1]), xp.asarray([0, 2, -1], device=three)):
            taken = xp.take(x, positions, 0)
            assert taken.device is three
            np.testing.assert_array_equal(host(taken), NUMBERS[[0, 2, -1]])
        with pytest.raises(ValueError, match="different devices"):
            xp.take(x, xp.asarray([0, 1]), 0)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (6,), (6, 2), (5, 2), (1, 6)])
def test_a_size_that_is_left_out_is_found(shape, mesh):
    x = np.arange(np.prod(shape)).reshape(shape)
    with xp.options(gather="allow"):
        for axis in range(x.ndim):
            flat = xp.reshape(xd.shard(x, axis, device=mesh), (-1,))
            np.testing.assert_array_equal(host(flat), x.reshape(-1))
        with pytest.raises(ValueError, match="reshape: an array of shape"):
            xp.reshape(xd.shard(x, 0, device=mesh), (0, -1))


# --- writes ---------------------------------------------------------------------------------------


def _set(key, value):
    def write(x, array):
        x[key] = array(value) if isinstance(value, np.ndarray) else value

    return write


def _in_place(x, array):
    x += array(NUMBERS[0])
    x *= x
    x[..., 1:] -= x[..., :-1]


def _by_mask(x, array):
    x[x > 3] = 0.5
    x[array(NUMBERS[:, 0]) < 0, ...] = array(NUMBERS[0])


@pytest.mark.parametrize(
    "write",
    [
        _set((..., 2), NUMBERS[:, 0]),
        _set(..., NUMBERS * 2),
        _in_place,
        _by_mask,
        lambda x, array: x.__setitem__(array(NUMBERS[:, 0] < 3), array(np.asarray(0.5))),
        lambda x, _: x.__setitem__((slice(1, None), ...), x[:-1, ...]),
    ],
)
@pytest.mark.parametrize("axis", [0, 1, None])
def test_writes_reach_every_part(write, axis, mesh):
    """Of other keys `test_gets_and_sets` of test_along.py does so."""
    expected = NUMBERS.copy()
    write(expected, np.array)
    with xp.options(device=mesh, gather="allow"):
        x = xd.replicate(NUMBERS) if axis is None else xd.shard(NUMBERS, axis)
        write(x, xp.asarray)
        assert xd.layout(x).axis == axis
    np.testing.assert_array_equal(host(x), expected)


PLACES = np.asarray([[3, 0, 3, 6], [6, 1, 0, 3]])


@pytest.mark.parametrize("positions", [0, 1, None])
@pytest.mark.parametrize("axis", [0, 1])
def test_the_last_of_several_writes_to_a_place_stays(axis, positions, mesh):
    expected = NUMBERS.copy()
    values = np.arange(PLACES.size * 5.0).reshape(*PLACES.shape, 5)
    expected[PLACES, ...] = values
    with xp.options(device=mesh, gather="allow"):
        x = xd.shard(NUMBERS, axis)
        places = xd.replicate(PLACES) if positions is None else xd.shard(PLACES, positions)
        x[places, ...] = xp.asarray(values)
    np.testing.assert_array_equal(host(x), expected)


ROWS, COLUMNS = np.asarray([[3, 0, 6, 3]]), np.asarray([[2], [-1]])


@pytest.mark.parametrize("columns", [0, 1, None])
@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("axis", [0, 1])
def test_positions_that_are_broadcast_may_be_divided(axis, rows, columns, mesh):
    expected = NUMBERS.copy()
    values = np.arange(8.0).reshape(2, 4)
    expected[ROWS, COLUMNS] = values
    with xp.options(device=mesh, gather="allow"):
        own = xd.shard(ROWS, rows), xd.replicate(COLUMNS)
        own = own if columns is None else (own[0], xd.shard(COLUMNS, columns))
        for x in (xd.shard(NUMBERS, axis), xd.replicate(NUMBERS)):
            np.testing.assert_array_equal(host(x[own]), NUMBERS[ROWS, COLUMNS])
            x[own] = xp.asarray(values)
            np.testing.assert_array_equal(host(x), expected)


@pytest.mark.parametrize("axis", [0, 1, None])
def test_positions_along_a_column(axis, mesh):
    column, places = NUMBERS[:, :1], np.asarray([[6], [0], [-2], [3]])
    given = xd.replicate(places, device=mesh)
    given = given if axis is None else xd.shard(given, axis)
    made = xp.take_along_axis(xd.shard(column, 0, device=mesh), given, axis=0)
    np.testing.assert_array_equal(host(made), np.take_along_axis(column, places, 0))


def test_positions_beyond_are_refused_without_gathers(three):
    places = xp.asarray([0, 7, 2], device=three)
    with xp.options(gather="error", device=three):
        for values in (NUMBERS, NUMBERS[:, :0], NUMBERS[:2], NUMBERS[:2, :0]):
            for x in (xd.shard(values, 0), xd.replicate(values)):
                with pytest.raises(IndexError, match=f"index 7 is out of .* size {len(values)}"):
                    xp.take(x, places, axis=0)


@pytest.mark.parametrize("bad", [False, True])
@pytest.mark.parametrize("dims", [(0,), (1,), (0, 1)])
def test_positions_are_written_to_part_by_part_or_not_at_all(dims, bad, mesh):
    places = [np.asarray([4, -1, 0, 4]), np.asarray([2, 0, -1, 1])][: len(dims)]
    if bad:
        places[0][1] = -8
    key = (slice(None), *places) if dims == (1,) else tuple(places)
    expected = NUMBERS.copy()
    shape = expected[:, :4].shape if dims == (1,) else (4, 5)[: 3 - len(dims)]
    values = np.arange(float(np.prod(shape))).reshape(shape)
    if not bad:
        expected[key] = values
    with xp.options(device=mesh, gather="error"):
        x, given = xp.asarray(NUMBERS), xd.shard(values, len(shape) - 1)._tensor
        own = [xd.replicate(p)._tensor for p in places]
        judging.put_inside.on(x._spec)(x._tensor, own, given, dims)
        if bad:
            with pytest.raises((IndexError, RuntimeError), match=r"positions reach from -8 to 4"):
                indexing.index_put.on(x._spec)(x._tensor, own, given, dims)
        else:
            again = xp.asarray(NUMBERS)
            indexing.index_put.on(x._spec)(again._tensor, own, given, dims)
            np.testing.assert_array_equal(host(again), expected)
    np.testing.assert_array_equal(host(x), expected)


def test_views_within_parts_share_memory_and_views_across_them_reach_it(three):
    x = xd.shard(NUMBERS, 0, device=three)
    x[:, 1:3][...] = 0.0
    with xp.options(gather="allow"):
        x[0:2, :][...] = 100.0
    expected = NUMBERS.copy()
    expected[:, 1:3] = 0.0
    expected[0:2] = 100.0
    np.testing.assert_array_equal(host(x), expected)


def test_no_memory_is_of_two_devices(three):
    small = xp.zeros(2, device="cpu")
    there = small.to_device(three)
    back = there.to_device("cpu")
    there += 1
    assert float(xp.sum(small)) == float(xp.sum(back)) == 0.0


# --- values ---------------------------------------------------------------------------------------


def test_values_that_decide_are_of_the_whole(mesh):
    x = xp.asarray(NUMBERS, device=mesh)
    assert float(xp.sum(x)) == NUMBERS.sum()
    assert int(xp.count_nonzero(x)) == np.count_nonzero(NUMBERS)
    assert bool(xp.any(x > 5))
    assert not bool(xp.all(x > 5))
    assert float(x[4, 2]) == NUMBERS[4, 2]
    with xp.options(gather="allow"):
        assert [float(row[1]) for row in x] == list(NUMBERS[:, 1])


def test_divisors_in_any_part_raise(mesh):
    divisors = np.asarray([1, 2, 3, 4, 5, 6, 0])
    with xp.options(device=mesh, gather="error"):
        x = xp.asarray(divisors)
        whole = xd.replicate(x)
        for divide in (
            lambda: 7 // x,
            lambda: x % x,
            lambda: xp.floor_divide(x, x),
            lambda: xp.ones_like(x) // whole,  # of which one part alone has the zero
            lambda: x // xp.asarray(0),
        ):
            with pytest.raises(ZeroDivisionError, match="integer was divided by zero"):
                divide()
        assert (xd.shard(xp.ones(0, dtype=xp.int64)) // xp.asarray(0)).shape == (0,)  # as in NumPy


def test_relaxed_mode_divides_parts_by_zero_as_numpy(mesh):
    x, y = np.arange(9) + 1, np.arange(9) % 3
    with np.errstate(all="ignore"):
        expected = [x // y, x % y, x // 0, 5 % y]
    with xp.options(device=mesh, relaxed=True):
        a, b = xp.asarray(x), xp.asarray(y)
        ways = [lambda: a // b, lambda: a % b, lambda: a // 0, lambda: 5 % b]
        for way, wanted in zip(ways, expected):
            with pytest.warns(RuntimeWarning, match="divide by zero encountered in"):
                quotient = way()
            assert quotient.device is mesh
            np.testing.assert_array_equal(np.asarray(quotient.to_device("cpu")), wanted)


@pytest.mark.nightly
def test_compiled_code_computes_with_parts_between_graphs(three):
    def program(x):
        z = x / xp.std(x, axis=0)
        return xp.cumulative_sum(z, axis=0) if xp.any(z > 2) else z

    torch._dynamo.reset()
    with warnings.catch_warnings():
        # torch's own, as the compiler is imported
        warnings.filterwarnings("ignore", "`torch.jit", DeprecationWarning)
        compiled = torch.compile(program, backend="eager")
        for device in (three, "cpu", three):
            x = xp.asarray(NUMBERS, device=device)
            made, expected = compiled(x), program(x)
            assert made.device is expected.device
            assert bool(xp.all(made == expected))
        torch._dynamo.reset()
        with pytest.raises(torch._dynamo.exc.Unsupported):
            torch.compile(program, backend="eager", fullgraph=True)(
                xp.asarray(NUMBERS, device=three)
            )
    torch._dynamo.reset()


def test_what_is_wrong_is_said_as_on_one_device(mesh):
    with xp.options(device=mesh, gather="allow"):
        x = xp.asarray(NUMBERS)
        for wrong in (
            lambda d: xp.take(xp.asarray(NUMBERS, device=d), xp.asarray([9], device=d), axis=0),
            lambda d: xp.take(xp.ones((7, 0, 2), device=d), xp.asarray([2], device=d), axis=2),
            lambda d: xp.ones((0, 1, 2), device=d)[:, xp.asarray([1], device=d), ...],
            lambda d: xp.ones((0, 1), device=d).__setitem__((..., xp.asarray([1], device=d)), 0.0),
            lambda d: xp.ones((7, 5), device=d) @ xp.ones((7, 5), device=d),
            lambda d: xp.ones((7, 5), device=d) + xp.ones((7, 4), device=d),
            lambda d: xp.linalg.inv(xp.zeros((7, 7), device=d)),
            lambda d: xp.max(xp.ones((7, 0), device=d)),
            lambda d: xp.reshape(xp.ones((7, 5), device=d), (4, 4)),
        ):
            with pytest.raises(Exception) as there:
                wrong(mesh)
            with pytest.raises(Exception) as here:
                wrong("cpu")
            assert type(there.value) is type(here.value)
            assert str(there.value) == str(here.value)
        assert x.device is mesh


def _on(g, values):
    return xp.asarray(values, dtype=xp.float64, device=g.device)


_RATES = np.array([[0.5], [1.5], [2.5], [12.5], [20.0], [3.0], [7.0]])
DRAWS = {
    "random": lambda g, size, t: g.random(size, dtype=t),
    "standard_normal": lambda g, size, t: g.standard_normal(size, dtype=t),
    "uniform": lambda g, size, t: g.uniform(1.0, 3.0, size, dtype=t),
    "triangular": lambda g, size, t: g.triangular(1.0, 2.0, 3.0, size, dtype=t),
    "exponential": lambda g, size, t: g.exponential(2.0, size, dtype=t),
    "laplace": lambda g, size, t: g.laplace(1.0, 2.0, size, dtype=t),
    "standard_t": lambda g, size, t: g.standard_t(3.0, size, dtype=t),
    "gamma": lambda g, size, t: g.gamma(0.3, 2.0, size, dtype=t),
    "beta": lambda g, size, t: g.beta(0.3, 2.0, size, dtype=t),
    "f": lambda g, size, t: g.f(3.0, 2.0, size, dtype=t),
    "vonmises": lambda g, size, t: g.vonmises(3.0, 2.0, size, dtype=t),
    "wald": lambda g, size, t: g.wald(3.0, 2.0, size, dtype=t),
    "noncentral_f": lambda g, size, t: g.noncentral_f(3.0, 5.0, 2.0, size, dtype=t),
    "dirichlet": lambda g, size, t: g.dirichlet([1.0, 0.4, 2.0], size, dtype=t),
    "complex": lambda g, size, _: g.normal(1 + 2j, 3.0, size, dtype=xp.complex64),
    "integers": lambda g, size, _: g.integers(0, 100, size),
    "wide integers": lambda g, size, _: g.integers(-(2**62), 2**62 + 5, size),
    "int8": lambda g, size, _: g.integers(1, 127, size, xp.int8, endpoint=True),
    "poisson": lambda g, size, _: g.poisson(40.0, size),
    "binomial": lambda g, size, _: g.binomial(100, 0.4, size),
    "geometric": lambda g, size, _: g.geometric(0.4, size),
    "logseries": lambda g, size, _: g.logseries(0.8, size),
    "negative_binomial": lambda g, size, _: g.negative_binomial(5.0, 0.3, size),
    "zipf": lambda g, size, _: g.zipf(1.7, size),
    "hypergeometric": lambda g, size, _: g.hypergeometric(60, 80, 70, size),
    "multinomial": lambda g, size, _: g.multinomial(50, [0.2, 0.3, 0.5], size),
    "multivariate_hypergeometric": lambda g, size, _: g.multivariate_hypergeometric(
        [16, 8, 40], 30, size
    ),
    "choice": lambda g, size, _: g.choice(30, size),
    "weighted choice": lambda g, size, _: g.choice(4, size, p=[0.1, 0.2, 0.3, 0.4]),
    "without replacement": lambda g, size, _: g.choice(60, size, replace=False),
    "permuted": lambda g, size, _: g.permuted(xp.ones(size, device=g.device), axis=0),
}
GIVEN = {
    "permutation": lambda g: g.permutation(11),
    "permutation of rows": lambda g: g.permutation(_on(g, NUMBERS)),
    "permutation of columns": lambda g: g.permutation(_on(g, NUMBERS), axis=1),
    "permuted": lambda g: g.permuted(_on(g, NUMBERS)),
    "permuted rows": lambda g: g.permuted(_on(g, NUMBERS), axis=1),
    "choice": lambda g: g.choice(_on(g, NUMBERS), (2, 2)),
    "normal": lambda g: g.normal(_on(g, _RATES), _on(g, [1.0, 2.0])),
    "columns": lambda g: g.normal(_on(g, NUMBERS[:5]).T, 2.0),
    "gamma": lambda g: g.gamma(_on(g, _RATES), 1.0, (7, 3)),
    "poisson": lambda g: g.poisson(_on(g, _RATES), (7, 3)),
    "binomial": lambda g: g.binomial(100, _on(g, _RATES / 25)),
    "integers": lambda g: g.integers(0, xp.astype(_on(g, _RATES) + 3, xp.int64), (7, 2)),
    "hypergeometric": lambda g: g.hypergeometric(
        _on(g, [0, 5, 20, 50, 100, 1000, 7]), 100, _on(g, [3, 50, 60, 100, 100, 90, 107])
    ),
    "multinomial": lambda g: g.multinomial(50, _on(g, [[0.2, 0.8]] * 7)),
    "multivariate_hypergeometric": lambda g: g.multivariate_hypergeometric(
        _on(g, [[20, 80]] * 7), 50
    ),
    "dirichlet": lambda g: g.dirichlet(_on(g, _RATES + [1.0, 2.0])),
    "vectors": lambda g: g.multivariate_normal(_on(g, np.ones(4)), _on(g, np.eye(4)), 9),
    "Native": lambda g: xp.random.Generator(xp.random.Native(1, device=g.device)).poisson(
        _on(g, _RATES)
    ),
}


def _of_one_device(draw):
    one = xp.random.default_rng(5, device="cpu")
    expected = np.asarray(draw(one))
    for size in (1, 2, 3, 8):
        rng = xp.random.default_rng(5, device=xd.init("cpu", simulate=size))
        made = draw(rng)
        np.testing.assert_array_equal(host(made), expected)
        assert rng.bit_generator.state == one.bit_generator.state
        if made.ndim and made.shape[0] >= size:
            assert xd.layout(made).axis == 0


@pytest.mark.parametrize(
    ("size", "dtype"), [((), "float16"), ((11,), "float32"), ((7, 3), "float64")]
)
@pytest.mark.parametrize("draw", [k for k in DRAWS if k != "permuted"])
def test_random_streams_are_those_of_one_device(draw, size, dtype):
    with xp.options(gather="error"):
        _of_one_device(lambda g: DRAWS[draw](g, size, getattr(xp, dtype)))


@pytest.mark.parametrize("draw", GIVEN)
def test_streams_for_arrays_are_those_of_one_device(draw):
    with xp.options(gather="allow"):
        _of_one_device(GIVEN[draw])


@pytest.mark.parametrize("draw", others_nightly(DRAWS, 10))
def test_each_device_draws_its_part_alone(draw, monkeypatch):
    counts: list[int] = []
    for op, dtype in (
        (random.uniform, xp.float32),
        (random.uniform, xp.float64),
        (random.normal, xp.float32),
        (random.philox, xp.int32),
        *((made, d) for made in (random.of_integers, random.tried) for d in made.dtypes),
    ):
        kernel = op.on(spec(dtype, parse("cpu")))

        def counted(counter, key, count, *rest, kernel=kernel):
            offsets = rest[-1]
            some = isinstance(offsets, (torch.Tensor, range))
            counts.append(len(offsets) if some else count)
            return kernel(counter, key, count, *rest)

        kernels = Kernels(counted, counted, counted)
        monkeypatch.setitem(op.kernels, spec(dtype, parse("cpu")), kernels)
    most = {}
    for device in (parse("cpu"), xd.init("cpu", simulate=4)):
        counts.clear()
        DRAWS[draw](xp.random.default_rng(5, device=device), 40, xp.float32)
        most[device] = max(counts)
    # A part may begin within a block.
    assert max(counts) <= most[parse("cpu")] / 4 + 3


def test_what_is_wrong_with_parameters_leaves_the_stream_alone(three):
    rng = xp.random.default_rng(5, device=three)
    before = rng.bit_generator.state
    with xp.options(gather="error"), pytest.raises(ValueError, match="scale must not be negative"):
        rng.normal(0.0, xp.asarray([1.0, 2.0, 3.0, 4.0, -5.0], device=three))
    assert rng.bit_generator.state == before


@pytest.mark.parametrize("axis", [0, 1])
def test_derivatives_are_those_of_one_device(axis, three):
    def loss(x):
        weights = xp.asarray(NUMBERS[0], device=x.device)
        return xp.sum(xp.tanh(x * weights) ** 2) + xp.std(x[..., :2])

    with xp.options(gather="allow"):
        leaf = xp.to_torch(xp.asarray(NUMBERS, device="cpu")).clone().requires_grad_()
        loss(xp.asarray(leaf)).__array_namespace__()
        xp.to_torch(loss(xp.asarray(leaf))).backward()
        x = xd.shard(NUMBERS, axis, device=three)
        x._tensor.requires_grad_()
        value = loss(x)
        xp.to_torch(value).backward()
    got = host(xp.asarray(x._tensor.grad))
    np.testing.assert_allclose(got, leaf.grad.numpy(), rtol=1e-9, atol=1e-12)


# --- what leaves ----------------------------------------------------------------------------------


def test_shows_this_processs_part_without_a_word_to_others(three):
    x = xp.asarray(NUMBERS, device=three)
    total, before = xp.sum(x), three.backend.transport.calls
    text = repr(x)
    assert "part='[0:3] of 7 along axis 0'" in text
    assert text.startswith(repr(NUMBERS[:3]).replace("array(", "Array(").rstrip(")"))
    assert "part" in x._repr_html_()
    assert "part" not in repr(total)
    assert three.backend.transport.calls == before


def test_refuses_what_would_be_a_part_alone(three):
    x = xp.asarray(NUMBERS, device=three)
    with pytest.raises(TypeError, match="of which a process has a part"):
        pickle.dumps(x)
    with pytest.raises(TypeError, match="where NumPy cannot reach it"):
        np.asarray(x)
    with pytest.raises(ValueError, match=r"gather\(x\), or of this process's .*to_dtensor\(x\)"):
        xp.to_torch(x)
    assert xp.to_torch(xd.replicate(x)).tolist() == NUMBERS.tolist()
    with xp.options(relaxed=True, host_fallback="allow"):
        for copy in (None, True):
            np.testing.assert_array_equal(np.array(x, copy=copy), NUMBERS)
        with pytest.raises(TypeError, match="where NumPy cannot reach it"):
            np.array(x, copy=False)
    with pytest.raises(BufferError, match="needs a copy to be exported as a whole"):
        x.__dlpack__(copy=False)
    with xp.options(gather="allow"):
        np.testing.assert_array_equal(np.from_dlpack(x), NUMBERS)


# --- gathers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1])
def test_results_of_gathered_arrays_are_divided_as_these_were(mesh, axis):
    x = xd.shard(NUMBERS[:5], axis, device=mesh)
    with xp.options(gather="allow"):
        made = xp.linalg.pinv(x)
    assert xd.gather_report()
    assert xd.layout(made).axis == axis
    np.testing.assert_allclose(host(made), np.linalg.pinv(host(x)), atol=1e-9)


def test_values_are_looked_for_by_all_ranks():
    for values in (torch.linspace(0.0, 1.0, 99), torch.arange(99), torch.linspace(0, 1, 99) * 1j):
        assert set(_owner(values, 4).tolist()) == {0, 1, 2, 3}
    assert len(set(_owner(torch.tensor([0.0, -0.0]), 64).tolist())) == 1


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_determinants_of_divided_stacks(three, axis):
    values = np.random.default_rng(5).normal(size=(4, 5, 5))
    x = xd.shard(values, axis, device=three)
    with xp.options(gather="allow"):
        made = (xp.linalg.det(x), *xp.linalg.slogdet(x))
    for ours, theirs in zip(made, (np.linalg.det(values), *np.linalg.slogdet(values))):
        np.testing.assert_allclose(host(ours), theirs, rtol=1e-12)


@pytest.mark.parametrize("compiler", [False, True])
def test_gathers_are_seen(three, compiler):
    if compiler:  # then a frame of its calls what it is to leave alone
        importlib.import_module("torch._dynamo")
    xd.gather_report(clear=True)
    x = xp.asarray(NUMBERS, device=three)
    with pytest.warns(xd.GatherWarning, match="pinv of 280 bytes on mesh.* gathers them") as caught:
        xp.linalg.pinv(x)
    (warning,) = [w for w in caught if w.category is xd.GatherWarning]  # others may come beside it
    assert warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xp.linalg.pinv(x)  # once for each operation
    (entry,) = xd.gather_report()
    assert (entry.operation, entry.count, entry.bytes) == ("pinv", 2, 560)
    assert [place.rpartition(":")[0] for place in entry.where] == [__file__, __file__]
    assert xd.gather_report(clear=True) == [entry]
    assert xd.gather_report() == []


def test_a_warning_made_an_error_comes_each_time(three):
    xd.gather_report(clear=True)
    x = xp.asarray(NUMBERS, device=three)
    for _ in range(2):
        with warnings.catch_warnings(), pytest.raises(xd.GatherWarning):
            warnings.simplefilter("error")
            xp.linalg.pinv(x)


def test_gathers_can_be_forbidden_and_allowed(three):
    x = xp.asarray(NUMBERS, device=three)
    with xp.options(gather="error"), pytest.raises(xd.GatherError, match="forbids it"):
        xp.linalg.pinv(x)
    # Not even where the shapes of the operands are none that could be broadcast.
    with xp.options(gather="error"), pytest.raises(xd.GatherError, match="forbids it"):
        xp.searchsorted(x[:0, 0], xd.replicate(x[0, :]))
    with xp.options(gather="allow"), warnings.catch_warnings():
        warnings.simplefilter("error")
        xp.linalg.pinv(x)


@listing(
    "compute",
    [
        lambda x: (x - xp.mean(x, axis=0)) / xp.std(x, axis=0),
        lambda x: x[3, 2] + x[-1, 0],
        lambda x: x[..., 0].__setitem__(..., 1.0),
        lambda x: x.__setitem__((..., slice(1, 3)), 1.0),
        lambda x: x.__setitem__((slice(2, 5), ...), x[:3, :]),
        lambda x: x.__setitem__(x > 1, 0.0),
        lambda x: x.__setitem__((xp.asarray([5, 0, 2, 2], device=x.device), ...), x[:4, :]),
        lambda x: x.__setitem__((..., xd.replicate(xp.asarray([4, 0, 4]), device=x.device)), 1.0),
        lambda x: x.__setitem__((slice(2, 5), xd.replicate(xp.asarray([1]), device=x.device)), 1.0),
        lambda x: xp.where(x > 0, x, 0.0),
        lambda x: xp.special.betaincinv(x + 5, 2.0, 0.5 + 0 * x),
        lambda x: xp.special.gammaincinv(x + 5, 0.5 + 0 * x),
        lambda x: xp.fft.rfftn(x),
        lambda x: xp.fft.irfftn(xp.astype(x, xp.complex64)),
        lambda x: x + xp.permute_dims(xp.reshape(x, (5, 7)), (1, 0)),
        lambda x: x @ xp.permute_dims(x, (1, 0)),
        lambda x: xp.tensordot(x, x, axes=2),
        lambda x: xp.unstack(x),
        lambda x: xp.take(xd.replicate(x), xp.asarray([5, 0, 2, 2], device=x.device), axis=0),
        lambda x: xp.take(x, xp.asarray([5, 0, 2, 2], device=x.device), axis=0),
        lambda x: xp.random.default_rng(1, device=x.device).normal(x, 1.0),
    ],
)
def test_these_need_no_gather(compute, three):
    """What has other forms that gather; test_along.py and the page of functions hold the rest."""
    with xp.options(gather="error"):
        compute(xp.asarray(NUMBERS, dtype=xp.float32, device=three))


SAVED = {
    **{name: (name, 0) for name in ("bool", "int8", "uint16", "uint64", "bfloat16", "complex128")},
    "columns": ("float32", 1),
    "whole": ("float64", None),
}


def kept(mesh):
    """Return arrays to save: some of few rows, one with none, a number."""
    made = {}
    for name, (dtype, axis) in SAVED.items():
        values = np.arange(35).reshape(7, 5) % (2 if dtype == "bool" else 100)
        x = xp.asarray(values, dtype=getattr(xp, dtype), device="cpu")
        made[name] = (
            xd.replicate(x, device=mesh) if axis is None else xd.shard(x, axis, device=mesh)
        )
    made["few"] = xp.ones((1, 3), device=mesh)
    made["none"] = xp.zeros((0, 3), device=mesh)
    made["divided, with none"] = xd.shard(np.zeros((3, 0)), 1, device=mesh)
    made["number"] = xp.asarray(3.5, device=mesh)
    return made


@pytest.mark.parametrize(("before", "after"), [(2, 3), (3, 2), (1, 4), (4, 1)])
def test_what_is_saved_is_loaded_on_another_number_of_devices(before, after, tmp_path):
    arrays, mesh = kept(xd.init("cpu", simulate=before)), xd.init("cpu", simulate=after)
    xd.save(arrays, tmp_path / "kept")
    found = xd.load(tmp_path / "kept", device=mesh)
    assert set(found) == set(arrays)
    for name, x in arrays.items():
        a, b = xd.gather(x), xd.gather(found[name])
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert bool(xp.all(a == b)), name
        assert found[name].device is mesh
    divided = 1 if before > 1 else 0
    assert xd.layout(found["columns"]).axis == divided
    assert xd.layout(found["number"]).axis is None


def saves_alone(folder):
    from torch import distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=1, world_size=2, store=FakeStore())
    mesh = xd.init("cpu", simulate=3)
    xd.save({"x": xd.shard(NUMBERS, device=mesh)}, folder)
    found = xd.load(folder, device=mesh)
    dist.destroy_process_group()
    assert np.array_equal(host(found["x"]), NUMBERS)


@pytest.mark.nightly
def test_a_simulated_mesh_is_saved_without_other_processes(tmp_path):
    """Though there are some, of which each may save what it likes."""
    python(*calling(saves_alone), str(tmp_path))


# --- a bound on waiting ---------------------------------------------------------------------------


class Mark:
    """Work of a device that is done when someone says so."""

    done = False

    def query(self):
        return self.done


def test_who_waits_for_too_long_is_told_and_can_go_on():
    marks, given_up = [], threading.Event()

    def mark():
        marks.append(Mark())
        return marks[-1]

    watch = Watch(0.3, mark, given_up.set)
    watch.add()
    marks[0].done = True
    while watch._begun:
        time.sleep(0.01)
    watch.check()
    with pytest.raises(RanksError, match="did not come within the seconds"):
        watch.add()
        given_up.wait(30)  # as the host waits for the device: until that gives up
        pytest.fail("what it waited for must not be used")
    assert watch.failed
    watch.end()
    with pytest.raises(RanksError):
        watch.check()


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_the_bytes_of_a_column(rows):
    column = torch.arange(12.0).reshape(2, 6)[:rows, 1]
    assert bytes(as_bytes(column).numpy()) == column.numpy().tobytes()


# --- what was silent ------------------------------------------------------------------------------


def test_a_shape_that_needs_a_copy_is_refused_where_none_is_allowed(three):
    x = xp.asarray(np.arange(6.0).reshape(3, 2), device=three)
    with pytest.raises(ValueError, match="divided along axis 0 cannot be seen in shape"):
        xp.reshape(x, (2, 3), copy=False)
    shown = xp.reshape(x, (3, 2, 1), copy=False)
    shown[0, 0, 0] = -1.0
    assert float(x[0, 0]) == -1.0


def test_a_checkpoint_that_lacks_a_part_is_refused(tmp_path, mesh):
    from torch.distributed.checkpoint.filesystem import FileSystemReader

    xd.save({"x": xd.shard(NUMBERS, device=mesh), "y": xp.ones((), device=mesh)}, tmp_path)
    metadata = FileSystemReader(tmp_path).read_metadata()
    for name in ("x", "y"):
        kept = metadata.state_dict_metadata[name].chunks.pop()
        with (tmp_path / ".metadata").open("wb") as file:
            pickle.dump(metadata, file)
        with pytest.raises(ValueError, match=f"lacks parts of {name}"):
            xd.load(tmp_path, device=mesh)
        metadata.state_dict_metadata[name].chunks.append(kept)


def received(mesh, call):
    transport = mesh.backend.transport
    before = transport.bytes, transport.swapped
    with xp.options(gather="error"):
        result = call()
    return result, transport.bytes - before[0], transport.swapped - before[1]


def test_uneven_parts_are_not_gathered(three):
    pieces = [np.ones((300 * (r == 0) + 1, 4)) * r for r in range(3)]
    x, total, swapped = received(three, lambda: xd.from_parts(pieces, device=three))
    np.testing.assert_array_equal(host(x), np.concatenate(pieces))
    whole = x.size * 8
    assert swapped <= whole / 3 + 64
    assert total - swapped < 2000  # the shapes


@pytest.mark.parametrize(
    ("axis", "shape"), [(1, (2, 7, 2, 3)), (1, (1, 2, 7, 6)), (2, (14, 6)), (0, (2, 42))]
)
def test_shapes_that_keep_the_parts_share_their_memory(axis, shape, three):
    values = np.arange(84.0).reshape(2, 7, 6)
    x = xd.shard(values, axis, device=three)
    shown, total, _ = received(three, lambda: xp.reshape(x, shape, copy=False))
    assert total == 0
    shown += 1
    np.testing.assert_array_equal(host(x), values + 1)
    np.testing.assert_array_equal(host(shown), (values + 1).reshape(shape))


def test_dividing_along_another_axis_gathers_nothing(three):
    x = xd.shard(np.arange(600.0).reshape(30, 20), device=three)
    turned, total, swapped = received(three, lambda: xd.shard(x, 1))
    assert xd.layout(turned).axis == 1
    assert total == swapped <= x.size * 8 / 3
    np.testing.assert_array_equal(host(turned), host(x))


def test_to_ask_whether_an_array_can_be_iterated_over_gathers_nothing(three):
    x = xp.asarray(NUMBERS, device=three)
    assert received(three, lambda: np.iterable(x)) == (True, 0, 0)
    with pytest.raises(xd.GatherError, match="iter"), xp.options(gather="error"):
        next(iter(x))
    with xp.options(gather="allow"):
        np.testing.assert_array_equal([np.asarray(xd.gather(row)) for row in x], NUMBERS)
    assert not np.iterable(xp.ones((), device=three))
