"""The emulated CANN: its table, its runtime, and torch_npu on it.

This file is run twice. Tests marked `through_torch_npu` run in a process of their own, in which
pytest loads conformance.cann_emulator.plugin before anything imports torch: one such process for
each mode of torch_npu's task queue, started by `test_through_torch_npu`. What hangs on the
environment or on the order of calls is a program of emulated.py, in a process of its own.
"""

import os
import sys
from pathlib import Path

import processes
import pytest
from emulated import captured, load_dvm, refused, run_programs_of_dvm
from processes import python, ranks

from conformance import cann_emulator, pair
from conformance.cann_emulator import __main__, _emulator, _native, _table

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).with_name("emulated.py")
EMULATOR = cann_emulator.installed()
LINUX = sys.platform == "linux"

pytestmark = pytest.mark.skipif(not LINUX, reason="CANN, and so its emulation, is for Linux")
through_torch_npu = pytest.mark.skipif(
    EMULATOR is None, reason="runs in the processes of test_through_torch_npu"
)
outside = pytest.mark.skipif(
    EMULATOR is not None, reason="runs in the process that starts the others"
)
needs_torch_npu = pytest.mark.skipif(
    pair.problem() is not None, reason=f"needs torch_npu: {pair.problem()}"
)


def in_modes(*modes):
    """Run a test through torch_npu, which warns of much, in these modes of its task queue."""
    mode = os.environ.get("TASK_QUEUE_ENABLE")
    skipped = pytest.mark.skipif(mode not in modes, reason=f"is not for mode {mode}")
    quiet = pytest.mark.filterwarnings("ignore")
    return lambda test: through_torch_npu(quiet(skipped(test)))


def starts(test):
    """Mark a test that starts processes with torch_npu."""
    return outside(needs_torch_npu(test))


@pytest.fixture
def emulator():
    """The emulator, which fails in nothing after the test."""
    yield EMULATOR
    EMULATOR.fail_nothing()
    EMULATOR.limit_memory()


@pytest.fixture
def dvm():
    torch.ones(1, device="npu")  # DVM comes after the device
    return load_dvm()


def environment(mode="0", **more):
    """An environment without what others have set for torch_npu and Python."""
    more = {"TASK_QUEUE_ENABLE": mode, "PYTHONPATH": str(ROOT)} | more
    return processes.environment("TASK_QUEUE", "PYTEST", "TORCH", **more)


def program(name, mode="0", *, fails=False, **more):
    """Run a program of emulated.py in a process of its own."""
    done = python(str(PROGRAMS), name, code=None, env=environment(mode, **more), timeout=300)
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done


# ---- the table, against documents of CANN that were read by hand ----

TABLE = {kernel.name: kernel for kernel in _table.kernels()}


def accepts(kernel, argument=0):
    return TABLE[kernel].arguments[argument].dtypes


# (kernel, a dtype it refuses, a dtype it takes); Atlas A2, the documents of ops-math and ops-nn
DOCUMENTED = [
    ("aclnnMatmul", "float64", "float32"),
    ("aclnnMatmul", "int32", "bfloat16"),
    ("aclnnMatmul", "complex64", "float16"),
    ("aclnnSort", "float64", "int64"),
    ("aclnnTanh", "float64", "float32"),
    ("aclnnTrunc", "float64", "bfloat16"),
    ("aclnnExpm1", "complex64", "float32"),
    ("aclnnLinalgCholesky", "float64", "float32"),
    ("aclnnRemainderTensorTensor", "int8", "int32"),
    ("aclnnNeg", "uint8", "int8"),
    ("aclnnCat", "complex128", "complex64"),
    ("aclnnIndex", "complex64", "float64"),
    ("aclnnLinalgVectorNorm", "float64", "float32"),
    ("aclnnBitwiseXorTensor", "float32", "bool"),
    ("aclnnAdd", "uint16", "complex128"),
]


@outside
@pytest.mark.parametrize(("kernel", "refused", "taken"), DOCUMENTED)
def test_table_against_documents(kernel, refused, taken):
    assert refused not in accepts(kernel)
    assert taken in accepts(kernel)


@outside
@pytest.mark.parametrize("kernel", ["aclnnMatmul", "aclnnBatchMatMul", "aclnnMm", "aclnnAddmm"])
def test_products_of_bfloat16_are_bfloat16(kernel):
    (out,) = [argument for argument in TABLE[kernel].arguments if argument.type == "O"]
    assert "bfloat16" in out.dtypes


@outside
def test_table_is_complete(monkeypatch):
    monkeypatch.setenv("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
    pytest.importorskip("torch")
    from conformance.cann_emulator.kernels import TASKS

    assert set(TASKS) == set(TABLE), "every kernel computes something, and is in the table"
    assert len(TABLE) > 290
    for kernel in TABLE.values():
        assert kernel.source.startswith(("ops-math/", "ops-nn/", "sip/", "doc:ops-")), kernel
        assert len(kernel.arguments) <= 16
        for argument in kernel.arguments:
            assert argument.type in _table.TYPES
            assert bool(argument.dtypes) == (argument.type in "TOULN"), (kernel.name, argument)


# (kernel, a data type it takes from a release on, that release, the one before)
LATER = [
    ("aclnnLinspace", "int64", "9.0", "8.5"),
    ("aclnnMv", "bfloat16", "9.0", "8.5"),
    ("aclnnInplaceFillScalar", "uint64", "9.1", "9.0"),
    ("aclnnLinalgCholesky", "float16", "9.1", "9.0"),
    ("aclnnRoll", "int16", "9.1", "9.0.1"),
    ("aclnnSigmoid", "int8", "9.2", "9.1"),
]


@outside
@pytest.mark.parametrize(("kernel", "dtype", "since", "before"), LATER)
def test_releases_take_more(kernel, dtype, since, before):
    for cann, takes in ((since, True), (before, False)):
        (line,) = (line for line in _table.kernels(cann=cann) if line.name == kernel)
        (out,) = (argument for argument in line.arguments if argument.type in "OU")
        assert (dtype in out.dtypes) == takes


@outside
def test_kernels_of_releases():
    names = {
        cann: [k.name for k in _table.kernels(cann=cann)] for cann in ("8.5", "9.0", "9.1", "9.2")
    }
    for found in names.values():
        assert len(found) == len(set(found)), "one line is of a release"
    later = {"AngleV2", "Cdist", "LeftShift", "LeftShifts", "LogSpace"}
    assert {*names["9.0"]} - {*names["8.5"]} == {f"aclnn{name}" for name in later}
    assert names["9.0"] == names["9.1"] == names["9.2"]
    assert _table.kernels() == _table.kernels(cann="9.1.0-beta.1")
    with pytest.raises(ValueError, match=r"CANN 8\.1 are not known; they are from 8\.5 on"):
        _table.kernels(cann="8.1")
    with pytest.raises(ValueError, match="no release of CANN: 'newest'"):
        _table.kernels(cann="newest")


@outside
def test_not_emulated_kernels_are_not_in_the_table():
    names = (_table.HERE / "not_emulated.txt").read_text().split()
    assert names == sorted(set(names))
    assert not set(names) & set(TABLE)


@outside
@pytest.mark.parametrize(
    "name", ["no-such-compiler", "cc; touch taken", "-ocommand", "$(touch taken)"]
)
def test_no_compiler(name, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", name)
    with pytest.raises(cann_emulator.CompilerError, match="there is no ") as caught:
        _native.build()
    assert name in str(caught.value)
    assert not list(tmp_path.rglob("taken"))


@outside
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CANN_EMULATOR_SOC", 'Ascend910B2"; int x = 0; //'),
        ("CANN_EMULATOR_SOC", "Ascend910B2" * 40),
        ("CANN_EMULATOR_CANN", '9.1.0"; #include "/etc/passwd'),
        ("CANN_EMULATOR_CANN", "9" * 400),
        ("CANN_EMULATOR_MODE", "hostile:../../x"),
        ("CANN_EMULATOR_MODE", "\x1b[2J"),
    ],
)
def test_variables_name_what_there_is_and_nothing_else(variable, value, monkeypatch):
    monkeypatch.setattr(_emulator, "_installed", [])
    monkeypatch.setattr(_emulator, "Emulator", lambda *given, **_: pytest.fail(f"runs: {given}"))
    monkeypatch.setattr(_emulator.pair, "refusal", lambda: None)
    monkeypatch.delitem(sys.modules, "torch_npu", raising=False)
    monkeypatch.setenv(variable, value)
    with pytest.raises(ValueError, match=r"^[ -~]+$"):  # nothing that a terminal obeys
        cann_emulator.install()


@outside
def test_libraries_of_others_are_not_loaded(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CC", "false")
    ours = tmp_path / "cann_emulator"
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    ours.symlink_to(theirs)
    with pytest.raises(cann_emulator.CompilerError, match="not a folder of this user"):
        _native.build()
    ours.unlink()
    ours.mkdir()
    ours.chmod(0o777)
    with pytest.raises(cann_emulator.CompilerError, match="failed"):
        _native.build()
    assert ours.stat().st_mode & 0o777 == 0o755
    with monkeypatch.context() as build:
        build.setattr(_native, "_cc", lambda folder, name, *_: (folder / f"{name}.so").touch())
        made = _native.build()
        (made / "theirs.so").touch()
        assert (_native.build() / "theirs.so").exists()
        made.chmod(0o775)  # so that others could put it there
        assert _native.build() == made
        assert not (made / "theirs.so").exists()
        assert made.stat().st_mode & 0o022 == 0
    with monkeypatch.context() as other:
        user = os.getuid()
        other.setattr(os, "getuid", lambda: user + 1)
        with pytest.raises(cann_emulator.CompilerError, match="not a folder of this user"):
            _native.build()


@outside
def test_compiler_that_fails(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CC", "false")
    with pytest.raises(cann_emulator.CompilerError, match="failed"):
        _native.build()
    assert not list((tmp_path / "cann_emulator").iterdir()), "nothing half built is left"


@outside
@pytest.mark.parametrize("devices", [0, 9])
def test_number_of_devices(devices):
    with pytest.raises(ValueError, match="1 to 8"):
        cann_emulator.install(devices=devices)


# ---- the runtime by itself, through its C interface ----


@outside
def test_the_runtime_by_itself():
    """At last host code touches memory of a device, which ends the process."""
    done = program("runtime", fails=True, MALLOC_PERTURB_="165")  # what was freed is changed
    assert done.stdout == "all of it\n", done.stdout + done.stderr
    assert done.returncode < 0
    assert "host code touched memory of device 0" in done.stderr


# ---- several processes: each wait for another ends, and says which rank is missing in what ----


@outside
def test_waits_of_ranks_for_each_other_end_and_say_why(tmp_path):
    script = tmp_path / "program.py"
    run = f"runpy.run_path({str(PROGRAMS)!r}, run_name='__main__')"
    script.write_text(f"import runpy, sys; sys.argv[1:] = ['in_ranks', {str(tmp_path)!r}]; {run}")
    for code, said in ranks(script, 2, seconds=200):
        assert code == 0, said


# ---- torch_npu ----


@starts
@pytest.mark.parametrize("mode", ["0", "1", "2"])
def test_through_torch_npu(mode):
    """Run the tests below on the emulator, in one mode of the task queue."""
    plugin = "conformance.cann_emulator.plugin"
    done = python(
        *("-m", "pytest", "-q", "-p", plugin, "-p", "no:cacheprovider", __file__),
        cwd=ROOT,
        env=environment(mode),
    )
    assert "emulated CANN" in done.stdout


if EMULATOR:
    import torch
    import torch_npu  # noqa: F401

    ALL = [getattr(torch, name) for _, name in _table.DTYPES.values() if name != "complex32"]

    def sample(dtype, seed):
        generator = torch.Generator().manual_seed(seed)
        if dtype == torch.bool:
            return torch.rand((3, 4), generator=generator) > 0.5
        if dtype.is_floating_point or dtype.is_complex:
            real, imag = torch.randn((2, 3, 4), generator=generator, dtype=torch.float64)
            return (torch.complex(real, imag) if dtype.is_complex else real).to(dtype)
        x = torch.randint(1, 8, (3, 4), generator=generator)
        if torch.iinfo(dtype).min < 0:
            x[0, seed] = -3
        return x.to(dtype)

    def index(x, *values):
        return torch.tensor(values, device=x.device)

    def written(x, key, value):
        x = x.clone()
        x[key] = value
        return x

    def square(x):
        """A well-conditioned square matrix; made on the CPU, which has all dtypes."""
        a = x.cpu()[:, :3]
        return (a @ a.mH + 3 * torch.eye(3, dtype=a.dtype)).to(x.device)

    def qr(x):
        q, r = (t.cpu() for t in torch.linalg.qr(x))
        return q @ r, q.mH @ q

    def svd(x):
        u, s, vh = (t.cpu() for t in torch.linalg.svd(x, full_matrices=False))
        return (u * s) @ vh, s

    UNARY = """abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh exp expm1 floor
        isfinite isinf isnan log log1p log2 log10 logical_not neg positive reciprocal
        round sign signbit sin
        sinh sqrt square tan tanh trunc real imag erf erfc exp2 frac rsqrt sigmoid sgn isposinf
        isneginf sum prod mean amax amin all any std var max min count_nonzero nansum aminmax tril
        triu trace nonzero unique argmax argmin"""
    BINARY = """add sub mul div floor_divide remainder fmod pow atan2 maximum minimum eq ne lt le
        gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
        bitwise_left_shift logaddexp isclose xlogy gcd"""
    SCALAR = """add sub mul div floor_divide remainder fmod pow eq ne lt le gt ge bitwise_and
        bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift rsub"""
    AXIS = """sum prod mean amax amin argmax argmin all any std var cumsum cumprod max min sort
        argsort cummax cummin logsumexp diff"""
    COLUMNS = ([0, 1], [1, 2], [3, 0])

    def case(name, call):
        """Call torch's function of that name as `call` does."""
        function = getattr(torch, name)
        return lambda x, y: call(function, x, y)

    CASES = {
        **{name: case(name, lambda f, x, y: f(x)) for name in UNARY.split()},
        **{f"{name} 2": case(name, lambda f, x, y: f(x, y)) for name in BINARY.split()},
        **{f"{name} scalar": case(name, lambda f, x, y: f(x, 2)) for name in SCALAR.split()},
        **{f"{name} axis": case(name, lambda f, x, y: f(x, dim=1)) for name in AXIS.split()},
        # Counts below 0, of which the kernels make 0, are nothing to torch.
        "bitwise_right_shift 2": lambda x, y: torch.bitwise_right_shift(
            x, (y.cpu() & 3).to(x.device)
        ),
        "in place": lambda x, y: x.clone().add_(y).mul_(y).sub_(1),
        "in place division": lambda x, y: x.clone().div_(y),
        "broadcast": lambda x, y: x[:, None] + y[:1],
        "strided": lambda x, y: x[:, ::2] * y.T.contiguous().T[:, ::2],
        "empty": lambda x, y: (x[:0] + y[:0]).sum(0),
        "where": lambda x, y: torch.where(x != y, x, y),
        "cat": lambda x, y: torch.cat([x, y], 1),
        "stack": lambda x, y: torch.stack([x, y], 1),
        "flip": lambda x, y: torch.flip(x, (0, 1)),
        "roll": lambda x, y: torch.roll(x, (1, -1), (0, 1)),
        "tile": lambda x, y: torch.tile(x, (2, 2)),
        "repeat": lambda x, y: torch.repeat_interleave(x, 2, 1),
        "repeat tensor": lambda x, y: torch.repeat_interleave(x, index(x, 1, 2, 0), 0),
        "transposed": lambda x, y: x.T.contiguous(),
        "index": lambda x, y: x[[0, 2]],
        "index 2": lambda x, y: x[[0, 2], [1, 3]],
        "index axis": lambda x, y: x[:, [0, 3]],
        "index empty": lambda x, y: x[torch.zeros(0, dtype=torch.int64, device=x.device)],
        "mask": lambda x, y: x[x != y],
        "set": lambda x, y: written(x, ([0, 2],), y[:2]),
        "set slice": lambda x, y: written(x, (slice(1, None), slice(None, None, 2)), 1),
        "set mask": lambda x, y: written(x, x != y, 1),
        "unique consecutive": lambda x, y: torch.unique_consecutive(x.flatten()),
        "set empty": lambda x, y: written(x, torch.zeros(0, dtype=torch.int64, device=x.device), 1),
        "put twice": lambda x, y: x.index_put((index(x, 0, 0),), y[:2], accumulate=True),
        "gather": lambda x, y: torch.gather(x, 1, index(x, *COLUMNS)),
        "scatter": lambda x, y: x.scatter(1, index(x, *COLUMNS), y),
        "scatter add": lambda x, y: x.scatter_add(1, index(x, *COLUMNS), y),
        "index select": lambda x, y: torch.index_select(x, 1, index(x, 0, 3)),
        "index add": lambda x, y: x.index_add(0, index(x, 0, 2), y[:2]),
        "index copy": lambda x, y: x.index_copy(0, index(x, 0, 2), y[:2]),
        "take": lambda x, y: torch.take(x, index(x, 0, 11, 5)),
        "masked fill": lambda x, y: x.masked_fill(x != y, 1),
        "unique all": lambda x, y: torch.unique(x, return_inverse=True, return_counts=True),
        "unique rows": lambda x, y: torch.unique(x, dim=0),
        "search": lambda x, y: torch.searchsorted(torch.sort(x[0]).values, y),
        "clamp": lambda x, y: torch.clamp(x, 1, 3),
        "sort descending": lambda x, y: torch.sort(x, dim=0, descending=True, stable=True),
        "topk": lambda x, y: torch.topk(x, 2),
        "full": lambda x, y: torch.full((2, 3), 3, dtype=x.dtype, device=x.device),
        "ones": lambda x, y: torch.ones(3, dtype=x.dtype, device=x.device),
        "arange": lambda x, y: torch.arange(1, 7, 2, dtype=x.dtype, device=x.device),
        "linspace": lambda x, y: torch.linspace(0, 5, 6, dtype=x.dtype, device=x.device),
        "eye": lambda x, y: torch.eye(3, 4, dtype=x.dtype, device=x.device),
        "to float32": lambda x, y: x.to(torch.float32),
        "to int64": lambda x, y: x.to(torch.int64),
        "to complex64": lambda x, y: x.to(torch.complex64),
        "to bool": lambda x, y: x.to(torch.bool),
        "matmul": lambda x, y: x @ y.mT,
        "matmul 3-d": lambda x, y: x.reshape(3, 2, 2) @ y.reshape(3, 2, 2),
        "matmul 1-d": lambda x, y: x[0] @ y[0],
        "tensordot": lambda x, y: torch.tensordot(x, y, dims=([1], [1])),
        "addmm": lambda x, y: torch.addmm(x[:, :3], x, y.mT),
        "outer": lambda x, y: torch.outer(x[0], y[0]),
        "cross": lambda x, y: torch.linalg.cross(x[:, :3], y[:, :3]),
        "inverse": lambda x, y: torch.inverse(square(x)),
        "cholesky": lambda x, y: torch.linalg.cholesky(square(x)),
        "qr": lambda x, y: qr(x),
        "svd": lambda x, y: svd(x),
        "triangular": lambda x, y: torch.triangular_solve(y[:, :2], square(x), upper=False)[0],
        "norm": lambda x, y: torch.linalg.vector_norm(x, dim=1),
        "complex": lambda x, y: torch.complex(x, y),
        "fftn": lambda x, y: torch.fft.fftn(x),
        "rfftn": lambda x, y: torch.fft.rfftn(x),
        "irfftn": lambda x, y: torch.fft.irfftn(x),
        "tanh backward": lambda x, y: torch.ops.aten.tanh_backward(x, y),
        "sigmoid backward": lambda x, y: torch.ops.aten.sigmoid_backward(x, y),
    }

    NEVER_REFUSED = {
        *("sin", "sum", "prod", "argmax", "nonzero", "unique all", "add 2", "pow scalar", "le 2"),
        *("sort axis", "cumsum axis", "in place", "broadcast", "strided", "where", "cat", "mask"),
        *("index", "set", "set mask", "gather", "topk", "arange", "matmul", "qr", "svd", "empty"),
    }

    # What torch_npu refuses by itself, in words of its own.
    REFUSALS = (
        "is not supported on Atlas A2",
        "Input data type should not be float64",
        "svd_npu only supported Float",
    )


def as_list(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def comparable(t):
    return t.to(torch.int64) if t.dtype in (torch.uint16, torch.uint32, torch.uint64) else t


# CANN's own kernels, as its sources have them, and the AICPU's logarithm of complex numbers.
INEXACT = {"acos": 4e-5, "asin": 4e-5, "expm1": 6e-5, "log2": 2e-8}

# In mode 2 a refusal would end the task queue: there, some cases that no kernel refuses.
ASYNCHRONOUS = os.environ.get("TASK_QUEUE_ENABLE") == "2"


@through_torch_npu
@pytest.mark.one_each
@pytest.mark.parametrize("case", (NEVER_REFUSED if ASYNCHRONOUS else CASES) if EMULATOR else [])
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental:UserWarning")
@pytest.mark.filterwarnings("ignore:Casting complex values to real:UserWarning")
@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized:UserWarning")
@pytest.mark.filterwarnings("ignore:Cannot create tensor with internal format:UserWarning")
def test_results(case):
    """What torch_npu computes on the emulator is what torch computes on the CPU, for all dtypes."""
    compared = 0
    for dtype in [torch.float32] if ASYNCHRONOUS else ALL:
        x, y = sample(dtype, 0), sample(dtype, 1)
        try:
            expected = [t.resolve_conj() for t in as_list(CASES[case](x, y))]
        except (RuntimeError, NotImplementedError, TypeError, IndexError):
            continue  # torch has no such computation
        try:
            got = [t.cpu() for t in as_list(CASES[case](x.to("npu:0"), y.to("npu:0")))]
        except RuntimeError as error:
            if any(words in str(error) for words in REFUSALS):
                continue
            raise
        units = torch.finfo(dtype if dtype.is_floating_point or dtype.is_complex else torch.float32)
        tolerance = max({torch.bfloat16: 3}.get(dtype, 32) * units.eps, INEXACT.get(case, 0))
        for a, b in zip(got, expected, strict=True):
            torch.testing.assert_close(
                comparable(a),
                comparable(b),
                rtol=tolerance,
                atol=tolerance,
                equal_nan=True,
                msg=lambda text, dtype=dtype: f"{dtype}: {text}",
            )
        compared += 1
    assert compared, "nothing was compared"


@through_torch_npu
def test_nothing_failed_inside():
    assert EMULATOR.failures == []
    assert EMULATOR.older_operators() == []
    assert EMULATOR.counts().by_kernel()["aclnnAdd"] > 0


@through_torch_npu
@pytest.mark.filterwarnings("ignore:Device do not support double:UserWarning")
def test_counting():
    x = torch.arange(6.0, device="npu:1")
    with EMULATOR.counting() as counts:
        (x + x).cpu()
    assert counts.kernels == {("aclnnAdd", 1, "AICore"): 1}
    assert counts.to_host == (1, 24)
    assert not counts.fallbacks
    with EMULATOR.counting() as counts:
        torch.hypot(x, x)
    assert counts.fallbacks == {"aten::hypot.out": 1}
    assert counts.to_host[0] >= 2, "its operands go to the host"
    with EMULATOR.counting() as counts:
        torch.sort(torch.arange(3, device="npu:0"))
    assert counts.kernels["aclnnSort", 0, "AICPU"] == 1, "integers are sorted on AICPU"
    with EMULATOR.counting() as counts:
        torch.where(x > 1, x, x)
        torch.where(x > 1, x > 2, x > 3)
    units = {unit: n for (kernel, _, unit), n in counts.kernels.items() if kernel == "aclnnSWhere"}
    assert units == {"AICore": 1, "AICPU": 1}, "the condition does not decide"


@through_torch_npu
def test_counting_waits_for_the_task_queue():
    x = torch.arange(6.0, device="npu:1")
    for _ in range(300):
        with EMULATOR.counting() as counts:
            torch.where(x > 1, x, x + x)
        assert counts.by_kernel() == {"aclnnGtScalar": 1, "aclnnAdd": 1, "aclnnSWhere": 1}


@through_torch_npu
@pytest.mark.parametrize("name", ["ge", "gt", "le", "lt"])
def test_comparisons_take_booleans(name):
    x, y = torch.tensor([True, False, True]), torch.tensor([False, False, True])
    compare = getattr(torch, name)
    with EMULATOR.counting() as counts:
        assert compare(x.npu(), y.npu()).tolist() == compare(x, y).tolist()
        assert compare(x.npu(), True).tolist() == compare(x, True).tolist()
        assert getattr(x.npu(), f"{name}_")(y.npu()).tolist() == compare(x, y).tolist()
    kernel = f"aclnn{name.capitalize()}"
    assert counts.kernels[f"{kernel}Tensor", 0, "AICore"] == 1, "CANN casts them to integers"
    assert counts.kernels[f"{kernel}Scalar", 0, "AICore"] == 1
    assert counts.kernels[f"aclnnInplace{name.capitalize()}Tensor", 0, "AICore"] == 1


@through_torch_npu
def test_streams_and_events():
    stream, start, end = torch.npu.Stream(), *(torch.npu.Event(enable_timing=True) for _ in "12")
    x = torch.ones(1000, device="npu:0")
    start.record()
    with torch.npu.stream(stream):
        stream.wait_event(start)
        y = x + x
        end.record()
    torch.npu.current_stream().wait_stream(stream)
    end.synchronize()
    assert end.query()
    assert start.elapsed_time(end) >= 0
    assert y.sum().item() == 2000


@through_torch_npu
def test_a_stream_is_there_after_its_end():
    """As a process ends, torch_npu destroys its streams before its threads are done with them."""
    import ctypes

    library, stream = EMULATOR._library, ctypes.c_void_p()
    library.aclrtCreateStream(ctypes.byref(stream))
    numbers = ctypes.c_int32(), ctypes.c_int32()
    library.aclrtStreamGetId(stream, ctypes.byref(numbers[0]))
    library.aclrtDestroyStream(stream)
    library.aclrtStreamGetId(stream, ctypes.byref(numbers[1]))
    assert numbers[0].value == numbers[1].value > 0


@through_torch_npu
def test_random_numbers_repeat():
    torch.npu.manual_seed(3)
    a, b = torch.rand(100, device="npu:0"), torch.randn(100, device="npu:0")
    torch.npu.manual_seed(3)
    assert torch.equal(a, torch.rand(100, device="npu:0"))
    assert torch.equal(b, torch.randn(100, device="npu:0"))
    assert a.min() >= 0
    assert a.max() < 1
    assert sorted(torch.randperm(20, device="npu:0").tolist()) == list(range(20))


# ---- documented errors ----


@through_torch_npu
def test_fft_overwrites_its_input():
    """sip, docs/en/API_Reference/FFT/FFT_1D.md."""
    for n, changed in ((16384, False), (32768, True), (3 * 16384, False)):
        x = torch.ones(n, dtype=torch.complex64).to("npu:0")
        assert abs(torch.fft.fft(x)[0].item() - n) < 1
        assert (x[0].item() != 1) == changed, n


# ---- faults ----


@in_modes("0")
def test_singular_matrix(emulator):
    """The error of a kernel on AICPU; the emulator itself did not fail."""
    refused(lambda: torch.inverse(torch.zeros(2, 2, device="npu:0")).cpu(), "507018")
    assert emulator.failures == []


@starts
def test_without_fft_library_and_without_fallbacks():
    program("without", TORCH_NPU_FALLBACK_CPU_DISABLE="1")


@in_modes("0")
def test_index_lists_hold_places_by_empty_tensors_of_any_dtype(emulator):
    """torch_npu fills the axes without an index so; CANN checks the others (aclnn_index.cpp)."""
    x = torch.arange(12.0).reshape(3, 4)
    places = torch.tensor([2, 0])
    on_device = x.to("npu:0")
    assert torch.equal(on_device[:, places.to("npu:0")].cpu(), x[:, places])
    on_device[:, places.to("npu:0")] = -1.0
    x[:, places] = -1.0
    assert torch.equal(on_device.cpu(), x)
    assert not emulator.failures


@starts
def test_a_script_runs_on_emulated_devices(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("import sys, torch, torch_npu\nprint(sys.argv[1:], torch.ones(2).npu() + 1)\n")
    command = ["-m", "conformance.cann_emulator", str(file), "--word", "more"]
    done = python(*command, env=environment())
    assert done.stdout.splitlines()[-1] == "['--word', 'more'] tensor([2., 2.], device='npu:0')"
    assert "Emulated CANN 9.1.0, 2 x Ascend910B2:" in done.stderr
    assert "to the device: 1" in done.stderr


@starts
def test_with_cann_nothing_is_emulated(tmp_path, monkeypatch, capsys):
    file = tmp_path / "program.py"
    file.write_text("from conformance import cann_emulator\nprint(cann_emulator.installed())\n")
    monkeypatch.setenv("ASCEND_HOME_PATH", "/somewhere")
    monkeypatch.setattr(sys, "argv", [""])
    monkeypatch.setattr(sys, "path", [*sys.path])
    __main__.main([str(file)])
    said = capsys.readouterr()
    assert said.out == "None\n"
    assert "nothing is emulated" in said.err


# ---- captured graphs ----


@in_modes("0", "1")
def test_a_captured_graph_is_one_launch(emulator):
    x = torch.arange(6.0, device="npu")
    with emulator.counting() as counts, captured() as graph:
        y = torch.exp(x) * 2 + x
        z = torch.fft.fft(y)
    assert not counts.kernels, counts  # nothing ran yet
    assert not counts.graphs, counts
    with emulator.counting() as counts:
        graph.replay()
    assert counts.graphs == 1, counts
    assert not counts.kernels, counts
    ran = {name for name, _, _ in counts.in_graphs}
    assert {"aclnnExp", "aclnnMuls", "aclnnAdd"} <= ran, ran
    assert torch.equal(y, torch.exp(x) * 2 + x)
    x += 1  # the memory is what is captured
    assert not torch.equal(y, torch.exp(x) * 2 + x)
    graph.replay()
    graph.replay()
    assert torch.equal(y, torch.exp(x) * 2 + x)
    assert torch.equal(z.cpu(), torch.fft.fft(torch.exp(x) * 2 + x).cpu())
    graph.reset()


@in_modes("0")
def test_a_capture_refuses_what_waits(emulator):
    x = torch.arange(6.0, device="npu")
    event = torch.npu.Event()
    event.record()
    for call, code in (
        (lambda: x.sum().item(), "107027"),
        (lambda: x.cpu(), "107030"),
        (lambda: torch.ones(1).to("npu", non_blocking=True), "107000"),
        (lambda: torch.tensor([1.0]).npu(), "107030"),
        (lambda: torch.nonzero(x), "107027"),
        (lambda: torch.npu.synchronize(), "107027"),
        (lambda: torch.npu.current_stream().query(), "107027"),
        (lambda: event.wait(), "107024"),  # it was recorded outside
    ):
        with captured():
            refused(call, code)
    assert (x + 1).tolist() == [1, 2, 3, 4, 5, 6]  # later work is done as ever
    assert not emulator.failures


@in_modes("0")
def test_other_threads_and_streams_beside_a_capture(emulator):
    x = torch.arange(6.0, device="npu")
    from concurrent.futures import ThreadPoolExecutor

    one = ThreadPoolExecutor(1).submit
    with captured() as graph:
        y = x + 1
        other = torch.npu.Stream()
        other.wait_stream(torch.npu.current_stream())
        with torch.npu.stream(other):
            z = y * 2  # joins the capture
        torch.npu.current_stream().wait_stream(other)
        w = z + 1
        assert one(lambda: (x + 1).tolist()).result() == [1, 2, 3, 4, 5, 6]
    graph.replay()
    assert w.tolist() == [3, 5, 7, 9, 11, 13]
    with captured(mode="global"):
        refused(lambda: one(lambda: (x + 1).tolist()).result(), "10703")
    stream = torch.npu.Stream()

    def unjoined():
        with captured():
            stream.wait_stream(torch.npu.current_stream())
            with torch.npu.stream(stream):
                x + 1

    refused(unjoined, "107025")
    assert not emulator.failures


@in_modes("0")
def test_memory_that_is_freed_under_a_graph_is_found_out(emulator):
    other = torch.ones(1 << 22, device="npu")  # an allocation of its own
    with captured() as graph:
        y = other + 1
    graph.replay()
    assert y.sum().item() == 2 << 22
    del other
    torch.npu.empty_cache()
    graph.replay()
    refused(torch.npu.synchronize, "507015", "memory that was freed since")
    assert not emulator.failures


@starts
@pytest.mark.parametrize(
    ("soc", "cann", "captures"),
    [
        pytest.param("Ascend910A", "9.1", "captures_nothing", marks=pytest.mark.nightly),
        ("Ascend310P3", "9.1", "captures"),
        pytest.param("Ascend310P3", "8.5", "captures_nothing", marks=pytest.mark.nightly),
    ],
)
def test_chips_that_capture(soc, cann, captures):
    program(f"chip_that_{captures}", CANN_EMULATOR_SOC=soc, CANN_EMULATOR_CANN=cann)


@in_modes("0")
def test_programs_of_dvm(emulator, dvm):
    run_programs_of_dvm(emulator, dvm)


@starts
@pytest.mark.parametrize(
    ("mode", "cann"), [pytest.param("1", "9.0", marks=pytest.mark.nightly), ("2", "8.5")]
)
def test_programs_of_dvm_on_older_releases(mode, cann):
    program("programs_of_dvm", mode, CANN_EMULATOR_CANN=cann)


@in_modes("0")
def test_programs_of_dvm_in_a_captured_graph(emulator, dvm):
    x = torch.arange(-12.0, 12.0, device="npu").reshape(2, 3, 4)

    @dvm.kernel(ktype="vector")
    def long(k):
        b = a = k.load([2, 3, 4], dvm.float32)
        for _ in range(300):
            b = k.add(k.mul(b, 0.5), a)
        k.store(b)

    y = torch.empty_like(x)
    with emulator.counting() as counts, captured() as graph:
        long.run(x, y)
    assert not counts.kernels, counts
    for value in (1.0, 3.0):
        x.fill_(value)
        with emulator.counting() as counts:
            graph.replay()
        assert counts.graphs == 1
        assert counts.in_graphs["dvm", 0, "AICore"] == 1
        assert not counts.kernels
        assert y.flatten().tolist() == [2 * value] * 24


@in_modes("0", "1")
def test_programs_of_dvm_that_are_refused(emulator, dvm):
    x = torch.arange(-12.0, 12.0, device="npu").reshape(2, 3, 4)

    @dvm.kernel(ktype="vector")
    def exp(k):
        k.store(k.exp(k.load([2, 3, 4], dvm.float32)))

    @dvm.kernel(ktype="mix")
    def product(k):
        a = k.load([16, 16], dvm.float16)
        k.store(k.matmul(a, a, False, False))

    a = torch.ones(16, 16, dtype=torch.float16, device="npu")
    product(a)
    refused(torch.npu.synchronize, "561000", "matrix products of DVM are not emulated")
    assert torch.equal(exp(x).cpu(), torch.exp(x.cpu()))
    emulator.fail_kernel("dvm", at="synchronize")
    exp(x)
    refused(torch.npu.synchronize, "507015", "dvm: emulated asynchronous fault")
    emulator.fail_nothing()
    assert torch.equal(exp(x + 1).cpu(), torch.exp(x.cpu() + 1))


@in_modes("0")
def test_sums_of_dvm_by_several_units(emulator, dvm):
    """In the same order always: the units wait for each other, which their instructions say."""
    torch.use_deterministic_algorithms(True)
    for shape, dims, how in (
        ([70000], [0], "red_1"),
        ([40, 50, 60], [0], "red_1"),
        ([4, 200, 3, 60], [0, 2], "red_2"),
    ):

        @dvm.kernel(ktype="split")
        def total(k):
            k.store(k.exp(k.sum(k.mul(k.load(shape, dvm.float32), 0.01), dims, True)))  # noqa: B023

        y = torch.randn(shape, generator=torch.Generator().manual_seed(1))
        found = total(y.npu()).cpu().double()
        assert f".visit: {how}" in total.kobj.das()
        expected = torch.exp((y.double() * 0.01).sum(dims, keepdim=True))
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
    torch.use_deterministic_algorithms(False)
    assert not emulator.failures


@starts
def test_dvm_before_there_is_a_device_is_refused():
    program("dvm_first")
