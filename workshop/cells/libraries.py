"""Whether cuSOLVER itself waits: the proof for what ``waits.IN_LIBRARIES`` says.

    python -m workshop.cells.libraries

Its functions are called without torch between, each behind a kernel that only passes time.  One
that has returned when that kernel has ended, has waited.
"""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char, c_int, c_int64, c_longlong, c_size_t, c_void_p
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import torch

from .waits import slept

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_VECTORS, _LOWER, _FLOAT, _COMPLEX = 1, 0, 0, 4  # constants of cuSOLVER and of CUDA


def _library() -> Any:
    """Return the cuSOLVER that torch has loaded."""
    torch.linalg.eigh(torch.eye(4, device="cuda"))
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "libcusolver.so" in line:
            return ctypes.CDLL(line.split()[-1])
    raise OSError("torch has loaded no cuSOLVER")


class Calls:
    """Calls of cuSOLVER with a random matrix of float32.

    Parameters
    ----------
    n : int
        Its rows and columns.
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self.matrix = torch.randn(n, n, device="cuda")
        self.matrix += self.matrix.mT.clone()
        self.library = _library()
        self.handle = c_void_p()
        self._kept: list[Any] = []
        self._run("cusolverDnCreate", byref(self.handle))
        stream = c_void_p(torch.cuda.current_stream().cuda_stream)
        self._run("cusolverDnSetStream", self.handle, stream)

    def __iter__(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield the names and the calls."""
        n, h, one = self.n, self.handle, self._floats
        a, w, u, v = self._pointer(self.matrix), one(n), one(n * n), one(n * n)
        info = self._pointer(torch.zeros(1, dtype=torch.int32, device="cuda"))
        symmetric = (h, _VECTORS, _LOWER, n, a, n, w)
        jacobi, jacobi_svd = (self._made(f"cusolverDnCreate{f}Info") for f in ("Syevj", "Gesvdj"))
        yield self._sized("cusolverDnSsyevd", symmetric, (), (info,))
        yield self._sized("cusolverDnSsyevj", symmetric, (jacobi,), (info, jacobi))
        parts = (h, _VECTORS, 0, n, n, a, n, w, u, n, v, n)
        yield self._sized("cusolverDnSgesvdj", parts, (jacobi_svd,), (info, jacobi_svd))
        every = c_char(b"A")
        yield self._sized(
            "cusolverDnSgesvd",
            (h, every, every, n, n, a, n, w, u, n, v, n),
            (),
            (None, info),
            asked=(h, n, n),
        )
        step = c_longlong(n * n)
        strided = (h, _VECTORS, n, n, n, a, n, step, w, c_longlong(n), u, n, step, v, n, step)
        norm = (ctypes.c_double * 1)()
        yield self._sized("cusolverDnSgesvdaStridedBatched", strided, (1,), (info, norm, 1))
        yield self._general(a, v, info)

    def _general(self, a: c_void_p, v: c_void_p, info: c_void_p) -> Any:
        """Return the call for a general matrix, of which the host has a part."""
        n, parameters = c_int64(self.n), self._made("cusolverDnCreateParams")
        w = self._floats(2 * self.n)
        parts: tuple[Any, ...] = (
            self.handle,
            parameters,
            0,
            _VECTORS,
            n,
            _FLOAT,
            a,
            n,
            _COMPLEX,
            w,
        )
        parts += (_FLOAT, None, c_int64(1), _FLOAT, v, n, _FLOAT)
        device, host = c_size_t(), c_size_t()
        self._run("cusolverDnXgeev_bufferSize", *parts, byref(device), byref(host))
        there, here = self._floats(device.value // 4 + 1), (c_char * (host.value + 1))()
        rest = (there, device, here, host, info)
        return "cusolverDnXgeev", lambda: self._run("cusolverDnXgeev", *parts, *rest)

    def _sized(
        self,
        name: str,
        arguments: tuple[Any, ...],
        extra: tuple[Any, ...],
        rest: tuple[Any, ...],
        asked: tuple[Any, ...] | None = None,
    ) -> Any:
        """Return a call with the memory that the library asks for."""
        size = c_int()
        if asked is None:
            self._run(f"{name}_bufferSize", *arguments, byref(size), *extra)
        else:
            self._run(f"{name}_bufferSize", *asked, byref(size))
        work = self._floats(size.value)
        return name, lambda: self._run(name, *arguments, work, size, *rest)

    def _run(self, name: str, *arguments: Any) -> None:
        status = getattr(self.library, name)(*arguments)
        if status:
            raise OSError(f"{name} answers {status}")

    def _made(self, name: str) -> c_void_p:
        made = c_void_p()
        self._run(name, byref(made))
        return made

    def _floats(self, count: int) -> c_void_p:
        return self._pointer(torch.empty(max(count, 1), device="cuda"))

    def _pointer(self, tensor: torch.Tensor) -> c_void_p:
        self._kept.append(tensor)
        return c_void_p(tensor.data_ptr())


SIZES: Final = (5, 64, 512)


def measured() -> dict[tuple[str, int], bool]:
    """Return for each function and size of matrix whether it waits."""
    found = {}
    for n in SIZES:
        for name, call in Calls(n):
            call()  # what is set up once may wait
            found[name, n] = slept(call)
    return found


if __name__ == "__main__":
    for (function, size), waited in measured().items():
        print(f"{function} of {size} x {size}: {'waits' if waited else 'does not wait'}")
