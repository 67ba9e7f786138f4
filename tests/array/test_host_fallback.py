"""The policy for what a device cannot compute: options, warnings, errors and the report.

What needs an NPU runs on one (see npu.py), by operations of this module's own that have a row for
the host; so it holds whichever rows the package has.  The rest needs no device.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from processes import python

import ascend_array_api as xp
from ascend_array_api._options import settings
from ascend_array_api._reports import user_code
from ascend_array_api._routes import _rows
from ascend_array_api._routes._operations import OPS, ROWS, rows_of
from ascend_array_api._routes._rows import Host

ROOT = Path(__file__).parents[2]


def run(program: str, **environment: str) -> Any:
    return python(
        "-c", program, code=None, env={**os.environ, "PYTHONPATH": str(ROOT), **environment}
    )


def test_a_cpu_array_never_falls_back() -> None:
    with xp.options(host_fallback="error"):
        x = xp.asarray([[2.0, 1.0], [1.0, 3.0]], device="cpu")
        xp.linalg.eigh(x)
        xp.linalg.svd(x)
        xp.fft.fft(xp.astype(x, xp.complex128))
    assert not [e for e in xp.fallback_report() if e.device == "cpu"]


def test_frames_of_torch_are_nobodys() -> None:
    level, file, line = torch.compiler.disable(user_code.user_frame)()  # type: ignore[no-untyped-call]
    assert (file, line) == (__file__, sys._getframe().f_lineno - 1)
    assert level > 1
    assert user_code.user_code(0)[0] is sys._getframe().f_code
    code, _ = torch.compiler.disable(user_code.user_code)(0)  # type: ignore[no-untyped-call]
    assert code is sys._getframe().f_code


@pytest.mark.parametrize("value", ["never", "", "WARN", True, 1])
def test_policies_that_do_not_exist(value: object) -> None:
    with pytest.raises(
        ValueError, match="options: host_fallback must be one of 'warn', 'error', 'allow', not"
    ), xp.options(host_fallback=value):  # type: ignore[arg-type]  # fmt: skip
        pass


def test_options_nest_and_go_with_the_context() -> None:
    import contextvars

    assert settings.current().host_fallback in {"warn", "error", "allow"}
    with xp.options(host_fallback="allow") as outer:
        assert outer.host_fallback == "allow"
        with xp.options(device="cpu") as inner:
            assert (inner.host_fallback, inner.device) == ("allow", "cpu")
        with pytest.raises(KeyError), xp.options(host_fallback="error"):
            raise KeyError
        assert settings.current().host_fallback == "allow"
        assert contextvars.copy_context().run(settings.current).host_fallback == "allow"
        assert contextvars.Context().run(settings.current) is settings._PROCESS
    assert settings.current() is settings._PROCESS


def test_the_environment_sets_the_policy() -> None:
    program = (
        "from ascend_array_api._options import settings as o; print(o.current().host_fallback)"
    )
    for value, policy in (("error", "error"), ("allow", "allow"), ("", "warn")):
        assert run(program, ASCEND_ARRAY_API_HOST_FALLBACK=value).stdout.split() == [policy]
    wrong = run(program, ASCEND_ARRAY_API_HOST_FALLBACK="no")
    assert wrong.returncode == 1
    assert wrong.stderr.splitlines()[-1] == (
        "ValueError: ASCEND_ARRAY_API_HOST_FALLBACK must be one of 'warn', 'error', 'allow', "
        "not 'no'."
    )


def test_no_row_sends_an_operation_that_writes_to_the_host() -> None:
    """What the copy on the host would be changed to, the array would not."""
    writing = {"copy_to", "index_put", "mask_fill"}
    assert writing <= set(OPS)
    for row in (*ROWS, *rows_of("cpu")):
        assert not isinstance(row.route, Host), "a CPU array never falls back"
    for row in (*rows_of("npu"), *rows_of("cuda")):
        if isinstance(row.route, Host):
            assert not writing & set(row.ops.split()), row


def test_host_routes_are_for_accelerators_only() -> None:
    """The kernel of a route to the host is that of the CPU, so a CPU array would go in circles."""
    from ascend_array_api._devices.device import spec_of
    from ascend_array_api._torch import torch

    spec = spec_of(torch.zeros(1))
    for op in OPS.values():
        row = op.row(spec.dtype, "cpu")
        assert row is None or not isinstance(row.route, _rows.Host)


def test_kinds_of_the_classes() -> None:
    assert issubclass(xp.HostFallbackWarning, RuntimeWarning)
    assert issubclass(xp.HostFallbackError, RuntimeError)
    entry = xp.HostFallback("eigh", "float32", "npu:0", 2, 64, "no kernel", ("a.py:1",))
    assert (entry.operation, entry.count, entry.where) == ("eigh", 2, ("a.py:1",))
    with pytest.raises(AttributeError):
        entry.count = 3  # type: ignore[misc]
