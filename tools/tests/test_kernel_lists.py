"""The tool that holds the emulator's table of kernels against CANN's sources: on small ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from processes import git

from conformance.cann_emulator import _table
from tools import kernel_lists

V1, V2 = "v9.1.0", "v9.2.0-beta.1"
FILE = "math/twice/op_api/aclnn_twice.cpp"
SOURCE = """
static const std::initializer_list<DataType> ASCEND910_DTYPE_SUPPORT_LIST = {DataType::DT_FLOAT16};
static const std::initializer_list<op::DataType> ASCEND910B_DTYPE_SUPPORT_LIST = {
    op::DataType::DT_FLOAT, op::DataType::DT_BF16,  // op::DataType::DT_DOUBLE
    op::DataType::DT_FLOAT16};
/* initializer_list<DataType> DTYPE_OLD_LIST = {DataType::DT_BOOL}; */
aclnnStatus aclnnTwiceGetWorkspaceSize(const aclTensor *x, uint64_t *size);
static bool Check(const aclTensor *x, const aclTensor *index) {
  OP_CHECK_DTYPE_NOT_MATCH(index, DataType::DT_INT64, return false);
}
"""


CORE, CPU = (f"ADD_TO_LAUNCHER_LIST_{unit}(Twice);" for unit in ("AICORE", "AICPU"))
BOTH = CORE + CPU
OPERATOR = """
static const std::initializer_list<op::DataType> AICORE_DTYPE_SUPPORT_LIST = {
    op::DataType::DT_FLOAT16};
static const std::initializer_list<op::DataType> LONGER_LIST = {
    op::DataType::DT_FLOAT16, op::DataType::DT_FLOAT, op::DataType::DT_INT64};
"""
ASKED = """
  switch (npuArch) {
    case NpuArch::DAV_3510:
    case NpuArch::DAV_2201: { return LONGER_LIST; }
    default: return AICORE_DTYPE_SUPPORT_LIST; }
"""


def kernel(
    *dtypes: str, index: str = "int64", aicore: frozenset[str] | None = frozenset()
) -> _table.Kernel:
    arguments = (
        _table.Argument("x", "T", frozenset(dtypes)),
        _table.Argument("dim", "i"),
        _table.Argument("index", "O", frozenset({index}), apart=True),
    )
    return _table.Kernel("aclnnTwice", arguments, aicore, frozenset(), f"ops-math/{FILE}")


def commit(folder: Path, release: str, **files: str) -> None:
    """Write files into a repository, and give them the tag of a release."""
    for place, text in files.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)
    git("add", "-A", cwd=folder)
    git("commit", "-q", "-m", release, cwd=folder)
    git("tag", release, cwd=folder)


Run = Callable[..., tuple[int, str]]


@pytest.fixture
def empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run the command for a table of one line, with an empty repository and no exceptions."""
    git("init", "-q", cwd=tmp_path)
    for name in ("EXCEPTIONS", "OTHER_UNITS", "EARLIER_UNITS"):
        monkeypatch.setattr(kernel_lists, name, {})

    def run(*arguments: str, line: _table.Kernel) -> tuple[int, str]:
        monkeypatch.setattr(_table, "kernels", lambda *_, **__: (line,))
        code = kernel_lists.main([*arguments, "--sources", f"ops-math={tmp_path}"])
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def run(empty: Run, tmp_path: Path) -> Run:
    """The same of two releases: in the second the file lies elsewhere, and takes more."""
    commit(tmp_path, V1, **{FILE: SOURCE})
    (tmp_path / FILE).unlink()
    more = SOURCE.replace("  // op", " op")
    commit(tmp_path, V2, **{FILE.replace("op_api", "op_host/op_api"): more})
    return empty


def test_lists_are_read_without_comments_and_other_chips() -> None:
    assert dict(kernel_lists.lists(SOURCE)) == {
        "ASCEND910_DTYPE_SUPPORT_LIST": {"float16"},
        "ASCEND910B_DTYPE_SUPPORT_LIST": {"float16", "bfloat16", "float32"},
    }
    a2 = kernel_lists.for_a2(SOURCE)
    assert a2 == {frozenset({"float16", "bfloat16", "float32"}): "ASCEND910B_DTYPE_SUPPORT_LIST"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (kernel("float16", "bfloat16", "float32"), None),
        (kernel("float16", "bfloat16"), None),  # two, which the file names one by one
        (kernel("float16", "bfloat16", "float32", "float64"), "float64 more and nothing less"),
        (kernel("float16", "bfloat16", "float32", index="int32"), "int32 more"),
    ],
)
def test_a_line_is_held_against_its_file(line: _table.Kernel, said: str | None, run: Run) -> None:
    code, out = run("check", "--release", V1, line=line)
    assert code == (said is not None)
    assert (said or "") in out
    assert f"{int(said is None)} lines agree" in out


def test_an_exception_that_is_none_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_lists, "EXCEPTIONS", {"aclnnTwice": "of old"})
    code, out = run("check", "--release", V1, line=kernel("float16", "bfloat16", "float32"))
    assert code == 1
    assert "aclnnTwice: is no exception any longer" in out


def test_what_a_release_changes(run: Run) -> None:
    code, out = run("changes", V1, V2, line=kernel("float32"))
    assert code == 0
    assert "aclnnTwice\n  ASCEND910B_DTYPE_SUPPORT_LIST: + float64, - nothing" in out
    assert "1 of 1 files differ" in out


@pytest.mark.parametrize(
    ("text", "dtypes"),
    [
        (OPERATOR + ASKED + BOTH, {"float16", "float32", "int64"}),
        (OPERATOR + BOTH, {"float16"}),  # it does not ask for the chip: the list that says AICore
        (OPERATOR + "if (IsRegBase()) return AICORE_DTYPE_SUPPORT_LIST;" + BOTH, None),
        (OPERATOR + "// SocVersion::ASCEND910B, LONGER_LIST\n" + BOTH, {"float16"}),
        (OPERATOR + ASKED + CPU, set()),
        (ASKED + CORE, set(kernel_lists.DTYPES.values())),
        (OPERATOR + ASKED, None),
    ],
)
def test_which_data_types_an_operator_has_on_aicore(text: str, dtypes: set[str] | None) -> None:
    assert set(kernel_lists.units(text)) == (set() if dtypes is None else {frozenset(dtypes)})


@pytest.mark.parametrize(
    ("aicore", "said"),
    [
        ({"float16", "float32"}, None),  # the kernel takes no int64
        (
            {"float16"},
            "AICore: the table has nothing more and float32 less than LONGER_LIST",
        ),
        (None, None),
    ],
)
def test_units_are_held_against_the_operators_that_a_file_calls(
    aicore: set[str] | None, said: str | None, tmp_path: Path, empty: Run
) -> None:
    called = SOURCE + "auto y = l0op::Cast(l0op::Twice(x, executor), type, executor);"
    operator = f"const aclTensor *Twice(x)\n{OPERATOR}{ASKED}{BOTH}"
    commit(tmp_path, V1, **{FILE: called, "math/twice/op_api/twice.cpp": operator})
    line = kernel("float16", "bfloat16", "float32", aicore=aicore and frozenset(aicore))
    code, out = empty("check", "--release", V1, line=line)
    assert code == (said is not None)
    assert (said or "") in out


@pytest.mark.parametrize("is_earlier", [False, True])
def test_other_releases_may_have_files_elsewhere(
    is_earlier: bool, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_lists, "EARLIER", {"aclnnTwice": "of old"} if is_earlier else {})
    code, _ = run("check", "--release", V2, line=kernel("float16", "bool", "int8"))
    assert code == (0 if is_earlier else 1)


A2 = ("float16", "bfloat16", "float32")


BOTH_OLD = {"bfloat16", "float32"}
OTHER = SOURCE.replace("ASCEND910_", "OTHER_")
OF_310P = SOURCE.replace("ASCEND910_", "ASCEND310P_")
REFUSED = '"is not supported on this device"'


@pytest.mark.parametrize(
    ("text", "older", "first"),
    [
        (SOURCE, BOTH_OLD, BOTH_OLD),
        (OF_310P, BOTH_OLD, None),
        (OTHER.replace("ASCEND910B_", ""), set(), set()),
        (OTHER + "GetSocVersion()", None, None),
        (OTHER + "CheckSocVersionIsSupportBf16()", {"bfloat16"}, {"bfloat16"}),
        (OF_310P + REFUSED, BOTH_OLD, set(A2)),
        (OTHER + REFUSED, set(A2), set(A2)),
        ("", None, None),
    ],
)
def test_what_older_chips_refuse_is_read_or_unknown(
    text: str, older: set[str] | None, first: set[str] | None
) -> None:
    assert kernel_lists.refused_by_older(kernel(*A2), text) == {"310P": older, "910": first}


def test_lists_of_chips_are_compared_and_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_table, "SOCS", tmp_path / "socs.csv")
    _table.SOCS.write_text("kernel,310P,910\naclnnTwice,,\n")
    code, out = run("socs", "--release", V1, line=kernel(*A2))
    assert code == 1
    assert "aclnnTwice: 310P refuses BF F32, 910 BF F32" in out
    assert run("socs", "--release", V1, "--write", line=kernel(*A2))[0] == 0
    assert _table.SOCS.read_text() == "kernel,310P,910\naclnnTwice,BF F32,BF F32\n"


def test_the_table_of_an_older_chip_is_narrower() -> None:
    whole = {line.name: line for line in _table.kernels()}
    for soc in ("310P", "910"):
        assert [line.name for line in _table.kernels(soc)] == list(whole)
        for line in _table.kernels(soc):
            for argument, of_a2 in zip(line.arguments, whole[line.name].arguments, strict=True):
                assert argument.dtypes <= of_a2.dtypes
    names = ("Ascend910B2", "910_9391", "Ascend310P3", "Ascend910PremiumA", "Ascend950DT", "X")
    assert [*map(_table.family, names)] == ["910B", "910_93", "310P", "910", "950", "X"]
    assert _table.kernels("910_93") == _table.kernels("950") == _table.kernels()
    assert kernel_lists.EXCEPTIONS.keys() <= whole.keys()
