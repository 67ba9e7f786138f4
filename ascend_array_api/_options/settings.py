"""Options: the user's choices, for the process or for a block of code.

Knows nothing of arrays.  Modules that act when an option is chosen register themselves here, so
that none of them is imported.

An environment variable sets an option for a whole process.  ``options`` sets it in one thread or
task: for a block of code, or from there on.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Literal, TypeAlias, TypeVar, final, get_args

from .._devices.device import DeviceLike, parse
from .._errors.exceptions import describe
from .._errors.foreign_calls import refusing
from .._torch import torch
from .._torch.tracing import traced_as

F = TypeVar("F", bound="Callable[..., Any]")

FloatName: TypeAlias = Literal["float32", "float64"]
"""The data types that the default real floating-point one can be."""

HostPolicy: TypeAlias = Literal["warn", "error", "allow"]
"""The reaction to an operation that has to be computed on the host."""

GatherPolicy: TypeAlias = Literal["warn", "error", "allow"]
"""The reaction to an operation that has to bring the parts of an array together."""

Checks: TypeAlias = Literal["late", "wait", "off"]
"""When values on an accelerator are checked, such as positions and divisors."""

Relaxed: TypeAlias = Literal["warn"] | bool
"""Whether NumPy's calls are answered, and whether they are listed in the porting report."""

Math: TypeAlias = Literal["exact", "fast"]
"""The kernels of functions for which torch_npu's own kernels are coarse."""


VERSIONS: Final = ("2022.12", "2023.12", "2024.12", "2025.12")
"""The versions of the standard to which ``api_version`` may limit the namespace."""

EXTENSIONS: Final = ("linalg", "fft")
"""The extensions of the standard, which ``enabled_extensions`` may leave out."""


@dataclass(frozen=True)
class Options:
    """The options, with the values that they have if nothing else is chosen."""

    device: DeviceLike | None = None
    """The default device; None is the NPU if one is usable, else the CPU."""
    host_fallback: HostPolicy = "warn"
    """Whether an operation that the device cannot compute warns, raises, or is silent."""
    relaxed: Relaxed = False
    """Whether calls that the standard leaves undefined are answered as in NumPy, not refused."""
    default_float: FloatName = "float32"
    """The default real floating-point data type."""
    npu_math: Math = "exact"
    """Whether functions on NPUs keep their bounds, or are torch_npu's own kernels."""
    checks: Checks = "late"
    """When errors that depend on values on an accelerator are raised."""
    gather: GatherPolicy = "warn"
    """Whether an operation on a mesh that needs whole arrays warns, raises, or is silent."""
    api_version: str | None = None
    """The version of the standard that the main namespace is limited to; None is all of them."""
    boolean_indexing: bool = True
    """Whether masks are taken as indices."""
    data_dependent_shapes: bool = True
    """Whether there are functions whose values decide the shape of their result."""
    enabled_extensions: tuple[str, ...] = EXTENSIONS
    """The extensions of the standard that are there."""


_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "host_fallback": get_args(HostPolicy),
    "default_float": get_args(FloatName),
    "npu_math": get_args(Math),
    "checks": get_args(Checks),
    "gather": get_args(GatherPolicy),
    "api_version": VERSIONS,
}
"""The options whose value is one of a few words."""

_SWITCHES: Final[dict[str, Relaxed]] = {
    **dict.fromkeys(("1", "true"), True),
    **dict.fromkeys(("0", "false", ""), False),
    "warn": "warn",
}
"""The values of switches, by the words for them in environment variables."""


def _checked(option: str, value: Any, given_by: str) -> Any:
    """Return the value of an option, which a call or an environment variable gives."""
    if option == "device":
        return value
    if option in _WORDS:
        word = str(value).removeprefix("torch.") if option == "default_float" else value
        if word not in _WORDS[option]:
            allowed = ", ".join(map(repr, _WORDS[option]))
            raise ValueError(f"{given_by} must be one of {allowed}, not {value!r}.")
        return word
    if option == "enabled_extensions":
        words = tuple(filter(None, value.split(","))) if isinstance(value, str) else tuple(value)
        if unknown := [word for word in words if word not in EXTENSIONS]:
            raise ValueError(f"{given_by} may have {' and '.join(EXTENSIONS)}, not {unknown[0]!r}.")
        return words
    switch = _SWITCHES.get(value.lower(), value) if isinstance(value, str) else value
    if switch not in ((True, False, "warn") if option == "relaxed" else (True, False)):
        allowed = "1, 0 or warn" if option == "relaxed" else "True or False"
        raise ValueError(f"{given_by} must be {allowed}, not {value!r}.")
    return switch


_LIMITS: Final = (
    *("api_version", "boolean_indexing", "data_dependent_shapes"),
    "enabled_extensions",
)
"""The flags of array_api_strict, by which libraries test for backends that can do less."""


def _of_process() -> tuple[Options, str]:
    """Return the options of the process, and the error in them for the doctor to explain."""
    chosen: dict[str, Any] = {}
    try:
        for option in fields(Options):
            variable = f"ASCEND_ARRAY_API_{option.name.upper()}"
            if value := os.environ.get(variable):
                chosen[option.name] = _checked(option.name, value, variable)
    except ValueError as error:
        # The doctor has to start in order to say what is wrong.
        if ("-m", __package__.partition(".")[0]) in zip(sys.orig_argv, sys.orig_argv[1:]):
            return Options(), str(error)
        raise
    return Options(**chosen), ""


_PROCESS, PROBLEM = _of_process()
_current: ContextVar[Options] = ContextVar("ascend_array_api.options", default=_PROCESS)


_when_relaxed: Final[list[Callable[[], None]]] = []


def when_relaxed(act: Callable[[], None]) -> None:
    """Call ``act`` once, when relaxed mode is first chosen.

    Until then no function looks for NumPy's call shapes, so strict programs do not pay for them.
    """
    if _PROCESS.relaxed:
        act()
    else:
        _when_relaxed.append(act)


def strictly(function: Callable[..., Any], *arguments: Any, **parameters: Any) -> Any:
    """Return what a function returns in strict mode."""
    with entered(replace(_current.get(), relaxed=False)):
        return function(*arguments, **parameters)


@contextmanager
def entered(chosen: Options) -> Iterator[None]:
    """Put options in force for a block."""
    token = _current.set(chosen)
    try:
        yield
    finally:
        _current.reset(token)


def _offer_relaxed() -> None:
    while _when_relaxed:
        _when_relaxed.pop()()


limited = any(getattr(_PROCESS, name) != getattr(Options, name) for name in _LIMITS)
"""Whether anything in this process has set one of these; no call looks at them until then."""

_when_limited: Final[list[Callable[[], None]]] = []


def when_limited(act: Callable[[], None]) -> None:
    """Call ``act`` once, when the namespace is first limited."""
    if limited:
        act()
    else:
        _when_limited.append(act)


def _offer_limits() -> None:
    global limited  # noqa: PLW0603  # once and for all
    limited = True
    _offer_relaxed()  # these replace functions too, and would not find them later
    while _when_limited:
        _when_limited.pop()()


def need(option: Literal["boolean_indexing", "data_dependent_shapes"], said: str) -> None:
    """Raise if an option is off, on which a call depends."""
    if limited and not getattr(current(), option):
        raise RuntimeError(f"{said}, and the option {option} is False.")


lists = _PROCESS.relaxed == "warn"
"""Whether anything in this process has asked for a porting report: calls that strict mode takes,
and that are to be fast, look at the option only then."""


def _offer_report() -> None:
    global lists  # noqa: PLW0603  # once and for all
    lists = True


def __getattr__(name: str) -> Options:
    # The compiler cannot look into a context variable.  It can guard an attribute of a module, so
    # compiled code reads ``now`` at each call and is traced again if the options have changed.
    if name == "now":
        return _current.get()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _traced_current() -> Options:
    from . import settings  # noqa: PLW0406  # for the attribute above

    return settings.now


@traced_as(_traced_current)
def current() -> Options:
    """Return the options in force."""
    return _current.get()


in_force: Final = _current.get
"""``current`` for functions that are never compiled, without the time of a Python call."""


_blocks: ContextVar[tuple[tuple[_Chosen, Options], ...]] = ContextVar(
    "ascend_array_api.blocks", default=()
)
"""The open blocks of this thread or task: whose they are, and the options before each."""


@final
class _Chosen:
    """The value of ``options(...)``: options that are in force from the call on.

    As a context manager it takes them back at the end of the block; without one they stay.  It
    holds nothing of a block, so threads and tasks may share it.
    """

    def __init__(self, named: dict[str, Any]) -> None:
        self._named = named
        self._before = _current.get()
        self._set = replace(self._before, **named)
        _current.set(self._set)

    def __enter__(self) -> Options:
        self._take_back()
        before = _current.get()
        within = replace(before, **self._named)
        _blocks.set((*_blocks.get(), (self, before)))
        _current.set(within)
        return within

    def __exit__(self, *_: object) -> None:
        blocks = _blocks.get()
        # Blocks of generators end in any order, and perhaps in another context.
        for n in reversed(range(len(blocks))):
            if blocks[n][0] is self:
                _blocks.set(blocks[:n])
                _current.set(blocks[n][1])
                break

    def _take_back(self) -> None:
        """End what the call of ``options`` has set, where it is still in force."""
        if _current.get() is self._set:
            _current.set(self._before)

    def __call__(self, function: F) -> F:
        """Decorate a function, so that it runs with the options."""
        self._take_back()  # a decorator changes nothing outside of the function
        if isinstance(function, type) or not callable(function):
            raise TypeError(
                f"options: it decorates functions, not {describe(function)}. Decorate the methods "
                "of a class; write @staticmethod, @classmethod and @property above @options."
            )
        run: Any
        if inspect.iscoroutinefunction(function):

            async def run(*arguments: Any, **parameters: Any) -> Any:
                with _Steps(self._named):
                    return await function(*arguments, **parameters)

        elif inspect.isgeneratorfunction(function):

            def run(*arguments: Any, **parameters: Any) -> Any:
                return (yield from _Generator(self._named, function(*arguments, **parameters)))

        elif inspect.isasyncgenfunction(function):

            async def run(*arguments: Any, **parameters: Any) -> Any:
                steps, generator = _Steps(self._named), function(*arguments, **parameters)
                step, given = generator.asend, None
                try:
                    while True:
                        with steps:
                            made = await step(given)
                        try:
                            step, given = generator.asend, (yield made)
                        except GeneratorExit:
                            raise
                        except BaseException as error:  # noqa: BLE001  # the generator's
                            step, given = generator.athrow, error
                except StopAsyncIteration:
                    pass
                finally:
                    with steps:
                        await generator.aclose()

        else:

            def run(*arguments: Any, **parameters: Any) -> Any:
                with _Steps(self._named):
                    return function(*arguments, **parameters)

        return functools.wraps(function)(run)  # type: ignore[return-value]

    def __repr__(self) -> str:
        return f"options({', '.join(f'{k}={v!r}' for k, v in self._named.items())})"


@final
class _Steps:
    """The options of one call of a decorated function, in force while the call runs.

    A generator is left and entered with each step, and keeps what it has set itself.
    """

    def __init__(self, named: dict[str, Any]) -> None:
        self._named = named
        self._within: tuple[Options, Any] | None = None

    def __enter__(self) -> None:
        self._outside = _current.get(), _blocks.get()
        options, blocks = self._within or (replace(_current.get(), **self._named), ())
        _current.set(options)
        _blocks.set(blocks)

    def __exit__(self, *_: object) -> None:
        self._within = _current.get(), _blocks.get()
        _current.set(self._outside[0])
        _blocks.set(self._outside[1])


@final
class _Generator(Generator[Any, Any, Any]):
    """A generator whose steps have options of their own."""

    def __init__(self, named: dict[str, Any], generator: Generator[Any, Any, Any]) -> None:
        self._steps = _Steps(named)
        self._generator = generator

    def send(self, given: Any) -> Any:
        with self._steps:
            return self._generator.send(given)

    def throw(self, *error: Any) -> Any:
        with self._steps:
            return self._generator.throw(*error)


@refusing
def options(
    *,
    device: DeviceLike | None = None,
    host_fallback: HostPolicy | None = None,
    relaxed: Relaxed | None = None,
    default_float: FloatName | torch.dtype | None = None,
    npu_math: Math | None = None,
    checks: Checks | None = None,
    gather: GatherPolicy | None = None,
    api_version: str | None = None,
    boolean_indexing: bool | None = None,
    data_dependent_shapes: bool | None = None,
    enabled_extensions: Collection[str] | None = None,
) -> _Chosen:
    """Set options, for a block of code or from here on.

    As a context manager it sets them for the block, in one thread or task, and as a decorator for a
    function, a coroutine or a generator while it runs.  Called plainly it sets them for the rest of
    the thread or task.

    Parameters
    ----------
    device : Device or str, optional
        The device on which arrays are created unless a ``device`` is given: ``"npu:0"``,
        ``"cuda:1"``, ``"cpu"``.  The environment variable ``ASCEND_ARRAY_API_DEVICE`` sets it for
        a whole process.
    host_fallback : {"warn", "error", "allow"}, optional
        The reaction to an operation that has to be computed on the host, because the device has no
        kernel for it or for a composition of others: a ``HostFallbackWarning``, once for each
        operation and data type; a ``HostFallbackError``, before anything is computed; or nothing.
        ``fallback_report()`` lists all such operations.  The environment variable
        ``ASCEND_ARRAY_API_HOST_FALLBACK`` sets it for a whole process.
    relaxed : bool or "warn", optional
        Whether calls that the standard leaves undefined are answered as in NumPy, not refused:
        arrays of different kinds combine (``int64`` and ``float32``), functions of floating-point
        numbers accept integers, NumPy's arrays and scalars and Python's data types are accepted, an
        index may name the first axes only, and arrays have methods such as ``sum`` and ``reshape``.
        ``"warn"`` does so too, and ``porting_report()`` lists each line of code that strict mode
        would refuse.  ``ASCEND_ARRAY_API_RELAXED=1`` or ``=warn`` sets it for a whole process.
    default_float : {"float32", "float64"} or dtype, optional
        The default real floating-point data type; the complex one has the same precision.
        ``ASCEND_ARRAY_API_DEFAULT_FLOAT`` sets it for a whole process.
    npu_math : {"exact", "fast"}, optional
        How NPUs compute functions for which CANN's kernels are coarse, such as ``//``, ``%``,
        ``**``, ``expm1`` and ``atan``.  ``"exact"``: as the standard asks and within stated bounds,
        by several kernels.  ``"fast"``: by torch_npu's own kernel, as inexact as it is; integers
        divided by 0 raise with both.  The option changes only the functions that you call.  Sums,
        indices, decompositions and random numbers do not use the fast kernels.  The page on
        accuracy lists the cost and the accuracy of each function.  ``ASCEND_ARRAY_API_NPU_MATH``
        sets it for a whole process.
    checks : {"late", "wait", "off"}, optional
        When to raise errors that depend on values on an accelerator (the CPU raises them
        immediately): positions out of bounds (IndexError), integers divided by 0
        (ZeroDivisionError), matrices without an inverse (LinAlgError), parameters of ``random``
        out of range (ValueError).  ``"late"``: whenever an array that depends on the call is read
        (``float(x)``, ``repr(x)``, copies to the CPU, ``nonzero``); the error names the function
        and the place of the call.  ``synchronize`` raises errors whose arrays nobody has read.
        ``"wait"``: at the call, which waits.  ``"off"``: never.
        With every setting, positions are kept in bounds before a kernel reads or writes there.
        Compiled and transformed functions check nothing.
        ``ASCEND_ARRAY_API_CHECKS`` sets it for a whole process.
    gather : {"warn", "error", "allow"}, optional
        The reaction to an operation on a mesh (see ``ascend_array_api.distributed``) that has to
        bring the parts of an array together in every process: a warning for each operation once,
        an error, or nothing.  ``ASCEND_ARRAY_API_GATHER`` sets it for a whole process.
    api_version : {"2022.12", "2023.12", "2024.12", "2025.12"}, optional
        The version of the standard to which the main namespace is limited: functions of later
        versions raise, and others answer in the form of that version.  This and the next three are
        the flags of array_api_strict, for tests of libraries that support backends which can do
        less.  Each has a variable, such as ``ASCEND_ARRAY_API_API_VERSION``.
    boolean_indexing : bool, optional
        Whether a mask may be an index; without it ``x[mask]`` raises, as in libraries that trace.
    data_dependent_shapes : bool, optional
        Whether functions may give results of a shape that depends on values.  Without it
        ``unique_all`` and its relatives, ``nonzero``, ``bincount`` and ``repeat`` with an array of
        numbers raise.
    enabled_extensions : collection of str, optional
        The extensions that the namespace has, of ``"linalg"`` and ``"fft"``.

    Returns
    -------
    context manager
        It gives the options in force to the block that it is for.  It can be entered again, and
        decorate several functions; threads and tasks can share it.

    Raises
    ------
    TypeError
        If ``relaxed`` is neither True, False nor ``"warn"``, or if it decorates a class.
    ValueError
        If there is no such device, policy, default data type, way to compute, version of the
        standard or extension.

    Examples
    --------
    >>> import ascend_array_api as xp
    >>> with xp.options(device="cpu"):
    ...     x = xp.ones(2)
    >>> x.device
    Device('cpu')
    >>> with xp.options(relaxed=True, default_float="float64"):
    ...     xp.asarray([1, 2, 3]) * 0.5
    Array([0.5, 1. , 1.5], dtype=float64, device='cpu')
    """
    given = locals()
    if relaxed is not None and not isinstance(relaxed, bool) and relaxed != "warn":
        raise TypeError(f"options: relaxed must be True, False or 'warn', not {relaxed!r}.")
    if device is not None:
        given["device"] = parse(device, "options")
    named = {
        name: _checked(name, value, f"options: {name}")
        for name, value in given.items()
        if value is not None
    }
    if relaxed:
        _offer_relaxed()
    if relaxed == "warn":
        _offer_report()
    if not limited and any(name in named for name in _LIMITS):
        _offer_limits()
    return _Chosen(named)
