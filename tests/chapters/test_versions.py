"""The namespaces of the versions: exactly the standard's names, and their return types."""

from __future__ import annotations

import inspect
from types import FunctionType, ModuleType

import pytest

import ascend_array_api as xp
from ascend_array_api import _versions
from conformance import plan

DTYPES = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
)
CONSTANTS = "e inf nan newaxis pi"
CREATION = (
    "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones "
    "ones_like tril triu zeros zeros_like"
)
ELEMENTWISE = (
    "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert "
    "bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp "
    "expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less "
    "less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor "
    "maximum minimum multiply negative not_equal positive pow real remainder round sign signbit "
    "sin sinh square sqrt subtract tan tanh trunc"
)
OTHERS = (
    "astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type take matmul "
    "matrix_transpose tensordot vecdot concat expand_dims flip moveaxis permute_dims repeat "
    "reshape roll squeeze stack tile unstack argmax argmin nonzero searchsorted where unique_all "
    "unique_counts unique_inverse unique_values argsort sort cumulative_sum max mean min prod std "
    "sum var all any"
)
LINALG = (
    "cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank "
    "matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm"
)
FFT = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift"
COMMON = set(" ".join((DTYPES, CONSTANTS, CREATION, ELEMENTWISE, OTHERS)).split())
OWN = {"linalg", "fft", "__array_api_version__", "__array_namespace_info__"}
NEW_2024 = set("count_nonzero cumulative_prod diff nextafter reciprocal take_along_axis".split())
NEW_2025 = {"broadcast_shapes", "isin"}

NAMES = {"2023.12": COMMON, "2024.12": COMMON | NEW_2024, "2025.12": COMMON | NEW_2024 | NEW_2025}
MODULES = {version: xp.zeros(1).__array_namespace__(api_version=version) for version in NAMES}


def public(module: ModuleType) -> set[str]:
    return {n for n in vars(module) if not n.startswith("_")}


@pytest.mark.parametrize("version", NAMES)
def test_a_version_holds_exactly_its_names(version: str) -> None:
    namespace = xp.zeros(1).__array_namespace__(api_version=version)
    assert set(namespace.__all__) == NAMES[version] | OWN
    assert public(namespace) == {n for n in NAMES[version] | OWN if not n.startswith("_")}
    later = {"eig", "eigvals"} if version == "2025.12" else set()
    assert set(namespace.linalg.__all__) == set(LINALG.split()) | later
    assert set(namespace.fft.__all__) == set(FFT.split())


def test_the_top_level_has_all_names() -> None:
    assert set(xp.__all__) >= NAMES["2025.12"] | OWN | {"float16", "bfloat16", "to_torch"}
    assert all(hasattr(xp, n) for n in xp.__all__)
    assert len(xp.__all__) == len(set(xp.__all__))


def test_nothing_but_names_is_public() -> None:
    modules = {version.__name__.rpartition(".")[2] for version in MODULES.values()}
    imported = {"distributed", "integrations"}  # are no attributes before they are imported
    assert public(xp) - imported == {n for n in xp.__all__ if not n.startswith("_")} | modules
    assert public(xp.linalg) == set(xp.linalg.__all__) | {"LinAlgError"}
    for version in MODULES.values():
        assert public(version.linalg) == set(version.linalg.__all__)
        starred: dict[str, object] = {}
        exec(f"from {version.__name__} import *", starred)
        assert starred.keys() - {"__builtins__"} == set(version.__all__)


def test_functions_are_called_what_they_are_found_by() -> None:
    for namespace in (xp, xp.linalg, xp.fft, *MODULES.values()):
        for name in namespace.__all__:
            value = getattr(namespace, name)
            if isinstance(value, FunctionType):
                assert value.__name__ == name
                assert inspect.signature(value).return_annotation is not inspect.Signature.empty


def test_the_look_up_knows_the_modules_that_there_are() -> None:
    assert tuple(MODULES) == _versions.VERSIONS == tuple(plan.MODULES)
    assert list(MODULES.values()) == [xp.v2023_12, xp.v2024_12, xp.v2025_12]
    assert {m.__array_api_version__: m for m in MODULES.values()} == MODULES
    claimed = (name for modules in plan.MODULES.values() for name in modules)
    assert set(claimed) == {"ascend_array_api", *(m.__name__ for m in MODULES.values())}


def test_arrays_and_functions_are_shared() -> None:
    for version in NAMES:
        namespace = xp.zeros(1).__array_namespace__(api_version=version)
        assert namespace.add is xp.add
        assert namespace.zeros(1).__array_namespace__() is xp


def test_return_types() -> None:
    v = {n: xp.zeros(1).__array_namespace__(api_version=n) for n in NAMES}
    x = xp.zeros(2)
    for n, expected in (("2023.12", list), ("2024.12", list), ("2025.12", tuple)):
        assert type(v[n].meshgrid(x, x)) is expected
        assert type(v[n].broadcast_arrays(x, x)) is expected
        assert type(v[n].__array_namespace_info__().devices()) is expected
    assert type(xp.meshgrid(x, x)) is list


def test_capabilities() -> None:
    of_2023 = {"boolean indexing": True, "data-dependent shapes": True}
    for version in NAMES:
        namespace = xp.zeros(1).__array_namespace__(api_version=version)
        later = {"max dimensions": 64} if version > "2023.12" else {}
        assert namespace.__array_namespace_info__().capabilities() == {**of_2023, **later}
    assert xp.__array_namespace_info__().capabilities() == of_2023
