"""Meshes of many ranks: what one rank plans, what it sends, and what it receives."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
import ranks
from parametrize import listing, nightly, others_nightly
from steps import entered

import ascend_array_api as xp
import ascend_array_api.distributed as xd
from ascend_array_api._backends.mesh import _moves, reductions
from benchmarks import ranks as many

RNG = np.random.default_rng(0)


@pytest.fixture(params=[2, 3, 5])
def mesh(request):
    return xd.init("cpu", simulate=request.param)


def host(x):
    return np.asarray(xd.gather(x))


# --- plans ----------------------------------------------------------------------------------------


def drawn_plan(draw):
    """Return a number of ranks, pieces or wholes, segments of them and windows, all drawn."""
    size = draw.randint(1, 6)
    sources = []
    for _ in range(draw.randint(1, 3)):
        sizes = [draw.choice([0, 1, 2, 5]) for _ in range(size)]
        sources.append(_moves.Pieces([], sizes) if draw.random() < 0.8 else sum(sizes))
    segments = []
    for _ in range(draw.randint(1, 4)):
        i = draw.randrange(len(sources))
        n = sources[i] if isinstance(sources[i], int) else sum(sources[i].sizes)
        positions = range(n)[draw.randint(0, n) : draw.randint(0, n) : draw.choice([1, 2, 3])]
        segments.append((i, positions[:: draw.choice([1, -1])]))
    total = sum(len(positions) for _, positions in segments)
    starts, ends = (sorted(draw.randint(0, total) for _ in range(size)) for _ in range(2))
    windows = [(start, max(start, end)) for start, end in zip(starts, ends)]
    ends = itertools.accumulate((end for _, end in windows), max)
    windows = [(start, end) for (start, _), end in zip(windows, ends)]
    return size, sources, segments, windows


@listing("seed", range(400))
def test_each_rank_sends_what_others_want(seed):
    """All ranks' own plans beside the list of all elements, one by one."""
    size, sources, segments, windows = drawn_plan(random.Random(seed))
    plan = _moves._Plan(sources, segments, windows)

    def owner(i, position):
        if isinstance(sources[i], int):
            return None, position
        ends = list(itertools.accumulate(sources[i].sizes))
        rank = next(r for r, end in enumerate(ends) if position < end)
        return rank, position - ends[rank] + sources[i].sizes[rank]

    every = [(i, *owner(i, p)) for i, several in segments for p in several]
    for rank in range(size):
        wanted = [(i, r, p) for i, r, here in plan.wanted(rank) for p in here]
        assert wanted == every[slice(*windows[rank])]
        given = {}
        for i, to, here in plan.given(rank):
            given.setdefault(to, []).extend((i, rank, p) for p in here)
        for to in range(size):
            of_it = [e for e in every[slice(*windows[to])] if e[1] == rank != to]
            assert given.get(to, []) == of_it
    apart = [e for r, window in enumerate(windows) for e in every[slice(*window)] if e[1] != r]
    assert plan.crosses() == any(e[1] is not None for e in apart)


def steps(call):
    """Return how many functions a call enters that was made before."""
    call()
    return len(entered(call))


NAMES = list(many.calls(many.one_of(16)))


@pytest.mark.parametrize("name", others_nightly(NAMES, 2))
def test_planning_grows_as_the_ranks(name):
    # Sums of this length take one way for all these sizes.
    few, more = (steps(many.calls(many.one_of(size))[name]) for size in (128, 256))
    assert more < 2.25 * few


@pytest.mark.parametrize("size", [16, 256])
def test_a_gram_matrix_receives_what_an_all_reduction_does(size):
    ours, least = many.gram_bytes(many.one_of(size))
    assert ours <= many.GRAM * least


def test_the_command_measures_one_of_many_ranks(capsys):
    from benchmarks.meshes import run

    run(["--ranks", "4", "8", "--rounds", "1"])
    shown = capsys.readouterr().out
    assert "roll(a, 1, axis=0)" in shown
    assert "square @ square" in shown


# --- sorts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["drawn", "alike", "equal", "in order", "in turn"])
def test_no_rank_of_many_sorts_much_more_than_its_share(kind):
    size, each = 64, 200
    n = size * each
    values = {
        "drawn": RNG.normal(size=n),
        "alike": np.tile(np.arange(float(each)), size),
        "equal": np.ones(n),
        "in order": np.arange(float(n)),
        "in turn": np.arange(float(n)).reshape(each, size).T.reshape(-1),
    }[kind]
    mesh = xd.init("cpu", simulate=size)
    x = xp.asarray(values, device=mesh)
    transport = mesh.backend.transport
    before = transport.swapped
    np.testing.assert_array_equal(host(xp.sort(x)), np.sort(values))
    # To the ranks between splitters, and from these to even parts; and the counts.
    assert transport.swapped - before < 2.5 * 8 * each + 8 * size
    np.testing.assert_array_equal(host(xp.argsort(x)), np.argsort(values, stable=True))


# --- sums of parts --------------------------------------------------------------------------------

X = RNG.normal(size=(7, 3, 5))
WHOLE = RNG.integers(0, 9, size=(7, 11))
SUMS = {
    "sum": (lambda x: xp.sum(x, axis=0), lambda: X.sum(0)),
    "sum, axes kept": (
        lambda x: xp.sum(x, axis=0, keepdims=True),
        lambda: X.sum(0, keepdims=True),
    ),
    "sum of complex": (lambda x: xp.sum(xp.astype(x, xp.complex128), axis=0), lambda: X.sum(0)),
    "sum of uint64": (
        lambda x: xp.sum(xp.astype(x > 0, xp.uint64), axis=0),
        lambda: (X > 0).sum(0).astype("u8"),
    ),
    "prod": (lambda x: xp.prod(x, axis=0), lambda: X.prod(0)),
    "max": (lambda x: xp.max(x, axis=0), lambda: X.max(0)),
    "any": (lambda x: xp.any(x > 1, axis=0), lambda: (X > 1).any(0)),
    "all": (lambda x: xp.all(x > -1, axis=0), lambda: (X > -1).all(0)),
    "count_nonzero": (lambda x: xp.count_nonzero(x > 0, axis=0), lambda: (X > 0).sum(0)),
    "mean": (lambda x: xp.mean(x, axis=0), lambda: X.mean(0)),
    "var": (lambda x: xp.var(x, axis=0, correction=1), lambda: X.var(0, ddof=1)),
    "std of even parts": (lambda x: xp.std(x[:6, ...], axis=0), lambda: X[:6].std(0)),
    "norm": (
        lambda x: xp.linalg.vector_norm(x, axis=0, ord=3),
        lambda: (np.abs(X) ** 3).sum(0) ** (1 / 3),
    ),
    "gram": (lambda x: xp.matmul(x[:, 0, :].T, x[:, 1, :]), lambda: X[:, 0].T @ X[:, 1]),
    "vecdot": (lambda x: xp.vecdot(x, x, axis=-3), lambda: (X * X).sum(0)),
    "bincount": (
        lambda x: xp.bincount(xp.asarray(WHOLE[:, 0], device=x.device), minlength=17),
        lambda: np.bincount(WHOLE[:, 0], minlength=17),
    ),
    "searchsorted": (
        lambda x: xp.searchsorted(xp.sort(x[:, 0, 0]), xp.asarray([0.5], device=x.device)),
        lambda: np.searchsorted(np.sort(X[:, 0, 0]), [0.5]),
    ),
}


@pytest.mark.parametrize("name", SUMS)
def test_large_sums_are_those_of_small_ones(name, mesh, monkeypatch):
    monkeypatch.setattr(reductions, "LARGE", 0)
    ours, expected = SUMS[name]
    got = host(ours(xp.asarray(X, device=mesh)))
    assert got.dtype == expected().dtype or name == "sum of complex"
    np.testing.assert_allclose(got, expected(), rtol=1e-12)


@pytest.mark.parametrize(
    ("number", "agree"), [(3, True), nightly(3, False), nightly(4, True), nightly(4, False)]
)
def test_processes_have_the_same_bits(number, agree, workers):
    workers.run(number, ranks.same_bits, agree)


# --- running sums ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "numpys", "values"),
    [
        (xp.cumulative_sum, np.cumsum, [1.0, np.inf, 2.0, 3.0, -np.inf, 1.0, np.nan, 2.0]),
        (xp.cumulative_sum, np.cumsum, [np.nan, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]),
        (xp.cumulative_prod, np.cumprod, [2.0, 3.0, 0.0, -1.0, 5.0, np.inf, 1.0, 2.0]),
        (xp.cumulative_prod, np.cumprod, [-np.inf, 3.0, -2.0, -1.0, 5.0, 2.0, -1.0, 2.0]),
    ],
)
def test_infinite_running_sums_take_two_exchanges(function, numpys, values):
    mesh = xd.init("cpu", simulate=8)
    transport = mesh.backend.transport
    x = xp.asarray(values, device=mesh)
    before = transport.calls
    made = function(x)
    assert transport.calls - before == 2
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(host(made), numpys(values))
