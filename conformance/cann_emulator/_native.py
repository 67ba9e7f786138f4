"""Builds the emulated libraries with the C compiler and loads them."""

from __future__ import annotations

import ctypes
import hashlib
import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

from . import _table

# torch_npu looks functions up in all of these: each is an empty library that needs the first.
LIBRARY = "ascendcl"
ALIASES = ("hccl", "acl_op_compiler", "ge_runner", "graph", "acl_tdt_channel", "runtime", "opapi")
FFT_LIBRARY = "asdsip"

SOURCES = (
    *("emulator.h", "operators.h", "runtime.c", "capture.c", "operators.c", "fft.c", "fallback.c"),
    *("fused.c", "dvm.h", "dvm.c", "hccl.c", "idle.c"),
)


_ON_DEMAND = {
    "runtime.c": r"(?m)^int (acl\w+)\(.*\{\s+FAILS_ON_DEMAND;"
    r"|^const char \*(\w+)\(.*emulator_ordered",
    "capture.c": r"(?m)^int (acl\w+)\(.*\{\s+FAILS_ON_DEMAND;",
    "fused.c": r"(?m)^int ((?:acl)?rt\w+)\([^{]*\{\s+FAILS_ON_DEMAND;",
    "idle.c": r"(?m)^IDLE\((\w+)\)",
}
"""The functions of the sources that can fail on demand."""


def functions() -> list[str]:
    """Return the functions of the runtime that can fail on demand."""
    found = (
        re.finditer(pattern, (_table.HERE / name).read_text())
        for name, pattern in _ON_DEMAND.items()
    )
    return sorted(match[match.lastindex or 0] for matches in found for match in matches)


class CompilerError(RuntimeError):
    """No C compiler was found, or it failed."""


class Slot(ctypes.Union):
    """``emulator_slot``: the value of one argument."""

    _fields_ = [
        ("p", ctypes.c_void_p),
        ("i", ctypes.c_int64),
        ("d", ctypes.c_double),
    ]


class Job(ctypes.Structure):
    """The head of ``emulator_job``."""

    _fields_ = [
        ("kind", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("kernel", ctypes.c_int32),
        ("error", ctypes.c_int32),
        ("number", ctypes.c_uint64),
        ("slots", Slot * 16),
    ]


class Handle(ctypes.Structure):
    """The head of ``emulator_handle``; int64 values follow it."""

    _fields_ = [
        ("kind", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
        ("references", ctypes.c_int32),
        ("offset", ctypes.c_int64),
        ("n", ctypes.c_uint64),
        ("data", ctypes.c_void_p),
    ]


class Traffic(ctypes.Structure):
    """``emulator_traffic``: the counts of one device."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            *("allocations", "frees", "used", "peak"),
            *("to_device", "to_device_bytes", "to_host", "to_host_bytes"),
            *("on_device", "on_device_bytes"),
        )
    ]


def _compiler() -> str:
    named = os.environ.get("CC")
    for name in (named,) if named else ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found:
            return found
    raise CompilerError(
        f"the emulated CANN is built with a C compiler: there is no {named or 'cc, gcc or clang'}; "
        "install one (Debian and Ubuntu: apt-get install gcc) or name one in CC"
    )


def _cc(folder: Path, name: str, sources: list[str], *options: str) -> None:
    output = f"lib{name}.so"
    command = [
        *(_compiler(), "-std=gnu11", "-O1", "-ffp-contract=off", "-w"),
        *("-shared", "-fPIC", "-pthread"),
        *(f"-Wl,-soname,{output}", "-o", output, *sources, *options),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompilerError(f"{' '.join(command)} failed:\n{done.stderr}")


def _folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "cann_emulator"


def _keep_others_out(folder: Path) -> bool:
    """See that nobody else can write to a folder; say whether nobody could before."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise CompilerError(
            f"{folder} is not a folder of this user, so that its libraries may be anybody's; "
            "delete it, or name another place for caches in XDG_CACHE_HOME"
        )
    if not status.st_mode & 0o022:
        return True
    folder.chmod(stat.S_IMODE(status.st_mode) & ~0o022)
    return False


def build(soc: str = "910B", cann: str = _table.CANN) -> Path:
    """Build the libraries for a family of chips and a release of CANN, unless they are there.

    Return their folder, which lies in the user's cache.
    """
    files = {name: (_table.HERE / name).read_text() for name in SOURCES}
    files["kernels.c"] = _table.c_code(soc, cann)
    key = hashlib.sha256("\0".join([*files.values(), *ALIASES, FFT_LIBRARY]).encode()).hexdigest()[
        :16
    ]
    target = _folder() / key
    target.parent.mkdir(parents=True, exist_ok=True)
    _keep_others_out(target.parent)
    if target.is_dir():
        if _keep_others_out(target):
            return target
        shutil.rmtree(target)  # what is in it may be anybody's
    folder = Path(tempfile.mkdtemp(dir=target.parent))
    try:
        for name, text in files.items():
            (folder / name).write_text(text)
        _cc(folder, LIBRARY, [name for name in files if name.endswith(".c")], "-lrt", "-lm")
        for alias in (*ALIASES, FFT_LIBRARY):
            _cc(folder, alias, [], "-Wl,--no-as-needed", "-L.", f"-l{LIBRARY}")
        folder.rename(target)
    except OSError:
        if not target.is_dir():  # else another process was faster
            raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return target


def load(soc: str, cann: str, *, fft_library: bool) -> ctypes.CDLL:
    """Load the libraries, so that the dynamic linker takes them for those that torch_npu asks for.

    It knows a loaded library by its SONAME: no LD_LIBRARY_PATH is needed.
    """
    folder = build(soc, cann)
    library = ctypes.CDLL(str(folder / f"lib{LIBRARY}.so"), mode=ctypes.RTLD_GLOBAL)
    for alias in (*ALIASES, FFT_LIBRARY) if fft_library else ALIASES:
        ctypes.CDLL(str(folder / f"lib{alias}.so"), mode=ctypes.RTLD_GLOBAL)
    size, pointer, number, text = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    for name, result, arguments in (
        ("emulator_start", size, (number, size, text, text)),
        ("emulator_next", pointer, (pointer, number, text)),
        ("emulator_stop", None, ()),
        ("emulator_wait", None, ()),
        ("emulator_window", pointer, (number, number)),
        ("emulator_set_shape", None, (pointer, pointer, ctypes.c_uint64)),
        ("emulator_count", ctypes.c_uint64, (number, number, number, number)),
        ("emulator_executions", ctypes.c_uint64, (number,)),
        ("emulator_read_traffic", None, (number, pointer)),
        ("emulator_asked", text, (number,)),
        ("emulator_fallback", text, (number, pointer)),
        ("emulator_fail", None, (number, number, text)),
        ("emulator_fail_kernel", None, (number, number, number, number)),
        ("emulator_fail_allocation", None, (number, number, number)),
        ("emulator_fail_copy", None, (number,)),
        ("emulator_fail_function", number, (text, number, text)),
        ("emulator_dvm_is_ready", number, ()),
        ("emulator_set_as_chip", None, (number,)),
        ("emulator_set_lost", None, (number, number)),
        ("emulator_limit", None, (number, size)),
        ("emulator_limit_kernel", None, (number, number)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
