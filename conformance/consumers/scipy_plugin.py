"""A pytest plugin: SciPy's tests that iterate over namespaces get the chosen one, and no other.

SciPy lists its namespaces as the parameters of a fixture in ``scipy/conftest.py``. pytest copies
them when the fixture is declared, so the fixture is declared anew around the same function.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from ..exemptions import Exemption, expect
from . import chosen

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import ModuleType


EXEMPTIONS = (
    Exemption(
        r"_lib/tests/test__util\.py::TestContainsNaN::test_array_api_lazy\[",
        pytest.fail.Exception,
        "DID NOT RAISE.*TypeError",
        "It asks for the TypeError that SciPy raises where a check for NaN meets a namespace "
        "that it knows to be lazy. The eager ones that it knows are excluded by name; an eager "
        "namespace that it does not know is taken for a lazy one by the test, but not by SciPy. "
        "array-api-strict fails it too under a name that SciPy does not know.",
    ),
    Exemption(
        r"stats/tests/test_stats\.py::TestXP_Mean::test_dtype\[",
        AssertionError,
        r"\+?inf location mismatch",
        "It asks for an infinite mean of two numbers whose sum overflows in float32. The kernel of "
        "NPUs divides before it adds. Its mean is finite, as is NumPy's in float64: 3.4e38 twice "
        "have the mean 3.4e38.",
        frozenset({"npu"}),
        always=False,  # not where the emulated ones compute as IEEE 754 has it
    ),
    Exemption(
        r"stats/tests/test_device_dtype\.py::test_quantile\[.*-harrell-davis\]",
        ValueError,
        "different devices",
        "SciPy computes the incomplete beta function by NumPy, and then puts the result on the "
        "default device, although its operands are on another. SciPy excludes array-api-strict "
        "from tests like this by name, for the same reason.",
        frozenset({"cuda"}),
        always=False,  # on NPUs it passes
    ),
    Exemption(
        r"test_support_alternative_backends\[.*-(n?bdtr[ci]?|pdtri)-float(32|64)-shapes\d\]",
        AssertionError,
        "nan location mismatch",
        "The test draws counts up to 2**63. SciPy takes the last 32 bits of them, with a sign: "
        "pdtri(2**32 + 5, 0.5) is its pdtri(5, 0.5), 5.67, and pdtri(2**40, 0.5) is NaN. The right "
        "number, the median of a gamma distribution, is within 1 of the count.",
        always=False,
    ),
    Exemption(
        r"test_support_alternative_backends\[.*-cotdg-intp-shapes\d\]",
        AssertionError,
        "Not equal to tolerance",
        "Of angles from 1e14 on, SciPy gives 0: the cotangent of 1e14 + 1 degrees is -0.194, by "
        "mpmath.",
        always=False,
    ),
)

_DRAWN = r"test_support_alternative_backends_hypothesis\[.*-"
"""SciPy's slow test that compares special functions with its own, at numbers that are drawn."""

_THEIR_OWN = (
    "The namespace has no such function: SciPy computes both sides by its own, which of some "
    "numbers does not return (hyp1f1) or warns (yn)."
)

_OTHERS = Exception  # an AssertionError, or a group of them
_DIFFER = "Not equal to tolerance|distinct failures"
"""What they raise where numbers differ: NaN and infinity from others too, and in several ways."""

DRAWN_EXEMPTIONS = (
    Exemption(
        rf"{_DRAWN}(j0|j1|y0|y1)\]",
        _OTHERS,
        _DIFFER,
        "SciPy takes pi / 4 off the rounded argument: by mpmath its j0 is wrong by 6e-9 of the "
        "amplitude at 1e8 and by 2e-6 at 1e12, and its y1 by 7e-6 there. The namespace's are right "
        "within 3e-16, by mpmath.",
        always=False,
    ),
    Exemption(
        rf"{_DRAWN}(betaln|zeta)\]",
        _OTHERS,
        _DIFFER,
        "SciPy gives NaN where there is a number or a limit: by mpmath betaln(1e100, 1e154) is "
        "-1.25e102, betaln(inf, inf) is -inf (betaln(1e300, 1e300) is -1.4e300, and SciPy's too), "
        "and the largest term of zeta(1e308, 3), 3**-1e308, is 0 in float64. Of a pole and NaN, "
        "betaln(-1, nan), and where gamma overflows it gives infinity: by mpmath betaln(-170.5, "
        "-0.75) is 5.087. The namespace's numbers are mpmath's.",
        always=False,
    ),
    Exemption(
        rf"{_DRAWN}(cosdg|cotdg|sindg|tandg)\]",
        _OTHERS,
        _DIFFER,
        "Of infinities, and of angles from 1e14 on, SciPy gives 0; the namespace gives NaN, and "
        "the right numbers: by mpmath sindg, cosdg, tandg and cotdg of 1e14 + 1 are -0.98, 0.19, "
        "-5.14 and -0.19, and cotdg(1e-8) is 5729577951.3, of which SciPy has six digits, and "
        "infinity at 1e-20.",
        always=False,
    ),
    Exemption(
        rf"{_DRAWN}(betaincinv|poch)\]",
        _OTHERS,
        _DIFFER,
        "Of infinite operands SciPy gives a number here and NaN there: of betaincinv(1, inf, 0.25) "
        "and betaincinv(2, inf, 0.25), and of poch(inf, 2) and poch(inf, 3), it knows the first "
        "alone. The namespace gives the limit, by mpmath, and NaN where there is none. SciPy has "
        "no reciprocals of factorials from 1 / 178! on, and poch(1e-20, 180), 1.1e307 by mpmath, "
        "is infinite. It gives NaN for betaincinv(1.5, 1e300, 0.5), which is its gammaincinv(1.5, "
        "0.5) / 1e300, and 0.9301 for betaincinv(1e4, 10, 1e-300), by mpmath 0.9289.",
        always=False,
    ),
    Exemption(
        rf"{_DRAWN}(chdtri|gammainccinv)\]",
        _OTHERS,
        _DIFFER,
        "Of no degrees of freedom all of the distribution is at 0: nothing has the probability 0.5 "
        "or 1e-20 to be exceeded. SciPy's chdtri(0, 0.5) is NaN and chdtri(0, 1e-20) 0. The "
        "namespace gives NaN for both, and infinity for infinite ones, for which SciPy gives NaN. "
        "SciPy's gammainccinv(1e8, 0.999999) is 99953374; by mpmath it is 99952472.955, as ours.",
        always=False,
    ),
    Exemption(
        rf"{_DRAWN}(stdtr|stdtrit)\]",
        _OTHERS,
        _DIFFER,
        "SciPy gives 1 where much of the distribution is beyond all numbers (by mpmath "
        "stdtr(1e-3, 1e300) is 0.75, and 0.5 for 1e-300 degrees of freedom), and infinity for the "
        "probability 0 as for the probability 1: the distribution is symmetric, so that stdtrit(2, "
        "0) is minus infinity. Its stdtrit(1.5, 1e-300) is -8e153, where by mpmath stdtr is "
        "5e-232: -5.2e199 is right.",
        always=False,
    ),
    Exemption(
        rf"{_DRAWN}sinc\]",
        RuntimeWarning,
        "invalid value encountered in sin",
        "NumPy warns of the sine of infinity in what the test compares with, and SciPy ignores it "
        "for Dask alone.",
        always=False,
    ),
)


_AT_THE_CALL = re.compile(
    r"test_rbfinterp\.py::TestRBFInterpolatorNeighborsNone::test_rank_error\["
)
"""Tests that ask for an error of values in the very call that is bad: where devices tell of it
late, the namespace has an option to wait.  SciPy excludes JAX and CuPy from them by name."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Run a test as one would write it for accelerators."""
    options = getattr(chosen.namespace(), "options", None)
    if options is None or not _AT_THE_CALL.search(item.nodeid):
        return (yield)
    with options(checks="wait"):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_plugin_registered(plugin: Any) -> None:
    """Change SciPy's conftest.py before pytest looks for fixtures in it."""
    if getattr(plugin, "__name__", None) == "scipy.conftest":
        put_into(plugin)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that cannot pass, and those of drawn numbers that test nothing of ours."""
    expect(items, (*EXEMPTIONS, *DRAWN_EXEMPTIONS), chosen.device(), relaxed=chosen.relaxed())
    special = getattr(chosen.namespace(), "special", None)
    for item in items:
        drawn = re.search(rf"{_DRAWN}(\w+)\]", item.nodeid)
        if drawn and not hasattr(special, drawn[1]):
            item.add_marker(pytest.mark.skip(reason=_THEIR_OWN))


def put_into(conftest: ModuleType) -> None:
    """Make the chosen namespace the only one, by the lists that SciPy 1.15 to 1.18 have."""
    xp = chosen.namespace()
    known = pytest.param(xp, id=xp.__name__, marks=pytest.mark.array_api_backends)
    if hasattr(conftest, "array_api_compatible"):  # before 1.16
        vars(conftest)["array_api_compatible"] = pytest.mark.parametrize("xp", [known])
    else:
        conftest.xp_known_backends.add(xp.__name__)
        _put_into_available(conftest, known)
        conftest.xp = pytest.fixture(params=[known])(conftest.xp.__wrapped__)  # type: ignore[attr-defined]
    reset_torch()


def _put_into_available(conftest: ModuleType, known: Any) -> None:
    """List the namespace among those that are there, and what it is not."""
    (xp,) = known.values
    available = conftest.xp_available_backends
    if isinstance(available, dict):  # before 1.17
        available.clear()
        available[xp.__name__] = xp
        conftest.xp_skip_np_only_backends.add(xp.__name__)
    else:
        available[:] = [known]
    if chosen.device() != "cpu":
        conftest.xp_skip_cpu_only_backends.add(xp.__name__)


def reset_torch() -> None:
    """Take back the defaults that SciPy gave torch, so that leaning on them would show."""
    import torch

    torch.set_default_dtype(torch.float32)
    torch.set_default_device(None)
