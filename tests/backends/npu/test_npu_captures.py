"""Captured functions on NPUs: one launch each; the other tests are those of every accelerator."""

from __future__ import annotations

import pytest

from npu import EMULATOR, QUIET_TORCH_NPU, needs_emulator, script  # isort: skip  # before the namespace

import ascend_array_api as xp
from tests.array.test_captures import (  # noqa: F401
    numbers,
    test_a_captured_function_within_another,
    test_a_function_that_draws_from_too_many_generators,
    test_a_generator_draws_once_where_a_capture_fails,
    test_a_graph_may_go_while_another_thread_wants_it,
    test_an_interrupt_at_any_time_ends_the_recording,
    test_another_state,
    test_arguments_and_results_in_containers,
    test_arguments_and_results_marked_as_conjugates_and_negatives,
    test_arguments_by_name_are_no_dictionary,
    test_arrays_of_the_cpu_are_never_captured,
    test_arrays_of_two_devices_are_refused,
    test_clear_gives_memory_back,
    test_doubts_of_arguments_go_on_to_what_depends_on_them,
    test_draws_go_on_in_the_stream,
    test_functions_replayed_with_other_values,
    test_generators_from_outside_and_of_the_functions_own,
    test_gradients,
    test_graphs_that_go_while_another_function_is_captured,
    test_it_calls_the_function,
    test_it_is_pickled_and_copied,
    test_late_errors_name_the_call_in_the_function,
    test_memory_within_a_graph_is_used_again,
    test_numbers_of_other_libraries_are_told_apart,
    test_options_decide_too,
    test_partial_functions_and_what_they_read,
    test_positions_that_a_capture_has_seen_are_checked_by_others,
    test_positions_that_were_known_to_be_right_are_checked_again,
    test_results_are_the_callers_own,
    test_results_share_memory_as_those_of_the_function,
    test_results_that_share_memory_as_other_numbers,
    test_several_generators_and_several_functions,
    test_spawned_generators,
    test_the_function_itself_runs_twice,
    test_the_functions_own_errors_are_its_own,
    test_the_graph_that_was_found_last_may_go,
    test_the_graph_that_was_used_least_recently_goes,
    test_threads_and_streams,
    test_threads_draw_different_numbers,
    test_variables_from_outside,
    test_variables_from_outside_that_come_and_go,
    test_what_cannot_be_captured_is_refused,
    test_what_decides_the_graph,
    test_within_a_graph_of_torchs_it_is_the_function,
    test_within_transformations_and_compiled_code_it_is_the_function,
    test_without_memory_it_records_once_more,
    test_writes_reach_the_callers_arrays,
    test_writes_to_arrays_from_outside_are_refused,
    test_writes_to_memory_that_is_also_read_are_refused,
)

pytestmark = QUIET_TORCH_NPU


@needs_emulator
def test_a_replay_is_one_launch_beside_copies() -> None:
    captured = xp.captured(lambda x: (xp.exp(-x) * 2 + xp.sum(x)) ** 2)
    for first in range(3):
        captured(numbers(first))
    with EMULATOR.counting() as counts:
        captured(numbers(9))
    assert counts.graphs == 1
    ours = counts.by_kernel()
    assert set(ours) <= {
        "aclnnArange",
        "aclnnAdds",
        "aclnnInplaceCopy",
        "aclnnAdd",
        "aclnnInplaceFillScalar",
    }
    assert sum(counts.in_graphs.values()) > 5


@needs_emulator
def test_draws_take_one_kernel_beside_the_graph() -> None:
    captured = xp.captured(lambda rng: rng.random(8) + rng.random(8))
    rng = xp.random.default_rng(3)
    for _ in range(3):
        captured(rng)
    with EMULATOR.counting() as counts:
        captured(rng)
    assert counts.graphs == 1
    # One fills the lowest word of the position, one copies the result.
    assert counts.by_kernel() == {"aclnnInplaceFillScalar": 1, "aclnnInplaceCopy": 1}


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"TASK_QUEUE_ENABLE": "2"}, "TASK_QUEUE_ENABLE=2: set it to 1"),
        ({"CANN_EMULATOR_SOC": "Ascend310P3", "CANN_EMULATOR_CANN": "8.5"}, "on this chip"),
    ],
)
@needs_emulator
def test_where_nothing_can_be_captured(variables: dict[str, str], reason: str) -> None:
    script(
        f"""
captured = xp.captured(lambda x: x + 1)
try:
    captured(xp.ones(3))
except xp.CaptureError as error:
    assert {reason!r} in str(error), error
else:
    raise SystemExit("no error")
lenient = xp.captured(lambda x: x + 1, otherwise="call")
for _ in range(3):
    assert bool(xp.all(lenient(xp.ones(3)) == 2))
""",
        **variables,
    )
