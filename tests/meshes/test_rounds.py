"""Products for which the parts of one operand go around the ranks, while these multiply others."""

from __future__ import annotations

import numpy as np
import pytest
import ranks
from parametrize import nightly

import ascend_array_api as xp
import ascend_array_api.distributed as xd

LAYOUTS = [(0, 0), (0, 1), (1, 1)]
"""The axes along which both operands are divided, if parts go around."""


@pytest.mark.parametrize("axes", LAYOUTS)
@pytest.mark.parametrize("size", [2, 3, 4])
def test_simulated_parts_leave_before_the_present_ones_are_multiplied(size, axes, monkeypatch):
    mesh, noted = xd.init("cpu", simulate=size), []
    transport = mesh.backend.transport
    a, b = np.arange(35.0).reshape(5, 7), np.arange(63.0).reshape(7, 9)
    x, y = (xd.shard(m, axis, device=mesh) for m, axis in zip((a, b), axes))
    begin = transport.begin_swap

    def swap(*operands, **options):
        noted.append("passed on")
        return begin(*operands, **options)

    monkeypatch.setattr(transport, "begin_swap", swap)
    with ranks.Multiplications(noted), xp.options(gather="error"):
        made = x @ y
    np.testing.assert_array_equal(np.asarray(xd.gather(made)), a @ b)
    products = ["product"] * size
    assert noted == (["passed on", *products] * size)[: size * (size + 1) - size - 1] + products


@pytest.mark.parametrize("agree", [True, False])
@pytest.mark.parametrize("columns", [9, 600], ids=["small", "large"])
@pytest.mark.parametrize("number", [2, 3])
def test_parts_travel_while_processes_multiply(number, columns, agree, workers):
    steps = ["passed on", "product", "arrived"] * (number - 1) + ["product"]
    assert workers.run(number, ranks.order, columns, agree) == [(steps, 0)] * number


@pytest.mark.nightly
def test_groups_of_any_ranks_multiply_any_data_type(workers):
    assert workers.run(4, ranks.products_in_groups, LAYOUTS) == [[]] * 4


@pytest.mark.parametrize("instead", [ranks.total, nightly(ranks.roll), ranks.square])
@pytest.mark.parametrize("number", [2, nightly(3)])
def test_a_process_that_leaves_a_product_is_told_of_at_the_next_call(number, instead, workers):
    for told in workers.run(number, ranks.interrupted, instead):
        assert told.startswith("RanksError: the processes"), told
        assert "rank 0: " in told
        assert f"rank {number - 1}: " in told
