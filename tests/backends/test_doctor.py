"""The guarded import of torch_npu, and the doctor: in every combination, with reason and remedy."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
from parametrize import listing
from processes import calling, python

import ascend_array_api as xp
from ascend_array_api import _torch
from ascend_array_api._backends.npu import BACKEND, causes
from ascend_array_api._devices import device as devices
from ascend_array_api._doctor import diagnosis, npus, tested
from ascend_array_api._doctor.findings import Findings
from ascend_array_api._options import settings
from ascend_array_api._torch import torch
from conformance.cann_emulator import _table, faults

RELEASE = torch.__version__.split("+")[0]
NPU_REQUIREMENT = f"torch-npu=={RELEASE.rpartition('.')[0]}.*"
AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"


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
    paths = [str(path), root, *filter(None, [environment.get("PYTHONPATH")])]
    environment |= {"PYTHONPATH": os.pathsep.join(paths), "HOME": str(path)}
    return python("-W", "error", *arguments, code=None, env=environment | variables)


def apart(function: Callable[[], None], path: Path, **variables: str) -> None:
    """Call a function in a process of its own, which finds what is in the folder."""
    done = run(*calling(function), path=path, **variables)
    assert done.returncode == 0, done.stdout + done.stderr


def works() -> None:
    """See that arrays on the CPU are there whatever torch_npu does."""
    assert repr(xp.asarray([1.0, 2.0], device="cpu") * 2).startswith("Array([2., 4.]")


NO_CANN = "raise ImportError('libhccl.so: cannot open shared object file')\n"
NOT_FOUND: Final[dict[str, Any]] = {"path": None, "version": None, "active": False, "set_env": None}


def installed(monkeypatch: pytest.MonkeyPatch, error: Exception | None = None) -> None:
    """Have the package see the torch_npu of this torch, and the error of its import."""
    monkeypatch.setattr(_torch, "NPU_VERSION", RELEASE)
    monkeypatch.setattr(_torch, "NPU_ERROR", error)


# ---- in a process each: a torch_npu that cannot be used, from the import to the report ----


def without_cann() -> None:
    assert AUTOLOAD not in os.environ  # the environment is left alone
    with pytest.raises(RuntimeError, match="torch_npu"):
        torch._import_device_backends()  # what `import torch` does, and what is to be survived
    works()
    report = diagnosis.diagnose()
    # The environment was read at the import.
    assert report["options"]["device"] == report["default_device"] == "cpu"
    assert report["torch_npu"] == {"version": RELEASE, "imported": False}
    (problem,) = report["problems"]
    assert problem["what"] == "torch_npu could not be imported"
    assert "libhccl.so" in problem["reason"]
    assert "install CANN" in problem["remedy"]


def test_torch_npu_without_cann(tmp_path: Path) -> None:
    fake_torch_npu(tmp_path, RELEASE, NO_CANN)
    apart(without_cann, tmp_path, ASCEND_ARRAY_API_DEVICE="cpu")


def beside_another_torch() -> None:
    assert os.environ[AUTOLOAD] == "0"
    works()
    report = diagnosis.diagnose()
    (problem,) = report["problems"]
    assert problem["reason"] == f"torch_npu 1.11.0 does not match torch {torch.__version__}"
    assert f"pip install '{NPU_REQUIREMENT}'" in problem["remedy"]
    assert "pip install torch==1.11.0" in problem["remedy"]


def test_a_torch_npu_that_does_not_match_torch(tmp_path: Path) -> None:
    fake_torch_npu(tmp_path, "1.11.0", "raise SystemExit('this must not be imported')\n")
    apart(beside_another_torch, tmp_path, **{AUTOLOAD: "0"})


class Fails:
    """torch_npu's part of torch where all but some functions raise."""

    def __init__(self, error: type[Exception], known: tuple[str, ...]) -> None:
        self._error = error
        self._known = dict(zip(known, (lambda: True, lambda: 2), strict=False))

    def __getattr__(self, name: str) -> Any:
        def fails(*_: Any, **__: Any) -> None:
            raise self._error("the machine is ill")

        return self._known.get(name, fails)


FAILURES = [
    ((), "devices of the type npu cannot be listed; the default device is unknown"),
    (("is_available",), "devices of the type npu cannot be listed"),
    (("is_available", "device_count"), "npu:0 cannot be used; npu:1 cannot be used"),
]


def devices_that_fail() -> None:
    works()
    report = diagnosis.diagnose()
    assert report["torch_npu"]["imported"]
    assert report["default_device"] == "cpu"
    (problem,) = report["problems"]
    assert "npu-smi" in problem["remedy"]
    assert "no driver in /usr/local/Ascend/driver" in problem["reason"]
    assert "/dev/davinci_manager" in problem["remedy"]
    for known, what in FAILURES:
        for error in (RuntimeError, AssertionError):
            torch.npu = Fails(error, known)
            BACKEND.__dict__.pop("module", None)
            devices._default = None  # nobody has looked for it yet
            report = diagnosis.diagnose()
            (problem,) = report["problems"]
            assert set(what.split("; ")) <= set(problem["what"].split("; ")), problem
            assert problem["reason"] == f"{error.__name__}: the machine is ill"
            assert "npu-smi info" in problem["remedy"]
            assert report["devices"][0]["model"] == "the host"
            text = diagnosis.render(report)
            assert "why:  " in text
            assert ("npu:0           cannot be used" in text) == (len(known) == 2)


@pytest.mark.nightly
def test_devices_that_are_absent_or_fail(tmp_path: Path) -> None:
    fake_torch_npu(
        tmp_path,
        RELEASE,
        "import torch, types\n"
        "torch.utils.rename_privateuse1_backend('npu')\n"
        "torch.npu = types.SimpleNamespace(is_available=lambda: False, device_count=lambda: 0)\n"
        "torch.npu.init = lambda: None\n",
    )
    apart(devices_that_fail, tmp_path)


@pytest.mark.nightly
def test_a_backend_of_another_package_that_fails_is_told(tmp_path: Path) -> None:
    info = tmp_path / "toy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[ascend_array_api.backends]\nmeta = toy:BACKEND\n")
    (tmp_path / "toy.py").write_text("raise ValueError('a toy broke')\n")
    done = run("-m", "ascend_array_api", path=tmp_path)
    assert done.returncode == 1, done.stderr
    *_, what, reason, remedy = done.stdout.splitlines()
    assert "devices of the type meta cannot be listed" in what
    assert reason == "  why:  ValueError: a toy broke"
    assert "report it" in remedy


@pytest.mark.nightly
def test_bad_environment_variables_are_explained(tmp_path: Path) -> None:
    bad = {"ASCEND_ARRAY_API_DEFAULT_FLOAT": "float16", "ASCEND_ARRAY_API_RELAXD": "1"}
    done = run("-m", "ascend_array_api", "--json", path=tmp_path, **bad)
    assert done.returncode == 1, done.stderr
    *_, misspelt, wrong = json.loads(done.stdout)["problems"]
    assert (
        misspelt["what"]
        == "the environment variable ASCEND_ARRAY_API_RELAXD is none of this package"
    )
    assert "ASCEND_ARRAY_API_DEFAULT_FLOAT must be one of 'float32', 'float64'" in wrong["reason"]
    assert "all options above are the defaults until then" in wrong["remedy"]


# ---- in this process: a problem is a function of what was found ----


def test_cann_that_was_not_set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, ImportError("libhccl.so: cannot open shared object file"))
    for variable in diagnosis._CANN_VARIABLES:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    toolkit = tmp_path / "Ascend" / "ascend-toolkit" / "latest"
    toolkit.mkdir(parents=True)
    (toolkit.parent / "set_env.sh").write_text("")
    (toolkit / "version.cfg").write_text("# a comment\nruntime_running_version=[8.1.0:8.1.0]\n")
    found = diagnosis.find_cann()
    path, set_env = str(toolkit), str(toolkit.parent / "set_env.sh")
    assert found == {"path": path, "version": "8.1.0", "active": False, "set_env": set_env}
    (problem,) = diagnosis._problems(found, None)
    assert problem["remedy"] == f"source {set_env}"
    monkeypatch.setenv("ASCEND_TOOLKIT_HOME", str(toolkit))
    active = diagnosis.find_cann()
    assert active["active"]
    (problem,) = diagnosis._problems(active, None)
    assert "supports" in problem["remedy"]


@listing(
    "raised, reason, remedy",
    [
        (
            AttributeError("`np.float_` was removed in the NumPy 2.0 release."),
            "names that NumPy .* no longer has. AttributeError: `np.float_`",
            "pip install 'numpy<2'",
        ),
        (ModuleNotFoundError("No module named 'attr'"), "cannot import attr", "attrs"),
        (ModuleNotFoundError("No module named 'yaml'"), "cannot import yaml", "pyyaml"),
        (ModuleNotFoundError("No module named 'tbe'"), "a part of CANN", "set_env.sh"),
        (
            ImportError("libascend_hal.so: cannot open shared object file"),
            "the driver of the NPU is not there.*libascend_hal",
            "/dev/davinci_manager",
        ),
        (RuntimeError(), "RuntimeError: ", "install CANN"),
        (AssertionError("Torch not compiled"), "AssertionError: Torch", "install CANN"),
        (KeyError(7), "KeyError: 7", "install CANN"),
    ],
)
def test_whatever_the_import_of_torch_npu_raises_is_told(
    raised: Exception, reason: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, raised)
    (problem,) = diagnosis._problems(NOT_FOUND, None)
    assert problem["what"] == "torch_npu could not be imported"
    assert re.search(reason, problem["reason"])
    assert remedy in problem["remedy"]


def test_whatever_the_import_of_torch_npu_raises_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    class Raises:
        def find_spec(self, name: str, *_: Any) -> None:
            if name == "torch_npu":
                raise KeyError(7)

    monkeypatch.setattr(_torch, "NPU_VERSION", RELEASE)
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.delitem(sys.modules, "torch_npu", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Raises(), *sys.meta_path])
    assert isinstance(_torch._import_npu(), KeyError)
    monkeypatch.setitem(sys.modules, "torch_npu", SimpleNamespace())
    assert _torch._import_npu() is None


def test_a_driver_of_gpus_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> bool:
        raise RuntimeError("CUDA driver version is insufficient")

    monkeypatch.setattr(torch.cuda, "is_available", fails)
    problem = diagnosis.diagnose()["problems"][0]
    assert problem["what"].startswith("devices of the type cuda cannot be listed")
    assert problem["reason"] == "RuntimeError: CUDA driver version is insufficient"
    assert "nvidia-smi" in problem["remedy"]


def test_files_that_cannot_be_read_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> Any:
        raise PermissionError(13, "Permission denied", "/usr/local/Ascend/cann")

    monkeypatch.setattr(diagnosis, "find_cann", fails)
    monkeypatch.setattr(diagnosis, "_driver", fails)
    report = diagnosis.diagnose()
    problem = report["problems"][0]
    assert problem["what"] == (
        "the files of CANN cannot be read; the files of the driver cannot be read"
    )
    assert "/usr/local/Ascend/cann" in problem["reason"]
    assert "let this user read" in problem["remedy"]
    assert "CANN " in diagnosis.render(report)


@pytest.mark.parametrize(
    ("cann", "numpy", "python", "told"),
    [
        ("8.2.RC1", "2.0.2", "3.11.9", True),
        ("8.5.0", "2.4.6", "3.12.1", True),
        ("8.5.0", "2.4.6", "3.13.0", False),
        ("8.2.RC1", "1.26.4", "3.11.9", False),
        ("9.0.0", "2.4.6", "3.11.9", False),
        (None, "2.4.6", "3.11.9", False),
    ],
)
def test_numpy_2_beside_a_cann_that_does_not_know_it(
    cann: str | None, numpy: str, python: str, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npus, "version_of", lambda name: numpy if name == "numpy" else "1.0")
    monkeypatch.setattr(npus.platform, "python_version_tuple", lambda: tuple(python.split(".")))
    found = Findings()
    npus._python_packages(found, cann)
    assert found.problems == []
    assert len(found.notes) == told
    for note in found.notes:
        assert note["what"] == f"CANN {cann} does not know NumPy {numpy}"
        assert "numpy<2" in note["remedy"]


def test_packages_that_the_compiler_of_cann_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = {"attrs", "decorator"}
    monkeypatch.setattr(npus, "version_of", lambda name: None if name in absent else "1.0")
    found = Findings()
    npus._python_packages(found, "9.1.0")
    (note,) = found.notes
    assert note["what"] == "Python packages that CANN needs are not installed: attrs, decorator"
    assert note["remedy"] == "pip install attrs decorator"


@listing("cause", causes.CAUSES)
def test_causes_have_words_and_evidence(cause: causes.Cause) -> None:
    assert cause.seen
    assert cause.remedy
    assert cause.said or cause.codes
    for text in (cause.reason, cause.remedy):
        assert not text.endswith(".")
        assert text.isprintable()


@listing(
    "reason, codes",
    [
        ("refuses these operands", [161002]),
        ("could not be prepared", [561103]),
        ("wrong order", [107001, 107002]),
        ("ran short", [207001, 207008]),
        ("lacks a feature", [207000]),
        ("driver of the NPU is not there", [207004, 207006]),
        ("could not start", [500001]),
        ("failed", [507015]),
        ("could not start the device", [507033]),
        ("AICPU", [507018]),
        ("within the capture", [107027]),
        ("capture of a graph is broken", [107033]),
        ("streams", [207005]),
        ("no kernel for this operation", [100024]),
        ("", [207003, 361001]),
    ],
)
def test_codes_of_cann(reason: str, codes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (causes.VISIBLE, causes.ALLOCATOR):
        monkeypatch.delenv(variable, raising=False)
    for code in codes:
        said = f"f:1 NPU function error: f, error code is {code}\n[ERROR] ERR00100"
        found = causes.explain(said).reason
        assert reason in found, code
        assert bool(reason) == bool(found), code


@listing(
    "said, words",
    [
        ("current capture mode does not support this operation", "within the capture"),
        ("Unsupported soc version: Ascend950PR 9579", "know the chip, Ascend950PR 9579"),
        ("libop_plugin_atb.so: undefined symbol: _ZN3atb9OperationE", "nnal"),
        ("libstdc++.so.6: version `GLIBCXX_3.4.30' not found", "libstdc++"),
        ("AicpuException soName=libpt_kernels.so, kernelName=IndexPut, 0x2a", "IndexPut, a kernel"),
        ("Op Add does not has any binary", "not be for this chip"),
    ],
)
def test_texts_of_public_reports_name_their_cause(said: str, words: str) -> None:
    assert words in causes.explain(f"f: error code is 507018, {said}").reason


@listing(
    "soc, cann, problems, notes",
    [
        ("950PR_9589", (9, 0, 1), 1, 0),
        ("950PR_9589", (9, 1, 0), 1, 0),
        ("910B2", (8, 5, 0), 0, 1),
        ("910B2", (8, 5, 1), 0, 0),
        ("310P3", (9, 1, 0), 0, 0),
    ],
)
def test_chips_with_known_faults_are_refused(
    soc: str, cann: tuple[int, ...], problems: int, notes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ledger of CANN's faults decides; an option makes a note of it."""
    facts = {"soc": soc, "cann": cann}
    monkeypatch.setattr(npus.BACKEND, "facts", facts)
    for accepted in (False, True):
        found = Findings()
        npus._faults(found, accepted=accepted)
        assert len(found.problems) == problems * (not accepted)
        assert len(found.notes) == notes + problems * accepted
    release = ".".join(map(str, cann))
    opened = any(
        entry.verdict == "open" and entry.chips and entry.holds(_table.family(soc), release)
        for entry in faults.ledger()
    )
    assert opened == bool(problems)


def test_cann_without_torch_npu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_torch, "NPU_VERSION", None)
    (problem,) = diagnosis._problems({**NOT_FOUND, "path": "/home/a/Ascend/cann"}, None)
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
    monkeypatch.setattr(diagnosis, "find_cann", lambda: NOT_FOUND)
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


@listing(
    "name, value, reason",
    [
        ("RELAXED", "maybe", "ASCEND_ARRAY_API_RELAXED must be 1, 0 or warn, not 'maybe'."),
        ("DEFAULT_FLOAT", "float16", "must be one of 'float32', 'float64', not 'float16'."),
        ("HOST_FALLBACK", "no", "must be one of 'warn', 'error', 'allow', not 'no'."),
    ],
)
def test_a_bad_environment_variable_is_explained(
    name: str, value: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"ASCEND_ARRAY_API_{name}"
    with monkeypatch.context() as process:
        process.setenv(variable, value)
        process.setattr(sys, "orig_argv", ["python", "-m", "other"])
        with pytest.raises(ValueError, match=re.escape(reason)):
            settings._of_process()  # as the package is imported: it is not ignored either
        process.setattr(sys, "orig_argv", ["python", "-m", "ascend_array_api"])
        options, said = settings._of_process()
        assert options == settings.Options()
        process.setattr(settings, "PROBLEM", said)
        (problem,) = diagnosis._misnamed()
    assert variable in problem["what"]
    assert reason in problem["reason"]
    assert f"unset {variable}" in problem["remedy"]


def test_a_variable_that_is_misspelt_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("CHECKS", "GATHER", "API_VERSION", "BOOLEAN_INDEXING", "NPU_PROFILE"):
        monkeypatch.setenv(f"ASCEND_ARRAY_API_{variable}", "")  # the documented ones are known
    assert diagnosis._misnamed() == []
    monkeypatch.setenv("ASCEND_ARRAY_API_RELAXD", "1")
    (problem,) = diagnosis._misnamed()
    assert "ASCEND_ARRAY_API_RELAXD" in problem["what"]
    assert "ASCEND_ARRAY_API_RELAXED" in problem["reason"]
    assert "unset ASCEND_ARRAY_API_RELAXD" in problem["remedy"]
    assert settings._of_process()[1] == ""


@pytest.mark.parametrize(
    "name", ["HOST_FALLBACK", "RELAXED", "DEFAULT_FLOAT", "NPU_MATH", "CHECKS", "GATHER"]
)
@pytest.mark.parametrize("value", ["late\x1b[2J", "'; import os; '", "../fast", "1" * 9999])
def test_a_variable_is_a_word_or_nothing(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ASCEND_ARRAY_API_{name}", value)
    with pytest.raises(ValueError, match=rf"ASCEND_ARRAY_API_{name} must be .*not .*") as caught:
        settings._of_process()
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("value", "device"), [("npu:1", "npu:1"), ("cpu", "cpu"), ("", None), (None, None)]
)
def test_a_device_is_named_by_the_environment(
    value: str | None, device: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASCEND_ARRAY_API_DEVICE", raising=False)
    if value is not None:
        monkeypatch.setenv("ASCEND_ARRAY_API_DEVICE", value)
    options = settings._of_process()[0]
    assert options.device == device
    if device == "cpu":
        with settings.entered(options):
            assert str(xp.__array_namespace_info__().default_device()) == "cpu"


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


WAS_RUN = "this pair was run, with CANN 9.0.0 (emulated)"


@pytest.mark.parametrize(
    ("torch_npu", "cann", "said"),
    [
        ("2.9.0.post2", "9.0.0", WAS_RUN),
        ("2.9.0.post2", None, WAS_RUN),
        ("2.9.0.post2", "8.2.RC1", f"{WAS_RUN}, and never with CANN 8.2.RC1"),
        ("2.9.0.post1", "9.0.0", "this pair was never run"),
        ("2.8.0.post5", "9.0.0", "this pair was never run"),
    ],
)
def test_whether_this_pair_was_run(torch_npu: str, cann: str | None, said: str) -> None:
    expected = f"torch 2.9.0 with torch_npu {torch_npu}: {said}"
    assert tested.about_pair("2.9.0+cpu", torch_npu, cann) == expected
    report = {**diagnosis.diagnose(), "pair": expected}
    assert f"  {expected}" in diagnosis.render(report).splitlines()


def test_a_machine_without_npu_software_is_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_torch, "NPU_VERSION", None)
    monkeypatch.setattr(_torch, "NPU_ERROR", None)
    monkeypatch.setattr(diagnosis, "_DRIVER_VERSION_FILE", "/nowhere")
    monkeypatch.setattr(diagnosis, "find_cann", lambda: NOT_FOUND)
    assert diagnosis.main(["--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["problems"] == []
    assert report["torch"] == torch.__version__
    assert report["ascend_array_api"] == xp.__version__
    host = {"name": "cpu", "type": "cpu", "model": "the host", "memory": None}
    assert report["devices"][0] == host


USUAL = {"relaxed": False, "default_float": "float32", "npu_math": "exact", "checks": "late"}
USUAL |= {"gather": "warn", "api_version": None, "boolean_indexing": True}
USUAL |= {"data_dependent_shapes": True, "enabled_extensions": ("linalg", "fft")}


def test_a_default_device_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_ARRAY_API_DEVICE", "cuda:77")
    with settings.entered(settings._of_process()[0]):
        report = diagnosis.diagnose()
    assert report["default_device"] is None
    assert report["options"] == {"device": "cuda:77", "host_fallback": "warn"} | USUAL
    assert "cuda:77" in report["problems"][-1]["reason"]


def test_the_options_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASCEND_ARRAY_API_DEVICE", "cpu")
    monkeypatch.setenv("ASCEND_ARRAY_API_HOST_FALLBACK", "error")
    with settings.entered(settings._of_process()[0]):
        report = diagnosis.diagnose()
    assert report["options"] == {"device": "cpu", "host_fallback": "error"} | USUAL
    assert "host fallback     error" in diagnosis.render(report).splitlines()
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
    for version, imported, told in (
        ("2.9", False, True),
        ("2.9", True, False),
        (None, False, False),
    ):
        report["torch_npu"] |= {"version": version, "imported": imported}
        assert ("(not imported)" in diagnosis.render(report)) is told
    report["problems"] = [{"what": "W", "reason": "R", "remedy": "M"}]
    assert "problem: W\n  why:  R\n  what to do:  M" in diagnosis.render(report)
