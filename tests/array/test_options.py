"""Options: for a block, a thread, a function, a coroutine, a generator, and shared among these.

What is in force where is what ``torch.no_grad`` and ``numpy.errstate`` do, or Python's text says.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest
from processes import apart

import ascend_array_api as xp
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

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return seen, relaxed()

    assert alone(program) == ([(False, True, False)] * 8, False)


def test_an_object_made_in_another_thread_is_in_force() -> None:
    made: list[Any] = []
    thread = threading.Thread(target=lambda: made.append(xp.options(relaxed=True)))
    thread.start()
    thread.join()
    with pytest.raises(KeyError), made[0]:  # the error is the block's own
        assert relaxed()
        raise KeyError
    assert not relaxed()
    assert made[0](relaxed)()


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


@pytest.mark.parametrize(
    ("named", "error"),
    [
        ({"relaxed": "yes"}, TypeError),
        ({"relaxed": 1}, TypeError),
        ({"host_fallback": "never"}, ValueError),
        ({"default_float": "float16"}, ValueError),
        ({"npu_math": True}, ValueError),
        ({"checks": False}, ValueError),
        ({"device": "gpu"}, ValueError),
        ({"device": 0}, TypeError),
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
    with (
        pytest.raises(ValueError, match="must be float32 or float64"),
        xp.options(
            default_float="float16"  # type: ignore[arg-type]
        ),
    ):
        pass


def of_the_process() -> None:
    options = settings.current()
    assert (options.relaxed, options.default_float) == (True, "float64")
    assert options.host_fallback == "error"
    assert xp.ones(1).dtype is xp.float64
    assert (xp.asarray([1, 2]) * 0.5).sum() == 1.5  # as in NumPy from the import on


def test_the_environment_sets_options(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"RELAXED": "1", "DEFAULT_FLOAT": "float64", "HOST_FALLBACK": "error"}
    apart(of_the_process, env=os.environ | {f"ASCEND_ARRAY_API_{k}": v for k, v in chosen.items()})
    for value, relaxed in (("1", True), ("0", False), ("warn", "warn"), ("", False)):
        monkeypatch.setenv("ASCEND_ARRAY_API_RELAXED", value)
        assert settings._from_environment().relaxed == relaxed, value


@pytest.mark.parametrize(("variable", "value"), [("RELAXED", "maybe"), ("DEFAULT_FLOAT", "int8")])
def test_the_environment_is_checked(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ASCEND_ARRAY_API_{variable}", value)
    with pytest.raises(ValueError, match=f"ASCEND_ARRAY_API_{variable} must be"):
        settings._of_process()
