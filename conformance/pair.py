"""Whether torch and torch_npu go together here, asked before either is imported.

Beside a torch that it does not go with, torch_npu may end the process as it is imported.  Which
ones these are is the package's to say; its file is loaded alone, because the package imports
torch_npu, and the emulated CANN must be there before.
"""

from __future__ import annotations

import importlib.util
import runpy
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import ROOT, install

if TYPE_CHECKING:
    from ascend_array_api._torch import pairs
else:
    _FILE = ROOT / "ascend_array_api" / "_torch" / "pairs.py"
    _SPEC = importlib.util.spec_from_file_location("ascend_array_api._torch.pairs", _FILE)
    pairs = importlib.util.module_from_spec(_SPEC)
    _SPEC.loader.exec_module(pairs)

INSTALL = f"{install('npu')} --extra-index-url {pairs.CPU_BUILDS}"
"""What installs both."""


def refusal() -> ImportError | None:
    """Return why torch_npu must not be imported beside torch; None where one is not installed."""
    torch, torch_npu = _installed()
    if torch is None or torch_npu is None:
        return None
    return pairs.refusal(torch["__version__"], torch["cuda"], torch_npu)


def problem() -> str | None:
    """Return why torch_npu cannot be used here, with the command that mends it, in a sentence."""
    torch, torch_npu = _installed()
    if torch is None:
        return f"torch is not installed: {INSTALL}"
    if torch_npu is None:
        return f"torch_npu is not installed: {pairs.install_npu(torch['__version__'])}"
    why = refusal()
    return None if why is None else str(why)


def cpu_build() -> str | None:
    """Return the version of torch where it is a build for the CPU alone; else None."""
    torch, _ = _installed()
    alone = torch is not None and torch["cuda"] is None and torch.get("hip") is None
    return torch["__version__"] if torch is not None and alone else None


def _installed() -> tuple[dict[str, Any] | None, str | None]:
    """Return what torch says of itself, and the version of torch_npu; None for what is absent."""
    torch = importlib.util.find_spec("torch")
    facts = None
    if torch is not None and torch.origin is not None:
        facts = runpy.run_path(str(Path(torch.origin).with_name("version.py")))
    try:
        return facts, metadata.version("torch-npu")
    except metadata.PackageNotFoundError:
        return facts, None
