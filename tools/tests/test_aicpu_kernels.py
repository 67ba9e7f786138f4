"""The tool that compiles CANN's AICPU kernels: on a small one, and what it makes of results."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from processes import git

sys.path.insert(0, str(Path(__file__).parents[2]))

from tools.aicpu_kernels import __main__ as tool
from tools.aicpu_kernels import kernels

INF, NAN = np.inf, np.nan
TWICE = """
#include "{name}_aicpu.h"
#include "utils/kernel_util.h"
namespace aicpu {{
const char *const kTwice = "Twice";
uint32_t TwiceCpuKernel::Compute(CpuKernelContext &ctx) {{
  KERNEL_HANDLE_ERROR(NormalCheck(ctx, 1, 1), "no");
  KERNEL_CHECK_FALSE((ctx.Input(0)->GetDataType() == DT_DOUBLE), KERNEL_STATUS_PARAM_INVALID, "no");
  auto *x = static_cast<double *>(ctx.Input(0)->GetData());
  auto *y = static_cast<double *>(ctx.Output(0)->GetData());
  float factor = ctx.GetAttr("factor") == nullptr ? {factor} : ctx.GetAttr("factor")->GetFloat();
  return CpuKernelUtils::ParallelFor(ctx, ctx.Input(0)->NumElements(), 1,
      [&](int64_t start, int64_t end) {{
        for (; start < end; ++start) y[start] = factor * x[start];
      }});
}}
REGISTER_CPU_KERNEL(kTwice, TwiceCpuKernel);
}}
"""
HEADER = """#include "cpu_kernel.h"
namespace aicpu {
struct TwiceCpuKernel : CpuKernel { uint32_t Compute(CpuKernelContext &) override; };
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_kernels_are_compiled_and_called(tmp_path: Path) -> None:
    repository, eigen, folder = (tmp_path / name for name in ("ops-math", "eigen", "built"))
    (eigen / "unsupported/Eigen/CXX11").mkdir(parents=True)
    (eigen / "unsupported/Eigen/CXX11/Tensor").write_text("")  # the kernel uses nothing of it
    for name, factor in (("twice", 2), ("thrice", 3)):
        place = repository / f"math/{name}/op_kernel_aicpu"
        place.mkdir(parents=True)
        (place / f"{name}_aicpu.h").write_text(HEADER)
        (place / f"{name}_aicpu.cpp").write_text(TWICE.format(name=name, factor=factor))
    git("init", "-q", cwd=repository)
    git("add", "-A", cwd=repository)
    git("commit", "-q", "-m", "kernels", cwd=repository)
    git("tag", "v9.1.0", cwd=repository)
    twice, thrice = (
        kernels.build(name, repository, "v9.1.0", eigen, folder, ()) for name in ("twice", "thrice")
    )
    x = np.asarray([[1.0, -0.0], [INF, 0.25]])
    assert np.array_equal(twice([x], np.empty_like(x)), 2 * x)  # not the one that was loaded last
    assert np.array_equal(thrice([x], np.empty_like(x)), 3 * x)
    assert np.array_equal(twice([x], np.empty_like(x), factor=0.5), 0.5 * x)
    with pytest.raises(ValueError, match="answers 1 for float32"):
        twice([x.astype("float32")], np.empty_like(x))


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        (1.0, 1 + 2.0**-50, True),
        (1.0, 1 + 2.0**-48, False),
        (0.0, -0.0, False),
        (5e-324, 2e-323, True),
        (5e-324, 0.0, False),
        (INF, -INF, False),
        (NAN, NAN, True),
        (complex(1, 0), complex(1, -1e-17), True),
        (complex(-INF, NAN), complex(-INF, 0), False),
        (complex(0, -0.0), complex(0, 0.0), False),
        (1, 2, False),
    ],
)
def test_which_results_agree(a: complex, b: complex, wanted: bool) -> None:
    assert tool.alike(np.asarray([a]), np.asarray([b])).tolist() == [wanted]


def test_errors_are_in_units_of_the_exact_result() -> None:
    x = np.asarray([0.5, 2.0, INF, 0.0])
    got = np.asarray([np.sqrt(0.5), np.nextafter(np.nextafter(np.sqrt(2), 2), 2), INF, 0.0])
    error, where = tool.ulps(got, mpmath.sqrt, [x])
    assert 1.5 <= error <= 2.5
    assert where == 1


@pytest.mark.parametrize("dtype", ["float64", "complex64", "int16", "uint64", "bool"])
def test_numbers_include_the_ends(dtype: str) -> None:
    x = tool.numbers(dtype, 50)
    assert x.dtype == dtype
    if x.dtype.kind in "iu":
        assert {np.iinfo(dtype).min, np.iinfo(dtype).max} <= set(x.tolist())
    elif x.dtype.kind != "b":
        assert np.isinf(x).any()
        assert np.isnan(x).any()


def test_every_comparison_names_a_kernel_of_the_table() -> None:
    from conformance.cann_emulator.kernels import TASKS

    assert {f"aclnn{c.kernel}" for c in tool.COMPARISONS} <= TASKS.keys()
