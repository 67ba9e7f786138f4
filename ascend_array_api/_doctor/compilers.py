"""The doctor on ``torch.compile``: which backends of torch_npu's Inductor can be used, and why not.

It imports neither Triton nor Inductor, which take seconds; it looks where they are.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from .. import _torch
from .._backends.npu import BACKEND, COMPILER, emulated
from .._backends.npu._common import BEFORE_A2
from .._torch import version_of
from .findings import Findings

_TRITON: Final = "pip install triton-ascend pybind11"
_EXTENSIONS: Final = ("language", "extra", "cann")
"""Where a Triton has what the code of the default backend imports."""

_BISHENG: Final = "bisheng"


def _folder(package: str) -> Path | None:
    """Return the folder of an installed package, which is not imported."""
    found = importlib.util.find_spec(package)
    folders = None if found is None else found.submodule_search_locations
    return Path(folders[0]) if folders else None


def _no_triton() -> str | None:
    """Say why Inductor finds no Triton, for which it asks before it compiles for any NPU."""
    if _folder("triton") is None:
        return f"Inductor asks for a package triton, which is not installed: {_TRITON}"
    if version_of("triton-ascend") is not None and importlib.util.find_spec("pybind11") is None:
        return "triton-ascend imports pybind11, which is not installed: pip install pybind11"
    return None


def _no_dvm() -> str | None:
    """Say why DVM cannot be used."""
    folder = _folder("torch_npu")
    if folder is None or not (folder / "_inductor" / "dvm").is_dir():
        return f"torch_npu {_torch.NPU_VERSION} does not have it; 2.13 does"
    if BEFORE_A2.decide(BACKEND.facts):
        return f"it knows the chips from Atlas A2 on, and this is {BACKEND.facts['soc']}"
    return _no_triton()


def _no_default() -> str | None:
    """Say why the default backend, which compiles by Triton, cannot be used."""
    version = version_of("triton-ascend")
    if version is None:
        return "triton-ascend is not installed; the release of torch_npu names the one it needs"
    folder = _folder("triton")
    if folder is None or not folder.joinpath(*_EXTENSIONS).is_dir():
        return (
            f"triton-ascend {version} lacks triton.{'.'.join(_EXTENSIONS)}, which the code of "
            "torch_npu imports; projects for torch_npu pin 3.2.2"
        )
    if emulated():
        return "the emulated CANN runs no kernels that Triton compiled"
    if shutil.which(_BISHENG) is None:
        return f"{_BISHENG}, CANN's compiler, is not on PATH: source CANN's set_env.sh"
    return _no_triton()


def look(findings: Findings, devices: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the backends of Inductor for NPUs: name, whether usable, and what is to be done.

    Parameters
    ----------
    findings : Findings
        The findings; gets a note if the backend that the environment chooses cannot be used.
    devices : sequence of dict
        The devices of the report.
    """
    if not any(d["type"] == "npu" for d in devices):
        return []
    chosen, found = os.environ.get(COMPILER), []
    for name, why in (("dvm", _no_dvm()), ("default", _no_default())):
        remedy = f"in use, by {COMPILER}" if chosen == name else f"set {COMPILER}={name}"
        found.append({"backend": name, "usable": why is None, "says": why or remedy})
        if why is not None and chosen == name:
            findings.note(
                f"torch.compile cannot compile for NPUs by the backend {name}",
                f"{COMPILER}={chosen} chooses it, and {why.partition(': ')[0]}",
                why.partition(": ")[2] or f"unset {COMPILER}, or compile with backend='aot_eager'",
            )
    return found
