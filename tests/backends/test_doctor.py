"""The guarded import of torch_npu, and the doctor: in every combination, with reason and remedy."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from processes import python

import ascend_array_api as xp
from ascend_array_api import _torch
from ascend_array_api._doctor import diagnosis, tested
from ascend_array_api._options import settings
from ascend_array_api._torch import torch

RELEASE = torch.__version__.split("+")[0]
NPU_REQUIREMENT = f"torch-npu=={RELEASE.rpartition('.')[0]}.*"
USE = "import ascend_array_api as xp; print(xp.asarray([1.0, 2.0], device='cpu') * 2)"


BUILD = """
import importlib.abc, importlib.machinery, os, sys

class Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module):
        super().exec_module(module)
        module.cuda = {cuda!r}

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "torch.version":
            file = os.path.join(path[0], "version.py")
            return importlib.machinery.ModuleSpec(name, Loader(name, file), origin=file)

sys.meta_path.insert(0, Finder())
"""


def fake_build(folder: Path, cuda: str | None) -> None:
    """Have torch say that it was built for that version of CUDA; None is the CPU."""
    (folder / "sitecustomize.py").write_text(BUILD.format(cuda=cuda))


def fake_torch_npu(folder: Path, version: str, code: str, cuda: str | None = None) -> None:
    """A package that calls itself torch_npu, with that version, and runs that code."""
    fake_build(folder, cuda)
    (folder / "torch_npu").mkdir()
    (folder / "torch_npu" / "__init__.py").write_text(code)
    info = folder / f"torch_npu-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torch-npu\nVersion: {version}\n")
    # torch loads every installed backend when it is imported: so does the real torch_npu.
    (info / "entry_points.txt").write_text("[torch.backends]\ntorch_npu = torch_npu:_autoload\n")


def run(*arguments: str, path: Path, **variables: str) -> Any:
    root = str(Path(xp.__file__).parents[1])
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ASCEND", "TORCH"))}
    environment |= {"PYTHONPATH": os.pathsep.join([str(path), root]), "HOME": str(path)}
    return python("-W", "error", *arguments, code=None, env=environment | variables)


def doctor(path: Path, code: int | None, **variables: str) -> dict[str, object]:
    """The report; its exit code is given, or that of its problems."""
    done = run("-m", "ascend_array_api", "--json", path=path, **variables)
    report: dict[str, object] = json.loads(done.stdout)
    assert done.returncode == (bool(report["problems"]) if code is None else code), done.stderr
    return report


NO_CANN = "raise ImportError('libhccl.so: cannot open shared object file')\n"


def test_torch_npu_without_cann(tmp_path: Path) -> None:
    fake_torch_npu(tmp_path, RELEASE, NO_CANN)
    assert run("-c", "import torch", path=tmp_path).returncode == 1  # what is to be survived
    done = run("-c", USE, path=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Array([2., 4.]" in done.stdout
    report = doctor(tmp_path, 1)
    assert report["torch_npu"] == {"version": RELEASE, "imported": False}
    (problem,) = report["problems"]
    assert problem["what"] == "torch_npu could not be imported"
    assert "libhccl.so" in problem["reason"]
    assert "install CANN" in problem["remedy"]


def test_the_environment_of_the_process_is_left_alone(tmp_path: Path) -> None:
    fake_torch_npu(tmp_path, RELEASE, NO_CANN)
    program = "import os, ascend_array_api; print(os.environ.get('TORCH_DEVICE_BACKEND_AUTOLOAD'))"
    assert run("-c", program, path=tmp_path).stdout == "None\n"
    kept = run("-c", program, path=tmp_path, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert kept.stdout == "0\n"


def test_cann_that_was_not_set_up(tmp_path: Path) -> None:
    fake_torch_npu(tmp_path, RELEASE, NO_CANN)
    toolkit = tmp_path / "Ascend" / "ascend-toolkit" / "latest"
    toolkit.mkdir(parents=True)
    (toolkit.parent / "set_env.sh").write_text("")
    (toolkit / "version.cfg").write_text("# a comment\nruntime_running_version=[8.1.0:8.1.0]\n")
    report = doctor(tmp_path, 1)
    assert report["cann"] == {
        "path": str(toolkit),
        "version": "8.1.0",
        "active": False,
        "set_env": str(toolkit.parent / "set_env.sh"),
    }
    assert report["problems"][0]["remedy"] == f"source {toolkit.parent / 'set_env.sh'}"
    active = doctor(tmp_path, 1, ASCEND_TOOLKIT_HOME=str(toolkit))
    assert active["cann"]["active"]
    assert "supports" in active["problems"][0]["remedy"]


def test_a_torch_npu_that_does_not_match_torch(tmp_path: Path) -> None:
    fake_torch_npu(tmp_path, "1.11.0", "raise SystemExit('this must not be imported')\n")
    assert run("-c", USE, path=tmp_path).returncode == 0
    (problem,) = doctor(tmp_path, 1)["problems"]
    assert problem["reason"] == f"torch_npu 1.11.0 does not match torch {torch.__version__}"
    assert f"pip install '{NPU_REQUIREMENT}'" in problem["remedy"]
    assert "pip install torch==1.11.0" in problem["remedy"]


def test_cann_without_a_device(tmp_path: Path) -> None:
    fake_torch_npu(
        tmp_path,
        RELEASE,
        "import torch, types\n"
        "torch.npu = types.SimpleNamespace(is_available=lambda: False, device_count=lambda: 0)\n",
    )
    assert run("-c", USE, path=tmp_path).returncode == 0
    report = doctor(tmp_path, 1)
    assert report["torch_npu"]["imported"]
    assert report["default_device"] == "cpu"
    (problem,) = report["problems"]
    assert "npu-smi" in problem["remedy"]


def test_cann_without_torch_npu(tmp_path: Path) -> None:
    if _torch.NPU_VERSION is not None:
        pytest.skip("torch_npu is installed")
    (tmp_path / "Ascend" / "cann").mkdir(parents=True)
    (problem,) = doctor(tmp_path, 1)["problems"]
    assert problem["what"] == "torch_npu is not installed"
    assert NPU_REQUIREMENT in problem["remedy"]


def test_a_driver_without_cann_and_torch_npu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the first thing on a machine with NPUs: the rest is to be installed."""
    driver = tmp_path / "version.info"
    driver.write_text("Version=25.5.0\n")
    monkeypatch.setattr(diagnosis, "_DRIVER_VERSION_FILE", str(driver))
    monkeypatch.setattr(_torch, "NPU_VERSION", None)
    absent = {"path": None, "version": None, "active": False, "set_env": None}
    monkeypatch.setattr(diagnosis, "find_cann", lambda: absent)
    report = diagnosis.diagnose()
    assert report["driver"] == "25.5.0"
    problem = report["problems"][0]
    assert problem["what"] == "there is an Ascend driver, but neither CANN nor torch_npu"
    assert problem["remedy"].startswith("install CANN")
    assert NPU_REQUIREMENT in problem["remedy"]
    driver.write_text("")
    assert diagnosis.diagnose()["driver"] == "unknown version"
    driver.unlink()
    assert diagnosis.diagnose()["problems"] == []


def test_emulated_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    report = diagnosis.diagnose()
    assert report["emulated"] is diagnosis.emulated()
    npu = {"name": "npu:0", "type": "npu", "model": "Ascend910B2", "memory": None}
    report |= {"devices": [npu], "emulated": True}
    report["cann"] |= {"path": None}
    text = diagnosis.render(report).splitlines()
    assert "  npu:0           Ascend910B2 (emulated)" in text
    assert "CANN              emulated" in text
    report["emulated"] = False
    text = diagnosis.render(report).splitlines()
    assert "  npu:0           Ascend910B2" in text
    assert "CANN              not found" in text


def test_what_others_say_is_no_command_to_a_terminal() -> None:
    report = diagnosis.diagnose()
    report |= {"driver": "1\x1b]0;x\x07", "default_device": "\u202ecpu\r"}
    text = diagnosis.render(report)
    assert r"1\x1b]0;x\x07" in text
    assert r"\u202ecpu\r" in text
    assert all(c.isprintable() for c in text.replace("\n", ""))


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("RELAXED", "maybe", "ASCEND_ARRAY_API_RELAXED must be 1 or 0, not 'maybe'."),
        ("DEFAULT_FLOAT", "float16", "must be float32 or float64, not 'float16'."),
        ("HOST_FALLBACK", "no", "must be one of 'warn', 'error', 'allow', not 'no'."),
        ("RELAXD", "1", "ASCEND_ARRAY_API_RELAXED"),
    ],
)
def test_a_bad_environment_variable_is_explained(
    name: str, value: str, reason: str, tmp_path: Path
) -> None:
    variable = f"ASCEND_ARRAY_API_{name}"
    report = doctor(tmp_path, 1, **{variable: value})
    problem = report["problems"][-1]
    assert variable in problem["what"]
    assert reason in problem["reason"]
    assert f"unset {variable}" in problem["remedy"]
    elsewhere = run("-c", USE, path=tmp_path, **{variable: value})
    assert elsewhere.returncode == (0 if name == "RELAXD" else 1)  # it is not ignored either


@pytest.mark.parametrize(
    "name", ["HOST_FALLBACK", "RELAXED", "DEFAULT_FLOAT", "NPU_MATH", "CHECKS", "GATHER"]
)
@pytest.mark.parametrize("value", ["late\x1b[2J", "'; import os; '", "../fast", "1" * 9999])
def test_a_variable_is_a_word_or_nothing(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ASCEND_ARRAY_API_{name}", value)
    with pytest.raises(ValueError, match=rf"ASCEND_ARRAY_API_{name} must be .*not .*") as caught:
        settings._from_environment()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(("value", "device"), [("npu:1", "npu:1"), ("", None), (None, None)])
def test_a_device_is_named_by_the_environment(
    value: str | None, device: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASCEND_ARRAY_API_DEVICE", raising=False)
    if value is not None:
        monkeypatch.setenv("ASCEND_ARRAY_API_DEVICE", value)
    assert settings._from_environment().device == device


def test_the_table_of_what_was_run_is_on_its_page() -> None:
    page = Path(xp.__file__).parents[1] / "docs" / "installation.md"
    table = tested.markdown()
    assert table in page.read_text(), f"{page} is to have:\n{table}"
    rows = tested.rows()
    for row in rows:
        assert set(row) == set(tested.Row.__annotations__)
        assert row["state"] in {tested.RUN, tested.NEVER_RUN}
        assert bool(row["what"]) is (row["state"] == tested.RUN)
        if row["state"] == tested.RUN and row["torch_npu"]:
            assert "emulated" in row["processor"]  # until a report of hardware is kept
    report = diagnosis.diagnose()
    assert report["tested"] == tested.about(torch.__version__, npu=_torch.NPU_VERSION is not None)
    text = diagnosis.render(report)
    for row in report["tested"]:
        assert f"  {row['processor']}" in text
        assert tested.said(row) in text


def test_rows_are_those_of_the_torch_that_is_installed() -> None:
    assert all(row["torch_npu"] for row in tested.about("2.13.0+cpu", npu=True))
    assert {row["state"] for row in tested.about("2.11.0", npu=True)} == {tested.NEVER_RUN}
    rows = tested.about("2.12.1", npu=False)
    assert ("x86-64", "3.12") in {(row["processor"], row["Python"]) for row in rows}
    assert tested.about("1.0", npu=False) == []
    report = {**diagnosis.diagnose(), "tested": [], "pair": None}
    assert diagnosis.render(report).splitlines().count("  never run") == 1


@pytest.mark.parametrize(
    ("torch_npu", "cann", "said"),
    [
        ("2.9.0.post2", "9.0.0", "this pair was run, with CANN 9.0.0 (emulated)"),
        ("2.9.0.post2", None, "this pair was run, with CANN 9.0.0 (emulated)"),
        (
            "2.9.0.post2",
            "8.2.RC1",
            "this pair was run, with CANN 9.0.0 (emulated), and never with CANN 8.2.RC1",
        ),
        ("2.9.0.post1", "9.0.0", "this pair was never run"),
        ("2.8.0.post5", "9.0.0", "this pair was never run"),
    ],
)
def test_whether_this_pair_was_run(torch_npu: str, cann: str | None, said: str) -> None:
    expected = f"torch 2.9.0 with torch_npu {torch_npu}: {said}"
    assert tested.about_pair("2.9.0+cpu", torch_npu, cann) == expected
    report = {**diagnosis.diagnose(), "pair": expected}
    assert f"  {expected}" in diagnosis.render(report).splitlines()


def test_a_machine_without_npu_software_is_in_order(tmp_path: Path) -> None:
    if _torch.NPU_VERSION is not None:
        pytest.skip("torch_npu is installed")
    report = doctor(tmp_path, 0)
    assert report["problems"] == []
    assert report["torch"] == torch.__version__
    assert report["ascend_array_api"] == xp.__version__
    assert report["devices"][0] == {
        "name": "cpu",
        "type": "cpu",
        "model": "the host",
        "memory": None,
    }


def test_a_default_device_that_does_not_exist(tmp_path: Path) -> None:
    report = doctor(tmp_path, 1, ASCEND_ARRAY_API_DEVICE="cuda:77")
    assert report["default_device"] is None
    usual = {"relaxed": False, "default_float": "float32", "npu_math": "exact", "checks": "late"}
    assert report["options"] == {"device": "cuda:77", "host_fallback": "warn"} | usual
    assert "cuda:77" in report["problems"][-1]["reason"]


def test_the_options_in_force(tmp_path: Path) -> None:
    with_policy = {"ASCEND_ARRAY_API_DEVICE": "cpu", "ASCEND_ARRAY_API_HOST_FALLBACK": "error"}
    report = doctor(tmp_path, None, **with_policy)
    usual = {"relaxed": False, "default_float": "float32", "npu_math": "exact", "checks": "late"}
    assert report["options"] == {"device": "cpu", "host_fallback": "error"} | usual
    text = run("-m", "ascend_array_api", path=tmp_path, **with_policy).stdout
    assert "host fallback     error" in text.splitlines()
    with xp.options(relaxed=True, default_float="float64"):
        text = diagnosis.render(diagnosis.diagnose())
    assert "mode              relaxed" in text.splitlines()
    assert "default float     float64" in text.splitlines()


def test_the_text_says_what_the_data_says(capsys: pytest.CaptureFixture[str]) -> None:
    report = diagnosis.diagnose()
    assert diagnosis.main([]) == (1 if report["problems"] else 0)
    text = capsys.readouterr().out
    assert torch.__version__ in text
    assert all(d["name"] in text for d in report["devices"])
    report["problems"] = [{"what": "W", "reason": "R", "remedy": "M"}]
    assert "problem: W\n  why:  R\n  what to do:  M" in diagnosis.render(report)
