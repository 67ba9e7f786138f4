"""Finds CANN's kernel sources, and runs them: imports with `dsl` in place of CANN's compiler."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.abc
import importlib.machinery
import math
import os
import re
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dsl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VARIABLE = "ASCEND_OPP_PATH"
CHIPS = {"Ascend910B": "Ascend910B1", "Ascend310P": "Ascend310P1"}
_KERNELS = "opp/built-in/op_impl/ai_core/tbe/impl"


class NotFoundError(LookupError):
    """There are no sources where they were looked for."""


def find(root: str | None = None) -> Path:
    """Return the folder of a toolkit, with opp in it: the one named, else by ASCEND_OPP_PATH."""
    opp = os.environ.get(VARIABLE)
    named = root or (str(Path(opp).parent) if opp else None)
    if named is None:
        raise NotFoundError(
            f"no sources of CANN: {VARIABLE} is not set (source CANN's set_env.sh), and no --root"
        )
    path = Path(named)
    if not (path / _KERNELS / "dynamic").is_dir():
        raise NotFoundError(f"no sources of CANN: {path} has no {_KERNELS}/dynamic")
    return path


def _tables(root: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Read the tables of what each call supports, without running the module they are in."""
    path = root / "python/site-packages/tbe/dsl/compute/util.py"
    values: dict[str, Any] = {}
    chips = {
        "ASCEND_910B": "Ascend910B",
        "ASCEND_910_93": "Ascend910_93",
        "ASCEND_910": "Ascend910",
        "ASCEND_310P": "Ascend310P",
    }
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.Assign):
            continue
        for part in ast.walk(node.value):
            if isinstance(part, ast.Name):
                values.setdefault(part.id, chips.get(part.id, part.id))
        exec(compile(ast.Module([node], []), str(path), "exec"), values)
    calls = values["DSL_CHECK_SUPPORT_MAP"] | values["UNIFY_DSL_CHECK_SUPPORT_MAP"]
    return calls, values["DSL_SAME_API_MAP"]


def _intrinsics(root: Path, chip: str) -> dict[str, set[str]]:
    paths = sorted(root.glob(f"*/data/platform_config/{CHIPS[chip]}.ini"))
    if not paths:
        raise NotFoundError(
            f"no sources of CANN: {root} has no */data/platform_config/{CHIPS[chip]}.ini"
        )
    found: dict[str, set[str]] = {}
    section = ""
    for line in paths[0].read_text().splitlines():
        section = line.strip() if line.startswith("[") else section
        match = re.match(r"\s*\d+=Intrinsic_(\w+)\|(.*)", line)
        if match and section == "[VectorCoreintrinsicDtypeMap]":
            found[match[1]] = set(match[2].strip().split(","))
        elif match and section == "[AICoreintrinsicDtypeMap]":
            found.setdefault(match[1], set(match[2].strip().split(",")))
    return found


class _Anything:
    """Stands for what has no meaning for values: schedules, decorators, contexts."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *arguments: Any, **_: Any) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], (types.FunctionType, type)):
            return arguments[0]
        return _Anything(f"{self._name}()")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__name__":
            raise AttributeError(name)
        platform = _MODULES["tbe.common.platform"].__dict__
        return platform.get(name) or _Anything(f"{self._name}.{name}")

    def __enter__(self) -> _Anything:
        return self

    def __exit__(self, *_: object) -> bool:
        return False

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __contains__(self, _: object) -> bool:
        return False

    def __getitem__(self, _: object) -> _Anything:
        return _Anything(f"{self._name}[]")

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return (object,)


class _Module(types.ModuleType):
    """A module of CANN's compiler: what it has here, and `_Anything` for the rest."""

    def __init__(self, name: str, **members: Any) -> None:
        super().__init__(name)
        self.__dict__.update(members)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        if name.startswith("raise_"):
            return _refuse
        return _MODULES.get(full) or sys.modules.get(full) or _Anything(full)


class RefusedError(TypeError):
    """The kernel refuses the dtype."""


def _refuse(*arguments: Any, **_: Any) -> None:
    raise RefusedError(str(arguments))


def _check_dtype(dtype: str, allowed: Any, *_: Any, **__: Any) -> None:
    names = [allowed] if isinstance(allowed, str) else list(allowed)
    if dtype.lower() not in [name.lower() for name in names]:
        raise RefusedError(f"{dtype} is not one of {names}")


class _Run:
    """The inputs that a kernel has still to ask for, and its result."""

    inputs: list[np.ndarray[Any, Any]]
    result: Any = None
    reinterprets = False


_RUN = _Run()


def _placeholder(shape: Any, dtype: Any = None, name: str = "", **_: Any) -> dsl.Tensor:
    del shape
    if isinstance(dtype, str) and dtype not in dsl.NUMPY:
        dtype, name = name, dtype
    if not _RUN.inputs:
        return dsl.Tensor(np.zeros([1], dsl.NUMPY[dtype]), dtype)
    array = _RUN.inputs.pop(0)
    wanted = dsl.NUMPY[dtype]
    if array.dtype == bool and dtype in ("int8", "uint8"):
        array = array.astype(wanted)
    elif (
        array.dtype != wanted
        and array.dtype.kind in "iuf"
        and array.dtype.itemsize == wanted.itemsize
    ):
        array = array.view(wanted)  # the kernel reads the memory so
        _RUN.reinterprets = True
    return dsl.Tensor(array, dtype)


def _schedule(result: Any, *_: Any, **__: Any) -> Any:
    _RUN.result = result
    return _Anything("schedule")


def _shape(x: Any) -> list[int]:
    return dsl.sizes(x.get("shape") if isinstance(x, dict) else x)


def _broadcast_shapes(*shapes: Any, **_: Any) -> list[list[int]]:
    lists = [dsl.sizes(s) for s in shapes if isinstance(s, (list, tuple))]
    rank = max(map(len, lists))
    lists = [[1] * (rank - len(s)) + s for s in lists]
    return [*lists, [max(n) for n in zip(*lists, strict=True)]]


def _identity(*_: Any, **__: Any) -> Any:
    return lambda function: function


def _compute(*_: Any, support_bfp16: bool = False, **__: Any) -> Any:
    """CANN's decorator of computations: bfloat16 by way of float32 where it is asked for."""

    def decorate(function: Any) -> Any:
        def change(x: Any) -> Any:
            if isinstance(x, dsl.Tensor) and x.dtype == "bfloat16":
                return dsl.Tensor(x.data, "float32")
            if isinstance(x, dict) and x.get("dtype") == "bfloat16":
                return {**x, "dtype": "float32"}
            return [change(item) for item in x] if isinstance(x, list) else x

        def wrapped(*arguments: Any, **options: Any) -> Any:
            half = any(isinstance(x, dsl.Tensor) and x.dtype == "bfloat16" for x in arguments)
            if not (support_bfp16 and half):
                return function(*arguments, **options)
            result = function(*map(change, arguments), **options)
            if isinstance(result, dsl.Tensor) and result.dtype in ("float16", "float32"):
                return dsl.convert(result, "bfloat16")
            return result

        wrapped.__name__ = function.__name__
        return wrapped

    return decorate


class _Pattern:
    def __getattr__(self, name: str) -> str:
        return name.lower()


_MODULES: dict[str, types.ModuleType] = {}
_ROOT: list[Path] = []


def _build_modules(chip: dsl.Chip) -> None:
    name = chip.name
    facts = {
        "SHORT_SOC_VERSION": name,
        "SOC_VERSION": name,
        "FULL_SOC_VERSION": CHIPS[name],
        "UB_SIZE": 196608,
        "CORE_NUM": 48,
        "ubblock_size": 32,
        "AICORE_TYPE": "VectorCore",
        "CUBE_VECTOR_SPLIT": 1,
        "L1_SIZE": 524288,
        "CORE_TYPE_LIST": ["CubeCore", "VectorCore"],
    }
    platform = {
        "api_check_support": chip.supports,
        "intrinsic_check_support": chip.has_intrinsic,
        "get_soc_spec": facts.__getitem__,
        "get_block_size": lambda *_: 32,
        "get_bit_len": lambda dtype: dsl.NUMPY[dtype].itemsize * 8,
        "BLOCK_REDUCE": 16,
        "BLOCK_REDUCE_INT8": 32,
        "BLOCK_IN": 16,
        "BLOCK_OUT": 16,
        **{key: key for key in ("SHORT_SOC_VERSION", "UB_SIZE", "CORE_NUM")},
    }

    def variable(name: str = "", dtype: str = "int32", **_: Any) -> dsl.Constant:
        del name
        return dsl.Constant(0, dtype)

    calls = {
        **dsl.CALLS,
        "auto_schedule": _schedule,
        "placeholder": _placeholder,
        "var": variable,
        "var_attr": variable,
        "build": lambda *_, **__: None,
        "add_build_arg": lambda *_, **__: None,
        "compute": lambda *_, **__: _Anything("compute"),
        "schedule": lambda *_, **__: _Anything("schedule"),
        "classify": lambda inputs, *_, **__: [list(inputs)],
    }

    def add(path: str, **members: Any) -> types.ModuleType:
        return _MODULES.setdefault(path, _Module(path, **members))

    language = add("tbe.dsl", **calls)
    tvm = add(
        "tbe.tvm",
        const=dsl.Constant,
        placeholder=_placeholder,
        Tensor=dsl.Tensor,
        Var=type("Var", (), {}),
        target=_Anything("target"),
        tir=_Anything("tir"),
        sqrt=lambda v: dsl.Constant(math.sqrt(float(v)), getattr(v, "dtype", "float32")),
        div=lambda a, b: dsl.Constant(float(a) / float(b), "float32"),
    )
    platforms = add("tbe.common.platform", **platform)
    add("tbe.common.platform.platform_info", **platform)
    add("te.platform", **platform)
    checks = add(
        "tbe.common.utils.para_check",
        check_dtype=_check_dtype,
        check_dtype_rule=_check_dtype,
        check_op_params=_identity,
        check_input_type=_identity,
        is_scalar=lambda s: len(s) == 0 or list(s) == [1],
        check_shape=lambda *_, **__: None,
        check_elewise_shape_range=lambda *_, **__: None,
    )
    shapes = add(
        "tbe.common.utils.shape_util",
        broadcast_shapes=_broadcast_shapes,
        unify_broadcast_shapes=lambda shapes, *_, **__: _broadcast_shapes(*shapes),
        produce_shapes=_broadcast_shapes,
        shape_to_list=dsl.sizes,
        variable_shape=lambda inputs, *_, **__: [_shape(x) for x in inputs],
        refine_shapes_for_broadcast=lambda a, b: (list(a), list(b)),
        scalar2tensor_one=lambda s: s or [1],
        squeeze_shape=lambda s: s,
        axis_check=lambda rank, axes: [
            int(i) % rank for i in (axes if isinstance(axes, (list, tuple)) else [axes])
        ],
        compare_tensor_dict_key=lambda *_, **__: None,
    )
    context = types.SimpleNamespace(
        get_op_mode=lambda: "dynamic",
        get_mode=lambda: "dynamic",
        get=lambda *_: None,
        get_addition=lambda key: {} if key == "op_impl_mode_dict" else None,
        add_compile_info=lambda *_: None,
        get_compile_info=dict,
        add=lambda *_: None,
        get_graph_op_info=lambda *_: None,
        set_op_mode=lambda *_: None,
    )
    contexts = add("tbe.common.context", get_context=lambda: context)
    contexts.__dict__["op_context"] = contexts
    _MODULES["tbe.common.context.op_context"] = contexts
    errors = add("tbe.common.utils.errormgr.error_manager_vector")
    register = add(
        "tbe.common.register",
        register_operator=_identity,
        register_op_compute=_compute,
        register_param_generalization=_identity,
    )
    operation = add(
        "tbe.dsl.base.operation",
        in_dynamic=lambda: True,
        get_context=lambda: context,
        var=variable,
        add_compile_info=lambda *_: None,
        get_op_mode=lambda: "dynamic",
    )
    precise = types.SimpleNamespace(
        HIGH_PERFORMANCE="high_performance",
        HIGH_PRECISION="high_precision",
        SUPER_PERFORMANCE="super_performance",
        NORM_CLASS="norm_class",
        SUPPORT_OUT_OF_BOUND_INDEX="support_out_of_bound_index",
        TBE_HIGH_PRECISION="high_precision",
    )
    add(
        "impl.util.platform_adapter",
        tbe=language,
        tvm=tvm,
        tbe_platform=platforms,
        platform_info=platforms,
        para_check=checks,
        shape_util=shapes,
        tbe_context=contexts,
        error_manager_vector=errors,
        error_manager_util=errors,
        error_manager_cube=errors,
        operation=operation,
        tbe_register=register,
        classify=calls["classify"],
        register_operator=_identity,
        register_operator_compute=_compute,
        OpPatternMode=_Pattern(),
        OpImplMode=precise,
        OpTbeImplMode=precise,
        in_record=lambda: False,
        check_support_block_size_16=lambda: False,
        check_supported_vcopy=lambda: chip.supports("tik.vcopy"),
        auto_schedule=_schedule,
        log=_Anything("log"),
        tik=_Anything("tik"),
        build=lambda *_, **__: None,
    )


_STUBS = ("tbe", "te", "decorator", "topi", "tik")
_STUBBED = (
    "impl.util.platform_adapter",
    "impl.util.util_select_op_base",
    "impl.util.fusion_util",
    "impl.util.util_gemm",
)
_PACKAGES = ("impl", "impl.util", "impl.dynamic")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        del path, target
        if name.split(".", maxsplit=1)[0] in _STUBS or name in (*_STUBBED, *_PACKAGES):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        name = spec.name
        if name in _PACKAGES:
            module = types.ModuleType(name)
            module.__path__ = [str(_ROOT[0] / _KERNELS / name[5:].replace(".", "/"))]
            return module
        module = _MODULES.setdefault(name, _Module(name))
        if name.startswith(("te.lang", "tbe.dsl")):
            for key, call in dsl.CALLS.items():
                module.__dict__.setdefault(key, call)
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing is left to do."""


@contextlib.contextmanager
def opened(root: Path, chip: str = "Ascend910B") -> Iterator[None]:
    """Let the kernels of a toolkit be imported in a block, for a chip; once a process."""
    calls, same = _tables(root)
    dsl.CHIP[:] = [dsl.Chip(chip, calls, same, _intrinsics(root, chip))]
    _ROOT[:] = [root]
    _build_modules(dsl.CHIP[0])
    finder = _Finder()
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.meta_path.insert(0, finder)
    try:
        importlib.import_module("impl.util.util_common")  # before what imports it in a circle
        yield
    finally:
        sys.meta_path.remove(finder)
        sys.dont_write_bytecode = written
        for name in list(sys.modules):
            if name.split(".")[0] in (*_STUBS, "impl"):
                del sys.modules[name]
        _MODULES.clear()


def run(
    file: str,
    arrays: Sequence[tuple[np.ndarray[Any, Any], str]],
    out: str | None = None,
    attributes: Sequence[Any] = (),
    axes: Sequence[int] | None = None,
) -> tuple[np.ndarray[Any, Any], str]:
    """Run an operator of impl/dynamic/<file>.py.

    Parameters
    ----------
    file
        The module, and the function in it.
    arrays
        The inputs, each with the name of its dtype; bfloat16 as float32.
    out
        The dtype of the output; that of the first input if None.
    attributes
        What follows the output.
    axes
        For reductions, which take them as an input.

    Returns
    -------
    array, dtype
        bfloat16 as float32.
    """
    module = importlib.import_module(f"impl.dynamic.{file}")

    def described(shape: Sequence[int], dtype: str) -> dict[str, Any]:
        return {
            "shape": list(shape),
            "ori_shape": list(shape),
            "dtype": dtype,
            "format": "ND",
            "ori_format": "ND",
            "range": [(n, n) for n in shape],
        }

    inputs = [described(array.shape, dtype) for array, dtype in arrays]
    _RUN.inputs, _RUN.result, _RUN.reinterprets = [array for array, _ in arrays], None, False
    first, dtype = arrays[0]
    shape = list(first.shape)
    if axes is not None:
        inputs.append(
            {**described([len(axes)], "int32"), "const_value": list(axes), "value": list(axes)}
        )
        _RUN.inputs.append(np.array(axes, dtype=np.int32))
        shape = [n for i, n in enumerate(shape) if i not in axes]
    with np.errstate(all="ignore"):
        getattr(module, file)(*inputs, described(shape, out or dtype), *attributes)
    result = _RUN.result
    if not isinstance(result, dsl.Tensor):
        raise dsl.UnsupportedError(f"{file} gave no tensor")
    if _RUN.reinterprets and out and result.data.dtype.itemsize == dsl.NUMPY[out].itemsize:
        return result.data.view(dsl.NUMPY[out]), out
    return result.data, result.dtype
