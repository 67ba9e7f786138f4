"""Options: for a block, a thread, a function, a coroutine, a generator, and shared among these.

What is in force where is what ``torch.no_grad`` and ``numpy.errstate`` do, or Python's text says.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
from typing import TYPE_CHECKING, Any

import pytest
from parametrize import listing
from processes import in_threads

import ascend_array_api as xp
from ascend_array_api import _versions
from ascend_array_api._options import settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator


def alone(function: Callable[[], Any]) -> Any:
    """Call a function in a thread of its own, so that what it sets ends with it."""
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    (result,) = results
    return result


def relaxed() -> bool | str:
    return settings.current().relaxed


def test_a_plain_call_sets_options_for_the_thread() -> None:
    def program() -> Any:
        chosen = xp.options(relaxed=True)
        first = settings.current().relaxed
        xp.options(default_float="float64")
        both = settings.current().relaxed, xp.ones(1).dtype
        xp.options(relaxed=False)
        return repr(chosen), first, both, settings.current().relaxed

    assert alone(program) == ("options(relaxed=True)", True, (True, xp.float64), False)
    assert not settings.current().relaxed


def test_a_block_ends_what_it_began() -> None:
    with xp.options(relaxed=True) as outer:
        with xp.options(default_float="float64") as inner:
            assert inner is settings.current()
            assert inner.relaxed
            assert inner.default_float == "float64"
        assert settings.current() is outer
        assert outer.default_float == "float32"
    assert not settings.current().relaxed


def test_a_block_can_be_entered_again() -> None:
    def program() -> Any:
        chosen = xp.options(relaxed=True)
        seen = []
        with chosen:
            seen.append(relaxed())
        seen.append(relaxed())
        with chosen, xp.options(relaxed=False), chosen:
            seen.append(relaxed())
        seen.append(relaxed())
        with chosen:
            with chosen:
                pass
            seen.append(relaxed())
        return [*seen, relaxed()]

    assert alone(program) == [True, False, True, False, True, False]


def test_options_decorate_a_function() -> None:
    @xp.options(relaxed=True)
    def product(x: xp.Array) -> xp.Array:
        return x * 0.5

    x = xp.asarray([1, 2])
    assert not settings.current().relaxed
    with xp.options(default_float="float64"):  # the option of the call stays
        assert product(x).dtype is xp.float64
    assert product(x).dtype is xp.float32
    with pytest.raises(TypeError):
        x * 0.5


def test_one_object_decorates_several_functions() -> None:
    def program() -> Any:
        chosen = xp.options(relaxed=True)
        first, second = chosen(relaxed), chosen(relaxed)

        @chosen
        def recursive(n: int) -> list[Any]:
            return [relaxed(), *(recursive(n - 1) if n else [])]

        seen = [relaxed(), first(), second(), *recursive(2), relaxed()]
        with chosen:
            chosen(relaxed)  # within its own block
            return [*seen, relaxed(), first()]

    assert alone(program) == [False, True, True, True, True, True, False, True, True]
    for wrong in (int, 3):
        with pytest.raises(TypeError, match="options: it decorates functions, not"):
            xp.options(relaxed=True)(wrong)
        assert not relaxed()


def test_threads_share_an_object() -> None:
    """Each thread has the options in its own block, whatever the others do meanwhile."""

    def program() -> Any:
        chosen = xp.options(relaxed=True)
        with chosen:
            pass
        wait = threading.Barrier(8, timeout=60)
        seen: list[Any] = []

        def work(n: int) -> None:
            outside = relaxed()
            with contextlib.suppress(KeyError), chosen:
                wait.wait()
                within = relaxed()
                if n % 2:
                    raise KeyError
            seen.append((outside, within, relaxed()))

        in_threads(work, 8)
        return seen, relaxed()

    assert alone(program) == ([(False, True, False)] * 8, False)


def test_an_object_made_in_another_thread_is_in_force() -> None:
    made = alone(lambda: xp.options(relaxed=True))
    with pytest.raises(KeyError), made:  # the error is the block's own
        assert relaxed()
        raise KeyError
    assert not relaxed()
    assert made(relaxed)()


def test_options_decorate_a_coroutine() -> None:
    chosen = xp.options(relaxed=True)

    @chosen
    async def work() -> list[Any]:
        seen = [relaxed()]
        await asyncio.sleep(0)
        return [*seen, relaxed()]

    async def other() -> list[Any]:
        seen = []
        for _ in range(3):
            seen.append(relaxed())
            await asyncio.sleep(0)
        return seen

    async def program() -> Any:
        answers = await asyncio.gather(work(), other(), work())
        return answers, await work(), relaxed()

    assert inspect.iscoroutinefunction(work)
    answers, again, outside = asyncio.run(program())
    assert answers == [[True] * 2, [False] * 3, [True] * 2]
    assert again == [True] * 2
    assert not outside
    assert not relaxed()


def test_options_decorate_a_generator() -> None:
    """They are in force in each step and not between; the body's own choices stay within it."""
    ended: list[Any] = []

    @xp.options(relaxed=True)
    def steps(n: int) -> Iterator[Any]:
        try:
            got = yield relaxed()
            with xp.options(default_float="float64"):
                for _ in range(n):
                    try:
                        got = yield (got, relaxed(), settings.current().default_float)
                    except KeyError:  # noqa: PERF203
                        got = "KeyError"
            yield relaxed(), settings.current().default_float
            return "returned"
        finally:
            ended.append(relaxed())

    def outside() -> Any:
        now = settings.current()
        return now.relaxed, now.default_float

    assert inspect.isgeneratorfunction(steps)
    one, two = steps(2), steps(1)
    assert next(one) is next(two) is True
    assert outside() == (False, "float32")
    assert one.send("sent") == ("sent", True, "float64")
    with xp.options(relaxed=False):
        assert two.send(2) == (2, True, "float64")
        assert outside() == (False, "float32")
        assert one.throw(KeyError()) == ("KeyError", True, "float64")
    assert next(one) == (True, "float32")
    two.close()
    with pytest.raises(StopIteration, match="returned"):
        next(one)
    assert ended == [True, True]
    assert outside() == (False, "float32")

    managed = contextlib.contextmanager(steps)
    with pytest.raises(KeyError), managed(0) as within:
        assert within
        assert not relaxed()
        raise KeyError


def test_options_decorate_an_asynchronous_generator() -> None:
    ended: list[Any] = []

    @xp.options(relaxed=True)
    async def steps() -> AsyncIterator[Any]:
        try:
            with xp.options(default_float="float64"):
                for n in range(3):
                    await asyncio.sleep(0)
                    try:
                        yield n, relaxed(), settings.current().default_float
                    except KeyError:
                        yield "KeyError"
        finally:
            await asyncio.sleep(0)
            ended.append(relaxed())

    async def program() -> Any:
        seen: list[Any] = []
        async for step in steps():
            seen += [step, relaxed()]
        left: Any = steps()
        await anext(left)
        assert await left.athrow(KeyError()) == "KeyError"
        await left.aclose()
        return seen

    assert inspect.isasyncgenfunction(steps)
    expected = [part for n in range(3) for part in ((n, True, "float64"), False)]
    assert asyncio.run(program()) == expected
    assert ended == [True, True]


def test_blocks_of_generators_end_in_any_order() -> None:
    """A block that a plain generator leaves open ends without an error, and harms no other."""

    def steps() -> Iterator[None]:
        with xp.options(default_float="float64"):
            yield

    def program() -> Any:
        one = steps()
        with xp.options(relaxed=True):
            next(one)
            two = steps()
            next(two)
        first = settings.current()
        alone(lambda: list(one))  # in another thread, where nothing was entered
        two.close()
        with xp.options(relaxed=True):
            list(one)
            seen = relaxed()
        return first.relaxed, first.default_float, seen, settings.current() is first

    assert alone(program) == (False, "float32", True, True)


@listing(
    "named, error",
    [
        *(
            ({"relaxed": "yes"}, TypeError),
            ({"relaxed": 1}, TypeError),
            ({"device": 0}, TypeError),
        ),
        *(({"host_fallback": value}, ValueError) for value in ("never", "", "WARN", True, 1)),
        *(({"default_float": "float16"}, ValueError), ({"npu_math": True}, ValueError)),
        *(({"checks": False}, ValueError), ({"device": "gpu"}, ValueError)),
    ],
)
def test_values_are_checked_at_the_call(named: dict[str, Any], error: type[Exception]) -> None:
    before = settings.current()
    with pytest.raises(error, match=f"options.*{next(iter(named))}"):
        xp.options(**named)
    assert settings.current() is before


# --- the data type of floating-point numbers, and the environment --------------------------------


def test_default_float() -> None:
    assert xp.ones(1).dtype is xp.float32
    for given in ("float64", xp.float64):
        with xp.options(default_float=given):
            assert xp.ones(1).dtype is xp.float64
            assert xp.asarray([1.5]).dtype is xp.float64
            assert xp.asarray(1j).dtype is xp.complex128
            defaults = xp.__array_namespace_info__().default_dtypes()
            assert defaults["real floating"] is xp.float64
            assert defaults["complex floating"] is xp.complex128
    assert xp.ones(1).dtype is xp.float32


def test_the_environment_sets_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the import on, as test_relaxed.py sees in a process of its own."""
    for value, relaxed in (("1", True), ("0", False), ("warn", "warn"), ("", False)):
        monkeypatch.setenv("ASCEND_ARRAY_API_RELAXED", value)
        assert settings._of_process()[0].relaxed == relaxed, value
    for value, policy in (("error", "error"), ("allow", "allow"), ("", "warn")):
        monkeypatch.setenv("ASCEND_ARRAY_API_HOST_FALLBACK", value)
        assert settings._of_process()[0].host_fallback == policy


@pytest.mark.parametrize(
    ("variable", "value"),
    [("RELAXED", "maybe"), ("DEFAULT_FLOAT", "int8"), ("HOST_FALLBACK", "no")],
)
def test_the_environment_is_checked(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ASCEND_ARRAY_API_{variable}", value)
    with pytest.raises(ValueError, match=f"ASCEND_ARRAY_API_{variable} must be"):
        settings._of_process()


# --- the flags of array_api_strict ----------------------------------------------------------------


@pytest.fixture
def unlimited() -> Iterator[None]:
    """Other tests get the namespace as it is where nothing has limited it."""
    with xp.options(relaxed=True):  # this too changes it once and for all
        pass
    spaces = [vars(module) for module in (xp, xp.linalg, xp.fft)]
    before = [dict(space) for space in spaces]
    yield
    for space, own in zip(spaces, before):
        for name in space.keys() - own.keys():
            del space[name]
        space.update(own)
    settings.limited = False
    _versions.limit(xp)


def outcome(call: Callable[[], Any]) -> str:
    """What a call ends in: the name of the error, or nothing."""
    try:
        call()
    except Exception as error:  # noqa: BLE001  # it is compared
        return type(error).__name__
    return ""


def flagged(n: Any, code: str, **flags: Any) -> str:
    """What a call ends in with flags, in a namespace that has them."""
    strict = n.__name__ == "array_api_strict"
    with n.ArrayAPIStrictFlags(**flags) if strict else n.options(**flags):
        given = {"n": n, "i": n.asarray([1, 2]), "b": n.asarray([True, False])}
        return outcome(lambda: eval(code, given))


SHAPES = """
    n.unique_all(i) n.unique_counts(i) n.unique_inverse(i) n.unique_values(i) n.nonzero(i)
    n.repeat(i,i) n.repeat(i,2) i[b] n.ones((2,2))[b] i.__setitem__(b,0)
    n.where(b,n.ones(2),n.zeros(2)) i[n.asarray([1,0])] n.isin(i,n.asarray([1]))
""".split()
VERSIONED = """
    n.__array_namespace_info__() n.clip(i,1,2) n.copysign(n.ones(2),-n.ones(2)) n.tile(i,(2,))
    n.cumulative_sum(i) n.hypot(n.ones(2),n.ones(2)) n.maximum(i,i) n.minimum(i,i)
    n.moveaxis(n.ones((3,2)),0,1) n.repeat(i,3) n.searchsorted(i,i) n.signbit(n.ones(2))
    n.unstack(n.ones((3,3)),axis=0) n.diff(i) n.nextafter(n.ones(1),n.zeros(1))
    n.reciprocal(n.ones(1)) n.take_along_axis(i,n.asarray([0,1])) n.count_nonzero(i)
    n.cumulative_prod(i) n.isin(i,n.asarray([1])) n.broadcast_shapes((2,1),(3,))
    n.linalg.eig(n.eye(2)) n.take(i,n.asarray([1]),axis=0) n.linalg.inv(n.eye(2))
""".split()
EXTENDED = """
    n.linalg n.linalg.inv(n.eye(2)) n.fft.fft(n.asarray([0j,1j])) n.matmul(n.eye(3),n.eye(3))
    n.eye(3).mT
""".split()


@pytest.mark.cpu
@pytest.mark.usefixtures("unlimited")
def test_the_flags_are_those_of_array_api_strict() -> None:
    """For each flag and call the same error or none, asked of array_api_strict itself."""
    strict = pytest.importorskip("array_api_strict")
    if strict.__array_api_version__ < "2025.12":
        pytest.skip("needs an array_api_strict of version 2025.12")
    asked: list[Any] = [(codes, {}) for codes in (SHAPES, VERSIONED, EXTENDED)]
    asked += [(SHAPES, {f: False}) for f in ("data_dependent_shapes", "boolean_indexing")]
    asked += [(VERSIONED, {"api_version": f"{year}.12"}) for year in (2022, 2023, 2024, 2025)]
    asked += [(EXTENDED, {"enabled_extensions": e}) for e in ((), ("linalg",), ["fft"])]
    wrong = [
        f"{code} with {flags}: {ours or 'nothing'}, and {theirs or 'nothing'} of array_api_strict"
        for codes, flags in asked
        for code in codes
        if (ours := flagged(xp, code, **flags)) != (theirs := flagged(strict, code, **flags))
    ]
    assert not wrong, "\n".join(wrong)
    refused = {"api_version": "2020.12"}, {"enabled_extensions": ("linalg", "invalid")}
    for flags in refused:
        for made in (xp.options, strict.ArrayAPIStrictFlags):
            with pytest.raises(ValueError, match=r"2020\.12|invalid"), made(**flags):
                pass


@pytest.mark.usefixtures("unlimited")
def test_flags_limit_names_capabilities_and_held_modules() -> None:
    """Names go and come back with the block; what a module holds of an extension raises too."""
    linalg, inverse = xp.linalg, xp.linalg.inv
    with xp.options(enabled_extensions=["fft"], boolean_indexing=False, api_version="2024.12"):
        assert not hasattr(xp, "linalg")
        assert {"fft", "matmul"} <= set(xp.__all__) & set(dir(xp))
        assert "linalg" not in xp.__all__
        star: dict[str, Any] = {}
        exec("from ascend_array_api import *", star)
        assert "fft" in star
        assert "linalg" not in star
        assert xp.__array_api_version__ == "2024.12"
        told = xp.__array_namespace_info__().capabilities()
        assert told == {
            "boolean indexing": False,
            "data-dependent shapes": True,
            "max dimensions": 64,
        }
        with pytest.raises(RuntimeError, match=r"^linalg\.inv: .*enabled_extensions"):
            linalg.inv(xp.eye(2))
        with pytest.raises(RuntimeError, match=r"^index: the key has a mask, .*boolean_indexing"):
            xp.ones(2)[xp.asarray(True)]
        with pytest.raises(RuntimeError, match=r"^isin: version 2025\.12 .*'2024\.12'"):
            xp.isin(xp.ones(1), xp.ones(1))
        assert isinstance(xp.broadcast_arrays(xp.ones(1), xp.ones(2)), list)
        assert alone(lambda: outcome(lambda: xp.ones(2)[xp.ones(2) == 1])) == ""
    with xp.options(api_version="2025.12"):
        assert isinstance(xp.broadcast_arrays(xp.ones(1), xp.ones(2)), tuple)
    assert xp.linalg is linalg
    assert outcome(lambda: inverse(xp.eye(2))) == ""
    assert xp.__array_api_version__ == "2023.12"
    with xp.options(relaxed=True, data_dependent_shapes=False):
        assert outcome(lambda: xp.ones(2).nonzero()) == "RuntimeError"
        assert outcome(lambda: xp.bincount([0, 1])) == "RuntimeError"
        assert xp.sum([1, 2], axis=0) == 3
