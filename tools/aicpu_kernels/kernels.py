"""Compile the sources of AICPU kernels, and call them on NumPy arrays."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from conformance.clones import git

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = np.ndarray[Any, Any]

HEADERS: Final = (
    *("cpu_kernel.h", "cpu_kernel_utils.h", "cpu_types.h", "kernel_util.h", "log.h", "status.h"),
    *(f"utils/{name}.h" for name in ("bcast", "eigen_tensor", "kernel_util", "status")),
    "securec.h",
)
"""What the sources include of CANN: `framework.h` stands for all of them."""

_TYPES: Final = {
    **{f"int{8 * size}": number for size, number in ((1, 2), (2, 6), (4, 3), (8, 9))},
    **{f"uint{8 * size}": number for size, number in ((1, 4), (2, 7), (4, 8), (8, 10))},
    "float32": 0,
    "float64": 11,
    "bool": 12,
    "complex64": 16,
    "complex128": 17,
}


class Kernel:
    """A kernel of AICPU: its arithmetic, as the compiler of this machine builds it."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))
        self._library.context.restype = ctypes.c_void_p

    def __call__(self, inputs: Sequence[Array], output: Array, **attributes: float) -> Array:
        """Compute `output` of `inputs`."""
        call, arrays = self._library, [np.ascontiguousarray(x) for x in inputs]
        context = ctypes.c_void_p(call.context())
        for array, is_input in (*((x, True) for x in arrays), (output, False)):
            sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
            data = ctypes.c_void_p(array.ctypes.data)
            call.tensor(context, is_input, data, _TYPES[array.dtype.name], sizes, array.ndim)
        for name, value in attributes.items():
            call.attribute(context, name.encode(), ctypes.c_double(value))
        code = call.compute(context)
        call.release(context)
        if code:
            raise ValueError(f"the kernel answers {code} for {arrays[0].dtype.name}")
        return output


def build(
    name: str, repository: Path, release: str, eigen: Path, folder: Path, flags: Sequence[str]
) -> Kernel:
    """Compile the kernel of a folder of `math`, at the tag of a release."""
    place, sources = folder / name, f"math/{name}/op_kernel_aicpu"
    for header in HEADERS:
        (place / header).parent.mkdir(parents=True, exist_ok=True)
        (place / header).write_text('#include "framework.h"\n')
    for file in (f"{name}_aicpu.h", f"{name}_aicpu.cpp"):
        (place / file).write_text(git("show", f"{release}:{sources}/{file}", cwd=repository))
    # Pointers to functions of Eigen that must be inlined are taken, which newer compilers refuse.
    command = ["g++", "-std=c++17", "-O2", "-w", "-Dalways_inline=", "-fPIC", "-shared", *flags]
    includes = [f"-I{path}" for path in (place, Path(__file__).parent, eigen)]
    library = place / "kernel.so"
    subprocess.run(
        [*command, *includes, str(place / f"{name}_aicpu.cpp"), "-o", str(library)], check=True
    )
    return Kernel(library)
