"""The pages of the API reference: a page a function, in the chapters of the standard.

Which names there are is asked of the package.  A name that belongs to no chapter is an error, so
that nothing is added to the namespace without a place in the reference.
"""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final

import torch
from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.nodes import make_refnode

from ascend_array_api import _versions
from ascend_array_api._numpy import methods as _numpy_methods
from ascend_array_api._routes._operations import OPS
from ascend_array_api._torch import dtypes
from ascend_array_api._versions import in_version, since
from workshop.cells.picture import rows as rows_of_npus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

PACKAGE: Final = "ascend_array_api"
xp: Any = import_module(PACKAGE)
APART: Final = ("distributed", "integrations")
"""The modules that are imported by themselves: the namespace does not bring them."""

STANDARD: Final = "https://data-apis.org/array-api/2025.12"
VERSIONS: Final = {version: _versions.namespace(version) for version in _versions.VERSIONS}


@dataclass(frozen=True)
class Chapter:
    """A page of the reference: what it says, and the modules whose names it has."""

    slug: str
    title: str
    text: str
    modules: tuple[str, ...] = ()
    """Modules of the package.  A public one stands for its own namespace."""
    names: tuple[str, ...] = ()
    """Further names."""
    standard: str = ""
    """The chapter's page in the standard."""


CHAPTERS: Final = (
    Chapter(
        "array",
        "Array object",
        "What the creation functions return: the attributes, methods and operators of arrays.",
        names=("Array",),
        standard="API_specification/array_object.html",
    ),
    Chapter(
        "data_types",
        "Data types",
        "The data types are torch's own objects. ``float16`` and ``bfloat16`` stand beside the "
        "standard's. How they promote stands in :doc:`the guide </guide>`.",
        standard="API_specification/data_types.html",
    ),
    Chapter(
        "data_type_functions",
        "Data type functions",
        "Conversion and promotion, and what a data type can hold.",
        modules=("_chapters.data_type",),
        standard="API_specification/data_type_functions.html",
    ),
    Chapter(
        "constants",
        "Constants",
        "Python numbers, and None.",
        modules=("_chapters.constants",),
        standard="API_specification/constants.html",
    ),
    Chapter(
        "creation",
        "Creation functions",
        "New arrays, and arrays out of other objects.",
        modules=("_chapters.creation",),
        standard="API_specification/creation_functions.html",
    ),
    Chapter(
        "elementwise",
        "Elementwise functions",
        "Arithmetic, comparison, logic, rounding, exponentials, trigonometry. Operands are "
        "broadcast together and promoted.",
        modules=("_chapters.elementwise",),
        standard="API_specification/elementwise_functions.html",
    ),
    Chapter(
        "manipulation",
        "Manipulation functions",
        "Shapes, axes, and joining.",
        modules=("_chapters.manipulation",),
        standard="API_specification/manipulation_functions.html",
    ),
    Chapter(
        "indexing",
        "Indexing functions",
        "Elements at given positions. What stands between the brackets of ``x[...]`` is in "
        ":doc:`the guide </guide>`.",
        modules=("_methods.indexing",),
        standard="API_specification/indexing_functions.html",
    ),
    Chapter(
        "searching",
        "Searching functions",
        "Where elements are, and how many.",
        modules=("_chapters.searching",),
        standard="API_specification/searching_functions.html",
    ),
    Chapter(
        "set",
        "Set functions",
        "Unique elements, and membership.",
        modules=("_chapters.set",),
        standard="API_specification/set_functions.html",
    ),
    Chapter(
        "sorting",
        "Sorting functions",
        "Sorted elements, and the positions that sort them.",
        modules=("_chapters.sorting",),
        standard="API_specification/sorting_functions.html",
    ),
    Chapter(
        "statistical",
        "Statistical functions",
        "Sums, products, extrema, means and variances, along axes.",
        modules=("_chapters.statistical",),
        standard="API_specification/statistical_functions.html",
    ),
    Chapter(
        "utility",
        "Utility functions",
        "Tests of all elements, and differences.",
        modules=("_chapters.utility",),
        standard="API_specification/utility_functions.html",
    ),
    Chapter(
        "linear_algebra",
        "Linear algebra functions",
        "Products and transposes, at the top level. More is in :doc:`linalg`.",
        modules=("_chapters.linear_algebra",),
        standard="API_specification/linear_algebra_functions.html",
    ),
    Chapter(
        "linalg",
        "linalg",
        "``xp.linalg``: decompositions, systems of equations, norms and products, of matrices and "
        "of stacks of them.",
        modules=("linalg",),
        names=("linalg.LinAlgError",),
        standard="extensions/linear_algebra_functions.html",
    ),
    Chapter(
        "fft",
        "fft",
        "``xp.fft``: discrete Fourier transforms.",
        modules=("fft",),
        standard="extensions/fourier_transform_functions.html",
    ),
    Chapter(
        "inspection",
        "Inspection",
        "What the namespace says of itself.",
        names=("__array_api_version__", "__array_namespace_info__", "__version__"),
        standard="API_specification/inspection.html",
    ),
    Chapter(
        "random",
        "random",
        "``xp.random``: random numbers by NumPy's ``Generator``, in the namespace's way. The "
        "standard has none. :doc:`/random` says which generator to take, and what it costs.",
        modules=("random",),
    ),
    Chapter(
        "special",
        "special",
        "``xp.special``: special functions, which the standard has not and SciPy looks for.",
        modules=("special",),
    ),
    Chapter(
        "extras",
        "Beside the standard",
        "Functions that the standard lacks and that code for arrays of any library looks for. They "
        "have NumPy's names and meaning.",
        modules=("_numpy.extras",),
    ),
    Chapter(
        "devices",
        "Devices, options and torch",
        "Where arrays are, what was computed on the host, and the way to torch's tensors and back. "
        ":doc:`/devices` explains them.",
        names=("Device", "DeviceError"),
        modules=(
            *("_options.settings", "_reports.host_work", "_reports.porting"),
            *("_arrays.synchronize", "_calls.interchange", "_calls.captures"),
        ),
    ),
    Chapter(
        "distributed",
        "distributed",
        "``ascend_array_api.distributed``: arrays over several devices, each with a part of them. "
        ":doc:`/distributed` explains them.",
        modules=("distributed",),
    ),
    Chapter(
        "integrations",
        "integrations",
        "``ascend_array_api.integrations``: tells other libraries of arrays. "
        ":doc:`/interchange` has examples.",
        modules=("integrations",),
    ),
)
"""The chapters in the order of the reference."""

OPERATORS: Final = {
    "arithmetic": {
        "__pos__": ("+x", "positive"),
        "__neg__": ("-x", "negative"),
        "__abs__": ("abs(x)", "abs"),
        "__add__": ("x + y", "add"),
        "__sub__": ("x - y", "subtract"),
        "__mul__": ("x * y", "multiply"),
        "__truediv__": ("x / y", "divide"),
        "__floordiv__": ("x // y", "floor_divide"),
        "__mod__": ("x % y", "remainder"),
        "__pow__": ("x ** y", "pow"),
        "__matmul__": ("x @ y", "matmul"),
    },
    "bits": {
        "__invert__": ("~x", "bitwise_invert"),
        "__and__": ("x & y", "bitwise_and"),
        "__or__": ("x | y", "bitwise_or"),
        "__xor__": ("x ^ y", "bitwise_xor"),
        "__lshift__": ("x << y", "bitwise_left_shift"),
        "__rshift__": ("x >> y", "bitwise_right_shift"),
    },
    "comparison": {
        "__lt__": ("x < y", "less"),
        "__le__": ("x <= y", "less_equal"),
        "__gt__": ("x > y", "greater"),
        "__ge__": ("x >= y", "greater_equal"),
        "__eq__": ("x == y", "equal"),
        "__ne__": ("x != y", "not_equal"),
    },
}
"""The operators of arrays: the method, how it is written, and the function that it is."""

PROTOCOLS: Final = {
    "__bool__": ("bool(x)", "the value of a 0-dimensional array as a Python scalar"),
    "__int__": ("int(x)", "as above; not of complex numbers"),
    "__float__": ("float(x)", "as above; not of complex numbers"),
    "__complex__": ("complex(x)", "as above"),
    "__index__": ("operator.index(x)", "as above; of integers"),
    "__len__": ("len(x)", "the size of the first axis"),
    "__iter__": ("iter(x)", "views along the first axis"),
    "__getitem__": ("x[key]", "a view or a copy, as the guide says"),
    "__setitem__": ("x[key] = y", "writes to the elements, through all views"),
    "__dir__": ("dir(x)", "the names of the standard; in relaxed mode NumPy's too"),
    "__divmod__": ("divmod(x, y)", "``x // y`` and ``x % y``"),
    "__rdivmod__": ("divmod(2, x)", "the same, for a number that comes first"),
    "__round__": ("round(x)", "in relaxed mode: one number, rounded"),
    "__bytes__": ("bytes(x)", "in relaxed mode: the memory of the elements"),
    "__format__": ("f'{x:.3f}'", "the value of a 0-dimensional array, formatted"),
    "__repr__": ("repr(x)", "the elements, the data type and the device"),
    "__str__": ("str(x)", "the same; of a 0-dimensional array its value"),
    "__copy__": ("copy.copy(x)", "a copy"),
    "__deepcopy__": ("copy.deepcopy(x)", "a copy"),
    "__reduce_ex__": (
        "pickle.dumps(x)",
        "the elements alone, not all memory that they are a view of",
    ),
    "__setstate__": ("pickle.loads(b)", "an array of these elements"),
}
"""What else Python asks of arrays."""

DATA_TYPES: Final = {
    "bool": "True and False",
    "float16": "16 bits, of which 10 are of the fraction; beside the standard",
    "bfloat16": "16 bits, of which 7 are of the fraction; beside the standard",
    "complex64": "Two of float32",
    "complex128": "Two of float64",
}

NOTES: Final = {
    "e": "Euler's number",
    "pi": "the ratio of a circle's circumference to its diameter",
    "inf": "positive infinity",
    "nan": "not a number",
    "newaxis": "None, for a new axis in an index",
    "__array_api_version__": "the version of the standard that the top level declares",
    "__version__": "the version of the package",
}

_PYTHON: Final = "https://docs.python.org/3/library/"
EXTERNAL: Final = {
    **{
        name: f"{_PYTHON}functions.html#{name}"
        for name in ("bool", "int", "float", "complex", "object", "slice")
    },
    **{name: f"{_PYTHON}stdtypes.html#{name}" for name in ("list", "tuple", "dict")},
    "str": f"{_PYTHON}stdtypes.html#str",
    "collections.namedtuple": f"{_PYTHON}collections.html#collections.namedtuple",
    "collections.abc.Sequence": f"{_PYTHON}collections.abc.html#collections.abc.Sequence",
    "None": f"{_PYTHON}constants.html#None",
    "True": f"{_PYTHON}constants.html#True",
    "False": f"{_PYTHON}constants.html#False",
    **{
        name: f"{_PYTHON}exceptions.html#{name}"
        for name in (
            *("BufferError", "IndexError", "MemoryError", "NotImplementedError", "OverflowError"),
            *("RuntimeError", "TypeError", "ValueError", "ZeroDivisionError", "AttributeError"),
        )
    },
    "torch.dtype": "https://docs.pytorch.org/docs/stable/tensor_attributes.html",
    "torch.device": "https://docs.pytorch.org/docs/stable/tensor_attributes.html",
    "torch.Tensor": "https://docs.pytorch.org/docs/stable/tensors.html",
    "numpy.ndarray": "https://numpy.org/doc/stable/reference/generated/numpy.ndarray.html",
    "numpy.random.SeedSequence": (
        "https://numpy.org/doc/stable/reference/random/bit_generators/generated/"
        "numpy.random.SeedSequence.html"
    ),
}
"""What docstrings refer to in other projects: plain addresses, so that no build needs a network."""


# --- which names there are ------------------------------------------------------------------------


def find(name: str) -> Any:
    """Return what a dotted name of the namespace stands for."""
    value: Any = xp
    for part in name.split("."):
        value = getattr(value, part)
    return value


def public_names() -> list[str]:
    """Return all names of the namespace and of the namespaces in it."""
    names = []
    for name in xp.__all__:
        value = getattr(xp, name)
        if isinstance(value, ModuleType):
            names += [f"{name}.{inner}" for inner in value.__all__]
        else:
            names.append(name)
    for module in APART:
        names += [f"{module}.{inner}" for inner in import_module(f"{PACKAGE}.{module}").__all__]
    return names


def module_names(module: str) -> Iterator[str]:
    """Yield the public names that a chapter has from a module."""
    if not module.startswith("_"):
        if module in (*xp.__all__, *APART):
            yield from (f"{module}.{name}" for name in getattr(xp, module).__all__)
        return
    full = f"{PACKAGE}.{module}"
    listed = getattr(import_module(full), "__all__", ())
    for name in xp.__all__:
        # In a process that chose relaxed mode, what stands there wraps the chapter's function.
        home = getattr(inspect.unwrap(find(name)), "__module__", "")
        if name in listed or home == full or home.startswith(f"{full}."):
            yield name


def chapters() -> dict[Chapter, list[str]]:
    """Return the names of each chapter; every public name is in exactly one."""
    public = public_names()
    placed: set[str] = set()
    result: dict[Chapter, list[str]] = {}
    for chapter in CHAPTERS:
        names = [*chapter.names, *(n for module in chapter.modules for n in module_names(module))]
        if chapter.slug == "data_types":
            names = [n for n in public if isinstance(find(n), torch.dtype)]
        names = [name for name in names if name not in placed]
        placed.update(names)
        if names:
            result[chapter] = names
    missing = sorted(set(public) - placed)
    if missing:
        raise ExtensionError(
            f"The API reference has no chapter for {', '.join(missing)}: "
            "name the module in CHAPTERS of docs/_ext/api_reference.py."
        )
    return result


# --- reStructuredText -----------------------------------------------------------------------------


def title(text: str, line: str = "=") -> str:
    """Return a title."""
    return f"{text}\n{line * len(text)}\n"


def table(header: Iterable[str], rows: Iterable[Iterable[str]], widths: str = "auto") -> str:
    """Return a table."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in (header, *rows):
        for i, cell in enumerate(row):
            lines.append(f"   {'* -' if i == 0 else '  -'} {cell}".rstrip())
    return "\n".join(lines) + "\n"


def toctree(pages: Iterable[str]) -> str:
    """Return a toctree, which shows in the navigation only."""
    return "\n".join([".. toctree::", "   :hidden:", "", *(f"   {page}" for page in pages)]) + "\n"


def summary(value: Any) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(value) or "").partition("\n")[0]


def short(name: str) -> str:
    """Return a name as it is written after ``import ascend_array_api as xp``."""
    return name.removeprefix("_chapters.info.")


def has_page(name: str) -> bool:
    """Whether a name has a page of its own: functions and classes."""
    value = find(name)
    return isinstance(value, (FunctionType, type)) and PACKAGE in value.__module__


def methods(cls: type) -> list[str]:
    """Return the public methods of a class, inherited ones too, as they were defined."""
    found: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        if PACKAGE in base.__module__:
            for name, value in vars(base).items():
                if isinstance(value, FunctionType) and not name.startswith("_"):
                    found[name] = None
    return list(found)


def attributes(cls: type) -> list[str]:
    """Return the public properties of a class, inherited ones too."""
    found: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        if PACKAGE in base.__module__:
            for name, value in vars(base).items():
                if isinstance(value, property) and not name.startswith("_"):
                    found[name] = None
    return list(found)


# --- the pages ------------------------------------------------------------------------------------


class Pages:
    """The folder of the reference: writes what has changed, and removes what is no more."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written: set[Path] = set()

    def write(self, page: str, *parts: str) -> None:
        """Write a page."""
        path = self._folder / f"{page}.rst"
        text = "\n".join(parts)
        self._written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")

    def finish(self) -> None:
        """Remove the pages that were not written."""
        for path in set(self._folder.rglob("*.rst")) - self._written:
            path.unlink()


def said_of_versions(name: str) -> str:
    """Return a paragraph on the versions that have a name."""
    first = since(name)
    text = f"In the standard since {first}." if first and first != "2023.12" else ""
    if not first and name.partition(".")[0] not in {"random", "_chapters"}:
        text = "Beside the standard."
    return f".. rst-class:: since\n\n{text}\n" if text else ""


@functools.cache
def npu_cells() -> dict[str, tuple[list[str], list[str]]]:
    """Return, for each function of the table of NPUs, its data types and where each is computed."""
    page = (Path(__file__).parents[1] / "npu-support.md").read_text(encoding="utf-8")
    found = {}
    for _, codes, name, cells in rows_of_npus(page):
        kept = [(code, cell) for code, cell in zip(codes, cells) if cell]
        found[name] = [code for code, _ in kept], [cell for _, cell in kept]
    return found


def on_npus(name: str) -> str:
    """Return where a function is computed on an NPU, for each data type, if that is known."""
    types, cells = npu_cells().get(name, ([], []))
    if not types:
        return ""
    return (
        ".. rubric:: On an NPU\n\n" + table(types, [cells]) + "\n● AICore, ◐ AICPU, ○ no kernel, "
        "H host; + by another route than torch's function: :doc:`the whole table </npu-support>`.\n"
        + which_row(name)
    )


def which_row(name: str) -> str:
    """Return the command that names the row for a function on an NPU, where it is one operation."""
    op = OPS.get(name.rpartition(".")[2])
    if op is None:
        return ""
    usual = ("float32", "int64", "complex64", "bool")
    dtype = next(n for n in usual if dtypes.BY_NAME[n] in op.dtypes)
    return (
        f"\n``python -m ascend_array_api why {name} {dtype} npu`` names the row that decides, "
        "and its reason.\n"
    )


def write_object(pages: Pages, name: str) -> None:
    """Write the page of a function or class, and those of the class's methods."""
    value = find(name)
    full = f"{PACKAGE}.{name}"
    if isinstance(value, FunctionType):
        pages.write(
            f"api/{full}",
            title(short(name)),
            said_of_versions(name),
            f".. autofunction:: {full}\n",
            on_npus(name),
        )
        return
    if value is xp.Array:
        write_array(pages)
        return
    if issubclass(value, Exception) or not methods(value):
        directive = "autoexception" if issubclass(value, Exception) else "autoclass"
        options = "   :members:\n   :member-order: bysource\n"
        pages.write(
            f"api/{full}",
            title(short(name)),
            said_of_versions(name),
            f".. {directive}:: {full}\n{options}",
        )
        return
    own = methods(value)
    parts = [title(short(name)), said_of_versions(name), f".. autoclass:: {full}\n"]
    parts += [f"   .. autoproperty:: {full}.{attribute}\n" for attribute in attributes(value)]
    parts += [title("Methods", "-"), summaries([f"{name}.{method}" for method in own])]
    parts.append(toctree(f"{full}.{method}" for method in own))
    pages.write(f"api/{full}", *parts)
    for method in own:
        pages.write(
            f"api/{full}.{method}",
            title(short(f"{name}.{method}")),
            f".. automethod:: {full}.{method}\n",
            on_npus(f"{name.partition('.')[0]}.{method}"),
        )


def write_array(pages: Pages) -> None:
    """Write the page of the array object, with its operators in tables."""
    cls = xp.Array
    special = {
        n for n, v in vars(cls).items() if n.startswith("__") and isinstance(v, FunctionType)
    }
    documented = {n for n in special if vars(cls)[n].__doc__} - {"__init__", *PROTOCOLS}
    documented -= {method for operators in OPERATORS.values() for method in operators}
    full = f"{PACKAGE}.Array"
    parts = [title("Array"), f".. autoclass:: {full}\n", title("Attributes", "-")]
    parts += [f".. autoproperty:: {full}.{name}\n" for name in attributes(cls)]
    parts += [title("Methods", "-")]
    parts += [f".. automethod:: {full}.{name}\n" for name in (*methods(cls), *sorted(documented))]
    parts.append(title("Operators", "-"))
    parts.append(
        "Each operator is a function of the namespace, and takes what that takes. One operand can "
        "be a Python scalar.\n"
    )
    covered = {"__init__", *documented, *PROTOCOLS}
    for kind, operators in OPERATORS.items():
        rows = []
        for method, (written, function) in operators.items():
            related = [method]
            for letter in "ri":
                other = f"__{letter}{method[2:]}"
                if other in special and other not in OPERATORS["comparison"]:
                    related.append(other)
            covered.update(related)
            names = ", ".join(f"``{other}``" for other in related)
            rows.append((f"``{written}``", f":py:obj:`{function} <{PACKAGE}.{function}>`", names))
        parts += [title(kind.capitalize(), "^"), table(("operator", "function", "methods"), rows)]
    parts += [
        title("Protocols", "-"),
        table(
            ("code", "method", "gives"),
            [(f"``{code}``", f"``{name}``", text) for name, (code, text) in PROTOCOLS.items()],
        ),
        title("In relaxed mode", "-"),
        "With the option ``relaxed`` (:doc:`/strict-and-relaxed`) arrays also have these of "
        "NumPy's methods and attributes: "
        + ", ".join(
            f"``{n}``" for n in sorted({*_numpy_methods.METHODS, *_numpy_methods.PROPERTIES})
        )
        + ".\n",
    ]
    forgotten = special - covered
    if forgotten:
        raise ExtensionError(f"The page of Array does not have {', '.join(sorted(forgotten))}.")
    pages.write(f"api/{full}", *parts)


def summaries(names: Iterable[str]) -> str:
    """Return a table of names with what each is."""
    rows = []
    for name in names:
        first = since(name)
        late = f" *Since {first}.*" if first and first != "2023.12" else ""
        link = f":py:obj:`{short(name)} <{PACKAGE}.{name}>`"
        rows.append((link, summary(find(name)) + late))
    return table(("name", "what it does"), rows, "30 70")


def data(name: str) -> str:
    """Return the entry of a name that is neither a function nor a class."""
    value = find(name)
    # With its module apart it stands in the index under its own first letter.
    entry = f".. py:data:: {name}\n   :module: {PACKAGE}\n"
    if isinstance(value, torch.dtype):
        bits = "".join(filter(str.isdigit, name))
        text = DATA_TYPES.get(name) or (
            f"{bits} bits, from {xp.iinfo(value).min} to {xp.iinfo(value).max}"
            if "int" in name
            else f"{bits} bits, up to {xp.finfo(value).max:.4g}, epsilon {xp.finfo(value).eps:.3g}"
        )
        return f"{entry}\n   {text}.\n"
    if isinstance(value, type):
        where = f"{value.__module__.split('.')[0]}.random.{value.__name__}"
        return f".. py:class:: {PACKAGE}.{name}\n\n   NumPy's own: :py:obj:`{where}`.\n"
    text = NOTES[name].capitalize()
    return f"{entry}   :value: {value!r}\n\n   {text}.\n"


def write_chapter(pages: Pages, chapter: Chapter, names: list[str]) -> None:
    """Write the page of a chapter, and those of its names."""
    if chapter.slug == "inspection":
        names = [*names, "_chapters.info.NamespaceInfo"]
    with_page = sorted((n for n in names if has_page(n)), key=str.lower)
    without = [n for n in names if n not in with_page]
    parts = [title(chapter.title), chapter.text + "\n"]
    if chapter.standard:
        parts.append(f"`The chapter of the standard <{STANDARD}/{chapter.standard}>`__\n")
    own = [n for n in with_page if chapter.standard and not since(n) and n not in chapter.names]
    own = [n for n in own if not n.startswith("_chapters.info.")]
    if with_page:
        parts.append(summaries(n for n in with_page if n not in own))
    if own:
        parts += [title("Beside the standard", "-"), summaries(own)]
    parts += [data(name) for name in without]
    parts.append(toctree(f"api/{PACKAGE}.{name}" for name in with_page))
    pages.write(chapter.slug, *parts)
    for name in with_page:
        write_object(pages, name)


def write_versions(pages: Pages, parts_of: dict[Chapter, list[str]]) -> None:
    """Write the table of functions and versions."""
    parts = [title("Names and versions of the standard")]
    parts.append(
        "The top level has every name of every version, and those beside the standard. The modules "
        "``v2023_12``, ``v2024_12`` and ``v2025_12`` have exactly those of one version: "
        "``x.__array_namespace__(api_version='2025.12')`` gives the last. A name marked ● is there "
        "in a form of its own: it returns what that version says, such as a tuple for a list.\n"
    )
    for chapter, names in parts_of.items():
        rows = []
        for name in sorted(names, key=str.lower):
            if not isinstance(find(name), (FunctionType, torch.dtype, float, type(None))):
                continue
            marks = []
            for version, module in VERSIONS.items():
                mark = ""
                if in_version(name, version):
                    value: Any = module
                    for part in name.split("."):
                        value = getattr(value, part)
                    mark = "✓" if value is find(name) else "●"
                marks.append(mark)
            rows.append((f":py:obj:`{name} <{PACKAGE}.{name}>`", *marks, "✓"))
        if rows:
            header = ("name", *VERSIONS, "top level")
            parts += [title(chapter.title, "-"), table(header, rows, "40 15 15 15 15")]
    pages.write("versions", *parts)


def write_reference(app: Sphinx) -> None:
    """Write all pages of the reference."""
    pages = Pages(Path(app.srcdir) / "reference")
    parts_of = chapters()
    rows = [
        (f":doc:`{chapter.title} <{chapter.slug}>`", chapter.text)
        for chapter, names in parts_of.items()
    ]
    pages.write(
        "index",
        title("API reference"),
        "``import ascend_array_api as xp``. Each function has a page, with what it takes, returns "
        "and raises, examples that run, and a link to its page in the standard.\n",
        table(("chapter", "what is in it"), rows, "30 70"),
        ":ref:`All names from A to Z <genindex>` are in one list. :doc:`versions` has a table of "
        "them by chapter, with the versions of the standard that have them.\n",
        toctree(("All names, A to Z </genindex>", *(c.slug for c in parts_of), "versions")),
    )
    for chapter, names in parts_of.items():
        write_chapter(pages, chapter, names)
    write_versions(pages, parts_of)
    pages.finish()


# --- references -----------------------------------------------------------------------------------

_ADDRESS: Final = re.compile(
    r"(?<!<)https://data-apis\.org/array-api/(?P<version>[\d.]+)/(?P<page>[\w./#-]+\w)"
)


def _link(match: re.Match[str]) -> str:
    page = match["page"].rpartition("/")[2]
    name = page.partition(".html")[0].removeprefix("array_api.")
    return f"`{name} in the standard, {match['version']} <{match[0]}>`__"


def process_docstring(
    _app: Sphinx, _what: str, _name: str, _value: Any, _options: Any, lines: list[str]
) -> None:
    """Name the pages of the standard instead of spelling out their addresses."""
    lines[:] = [_ADDRESS.sub(_link, line) for line in lines]


def process_signature(
    _app: Sphinx, _what: str, _name: str, value: Any, *_: Any
) -> tuple[str, None] | None:
    """Show no signature for the class that nobody calls."""
    return ("", None) if value is xp.Array else None


def resolve(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Resolve a name as the docstrings write it: from the namespace, or of another project."""
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"].removeprefix("python:")
    objects = env.domains.python_domain.objects
    spaces = [name for name in xp.__all__ if isinstance(getattr(xp, name), ModuleType)]
    for place in ("", "Array.", "_chapters.info.", *(f"{space}." for space in spaces)):
        entry = objects.get(f"{PACKAGE}.{place}{target}")
        if entry is not None and target not in {"bool", "float", "int"}:
            return make_refnode(
                app.builder, node["refdoc"], entry.docname, entry.node_id, content, target
            )
    address = EXTERNAL.get(target)
    if address is None:
        return None
    link = nodes.reference("", "", internal=False, refuri=address)
    text = content.astext().removeprefix("python:")
    link += nodes.literal(text, text, classes=content.get("classes", []))
    return link


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension with Sphinx."""
    app.connect("config-inited", lambda app, _config: write_reference(app))
    app.connect("autodoc-process-docstring", process_docstring, priority=900)
    app.connect("autodoc-process-signature", process_signature)
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
