"""SciPy with the patches of ``patches/scipy``: what its functions answer then.

    python tests/patched_scipy.py FOLDER strict|cpu|npu

takes SciPy from a folder that ``patched`` made, and compares the calls of
``patches/scipy/calls.txt`` with the same calls of NumPy's arrays.  NumPy cannot read arrays on the
devices ``strict`` and ``npu``: a call that goes to the host raises.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from processes import git

ROOT = Path(__file__).parents[1]
PATCHES = sorted((ROOT / "patches" / "scipy").glob("*.patch"))
CALLS = ROOT / "patches" / "scipy" / "calls.txt"
PAGE = ROOT / "patches" / "scipy" / "README.md"


def is_theirs() -> bool:
    """Say whether the installed SciPy is the one that the patches are for."""
    import scipy

    named = re.findall(r"SciPy (\d+\.\d+\.\d+)", PAGE.read_text(encoding="utf-8"))
    return bool(scipy.__version__ == named[0])


def patched(folder: Path) -> None:
    """Make a patched copy of the installed SciPy: links, but for the files that are changed."""
    import scipy

    installed = Path(scipy.__file__).parent
    shutil.copytree(installed, folder / "scipy", copy_function=os.symlink)
    libraries = installed.with_name("scipy.libs")
    if libraries.exists():  # wheels for Linux have them beside the package
        (folder / libraries.name).symlink_to(libraries)
    for patch in PATCHES:
        for name in re.findall(r"^--- a/(.*)$", patch.read_text(encoding="utf-8"), re.MULTILINE):
            file = folder / name
            if file.is_symlink():
                original = file.resolve()
                file.unlink()
                shutil.copy(original, file)
        git("apply", str(patch), cwd=folder)


def numbers() -> dict[str, Any]:
    """Return the arrays by their names in the calls; those of one letter are float64."""
    rng = np.random.default_rng(5)
    d = rng.uniform(-1, 1, (9, 12))
    d[3, 4:] = 0.0
    return {
        "x32": rng.uniform(-1, 1, 300).astype(np.float32),
        "m32": rng.uniform(-1, 1, (20, 12)).astype(np.float32),
        "i64": rng.integers(-3, 4, (7, 12)),
        "y": rng.uniform(-1, 1, 300),
        "t": np.cumsum(rng.uniform(0.5, 1.5, 300)),  # knots
        "d": d,
        "b": rng.uniform(-1, 1, (9, 6, 2, 3)),
        "f": np.asarray([0.25, 0.5, 0.25]),
        "q": np.asarray([[0.1, 0.2, 0.1, 1.0, -1.6, 0.8], [1.0, 2.0, 0.0, 1.0, -0.9, 0.0]]),
    }


def main(folder: str, device: str) -> None:
    """Make all calls, and say how many were right."""
    os.environ["SCIPY_ARRAY_API"] = "1"  # SciPy reads it once
    sys.path[:0] = [folder, str(ROOT)]
    if device == "strict":
        xp = importlib.import_module("array_api_strict")
        on, host = xp.Device("device1"), xp.Device("CPU_DEVICE")
    else:
        if device == "npu":
            importlib.import_module("conformance.cann_emulator").install()
        xp = importlib.import_module("ascend_array_api")
        on, host = xp.empty(0, device=device).device, "cpu"
    names = ("interpolate", "ndimage", "signal", "spatial.distance")
    modules = {name: importlib.import_module(f"scipy.{name}") for name in names}
    assert all(str(module.__file__).startswith(folder) for module in modules.values())
    modules["spatial"] = sys.modules["scipy.spatial"]

    def array(values: Any, of: Any, dtype: Any) -> Any:
        return of.asarray(
            values, dtype=dtype and getattr(of, dtype), device=on if of is xp else "cpu"
        )

    def evaluate(text: str, of: Any) -> tuple[Any, ...]:
        arrays = {name: array(value, of, None) for name, value in numbers().items()}
        names = {"xp": of, "a": lambda values, dtype="float64": array(values, of, dtype)}
        result = eval(text, {**modules, **arrays, **names})
        return result if isinstance(result, tuple) else (result,)

    right = 0
    for text in CALLS.read_text(encoding="utf-8").splitlines():
        if not text or text.startswith("#"):
            continue
        wanted, found = evaluate(text, np), evaluate(text, xp)
        for one, other in zip(found, wanted, strict=True):
            assert one.device == on, text
            back = np.asarray(one.to_device(host))
            assert back.dtype == other.dtype, text
            size = np.max(np.abs(other), initial=0, where=np.isfinite(other))
            bound = 64 * np.finfo(other.dtype).eps * size
            np.testing.assert_allclose(back, other, rtol=0, atol=bound, err_msg=text)
        right += 1
    if device == "npu":
        assert not xp.fallback_report()
    print(right, "calls are right")


if __name__ == "__main__":
    main(*sys.argv[1:])
