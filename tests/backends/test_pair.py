"""Which torch and torch_npu go together, and what everything says where they do not."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from processes import calling, environment
from test_doctor import NOT_FOUND, NPU_REQUIREMENT, RELEASE, fake_torch_npu, run, works

import ascend_array_api as xp
from ascend_array_api import _torch
from ascend_array_api._doctor import diagnosis
from ascend_array_api._options import settings
from ascend_array_api._torch import pairs, torch
from conformance import cann_emulator, cli, pair
from conformance.cann_emulator import _emulator

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
INDEX = "https://download.pytorch.org/whl/cpu"
ABORT = "import os; os.abort()\n"
"""What torch_npu does beside a build of torch for CUDA, from 2.10 on."""


@pytest.mark.parametrize(
    ("version", "cuda", "torch_npu"),
    [
        ("2.13.0+cpu", None, "2.13.0"),
        ("2.13.0", None, "2.13.0"),  # built from source, or for macOS
        ("2.10.0+cpu", None, "2.10.0.post7"),
        ("2.9.1+cu128", "12.8", "2.9.1"),  # the last that can be beside CUDA's
        ("2.9.0+cu128", "12.8", "2.9.0.post9"),
        ("2.7.1+cu126", "12.6", "2.7.1.post11"),
    ],
)
def test_pairs_that_go_together(version: str, cuda: str | None, torch_npu: str) -> None:
    assert pairs.refusal(version, cuda, torch_npu) is None


@pytest.mark.parametrize(
    ("version", "cuda", "torch_npu", "release"),
    [
        ("2.10.0+cu128", "12.8", "2.10.0.post7", "2.10.0"),
        ("2.13.0+cu130", "13.0", "2.13.0", "2.13.0"),
        ("2.13.0", "13.0", "2.13.0", "2.13.0"),
        ("2.14.1+cu130", "13.0", "2.14.0", "2.14.1"),
        ("2.14.0a0+git1234567", "13.0", "2.14.0rc1", "2.14.0"),
    ],
)
def test_a_build_for_cuda_is_refused(version: str, cuda: str, torch_npu: str, release: str) -> None:
    refusal = pairs.refusal(version, cuda, torch_npu)
    assert isinstance(refusal, pairs.CudaBuildError)
    assert isinstance(refusal, ImportError)
    assert f"torch {version} is a build for CUDA" in refusal.reason
    assert f"torch_npu {torch_npu} " in refusal.reason
    assert refusal.remedy == f"pip install torch=={release}+cpu --index-url {INDEX}"
    assert str(refusal) == f"{refusal.reason}: {refusal.remedy}"
    assert "\n" not in str(refusal)


def test_another_release_is_refused() -> None:
    refusal = pairs.refusal("2.12.0+cpu", None, "2.13.0")
    assert isinstance(refusal, pairs.MismatchError)
    assert refusal.reason == "torch_npu 2.13.0 does not match torch 2.12.0+cpu"
    assert refusal.remedy == (
        f"pip install 'torch-npu==2.12.*' --extra-index-url {INDEX}; or, to keep torch_npu, "
        f"pip install torch==2.13.0+cpu --index-url {INDEX}"
    )
    old = pairs.refusal("2.12.0+cpu", None, "2.9.0.post9")
    assert old is not None
    assert old.remedy.endswith("to keep torch_npu, pip install torch==2.9.0")


def test_versions_are_compared_by_their_numbers() -> None:
    assert pairs.release("2.9.0.post9") < pairs.release("2.10.0")
    assert pairs.release("2.13.0+cu130") == (2, 13, 0)
    assert pairs.release("2.14.0a0+git1234567") == (2, 14, 0)
    assert pairs.release("2.14.0.dev20261101+cpu") == (2, 14, 0)


# ---- in a process: a torch that says that it was built for CUDA, and a torch_npu that aborts ----


def beside_a_build_for_cuda() -> None:
    works()
    remedy = f"pip install torch=={RELEASE}+cpu --index-url {INDEX}"
    for device in ("npu", "npu:0"):
        with pytest.raises(ValueError, match=f"there is no device '{device}'") as caught:
            xp.zeros(2, device=device)
        assert f": {remedy}." in str(caught.value)
    os.environ["ASCEND_ARRAY_API_DEVICE"] = "npu:0"
    with settings.entered(settings._of_process()[0]):
        with pytest.raises(ValueError, match="npu:0") as caught:
            xp.zeros(2)
        assert remedy in str(caught.value)
    report = diagnosis.diagnose()
    assert report["torch_npu"] == {"version": RELEASE, "imported": False}
    assert report["default_device"] == "cpu"
    (problem,) = report["problems"]
    assert problem["what"] == "torch_npu was not imported"
    assert "is a build for CUDA" in problem["reason"]
    assert problem["remedy"] == remedy
    assert f"what to do:  {remedy}" in diagnosis.render(report)
    print("all of it", flush=True)
    torch._import_device_backends()  # what `import torch` does, and what was survived


def test_the_namespace_works_and_refuses_npus(tmp_path: Path) -> None:
    fake_torch_npu(tmp_path, RELEASE, ABORT, cuda="13.0")
    done = run(*calling(beside_a_build_for_cuda), path=tmp_path)
    assert done.stdout == "all of it\n", done.stderr
    assert done.returncode == -signal.SIGABRT


def test_the_doctor_advises_both_where_torch_npu_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_torch, "NPU_VERSION", None)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    (problem,) = diagnosis._problems({**NOT_FOUND, "path": "/home/a/Ascend/cann"}, None)
    assert problem["what"] == "torch_npu is not installed"
    assert problem["remedy"].startswith(
        f"pip install torch=={RELEASE}+cpu --index-url {INDEX} && pip install '{NPU_REQUIREMENT}'"
    )


def test_a_torch_npu_that_lives_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has it imported has made it go with this torch."""
    monkeypatch.setattr(_torch, "NPU_VERSION", "2.13.0")
    monkeypatch.setattr(torch, "__version__", "2.13.0+cu130")
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setitem(sys.modules, "torch_npu", SimpleNamespace())
    assert _torch._import_npu() is None
    monkeypatch.delitem(sys.modules, "torch_npu")
    assert isinstance(_torch._import_npu(), pairs.CudaBuildError)


# ---- the tools: one line, exit code 2 ----


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """The same for what looks at torch before importing it: its version.py is read from a file."""
    found = importlib.util.find_spec("torch")
    assert found is not None
    assert found.origin is not None
    fake_torch_npu(tmp_path, RELEASE, ABORT)
    here = tmp_path / "torch"
    here.mkdir()
    (here / "__init__.py").write_text("raise SystemExit('nobody needs to import torch')\n")
    version = Path(found.origin).with_name("version.py").read_text()
    version = re.sub(r"^cuda\b.*$", "cuda = '13.0'", version, flags=re.MULTILINE)
    (here / "version.py").write_text(version.replace("+cpu", "+cu130"))
    return tmp_path


PLUGIN = "conformance.cann_emulator.plugin"


def test_tools_refuse_in_one_line(wheels: Path) -> None:
    """All in one process: none of them imports torch."""
    npu = [
        ["conformance", "--device", "npu"],
        ["conformance", "--device", "cpu", "npu:1"],
        ["conformance", "ready"],
        ["workshop", "cells", "--device", "npu"],
        ["conformance.cann_emulator", "examples/demo.py"],
        ["pytest", "-p", PLUGIN, "tests/routes/test_structure.py"],
    ]
    if all(importlib.util.find_spec(name) for name in ("scipy", "sklearn", "array_api_extra")):
        npu.append(["conformance", "consumers", "--device", "npu"])
    others = [["conformance", "ready", "--device", device] for device in ("cpu", "cuda:0")]
    done = run(str(HERE / "commands.py"), json.dumps(npu + others), path=wheels)
    assert done.returncode == 0, done.stdout + done.stderr
    ended = json.loads(done.stdout)
    for command, (code, out, err) in zip(npu, ended, strict=False):
        assert (code, out) == (2, ""), (command, out, err)
        (line,) = err.splitlines()
        assert "is a build for CUDA" in line, command
        assert line.endswith(f": pip install torch=={RELEASE}+cpu --index-url {INDEX}"), command
    assert ended[len(npu) :] == [[0, "", ""]] * 2, "other devices are ready"


def test_the_emulator_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = pairs.refusal("2.13.0+cu130", "13.0", "2.13.0")
    monkeypatch.setattr(_emulator, "_installed", [])
    monkeypatch.setattr(pair, "refusal", lambda: refusal)
    with pytest.raises(pairs.CudaBuildError):
        cann_emulator.install()


def test_what_is_read_is_what_torch_says() -> None:
    facts, torch_npu = pair._installed()
    assert facts is not None
    assert (facts["__version__"], facts["cuda"]) == (torch.__version__, torch.version.cuda)
    assert torch_npu == _torch.NPU_VERSION


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    assert pair.problem() == (
        f"torch_npu is not installed: pip install '{NPU_REQUIREMENT}' --extra-index-url {INDEX}"
    )
    assert pair.refusal() is None
    assert cli.main(["ready", "--device", "npu"]) == 2


# ---- the Makefile ----

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")

INSTALLED = (".installed-npu,test", ".installed-npu,consumers,test")


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make in an environment that is installed already, and is this interpreter's."""
    venv = folder / "venv"
    (venv / "bin").mkdir(parents=True, exist_ok=True)
    python = venv / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    for stamp in INSTALLED:
        (venv / stamp).touch()
    path = os.pathsep.join([str(folder), str(Path(xp.__file__).parents[1])])
    return subprocess.run(
        ["make", "--no-print-directory", f"VENV={venv}", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=environment("ASCEND", "TORCH", "MAKE", "PYTEST", "REQUIRE", PYTHONPATH=path),
    )


@pytest.mark.nightly
@needs_make
@pytest.mark.parametrize("target", ["npu", "conformance", "examples-run", "npu-unit", "consumers"])
def test_make_refuses_in_one_line(wheels: Path, target: str) -> None:
    done = make(wheels, target, "DEVICE=npu")
    assert done.returncode == 2
    assert "DID NOT RUN" not in done.stdout
    said = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(said) == 1, done.stderr
    assert said[0].endswith(f"pip install torch=={RELEASE}+cpu --index-url {INDEX}")


@pytest.mark.nightly
@needs_make
@pytest.mark.parametrize("device", ["", "npu", "cuda"])
def test_what_make_hands_to_the_shell_is_a_program(wheels: Path, device: str) -> None:
    for target in ("demo", "unit", "conformance", "examples-run", "docs", "consumers"):
        printed = make(wheels, "-n", target, f"DEVICE={device}")
        assert printed.returncode == 0, printed.stderr
        read = subprocess.run(
            ["sh", "-n"], input=printed.stdout, capture_output=True, text=True, check=False
        )
        assert read.returncode == 0, (target, read.stderr)


def test_the_extra_has_the_bounds_of_torch() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    torch_bounds = re.search(r'"torch>=([\d.]+),(<[\d.]+)"', text)
    npu_bounds = re.search(
        r'^npu = \["torch-npu>=([\d.]+)\.post2,(<[\d.]+)"\]$', text, re.MULTILINE
    )
    assert torch_bounds
    assert npu_bounds
    assert npu_bounds[1] == torch_bounds[1]
    ends = [tuple(map(int, found[2][1:].split("."))) for found in (npu_bounds, torch_bounds)]
    assert ends[0] <= ends[1], "torch_npu has the number of its torch, and comes later"


@pytest.mark.nightly
@needs_make
def test_make_test_leaves_npus_out_loudly(wheels: Path) -> None:
    done = make(wheels, "npu-in-test")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("NOTHING RAN ON NPUS") == 1
    assert f"pip install torch=={RELEASE}+cpu --index-url {INDEX}" in done.stderr
    required = make(wheels, "npu-in-test", "REQUIRE_NPU=1")
    assert required.returncode == 2
    assert required.stdout.count("NOTHING RAN ON NPUS") == 1
