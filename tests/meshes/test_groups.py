"""Meshes of torch's own groups and device meshes, beside what a program does with these."""

from __future__ import annotations

from pathlib import Path

import endings
import pytest
import ranks as programs
from processes import ranks

import ascend_array_api.distributed as xd


def test_a_group_computes_while_others_do_not(tmp_path, workers):
    other, *both, last = workers.run(4, programs.some_compute, str(tmp_path / "saved"))
    for told in (other, last):
        assert "this process is not in the group" in told, told
    for told in both:
        assert "rank 0: sum of float64 (6,)" in told, told
        assert "rank 1: max of" in told, told
    assert workers.run(4, programs.everyone) == [4.0] * 4


def test_a_device_mesh_says_which_processes(workers):
    for rank, ((several, group), sums) in enumerate(workers.run(4, programs.dimensions)):
        assert "expected a DeviceMesh of one dimension, got 2" in several, several
        assert "device_mesh['dp']" in several, several
        assert "leave out the group" in group, group
        assert sums == [2 * (rank % 2) + 2, 4 * (rank // 2) + 1]


@pytest.mark.nightly
def test_dtensors_share_their_parts(workers):
    workers.run(3, programs.dtensors)


@pytest.mark.nightly
def test_a_model_of_fsdp_has_its_loss_on_a_mesh(workers):
    workers.run(2, programs.fsdp)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("call", "agree"),
    [(programs.total, True), (programs.square, True), (programs.square, False)],
)
def test_a_time_limit_holds_within_a_group_of_longer_patience(call, agree, workers):
    """And within a product; the other process ends none of them, and waits for this one."""
    told, _ = workers.run(2, programs.waits_in_vain, call, agree, seconds=200)
    assert told.startswith(("RuntimeError", "RanksError")), told


@pytest.mark.nightly
def test_a_default_group_may_be_ended_and_begun_again_with_other_processes():
    for rank, (code, said) in enumerate(
        ranks(Path(endings.__file__), 2, "begins_again", seconds=300)
    ):
        assert code == 0, said
        both, alone = ((3, 3), 15, [3 * rank]), ((6,), 15, [0])
        assert f"said {[both, both, alone, both]}" in said, said


@pytest.mark.nightly
def test_bytes_that_do_not_arrive_are_found_at_once(workers):
    for told, calls, total in workers.run(2, programs.broken_libraries):
        for text, name in zip(told, ("a swap of equal pieces of known", "a swap of known")):
            assert name in text, text
            assert "[0, 0" in text, text
            assert "instead of [" in text, text
        assert (calls, total) == (0, 4.0)


def test_what_is_no_group_is_refused():
    with pytest.raises(ValueError, match="leave out the group"):
        xd.init("cpu", simulate=2, group=object())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="init"):
        xd.init(3.5)  # type: ignore[arg-type]
