"""Processes that do not compute the same: told, with what each of them did and where."""

from __future__ import annotations

from pathlib import Path

import endings
import pytest
import ranks as programs
from parametrize import everything, listing
from processes import in_threads, ranks

import ascend_array_api as xp
import ascend_array_api.distributed as xd

DIFFERENT = {
    "sum_or_max": "rank 0: sum of float32 (4,) at HERE; rank 1: max of float32 (4,)",
    "data_types": "rank 0: sum of float32 (4,) at HERE; rank 1: sum of float64 (4,)",
    "shapes": "rank 0: sum of float32 (4, 3) at HERE; rank 1: sum of float32 (5, 3)",
    "numbers_of_bytes": "rank 0: sum of float32 (4, 3) at HERE; rank 1: sum of float32 (4, 43)",
    "roll_or_gather": "rank 0: a gather of shape (2,) at HERE; rank 1: roll of float32 (4,)",
    "large_sums": (
        "rank 0: sum of float32 (4, 300000) at HERE; rank 1: sum of float32 (4, 300001)"
    ),
    "large_products": (
        "(512, 512), (512, 512) at HERE; rank 1: matmul of float32 (528, 528), (528, 528)"
    ),
    "small_max_or_large_gather": (
        "rank 0: a gather of shape (150000, 2) at HERE; rank 1: max of float32 (4,)"
    ),
    "small_sum_or_large_product": (
        "rank 0: matmul of float32 (512, 512), (512, 512) at HERE; rank 1: sum of float32"
    ),
    "large_gathers": (
        "rank 0: a gather of shape (150000, 1) at HERE; rank 1: a gather of shape (150000, 2)"
    ),
}


def different(name):
    """Return a program, and what is to be told of it."""
    program = programs.DIFFERENT[name]
    return program, DIFFERENT[name].replace("HERE", programs.last_line(program))


OFTEN = ("sum_or_max", "roll_or_gather", "large_sums", "large_products")
"""One of each kind; the others in `make nightly`."""


@listing("name", DIFFERENT if everything() else OFTEN)
def test_what_differs_is_told_in_every_process(name, workers):
    program, expected = different(name)
    for told in workers.run(2, programs.compared, program):
        assert told.startswith("RanksError: the processes do not compute the same: "), told
        assert expected in told, told


def test_of_three_each_is_named(workers):
    for told in workers.run(3, programs.compared, programs.each_another):
        assert told.startswith("RanksError: "), told
        assert all(f"rank {r}: {name} of" in told for r, name in enumerate(("sum", "max", "sum")))


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["larger_swap", "larger_gather"])
def test_a_process_that_gloo_ends_is_named_by_the_one_that_is_left(name):
    # The second receives more than it expects.
    (code, told), _ = ranks(Path(endings.__file__), 2, name, seconds=300)
    assert code == 0, told
    assert "told RanksError: " in told, told
    assert "rank 0: " in told
    assert "; rank 1: " in told


def test_a_process_that_is_behind_is_told_of_by_its_line(workers):
    first, last = (programs.last_line(programs.behind, before) for before in (2, 0))
    for told in workers.run(2, programs.compared, programs.behind):
        assert told.startswith("RanksError: the processes compute one operation on different"), told
        assert f"rank 0: sum of float32 (4,) at {first}; rank 1: sum" in told, told
        assert f"at {last}. One of them is behind" in told, told


def test_branches_by_the_rank_may_compute_the_same(workers):
    for told in workers.run(2, programs.compared, programs.branch):
        assert "init(agree='operations')" in told
    assert workers.run(2, programs.compared, programs.branch, "operations") == ["gave 16.0"] * 2
    program, expected = different("sum_or_max")
    for told in workers.run(2, programs.compared, program, "operations"):
        assert expected in told


def test_programs_that_agree_are_told_nothing(workers):
    said = workers.run(3, programs.compared, programs.alike)
    assert len(set(said)) == 1, said
    assert said[0].startswith("gave")


def test_it_is_left_out_where_it_is_not_wanted(workers):
    program, _ = different("sum_or_max")
    assert workers.run(2, programs.compared, program, False) == ["gave 13.0", "gave 7.0"]


def test_one_thread_computes_on_a_mesh_of_processes(workers):
    for *refused, taken, after, value in workers.run(2, programs.threads):
        assert len(refused) == 3
        for k, told in enumerate(refused):
            assert told.startswith(f"RanksError: worker {k} computes on"), told
            assert "that MainThread computes on" in told
        assert (taken, value) == ("gave 16.0", 16.0)
        assert after.startswith("RanksError: MainThread"), after


def test_threads_may_compute_on_simulated_meshes():
    mesh = xd.init("cpu", simulate=3)
    x, found = xp.arange(7, device=mesh), []
    in_threads(lambda _: found.append(int(xp.sum(x))), 4)
    assert found == [21] * 4
