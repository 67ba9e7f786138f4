"""What the package uses of torch beyond its public names: in one file, and does what it is for."""

from __future__ import annotations

import ast
import copy
import functools
import importlib.machinery
import re
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from parametrize import listing
from processes import apart, calling, python
from torch.autograd import forward_ad

import ascend_array_api as xp
from ascend_array_api import distributed as xd
from ascend_array_api._torch import private, torch
from ascend_array_api._torch.pairs import release

PACKAGE = Path(xp.__file__).parent
SAYS = f"torch {torch.__version__} broke"
MARKS = ("_dynamo", "_torchdynamo")


def is_private(part: str) -> bool:
    return part.startswith("_") and not part.endswith("__")


def uses(text: str) -> Iterator[tuple[int, str]]:
    """Yield where private names of torch are used, and what they are."""
    tree = ast.parse(text)
    roots = {"torch", "torch_npu", "triton"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name, alias in zip(names, node.names):
            if name.partition(".")[0] in roots:
                roots.add(alias.asname or alias.name)
                if any(is_private(part) for part in name.split(".")):
                    yield node.lineno, name
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            root: Any = node.value
            while isinstance(root, ast.Attribute):
                root = root.value
            of_torch = isinstance(root, ast.Name) and root.id in roots and is_private(node.attr)
            if of_torch or node.attr.startswith(MARKS):
                yield node.lineno, ast.unparse(node)
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.startswith(("torch._", "torch_npu._", *MARKS))
        ):
            yield node.lineno, node.value


@pytest.mark.parametrize(
    "code",
    [
        "import torch\ntorch._C.f()",
        "from torch.utils import _pytree as tree",
        "import torch._dynamo",
        "from torch.autograd import forward_ad\nforward_ad._current_level",
        "f._torchdynamo_inline = g",
        "'torch._dynamo' in modules",
        "setattr(f, '_dynamo_marked_constant', True)",
    ],
)
def test_uses_are_found(code: str) -> None:
    assert list(uses(code))


def test_public_names_are_not_taken_for_private_ones() -> None:
    assert not list(uses("import torch\ntorch.__version__; x._tensor; _torch.f"))


@listing("path", sorted(PACKAGE.rglob("*.py")))
def test_private_names_are_used_in_one_file(path: Path) -> None:
    if path != PACKAGE / "_torch" / "private.py":
        assert not list(uses(path.read_text(encoding="utf-8")))


def test_every_private_name_is_in_the_table() -> None:
    path = PACKAGE / "_torch" / "private.py"
    _, *table = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).split("=\n")
    used = {name.rpartition(".")[2] for _, name in uses(path.read_text(encoding="utf-8"))}
    assert len(used) > 5
    for name in used:
        assert re.search(rf"\b{name}\b", "".join(table)), name


def test_the_torch_of_these_tests_is_one_in_which_they_were_seen() -> None:
    assert ".".join(torch.__version__.split(".")[:2]) in private.SEEN, "add it when these pass"


def test_a_missing_name_is_said() -> None:
    words = r"torch \S+ has no torch\._C\._gone, by which ascend_array_api sees. .* 2\.7 to "
    with pytest.raises(ImportError, match=words):
        private._named("torch._C._gone", "sees")
    with pytest.raises(ImportError, match="has no torch._gone.name"):
        private._named("torch._gone.name", "sees")


# --- each does what it is for ---------------------------------------------------------------------


def test_transformations_are_seen() -> None:
    seen = []

    def function(x: torch.Tensor) -> torch.Tensor:
        seen.append((private.in_transform(), private.differentiating(), private.is_wrapped(x)))
        return x * x

    x = torch.ones(3)
    function(x)
    torch.func.vmap(function)(x)
    torch.func.grad(lambda x: function(x).sum())(x)
    assert seen == [(False,) * 3, (True,) * 3, (True,) * 3], f"{SAYS} the sight of torch.func"


def test_forward_mode_is_seen() -> None:
    assert not private.differentiating()
    with forward_ad.dual_level():
        assert private.differentiating(), f"{SAYS} the sight of forward-mode differentiation"
    assert not private.differentiating()


def test_what_transformations_wrap_is_seen() -> None:
    seen = []

    def function(x: torch.Tensor) -> torch.Tensor:
        seen.append(private.innermost(x).shape)
        return x.sum()

    torch.func.vmap(torch.func.grad(function))(torch.ones(3, 2))
    assert seen == [(3, 2)], f"{SAYS} what torch.func wraps"
    assert private.innermost(x := torch.ones(3)) is x


def test_who_waits_for_derivatives_is_seen() -> None:
    # Another thread computes on accelerators alone: tests of processes with NPUs see that.
    seen = []
    x = torch.ones(3, requires_grad=True)
    x.register_hook(
        lambda _: seen.append((sys._getframe(1).f_code, private._number_of_derivative() >= 0))
    )
    torch.autograd.grad(x.sum(), x)
    assert seen == [(private._computes_derivatives, True)], f"{SAYS} who waits for derivatives"
    assert private._number_of_derivative() < 0, f"{SAYS} which thread computes derivatives"
    assert not private.derives_for(threading.get_ident())


def test_containers_are_taken_apart() -> None:
    x = xp.asarray([1.0, 2.0])
    result = torch.func.vmap(lambda pair: {"y": pair[0] + pair[1]})((x, x))["y"]
    assert isinstance(result, xp.Array), f"{SAYS} the taking apart of containers"
    assert xp.all(result == 2 * x)
    paths, _ = torch.utils._pytree.tree_flatten_with_path([x])
    assert torch.utils._pytree.keystr(paths[0][0]) == "[0]._tensor"


def test_the_compiler_traces_the_replacement() -> None:
    def replaced(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    private.replace_in_traces(replaced, lambda x: x + 2)
    x = torch.zeros(2)
    compiled = torch.compile(lambda x: replaced(x), backend="eager", fullgraph=True)
    assert replaced(x)[0] == 1
    assert compiled(x)[0] == 2, f"{SAYS} the replacement of functions in traces"
    if release(torch.__version__) >= (2, 11):
        outermost = torch.compile(replaced, backend="eager", fullgraph=True)
        assert outermost(x)[0] == 2, f"{SAYS} the replacement of functions that are compiled alone"
        assert torch.compiler.disable(replaced)(x)[0] == 1

        @functools.wraps(replaced)
        def wrapper(x: torch.Tensor) -> torch.Tensor:
            return x + 3

        assert torch.compile(wrapper, backend="eager")(x)[0] == 3
    # No copy of the attributes has the marks, whatever makes it.
    replaced.own = 1  # type: ignore[attr-defined]
    own = vars(replaced)
    for copied in (
        vars(functools.wraps(replaced)(lambda: None)),
        {**own},
        dict(own),
        dict(own.items()),
        own.copy(),
        copy.copy(own),
    ):
        assert set(copied) - {"__wrapped__"} == {"own"}


def test_the_compiler_takes_results_for_constants() -> None:
    calls = []

    def asked(word: str) -> str:
        calls.append(word)
        return {"a": "b"}[word]

    private.mark_constant(asked)
    compiled = torch.compile(
        lambda x: x + 1 if asked("a") == "b" else x, backend="eager", fullgraph=True
    )
    assert [float(compiled(torch.zeros(1))) for _ in range(3)] == [1.0] * 3
    assert calls == ["a"], f"{SAYS} the mark of constants"
    seen: list[int] = []
    private.when_compiler_is_there(lambda: seen.append(1))
    assert seen == [1]


def before_the_compiler() -> None:
    """Call what no array, product or process came before: torch keeps what it finds out then."""
    compares_with_symbols()
    store()
    products()


def compares_with_symbols() -> None:
    compiled = torch.compile(lambda x, s: (x == s, s > x), backend="eager", dynamic=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [bool(v[1]) for v in compiled(xp.asarray([0.5, 2.0]), 2.0)]
    assert found == [True, False], f"{SAYS} comparisons with symbols"


def store() -> None:
    xd.init("cpu")
    store = private.store_of_processes()
    assert not store.check(["name"])
    store.set("name", "value")
    assert store.check(["name"])
    assert store.get("name") == b"value", f"{SAYS} the store of processes"


def products() -> None:
    seen = [private.products_in_tf32("cuda")]
    torch.backends.cuda.matmul.allow_tf32 = True
    seen.append(private.products_in_tf32("cuda"))
    for precision in ("highest", "high"):
        torch.set_float32_matmul_precision(precision)
        seen.append(private.products_in_tf32("cuda"))
    assert seen == [False, True, False, True], f"{SAYS} the precision of products"


@pytest.mark.nightly
def test_comparisons_with_symbols_processes_and_the_precision_of_products() -> None:
    apart(before_the_compiler)


@pytest.mark.nightly
def test_the_compiler_may_be_there_first() -> None:
    _, code = calling(compares_with_symbols)
    python("-W", "ignore", "-c", f"import torch._dynamo; {code}")


def test_other_finders_import_what_is_awaited() -> None:
    seen: list[Any] = []
    finder = private._Awaited("colorsys", seen.append)
    sys.meta_path.insert(0, finder)  # type: ignore[arg-type]
    sys.modules.pop("colorsys", None)
    assert finder.find_spec("this") is None
    module = importlib.import_module("colorsys")
    assert seen == [module]
    assert finder not in sys.meta_path


@pytest.mark.parametrize("loader", [None, "no module"])
def test_what_is_awaited_may_be_absent_or_have_no_loader(
    loader: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = None if loader else importlib.machinery.ModuleSpec("colorsys", None)
    finder = private._Awaited("colorsys", pytest.fail)
    monkeypatch.setattr(private, "find_spec", lambda name: spec)
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    assert finder.find_spec("colorsys") is spec


def test_kernels_for_gpus_are_made_of_templates() -> None:
    from ascend_array_api._backends.cuda._fused import _CODE

    for name, code in _CODE.items():
        made: Any = private._named("torch.cuda.jiterator._create_jit_fn", "makes kernels")(code)
        assert made.kernel_name == "xp_entry", f"{SAYS} the way it reads templates: {name}"


@pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")  # torch's own use
def test_transformations_within_each_other_are_counted() -> None:
    seen: list[tuple[int, bool]] = []

    def noted(x: Any) -> Any:
        seen.append((private.levels(), private.forward_twice()))
        return x.sum()

    from torch.func import grad, jacfwd, jvp

    x = torch.ones(2)
    noted(x)
    grad(noted)(x)
    grad(grad(noted))(x[0])
    jvp(noted, (x,), (x,))
    jvp(lambda x: jvp(noted, (x,), (x,))[1], (x,), (x,))
    assert seen == [(0, False), (1, False), (2, False), (1, False), (2, True)], SAYS
    jacfwd(jacfwd(noted))(x)
    assert seen[-1][1], SAYS


def test_marks_count_where_they_are_asked_to() -> None:
    seen = []

    class Own(torch.Tensor):
        __torch_function__ = private.no_function_rules

        @classmethod
        def __torch_dispatch__(cls, *_: Any, **__: Any) -> Any:
            z = torch.tensor(1 + 2j)
            with private.with_marks():
                seen.append(complex(z.conj() + 0))
            return z

    own = private.made_of(Own, torch.ones(2), (2,))
    torch.neg(own)
    assert seen == [1 - 2j], SAYS


def test_views_are_known() -> None:
    x = torch.ones(2, 2)
    assert not private.is_view(x), SAYS
    assert private.is_view(x[0]), SAYS
