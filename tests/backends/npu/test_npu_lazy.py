"""Calls that torch_npu fuses without a compiler: how many launches that saves, and the results.

torch_npu's own code collects the calls, and DVM makes kernels of them; the emulated CANN computes
what the programs say.  The programs are those of lazily.py.
"""

from __future__ import annotations

import json
from typing import Final

from npu import QUIET_TORCH_NPU, called, needs_emulator  # isort: skip  # before others

import pytest

pytestmark = [QUIET_TORCH_NPU, needs_emulator]

LAZILY: Final = {"TORCH_NPU_LAZY_FUSION": "True disable_ops=where", "TASK_QUEUE_ENABLE": "1"}


RIGHT: Final = (
    "python_numbers_and_casts_do_not_divide_a_chain",
    "results_are_as_exact_as_those_of_other_calls",
    "long_functions_do_not_end_the_process",
)


def run(*programs: str, **environment: str) -> str:
    return called("lazily", *(f"{name}()" for name in programs), **environment)


@pytest.mark.nightly
def test_fused_programs_are_right_and_take_at_most_half_of_the_launches() -> None:
    called = json.loads(run("launches").splitlines()[-1])
    fused = json.loads(run(*RIGHT, "launches", **LAZILY).splitlines()[-1])
    assert 2 * sum(fused.values()) <= sum(called.values()), (fused, called)
    assert {name for name, n in fused.items() if n > called[name]} == set()
    # Chains of elements, which no product of matrices or reduction divides.
    chains = ["a polynomial of degree 9", "hypot and logaddexp", "x ** y", "a step of Adam"]
    chains += ["special.gammainc(x, y)", "a Runge-Kutta step of Lorenz's equations"]
    half = {name for name in chains if 2 * fused[name] > called[name]}
    assert half <= {"hypot and logaddexp"}, (fused, called)


@pytest.mark.nightly
def test_fused_conditions_are_right() -> None:
    """torch_npu fuses ``where`` too if it is not told to leave it out."""
    run(*RIGHT, **LAZILY | {"TORCH_NPU_LAZY_FUSION": "True"})
