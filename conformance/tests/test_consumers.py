"""The command that runs consumers' own tests: on small parts of them, and on a made-up consumer."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from processes import git, python

from conformance.consumers import chosen, command, compare, page
from conformance.errors import SetupError
from conformance.runner import Record, execute

ROOT = Path(__file__).parents[2]
needs_scipy = pytest.mark.skipif(
    importlib.util.find_spec("sklearn") is None, reason="needs SciPy and scikit-learn"
)


# --- parts of the real ones -----------------------------------------------------------------------


def given(**changed: Any) -> Namespace:
    """The arguments of the command, with its defaults for most."""
    usual = {"device": "cpu", "strict": False, "default_float": "float64", "dtype": ["float32"]}
    usual |= {"namespace": "ascend_array_api", "keyword": None, "slow": False}
    return Namespace(**usual | changed)


def run_part(
    name: str, part: str, keyword: str, folder: Path, *, strict: bool = False, slow: bool = False
) -> Record:
    """Run one file of a consumer's tests with its plugin; return the record."""
    consumer = command.CONSUMERS[name]
    found = importlib.util.find_spec(consumer.package)
    assert found is not None
    assert found.origin is not None
    arguments = given(strict=strict, keyword=keyword, slow=slow)
    part = str(Path(found.origin).parent / part)
    record = command.record_for(replace(consumer, arguments=(part,), keyword=""), arguments, folder)
    assert not execute([record], 1, lambda _: None)
    assert record.tests, record.problems
    return record


def outcomes(record: Record) -> dict[str, str]:
    return {test.nodeid.partition("::")[2]: test.outcome for test in record.tests.values()}


def record_of(name: str, tests: Path, folder: Path) -> Record:
    """Run made-up tests in a folder as those of a consumer, and return the record."""
    consumer = replace(command.CONSUMERS[name], arguments=(str(tests),), source=None)
    record = command.record_for(consumer, given(), folder)
    assert not execute([record], 1, lambda _: None)
    assert not record.problems
    return record


@pytest.mark.parametrize(
    ("package", "part", "keyword", "passed"),
    [
        ("einops", "tests/test_packing.py", "array_api or against_numpy", 2),
        ("xarray", "tests/test_array_api.py", "test_aggregation", 2),
        ("xarray", "tests/test_duck_array_wrapping.py", "test_isel or test_stack", 2),
    ],
)
def test_wrappers_get_the_namespace(
    package: str, part: str, keyword: str, passed: int, tmp_path: Path
) -> None:
    pytest.importorskip(package, reason="the extra consumers has it")
    found = outcomes(run_part(package, part, keyword, tmp_path))
    assert list(found.values()) == ["passed"] * passed, found


@needs_scipy
def test_scipys_tests_get_the_namespace_and_no_other(tmp_path: Path) -> None:
    record = run_part("scipy", "_lib/tests/test__util.py", "ContainsNaN", tmp_path)
    found = outcomes(record)
    assert not record.problems
    assert "passed" in found.values()
    # The one that cannot pass is expected to fail, by the error that the proof is about.
    assert found["TestContainsNaN::test_array_api_lazy[ascend_array_api]"] == "xfailed"
    assert set(found.values()) <= {"passed", "skipped", "xfailed"}
    assert not [name for name in found if "numpy" in name or "torch" in name]


@needs_scipy
def test_scipys_slow_tests_are_no_others(tmp_path: Path) -> None:
    part = "special/tests/test_support_alternative_backends.py"
    keyword = "entr or hyp1f1"
    found = outcomes(run_part("scipy", part, keyword, tmp_path, slow=True))
    assert {name.partition("[")[0] for name in found} == {
        "test_support_alternative_backends_hypothesis"
    }
    # What both sides of would be SciPy's own is left out.
    assert {name.rpartition("-")[2]: outcome for name, outcome in found.items()} == {
        "entr]": "passed",
        "rel_entr]": "passed",
        "hyp1f1]": "skipped",
    }


@needs_scipy
def test_strict_mode_is_seen_by_scipys_tests(tmp_path: Path) -> None:
    keyword = "TestDifferentialEntropy and test_dtypes_gh21192"
    part = "stats/tests/test_entropy.py"
    relaxed = outcomes(run_part("scipy", part, keyword, tmp_path))
    assert set(relaxed.values()) == {"passed"}
    record = run_part("scipy", part, keyword, tmp_path, strict=True)
    messages = [test.message for test in record.failed]
    assert messages
    assert all("xp.options(relaxed=True) allows it." in message for message in messages)


@needs_scipy
def test_scikit_learns_tests_get_the_namespace(tmp_path: Path) -> None:
    keyword = "scaler and (array_api_compliance or weight_array_api)"
    record = run_part("sklearn", "preprocessing/tests/test_data.py", keyword, tmp_path)
    found = outcomes(record)
    assert not record.problems
    assert set(found.values()) <= {"passed", "skipped"}
    assert sum("ascend_array_api" in name and "float32" in name for name in found) >= 3
    others = ("numpy", "torch", "cupy", "dpnp", "strict", "float64")
    assert not [name for name in found if any(other in name for other in others)]


@needs_scipy
def test_scipys_defaults_for_torch_are_taken_back() -> None:
    program = (
        "import os, torch\n"
        "from types import SimpleNamespace\n"
        "import scipy.conftest as conftest\n"
        "from conformance.consumers import scipy_plugin\n"
        "torch.set_default_dtype(torch.float64)\n"
        "torch.set_default_device('meta')\n"
        "scipy_plugin.put_into(conftest)\n"
        "assert torch.get_default_dtype() is torch.float32\n"
        "assert torch.empty(1).device.type == 'cpu'\n"
        "names = [p.id for p in conftest.xp_available_backends]\n"
        "assert names == ['ascend_array_api'], names\n"
    )
    environment = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": str(ROOT)}
    environment |= {chosen.NAMESPACE_VARIABLE: "ascend_array_api", chosen.DEVICE_VARIABLE: "cpu"}
    python("-c", program, env=environment, timeout=120)


def test_a_known_namespace_gets_an_unknown_name() -> None:
    pytest.importorskip("array_api_strict")
    program = (
        "import array_api_strict\n"
        "from conformance.consumers import chosen\n"
        "for _ in range(2):\n"
        "    xp = chosen.namespace()\n"
        "    assert xp is array_api_strict\n"
        "    assert xp.__name__ == 'array_api_strict_as_third_party'\n"
        "x = xp.linalg.cholesky(xp.eye(2))\n"  # of the data types that the namespace knows
        "assert bool(xp.all(xp.fft.irfft(xp.fft.rfft(x)) == x))\n"
    )
    environment = os.environ | {chosen.NAMESPACE_VARIABLE: "array_api_strict"}
    python("-c", program, env=environment | {"PYTHONPATH": str(ROOT)}, timeout=120)


# --- the command ----------------------------------------------------------------------------------

MADE_UP = """
import os
import pytest
import ascend_array_api as xp

def test_options():
    assert xp.asarray(1.0).dtype == xp.float64
    assert float(xp.asarray([1, 2]).sum() * 0.5) == 1.5
    assert os.environ["SCIPY_ARRAY_API"] == "1"

def test_second():
    {second}

@pytest.mark.skip(reason="because")
def test_skipped():
    pass

@pytest.mark.slow
def test_slow():
    pass
"""


@pytest.fixture
def consumer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Install a made-up package with tests, and return how to run them."""
    package = tmp_path / "site" / "made_up"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path / "site")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    # The distribution is any that has a version, and a plugin is a module.
    names, options = ("made_up", "pytest", "made_up"), {"marks": "not slow", "slow": "slow"}
    configuration = "[pytest]\nfilterwarnings = error\nmarkers =\n    slow\n"
    made_up = command.Consumer(*names, ("--pyargs", "made_up"), "", configuration, **options)
    monkeypatch.setattr(command, "CONSUMERS", {"made_up": made_up})

    def run(second: str, **changed: Any) -> tuple[int, Any]:
        (package / "test_made_up.py").write_text(MADE_UP.format(second=second))
        own: dict[str, Any] = {"consumer": [], "jobs": 1, "report": tmp_path / "report"}
        arguments = given(**own | changed)
        code = command.run(arguments, ["consumers"])
        mode = ("strict" if arguments.strict else "relaxed") + "-slow" * arguments.slow
        path = tmp_path / "report" / f"consumers-made_up-cpu-{mode}.json"
        return code, json.loads(path.read_text(encoding="utf-8"))

    return run


def test_success(consumer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = consumer("pass")
    assert code == 0
    assert report["success"]
    assert (report["counts"]["passed"], report["counts"]["skipped"]) == (2, 1)
    assert report["variables"]["ASCEND_ARRAY_API_RELAXED"] == "1"
    assert "2 passed, 1 skipped" in capsys.readouterr().out
    reasons = [test["reason"] for test in report["tests"] if test["outcome"] == "skipped"]
    assert reasons == ["because"]


def test_failure(consumer: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, report = consumer("assert 1 == 2, 'so it is'")
    assert code == 1
    assert not report["success"]
    assert report["counts"]["failed"] == 1
    assert "so it is" in capsys.readouterr().out
    html = (tmp_path / "report" / "consumers.html").read_text(encoding="utf-8")
    assert "1 tests failed" in html
    assert "AssertionError: so it is" in html
    assert "<td>1</td><td>because</td>" in html


def test_the_page_escapes_what_tests_say(tmp_path: Path) -> None:
    test = {"nodeid": "a::<b>", "outcome": "failed", "message": "<script>", "traceback": "&"}
    report = report_of("ours") | {"device": "npu", "device_note": "emulated <CANN>", "version": "1"}
    report |= {"relaxed": True, "default_float": "float64", "duration": 1.0, "packages": {}}
    report |= {"problems": ["<p>"], "success": False, "command_line": ["python"], "tests": [test]}
    report["counts"] = dict.fromkeys(page.OUTCOMES, 0)
    (tmp_path / "consumers-x.json").write_text(json.dumps(report), encoding="utf-8")
    html = page.write(tmp_path).read_text(encoding="utf-8")
    for escaped in ("&lt;script&gt;", "a::&lt;b&gt;", "emulated &lt;CANN&gt;", "<pre>&amp;</pre>"):
        assert escaped in html
    assert "<script>" not in html
    report["counts"] |= {"passed": "<script>"}  # which someone else may have written
    report["tests"] = [{**test, "nodeid": "\x1b[2J\u202e"}]
    html = page.render([report])
    assert "<script>" not in html
    assert r"<code>\x1b[2J\u202e</code>" in html


def test_strict_mode(consumer: Any) -> None:
    code, report = consumer("pass", strict=True)
    assert code == 1
    (failed,) = (test for test in report["tests"] if test["outcome"] == "failed")
    assert failed["nodeid"].endswith("test_options")
    assert "xp.options(relaxed=True) allows it." in failed["message"]


def test_slow_tests_are_run_apart(consumer: Any, capsys: pytest.CaptureFixture[str]) -> None:
    code, report = consumer("pass", slow=True)
    assert code == 0
    assert [test["nodeid"].rpartition("::")[2] for test in report["tests"]] == ["test_slow"]
    assert report["variables"]["SCIPY_XSLOW"] == "1"
    assert "relaxed, slow, float64: 1 passed" in capsys.readouterr().out


def test_nothing_run_is_no_success(consumer: Any) -> None:
    code, report = consumer("pass", keyword="nothing_of_this_name")
    assert code == 1
    assert not report["success"]


def test_bad_arguments(consumer: Any) -> None:
    with pytest.raises(SetupError, match="no consumer 'cupy', only made_up"):
        consumer("pass", consumer=["cupy"])
    with pytest.raises(SetupError, match="--device"):
        consumer("pass", device="no device")


def test_tests_of_a_repository_are_cloned(
    consumer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repositories/owner/project"
    (repository / "inner").mkdir(parents=True)
    (repository / "inner/test_own.py").write_text("def test_own():\n    pass\n")
    git("init", "--quiet", cwd=repository)
    git("add", ".", cwd=repository)
    git("commit", "--quiet", "-m", "tests", cwd=repository)
    commit = git("rev-parse", "HEAD", cwd=repository)
    source = command.Source("owner/project", commit, "inner")
    made_up = replace(command.CONSUMERS["made_up"], arguments=(), source=source)
    monkeypatch.setattr(command, "CONSUMERS", {"made_up": made_up})
    places = {"cache": tmp_path / "cache", "site": str(tmp_path / "repositories")}
    for _ in range(2):  # the second takes the clone that is there
        code, report = consumer("pass", **places)
        assert code == 0
        assert [test["nodeid"].rpartition("::")[2] for test in report["tests"]] == ["test_own"]
        assert report["commit"] == commit
    (tmp_path / f"cache/project-{commit[:12]}/inner/test_more.py").write_text("")
    with pytest.raises(SetupError, match=f"unchanged copy of project at {commit[:12]}"):
        consumer("pass", **places)
    places = {"cache": tmp_path / "other", "site": str(tmp_path / "nowhere")}
    with pytest.raises(SetupError, match="copy the repository to DIR/owner/project"):
        consumer("pass", **places)


def test_tests_of_a_source_distribution_are_downloaded_by_their_hash(
    consumer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made_up-1.0/inner").mkdir(parents=True)
    (tmp_path / "made_up-1.0/inner/test_own.py").write_text("def test_own():\n    pass\n")
    (tmp_path / "made_up-1.0/pyproject.toml").write_text(
        "[build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n"
        "[project]\nname = 'made-up'\nversion = '1.0'\n[tool.setuptools]\npy-modules = []\n"
    )
    shutil.make_archive(str(tmp_path / "made_up-1.0"), "gztar", tmp_path, "made_up-1.0")
    sha256 = hashlib.sha256((tmp_path / "made_up-1.0.tar.gz").read_bytes()).hexdigest()
    for name, value in (
        ("NO_INDEX", "1"),
        ("FIND_LINKS", str(tmp_path)),
        ("NO_BUILD_ISOLATION", "0"),
    ):
        monkeypatch.setenv(f"PIP_{name}", value)

    def run(sha256: str) -> Any:
        source = command.Sdist("made_up-1.0", sha256, "inner")
        made_up = replace(command.CONSUMERS["made_up"], arguments=(), source=source)
        monkeypatch.setattr(command, "CONSUMERS", {"made_up": made_up})
        return consumer("pass", cache=tmp_path / "cache", site=None)

    with pytest.raises(SetupError, match="of made_up==1.0 .*HASHES"):
        run("0" * 64)
    assert not list((tmp_path / "cache").iterdir())
    for _ in range(2):  # the second takes the files that are there
        code, report = run(sha256)
        assert code == 0
        assert [test["nodeid"].rpartition("::")[2] for test in report["tests"]] == ["test_own"]
        monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nowhere"))


def test_autorays_tests_get_the_namespace(tmp_path: Path) -> None:
    pytest.importorskip("autoray", reason="the extra test has it")
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "__init__.py").write_text("")
    (tests / "conftest.py").write_text(
        "_ALL_BACKENDS = ['numpy', 'torch']\n_AVAILABLE_BACKENDS = {'numpy', 'torch'}\n"
    )
    (tests / "test_linalg.py").write_text(
        "import autoray, pytest\n"
        "from .conftest import _ALL_BACKENDS, _AVAILABLE_BACKENDS\n"
        "@pytest.mark.parametrize('backend', _ALL_BACKENDS)\n"
        "def test_draws(backend):\n"
        "    assert _AVAILABLE_BACKENDS == {backend}\n"
        "    x = autoray.do('random.normal', size=(2, 3), like=backend)\n"
        "    assert autoray.infer_backend(x) == backend\n"
        "@pytest.mark.parametrize('backend', _ALL_BACKENDS)\n"
        "def test_scipy_linalg_solve_triangular(backend):\n"
        "    autoray.do('scipy.linalg.solve_triangular', 1, 2, like=backend)\n"
        "def test_of_nothing():\n    pass\n"
    )
    assert outcomes(record_of("autoray", tests, tmp_path)) == {
        "test_draws[ascend_array_api]": "passed",
        "test_scipy_linalg_solve_triangular[ascend_array_api]": "xfailed",
    }


def test_marrays_tests_get_the_namespace(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_marray.py").write_text(
        "import numpy as np, pytest, torch\n"
        "xps = [np]\n"
        "torch.set_default_dtype(torch.float64)\n"
        "def as_numpy(x):\n    raise ValueError\n"
        "@pytest.mark.parametrize('xp', xps)\n"
        "def test_arrays(xp):\n"
        "    x = xp.ones(2)\n"
        "    assert x.__array_namespace__() is xp\n"
        "    assert as_numpy(x).sum() == 2\n"
        "    assert torch.get_default_dtype() is torch.float32\n"
        "def fails(x, f):\n"
        "    try:\n        f(x)\n"
        "    except TypeError as e:\n        raise AssertionError(12345) from e\n"
        "@pytest.mark.parametrize('dtype', ['float32', 'complex64'])\n"
        "@pytest.mark.parametrize('xp', xps)\n"
        "def test_clip(xp, dtype):\n"
        "    fails(xp.ones(2, dtype=getattr(xp, dtype)), lambda x: xp.maximum(x, x))\n"
        "@pytest.mark.parametrize('dtype', ['complex64'])\n"
        "@pytest.mark.parametrize('xp', xps)\n"
        "def test_take_along_axis(xp, dtype):\n"
        "    fails(xp.ones(2), lambda x: xp.take_along_axis(x, None))\n"
    )
    assert outcomes(record_of("marray", tests, tmp_path)) == {
        "test_arrays[ascend_array_api]": "passed",
        "test_clip[ascend_array_api-complex64]": "xfailed",
        "test_clip[ascend_array_api-float32]": "passed",
        "test_take_along_axis[ascend_array_api-complex64]": "failed",  # by another error
    }


def test_pyriemanns_tests_get_the_namespace(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "conftest.py").write_text(
        "import numpy as np, pytest\n"
        "def to_backend(x, backend):\n    raise ValueError\n"
        "def as_numpy(x):\n    raise ValueError\n"
        "@pytest.fixture(params=['numpy', 'torch'])\n"
        "def backend(request):\n    return request.param\n"
        "@pytest.fixture\n"
        "def get_mats_params(backend):\n"
        "    return lambda: to_backend(np.ones((2, 2)), backend)\n"
    )
    (tests / "test_geometry_a.py").write_text(
        "import pytest\n"
        "from conftest import as_numpy\n"
        "def test_arrays(get_mats_params, backend):\n"
        "    x = get_mats_params()\n"
        "    assert x.__array_namespace__().__name__ == backend\n"
        "    assert as_numpy(x).sum() == 4\n"
        "@pytest.mark.numpy_only\n"
        "def test_of_numpy(backend):\n    pass\n"
        "def test_autograd_smoke(get_mats_params):\n    get_mats_params().clone()\n"
        "def test_of_nothing():\n    pass\n"
    )
    assert outcomes(record_of("pyriemann", tests, tmp_path)) == {
        "test_arrays[ascend_array_api]": "passed",
        "test_autograd_smoke[ascend_array_api]": "xfailed",
    }


def test_ccdprocs_tests_get_the_namespace(tmp_path: Path) -> None:
    tests = tmp_path / "ccdproc/tests"
    tests.mkdir(parents=True)
    (tests / "__init__.py").write_text("")
    (tests.parent / "__init__.py").write_text("")
    (tests.parent / "conftest.py").write_text(
        "import numpy as testing_array_library\n"
        "_ACTIVE_BACKEND = 'numpy'\n"
        "testing_array_device = None\n"
    )
    (tests / "test_combiner.py").write_text(
        "import numpy as np, pytest\n"
        "from ccdproc import conftest\n"
        "from ccdproc.conftest import testing_array_library as xp\n"
        "def test_arrays():\n"
        "    assert xp.asarray(1).__array_namespace__() is xp\n"
        "    assert xp.__name__ == conftest._ACTIVE_BACKEND == 'ascend_array_api'\n"
        "@pytest.mark.remote_data\n"
        "def test_of_the_network():\n    pass\n"
        "def test_combine_overwrite_output():\n"
        "    np.result_type(xp.asarray(1.0), xp.asarray(1.0))\n"
    )
    (tests / "test_keyword.py").write_text("def test_of_nothing():\n    pass\n")
    assert outcomes(record_of("ccdproc", tests.parent, tmp_path)) == {
        "test_arrays": "passed",
        "test_combine_overwrite_output": "xfailed",
    }


def test_glasss_tests_get_the_namespace(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    (tests / "fixtures").mkdir(parents=True)
    (tests / "core").mkdir()
    (tests / "conftest.py").write_text("pytest_plugins = ['fixtures.array_backends']\n")
    (tests / "fixtures/array_backends.py").write_text(
        "import numpy, pytest\n"
        "xp_available_backends = {'numpy': numpy}\n"
        "@pytest.fixture(params=xp_available_backends.values(), scope='session')\n"
        "def xp(request):\n    return request.param\n"
    )
    (tests / "core/test_fields.py").write_text(
        "from urllib.error import URLError\n"
        "def test_arrays(xp):\n"
        "    assert xp.asarray(1).__array_namespace__() is xp\n"
        "def test_discretized_cls(xp):\n"
        "    raise URLError('no source of pixel_window_functions')\n"
        "def test_of_nothing():\n    pass\n"
    )
    assert outcomes(record_of("glass", tests / "core", tmp_path)) == {
        "test_arrays[ascend_array_api]": "passed",
        "test_discretized_cls[ascend_array_api]": "xfailed",
    }


def test_deepmds_tests_get_the_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "packages/deepmd/backend"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "backend.py").write_text(
        "class Torch:\n"
        "    def is_available(self):\n        return True\n"
        "class Backend:\n"
        "    @staticmethod\n"
        "    def get_backends():\n        return {'pytorch': Torch}\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    tests = tmp_path / "tests"
    tests.mkdir()
    (tests / "test_fitting.py").write_text(
        "from importlib.util import find_spec\n"
        "import array_api_strict, ascend_array_api, numpy\n"
        "from deepmd.backend.backend import Backend\n"
        "array_api_strict.set_array_api_strict_flags(api_version='2024.12')\n"
        "def test_array_api_strict():\n"
        "    assert find_spec('array_api_strict') is not None\n"
        "    x = array_api_strict.asarray(1)\n"
        "    assert x.__array_namespace__() is ascend_array_api\n"
        "    assert not Backend.get_backends()['pytorch']().is_available()\n"
        "class TestEnerStat_1:\n"
        "    def test_array_api_strict_consistent_with_ref(self):\n"
        "        numpy.testing.assert_equal({'@variables': 1.0}, {'@variables': 1.5})\n"
        "def test_of_others():\n    pass\n"
    )
    assert outcomes(record_of("deepmd-kit", tests, tmp_path)) == {
        "test_array_api_strict": "passed",
        "TestEnerStat_1::test_array_api_strict_consistent_with_ref": "xfailed",
    }


def test_ipaxs_tests_get_the_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "packages/ipax/testing"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "backends.py").write_text("_NAMESPACE_MODULES = {'numpy': 'numpy'}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "packages"))
    (tmp_path / "sdist/benchmarks/corpus").mkdir(parents=True)
    (tmp_path / "sdist/benchmarks/corpus/__init__.py").write_text("own = True\n")
    tests = tmp_path / "sdist/tests"
    tests.mkdir()
    (tests / "conftest.py").write_text(
        "import importlib, os, pytest\n"
        "from ipax.testing.backends import _NAMESPACE_MODULES\n"
        "@pytest.fixture(params=os.environ['IPAX_BACKENDS'].split(','))\n"
        "def backend_name(request):\n    return request.param\n"
        "@pytest.fixture\n"
        "def namespace(backend_name):\n"
        "    return importlib.import_module(_NAMESPACE_MODULES[backend_name])\n"
    )
    (tests / "test_solve.py").write_text(
        "from benchmarks.corpus import own\n"
        "def test_arrays(namespace):\n"
        "    assert namespace.asarray(1).__array_namespace__() is namespace\n"
        "def test_of_nothing():\n    pass\n"
    )
    assert outcomes(record_of("ipax", tests, tmp_path)) == {
        "test_arrays[ascend_array_api]": "passed"
    }


def test_array_api_signals_tests_get_the_namespace(tmp_path: Path) -> None:
    (tmp_path / "test_special.py").write_text(
        "import pytest\n"
        "@pytest.fixture(params=['numpy', 'torch'])\n"
        "def backend(request):\n    return request.param\n"
        "def test_arrays(backend):\n"
        "    name, xp, device = backend\n"
        "    assert (name, device) == (xp.__name__, 'cpu') == ('ascend_array_api', 'cpu')\n"
        "def test_i0e_matches_scipy(backend):\n"
        "    raise NotImplementedError(f'i0e is not implemented for the {backend[0]} backend')\n"
        "def test_of_nothing():\n    pass\n"
    )
    assert outcomes(record_of("array-api-signal", tmp_path, tmp_path)) == {
        "test_arrays[ascend_array_api]": "passed",
        "test_i0e_matches_scipy[ascend_array_api]": "xfailed",
    }


def test_drone_models_tests_get_the_namespace(tmp_path: Path) -> None:
    (tmp_path / "test_rot.py").write_text(
        "import array_api_strict as xp\n"
        "import ascend_array_api\n"
        "def test_arrays():\n    assert xp is ascend_array_api\n"
    )
    (tmp_path / "test_parametrization.py").write_text("def test_of_nothing():\n    pass\n")
    assert outcomes(record_of("drone-models", tmp_path, tmp_path)) == {"test_arrays": "passed"}


# --- comparing ------------------------------------------------------------------------------------


def report_of(namespace: str, **tests: Any) -> dict[str, Any]:
    known = [
        {"nodeid": f"a/test_a.py::{key}[{namespace}-1]", "outcome": outcome, "message": message}
        for key, (outcome, message) in tests.items()
    ]
    counts = {"passed": 1, "failed": 2, "error": 0}
    shared = {"consumer": "scipy", "version": "1", "counts": counts}
    return {**shared, "namespace": namespace, "device": "cpu", "tests": known}


KINDS = "TypeError: +: data types int64 and float32 do not promote to one another"
STRICT = report_of(
    "ours", one=("failed", KINDS), two=("error", "ZeroDivisionError: x"), three=("passed", "")
)
RELAXED = report_of("ours", one=("passed", ""), two=("passed", ""), three=("passed", ""))
OTHER = report_of("theirs_as_third_party", one=("failed", "x"), two=("passed", ""))
OTHER["namespace"] = "theirs"


def test_what_another_passes() -> None:
    def named(report: Any, other: Any) -> list[str]:
        tests = compare.passed_by_other(report, other)
        return [compare.function(test)[1] for test in tests]

    assert named(STRICT, RELAXED) == ["one", "two"]
    assert named(RELAXED, STRICT) == []
    assert named(STRICT, OTHER) == ["two"]
    with pytest.raises(ValueError, match="different consumers"):
        compare.passed_by_other(STRICT, {**OTHER, "consumer": "sklearn"})


def test_reports_of_different_tests_are_not_compared() -> None:
    with pytest.raises(ValueError, match="different tests"):
        compare.passed_by_other(STRICT, report_of("ours", four=("passed", "")))


def test_names_are_compared_without_namespace_and_device() -> None:
    names = {
        "ascend_array_api": "test_a[ascend_array_api-npu:0-float32-other(xp='ascend_array_api', "
        "device='npu:0'), (xp='numpy', device=None)]",
        "array_api_strict": "test_a[array_api_strict_as_third_party-None-float32-other("
        "xp='array_api_strict', device=None), (xp='numpy', device=None)]",
    }
    found = {
        compare.name({"nodeid": nodeid}, {"namespace": namespace, "device": "npu:0"})
        for namespace, nodeid in names.items()
    }
    assert found == {"test_a[xp-float32-other(xp='xp'), (xp='numpy', device=None)]"}


def test_tests_are_grouped_by_cause() -> None:
    groups = compare.grouped(compare.passed_by_other(STRICT, RELAXED))
    assert {group.title: len(group.tests) for group in groups} == {
        "Arrays of two kinds in one operation": 1,
        compare.OTHER: 1,
    }
    text = compare.markdown([(STRICT, RELAXED)])
    assert "### Arrays of two kinds in one operation: 1" in text
    assert "| `a/test_a.py` | 1 | `one` |" in text
    assert "| scipy 1 | 1 passed, 2 failed | 1 passed, 2 failed | 2 |" in text


def test_foreign_names_are_shown_in_markdown_and_do_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    markdown_it = pytest.importorskip("markdown_it")
    path = "a/<img src=x onerror=alert(1)>`|`\x1b[2J\u202e\n# [b](javascript:alert(2)).py"
    name = "``{raw} html`` <script>|</script>"
    strict, relaxed = (
        {
            **report_of("ours"),
            "consumer": "<b>*x*</b>|[a](javascript:alert(3))\n# y",
            "version": "1_0_<i>",
            "tests": [{"nodeid": f"{path}::{name}", "outcome": outcome, "message": "\x1b[8m\nx"}],
        }
        for outcome in ("failed", "passed")
    )
    text = compare.markdown([(strict, relaxed)])
    assert all(c.isprintable() or c == "\n" for c in text)
    tokens = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    links = [child.attrs["href"] for child in inline if child.type == "link_open"]
    assert links == ["strict-and-relaxed.md"]
    assert not [t for t in (*tokens, *inline) if t.type in {"html_block", "html_inline", "image"}]
    shown = [child.content for child in inline if child.type == "code_inline"]
    assert shown[-2:] == [path.replace("\x1b", r"\x1b").replace("\u202e", r"\u202e").replace(
        "\n", r"\n"), name]  # fmt: skip
    rows = [t.map for t in tokens if t.type == "tr_open"]
    assert len(rows) == 4  # two heads, and a row each
    files = [tmp_path / f"{key}.json" for key in "ab"]
    for file, report in zip(files, (strict, relaxed), strict=True):
        file.write_text(json.dumps(report))
    assert compare.main([*map(str, files)]) == 1
    assert all(c.isprintable() or c == "\n" for c in capsys.readouterr().out)


def test_the_comparison_as_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for key, report in (("strict", STRICT), ("relaxed", RELAXED)):
        paths.append(tmp_path / f"{key}.json")
        paths[-1].write_text(json.dumps(report))
    written = tmp_path / "page.md"
    assert compare.main([*map(str, paths), "--markdown", str(written)]) == 1
    assert "2 tests fail in the first" in capsys.readouterr().out
    assert written.read_text().startswith("# What only relaxed mode passes")
    assert compare.main([*map(str, paths[::-1])]) == 0
    with pytest.raises(SystemExit):
        compare.main([str(paths[0])])


def test_every_refusal_of_strict_mode_has_a_cause() -> None:
    """The patterns are those of the namespace's own errors."""
    import numpy as np

    import ascend_array_api as xp

    refusals = {
        0: lambda: xp.asarray([1]) + xp.asarray([1.0]),
        1: lambda: xp.zeros(1, dtype=np.float64),  # type: ignore[arg-type]
        2: lambda: xp.ones((2, 2))[0],
        3: lambda: xp.ones(2).sum(),
        4: lambda: xp.exp(xp.asarray([1])),
        5: lambda: bool(xp.ones(1)),
        6: lambda: xp.ones(2)[[0, 1]],  # type: ignore[index]
        7: lambda: xp.asarray([1]) * 0.5,
        8: lambda: xp.sqrt(np.ones(2)),  # type: ignore[arg-type]
    }
    assert len(refusals) == len(compare.CAUSES)
    for number, refused in refusals.items():
        with pytest.raises((TypeError, IndexError, AttributeError)) as caught:
            refused()
        message = f"{caught.type.__name__}: {caught.value}"
        (group,) = compare.grouped([{"message": message, "nodeid": "a::b"}])
        assert group.title == compare.CAUSES[number][0], message
