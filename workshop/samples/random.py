"""Random numbers: the stream is the same on every device, so the CPU is what to compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ._table import *
from .strategies import *

chapter("random")


def _random(name: str, *parameters: Any, dtype: bool = True) -> Callable[..., Any]:
    def drawn(_: Any, xp: Any, t: Any) -> Any:
        rng = xp.random.default_rng(7)
        if dtype:
            return getattr(rng, name)(*parameters, size=(4, 30), dtype=t)
        # The data type is that of the parameters.
        arrays = [xp.asarray(p, dtype=t) if isinstance(p, float) else p for p in parameters]
        return getattr(rng, name)(*arrays, size=(4, 30))

    return drawn


_RANDOM: Final[dict[str, Callable[..., Any]]] = {
    "uniform": _random("uniform", -1.0, 2.0),
    "normal": _random("normal", 1.0, 2.0),
    "integers": _random("integers", 3, 100),
    "exponential": _random("exponential", 2.0),
    "cauchy": _random("cauchy"),
    "log_normal": _random("lognormal", 0.5, 0.25),
    "gamma": _random("gamma", 2.5, 0.5),
    "poisson": _random("poisson", 3.5, dtype=False),
    "geometric": _random("geometric", 0.25, dtype=False),
    "binomial": _random("binomial", 20, 0.25, dtype=False),
    "bernoulli": _random("binomial", 1, 0.25, dtype=False),
}
# Numbers are drawn again where they are rejected.
_REJECTING: Final = frozenset({"gamma", "poisson", "binomial", "bernoulli"})
for _name, _sampled in _RANDOM.items():
    on(
        f"random.{_name}",
        lambda d: (d.dtype,),
        _sampled,
        numpy=None,
        waits=_name in _REJECTING,
    )
on(
    "random.permutation",
    lambda d: (d.values(40),),
    lambda _, xp, x: xp.random.default_rng(7).permutation(x),
    numpy=None,
)
on(
    "random.choice",
    lambda d: (d.values(40),),
    lambda _, xp, x: (
        xp.random.default_rng(7).choice(x, size=12),
        xp.random.default_rng(7).choice(x, size=12, replace=False),
    ),
    numpy=None,
)

listed(
    " ".join(name for name in FUNCTIONS if name.startswith("random.")),
    REAL_FLOATING,
    "tests/chapters/test_random.py has tests of it",
    flat="tests/samples/test_gradients.py follows the parameters",
    unmapped="one stream for all",
    uncompiled="is drawn outside of graphs",
)
of("random.integers").dtypes = INTEGER
of("random.normal").dtypes = FLOATING
of("random.permutation").dtypes = ("int32", "int64")
